#include "program.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

namespace strata::cli {

namespace fs = std::filesystem;

namespace {

// In the child: everything as the setting says, then the program.
[[noreturn]] void become(const Words& words, const Setting& setting, const fs::path& out, const fs::path& err) {
  std::vector<char*> arguments = {const_cast<char*>(STRATA_PROGRAM)};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int in_file = ::open("/dev/null", O_RDONLY);
  const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (::chdir(setting.folder.c_str()) != 0 || in_file < 0 || out_file < 0 || err_file < 0) ::_exit(126);
  ::dup2(in_file, 0);
  ::dup2(out_file, 1);
  ::dup2(err_file, 2);
  for (const std::string& variable : setting.environment) ::putenv(const_cast<char*>(variable.c_str()));
  if (setting.file_limit_bytes >= 0) {
    const rlimit limit{static_cast<rlim_t>(setting.file_limit_bytes), static_cast<rlim_t>(setting.file_limit_bytes)};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ::execv(STRATA_PROGRAM, arguments.data());
  ::_exit(127);
}

}  // namespace

Running::Running(const Words& words, const Setting& setting) {
  static std::atomic<int> count{0};
  const int number = count++;
  const fs::path logs = setting.folder.string() + ".logs";
  fs::create_directories(logs);
  out_ = logs / fmt::format("out{}", number);
  err_ = logs / fmt::format("err{}", number);
  pid_ = ::fork();
  if (pid_ == 0) become(words, setting, out_, err_);
}

Running::~Running() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Running::signal(int number) const { ::kill(pid_, number); }

Outcome Running::wait() {
  int status = 0;
  rusage use{};
  while (::wait4(pid_, &status, 0, &use) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out_), text_of(err_),
          seconds(use.ru_utime) + seconds(use.ru_stime)};
}

CliTest::CliTest() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  folder_ = fs::path(STRATA_TEST_TMP) / fmt::format("{}.{}", info->test_suite_name(), info->name());
  std::string plain = folder_.string();
  for (char& c : plain) c = c == '#' ? '_' : c;
  folder_ = plain;
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

Outcome CliTest::run(const Words& words) const { return run(words, here()); }

Outcome CliTest::run(const Words& words, Setting setting) const {
  if (setting.folder.empty()) setting.folder = folder_;
  return Running(words, setting).wait();
}

fs::path CliTest::write(const std::string& name, const std::string& text) const {
  const fs::path path = folder_ / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string CliTest::read(const std::string& name) const { return text_of(folder_ / name); }

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::string xml_problem(const std::string& text) {
  if (!text.starts_with("<?xml ")) return "no XML declaration";
  std::vector<std::string> open;
  std::size_t at = text.find("?>") + 2;
  int roots = 0;
  while (at < text.size()) {
    const std::size_t tag = text.find('<', at);
    const std::string between = text.substr(at, tag == std::string::npos ? tag : tag - at);
    if (between.find('>') != std::string::npos) return "a bare '>' in: " + between;
    if (tag == std::string::npos) break;
    const std::size_t end = text.find('>', tag);
    if (end == std::string::npos) return "an open tag at the end";
    const std::string body = text.substr(tag + 1, end - tag - 1);
    const std::string name = body.substr(0, body.find_first_of(" /", 1));
    if (body.find('<') != std::string::npos) return "a '<' inside a tag: " + body;
    if (std::count(body.begin(), body.end(), '"') % 2 != 0) return "odd quotes: " + body;
    if (body.front() == '/') {
      if (open.empty() || "/" + open.back() != body) return "unexpected <" + body + ">";
      open.pop_back();
    } else if (body.back() != '/') {
      roots += open.empty() ? 1 : 0;
      open.push_back(name);
    }
    at = end + 1;
  }
  if (!open.empty()) return "not closed: " + open.back();
  return roots == 1 ? "" : "not exactly one root";
}

std::string walkers(int robots, double seconds, const std::string& more) {
  return fmt::format(
      "strata: 1\nname: walkers\nduration: {} s\nstep: 50 ms\nseed: 3\n"
      "robots:\n  walker:\n    count: {}\n    place: {{grid: {{from: [1, 1], spacing: 1 m}}}}\n"
      "    body: {{shape: circle, radius: 0.15 m, height: 0.3 m}}\n"
      "    motion: {{kind: differential, max_speed: 0.5 m/s, max_turn: 2 rad/s}}\n"
      "    behaviours: [random_walk]\n{}",
      seconds, robots, more);
}

}  // namespace strata::cli
