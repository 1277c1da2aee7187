#include "app/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace strata::app {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kLook{2};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const fs::path& output)
    : start_(std::chrono::steady_clock::now()) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  const int problem = ::posix_spawnp(&pid_, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) throw std::system_error(problem, std::generic_category(), "cannot start " + command.front());
}

Child::~Child() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  static_cast<void>(reap(true));
}

std::optional<ChildUse> Child::reap(bool block) {
  int status = 0;
  rusage use{};
  pid_t ended = 0;
  do {
    ended = ::wait4(pid_, &status, block ? 0 : WNOHANG, &use);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return std::nullopt;
  pid_ = 0;
  ChildUse out;
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (ended < 0) return out;
  out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  out.cpu_s = seconds(use.ru_utime) + seconds(use.ru_stime);
  return out;
}

ChildUse Child::wait() { return *reap(true); }

std::optional<ChildUse> Child::wait_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (true) {
    if (auto use = reap(false)) return use;
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(kLook);
  }
}

void Child::signal(int number) const {
  if (pid_ != 0) ::kill(pid_, number);
}

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "strata-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "cannot make " + name);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace strata::app
