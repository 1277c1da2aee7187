#include "coordinator/dispatcher/orphans.hpp"

#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "coordinator/dispatcher/spawn.hpp"

namespace strata::coordinator {

namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_zombie(pid_t pid) {
  const std::string stat = content_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || stat.substr(name_end + 2, 1) == "Z";
}

}  // namespace

std::vector<pid_t> marked_processes(const std::string& mark) {
  const std::string wanted = std::string(kTaskMark) + "=" + mark + ":";
  std::vector<pid_t> found;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc{} || end != name.data() + name.size() || pid == ::getpid()) continue;
    const std::string environment = content_of(entry.path() / "environ");
    const std::size_t at = environment.find(wanted);
    const bool marked = at != std::string::npos && (at == 0 || environment[at - 1] == '\0');
    if (marked && !is_zombie(pid)) found.push_back(pid);
  }
  return found;
}

bool end_orphans(const std::string& mark) {
  for (int round = 0; round < 500; ++round) {
    const std::vector<pid_t> orphans = marked_processes(mark);
    if (orphans.empty()) return true;
    for (const pid_t pid : orphans) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace strata::coordinator
