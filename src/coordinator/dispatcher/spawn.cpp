#include "coordinator/dispatcher/spawn.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace strata::coordinator {

namespace {

/// Everything the child needs, made before it exists: between vfork and exec it may only call the kernel.
struct SpawnPlan {
  std::string path;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* folder = nullptr;
  int out_fd = -1;
  int err_fd = -1;
  rlim_t cpu_s = RLIM_INFINITY;
  rlim_t memory_bytes = RLIM_INFINITY;
  int nice = 0;
  std::optional<cpu_set_t> cores;
  std::optional<uid_t> user;
  gid_t group = 0;
  std::vector<gid_t> groups;
};

Error cannot_start(const std::string& command, const std::string& why, std::string remedy) {
  return {{}, fmt::format("cannot start '{}': {}", command, why), std::move(remedy)};
}

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

// As execvp does it, but before there is a process, and with the path of the task's own environment.
Result<std::string> find_program(const TaskSpec& task) {
  if (task.command.find('/') != std::string::npos) return task.command;
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  if (const char* own = std::getenv("PATH")) path = own;  // NOLINT(concurrency-mt-unsafe): nobody sets it
  for (const std::string& variable : task.environment) {
    if (variable.starts_with("PATH=")) path = variable.substr(5);
  }
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const std::string candidate = path.substr(start, end - start) + "/" + task.command;
    if (is_program(candidate)) return candidate;
    start = end + 1;
  }
  return cannot_start(task.command, "no such program", "give its full path, or install it; PATH is " + path);
}

Result<void> plan_user(const Limits& limits, SpawnPlan& plan) {
  if (limits.user.empty()) return {};
  const passwd* entry = ::getpwnam(limits.user.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
  if (entry == nullptr) return Error{{}, fmt::format("there is no user '{}'", limits.user), ""};
  plan.user = entry->pw_uid;
  plan.group = entry->pw_gid;
  int count = 64;
  plan.groups.resize(64);
  if (::getgrouplist(entry->pw_name, entry->pw_gid, plan.groups.data(), &count) < 0) count = 0;
  plan.groups.resize(static_cast<std::size_t>(count));
  return {};
}

Result<void> plan_limits(const Limits& limits, SpawnPlan& plan) {
  if (limits.cpu > Duration{}) plan.cpu_s = static_cast<rlim_t>((limits.cpu.ns() + 999'999'999) / 1'000'000'000);
  if (limits.memory_bytes != 0) plan.memory_bytes = limits.memory_bytes;
  plan.nice = limits.nice;
  if (!limits.cores.empty()) {
    const Result<std::vector<int>> cores = parse_cores(limits.cores);
    if (!cores.ok()) return cores.errors();
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int core : *cores) CPU_SET(static_cast<std::size_t>(core), &set);
    plan.cores = set;
  }
  return plan_user(limits, plan);
}

const char* const kSteps[] = {"",
                              "chdir",
                              "set its CPU limit",
                              "set its memory limit",
                              "set its niceness",
                              "set its cores",
                              "change to its user",
                              "run it"};

// In the child. Returns the number of the step that failed; errno says why.
int become(const SpawnPlan& plan, pid_t guardian) {
  ::setpgid(0, 0);
  if (plan.folder != nullptr && ::chdir(plan.folder) != 0) return 1;
  const rlimit cpu{plan.cpu_s, plan.cpu_s == RLIM_INFINITY ? RLIM_INFINITY : plan.cpu_s + 1};
  if (plan.cpu_s != RLIM_INFINITY && ::setrlimit(RLIMIT_CPU, &cpu) != 0) return 2;
  const rlimit memory{plan.memory_bytes, plan.memory_bytes};
  if (plan.memory_bytes != RLIM_INFINITY && ::setrlimit(RLIMIT_AS, &memory) != 0) return 3;
  if (plan.nice != 0 && ::setpriority(PRIO_PROCESS, 0, plan.nice) != 0) return 4;
  if (plan.cores && ::sched_setaffinity(0, sizeof(*plan.cores), &*plan.cores) != 0) return 5;
  if (plan.user && (::setgroups(plan.groups.size(), plan.groups.data()) != 0 || ::setgid(plan.group) != 0 ||
                    ::setuid(*plan.user) != 0)) {
    return 6;
  }
  // Without its guardian nobody could stop it: it goes too.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != guardian) ::_exit(127);
  ::dup2(plan.out_fd, 1);
  ::dup2(plan.err_fd, 2);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan.path.c_str(), plan.arguments.data(), plan.environment.data());
  return 7;
}

// The child borrows our memory until it has become the program, so its failure is simply there.
Result<pid_t> launch(const SpawnPlan& plan, const TaskSpec& task) {
  volatile int failed = 0;
  volatile int why = 0;
  const pid_t guardian = ::getpid();
  const pid_t pid = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (pid == 0) {
    failed = become(plan, guardian);
    why = errno;
    ::_exit(127);
  }
  if (pid < 0)
    return cannot_start(task.command, std::system_category().message(errno), "are there too many processes?");
  if (failed == 0) return pid;
  ::waitpid(pid, nullptr, 0);
  const std::string problem = fmt::format("could not {}: {}", kSteps[failed], std::system_category().message(why));
  return cannot_start(task.command, problem, failed == 7 ? "is it an executable program?" : "");
}

}  // namespace

Result<std::vector<int>> parse_cores(const std::string& text) {
  const Error wrong{{}, fmt::format("'{}' is not a list of cores", text), "write for example 0-2,5"};
  std::vector<int> cores;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int first = 0;
    auto [stop, problem] = std::from_chars(at, end, first);
    if (problem != std::errc{}) return wrong;
    int last = first;
    if (stop < end && *stop == '-') {
      const auto [after, bad] = std::from_chars(stop + 1, end, last);
      if (bad != std::errc{}) return wrong;
      stop = after;
    }
    if (first < 0 || last < first || last >= CPU_SETSIZE) return wrong;
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (stop < end && *stop != ',') return wrong;
    at = stop + 1;
  }
  if (cores.empty()) return wrong;
  return cores;
}

Result<pid_t> spawn(const SpawnSpec& spec) {
  const TaskSpec& task = spec.task;
  SpawnPlan plan;
  plan.out_fd = spec.out_fd;
  plan.err_fd = spec.err_fd;
  Result<std::string> path = find_program(task);
  if (!path.ok()) return path.errors();
  plan.path = std::move(path).value();
  if (const Result<void> fine = plan_limits(task.limits, plan); !fine.ok()) return fine.errors();
  if (!task.folder.empty()) plan.folder = task.folder.c_str();
  // execve promises not to change them.
  plan.arguments.push_back(const_cast<char*>(task.command.c_str()));
  for (const std::string& argument : task.arguments) plan.arguments.push_back(const_cast<char*>(argument.c_str()));
  plan.arguments.push_back(nullptr);
  const std::string mark = fmt::format("{}={}", kTaskMark, spec.mark);
  plan.environment.push_back(const_cast<char*>(mark.c_str()));
  // The first of two equal names counts for most programs, so the task's own come first.
  for (const std::string& variable : task.environment) plan.environment.push_back(const_cast<char*>(variable.c_str()));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::size_t name = std::string_view(*variable).find('=') + 1;
    bool replaced = false;
    for (const std::string& own : task.environment) replaced = replaced || own.compare(0, name, *variable, name) == 0;
    if (!replaced) plan.environment.push_back(*variable);
  }
  plan.environment.push_back(nullptr);
  return launch(plan, task);
}

}  // namespace strata::coordinator
