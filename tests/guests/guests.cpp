#include "guests.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

namespace strata::guests {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

std::string Outcome::all() const {
  return fmt::format("exit code {}\n--- stdout\n{}\n--- stderr\n{}", exit_code, out, err);
}

std::string Outcome::identity() const {
  return fmt::format("exit code {}\nhash {}\n{}", exit_code, result.is_object() ? result.value("hash", "") : "none",
                     out);
}

Guests::Guests() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  folder_ = fs::path(STRATA_TEST_TMP) / fmt::format("{}.{}", info->test_suite_name(), info->name());
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

Outcome Guests::shell(const std::string& line) const {
  std::ofstream(folder_ / "line.sh") << fmt::format(
      "cd '{}'\nexec='{} exec "
      "--json=result.json'\nprograms='{}'\nexamples='{}'\nbin='{}'\npython=/usr/bin/python3\n{}\n",
      folder_.string(), STRATA_PROGRAM, STRATA_SOURCE_DIR "/tests/guests/programs",
      STRATA_SOURCE_DIR "/examples/guests", STRATA_BIN_DIR, line);
  fs::remove(folder_ / "result.json");
  const int status = std::system(
      fmt::format("timeout 120 bash '{0}/line.sh' >'{0}/out' 2>'{0}/err' </dev/null", folder_.string()).c_str());
  Outcome outcome{exit_code_of(status), text_of(folder_ / "out"), text_of(folder_ / "err"), nullptr};
  const std::string json = text_of(folder_ / "result.json");
  if (!json.empty()) outcome.result = nlohmann::json::parse(json, nullptr, false);
  return outcome;
}

void Guests::expect_same(const std::string& line, int runs) const {
  const Outcome first = shell(line);
  EXPECT_EQ(first.exit_code, 0) << first.all();
  for (int i = 1; i < runs; ++i) {
    const Outcome next = shell(line);
    ASSERT_EQ(next.identity(), first.identity()) << "run " << i + 1 << "\n" << next.all();
  }
}

Load::Load() {
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (volatile unsigned long k = 0;;) k = k + 1;
    }
    if (child > 0) children_.push_back(child);
  }
}

Load::~Load() {
  for (const int child : children_) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

bool has_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

bool has_python_module(const std::string& module) {
  return std::system(fmt::format("/usr/bin/python3 -c 'import {}' >/dev/null 2>&1", module).c_str()) == 0;
}

}  // namespace strata::guests
