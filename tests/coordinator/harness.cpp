#include "harness.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "coordinator/dispatcher/guardian.hpp"
#include "coordinator/dispatcher/orphans.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace strata::coordinator {

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TaskSpec command(const Words& words, const std::vector<int>& resources, int priority) {
  TaskSpec spec;
  spec.command = words.front();
  spec.arguments.assign(words.begin() + 1, words.end());
  for (const int resource : resources) spec.uses.push_back({resource, Use::kWrite, 1});
  spec.priority = priority;
  return spec;
}

ServiceTest::ServiceTest() {
  // Short, because the name of a Unix socket is.
  std::string name = "/tmp/strata-task-XXXXXX";
  folder_ = ::mkdtemp(name.data());
}

ServiceTest::~ServiceTest() {
  if (service_ > 0) stop(SIGKILL);
  if (const pid_t process = guardian(); process > 0) ::kill(process, SIGKILL);
  if (const auto mark = read_mark(folder_ / "state"); mark.ok()) static_cast<void>(end_orphans(*mark));
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

pid_t ServiceTest::start(const Words& words, const std::string& log) {
  Words all = {STRATA_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  const std::string file = (folder_ / log).string();
  ::posix_spawn_file_actions_addopen(&actions, 1, file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  EXPECT_EQ(::posix_spawn(&pid, STRATA_PROGRAM, &actions, nullptr, arguments.data(), environ), 0);
  ::posix_spawn_file_actions_destroy(&actions);
  return pid;
}

void ServiceTest::serve(const Words& options) {
  Words words = {"task", "serve",   "--resources", std::string(STRATA_SOURCE_DIR) + "/examples/coordinator/hoap3.xml",
                 "--at", address(), "--state",     (folder_ / "state").string()};
  words.insert(words.end(), options.begin(), options.end());
  service_ = start(words, "service.log");
  ASSERT_TRUE(eventually([this] {
    const auto made = Client::connect({.address = address()});
    return made.ok() && (*made)->query(R"({"what": "stats"})").ok();
  }));
}

void ServiceTest::stop(int signal) {
  ::kill(service_, signal);
  ::waitpid(service_, nullptr, 0);
  service_ = 0;
}

pid_t ServiceTest::guardian() const {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "cmdline", std::ios::binary);
    const std::string line{std::istreambuf_iterator<char>(in), {}};
    const std::string wanted = std::string("guardian") + '\0' + (folder_ / "state").string() + '\0';
    if (line.find(wanted) != std::string::npos) return std::stoi(entry.path().filename().string());
  }
  return 0;
}

std::unique_ptr<Client> ServiceTest::client() const { return Client::connect({.address = address()}).value(); }

Json ServiceTest::ask(const std::string& what, Json more) const {
  more["what"] = what;
  return Json::parse(client()->query(more.dump()).value());
}

Json ServiceTest::task(TaskId id) const { return ask("task", {{"id", id}}).at(0); }

TaskId ServiceTest::submit(const TaskSpec& spec) const { return client()->submit(std::span(&spec, 1)).value(); }

void ServiceTest::wait_for_end(TaskId id) const {
  ASSERT_TRUE(eventually([&] { return !task(id).at("ended_s").is_null(); })) << "task " << id << " is " << state(id);
}

}  // namespace strata::coordinator
