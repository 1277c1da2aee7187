#include <cerrno>
#include <fstream>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/doctor/checkup.hpp"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#endif

namespace strata::app {

namespace fs = std::filesystem;

namespace {

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// What `probe` returns in a child: it may change the process as it likes.
template <class Probe>
bool works_in_child(Probe probe) {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) ::_exit(probe() ? 0 : 1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Finding syscall_user_dispatch() {
  Finding finding{
      "kernel", "syscall user dispatch", Health::kOk, "available", "unmodified programs in virtual time", "", false};
  if (::prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0) != 0) {
    finding.health = Health::kMissing;
    finding.found = "not available";
    finding.fix = "use a kernel of at least 5.11 on x86-64 (Debian 12 has 6.1)";
  }
  return finding;
}

Finding namespaces() {
  Finding finding{"kernel",
                  "user namespaces",
                  Health::kOk,
                  "allowed, with a private network",
                  "programs with a virtual network, ROS in isolation",
                  "",
                  false};
  if (works_in_child([] { return ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0; })) return finding;
  finding.health = Health::kLimited;
  finding.found = "not allowed";
  if (first_line("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    finding.fix = "sudo sysctl -w kernel.unprivileged_userns_clone=1";
  } else if (first_line("/proc/sys/user/max_user_namespaces") == "0") {
    finding.fix = "sudo sysctl -w user.max_user_namespaces=10000";
  } else {
    finding.fix = "run as root, or allow them in the container (docker run --security-opt seccomp=unconfined)";
  }
  return finding;
}

Finding process_ids() {
  Finding finding{"kernel",
                  "own process ids",
                  Health::kOk,
                  "allowed",
                  "programs in virtual time: stable process ids, none left behind",
                  "",
                  false};
  const auto separate = [] {
    return ::unshare(CLONE_NEWPID | CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) == 0;
  };
  if (!works_in_child(separate)) {
    finding.health = Health::kLimited;
    finding.found = "not allowed: process ids differ from run to run where a program shows them";
    finding.fix = "run as root, or allow user namespaces (docker run --security-opt seccomp=unconfined)";
  }
  return finding;
}

Finding seccomp() {
  Finding finding{"kernel", "seccomp", Health::kOk, "filters available", "catching what a program must not reach",
                  "",       false};
  const std::string actions = first_line("/proc/sys/kernel/seccomp/actions_avail");
  if (actions.find("trap") == std::string::npos) {
    finding.health = Health::kLimited;
    finding.found = "no filters";
    finding.fix = "use a kernel with CONFIG_SECCOMP_FILTER (Debian's have it)";
  }
  return finding;
}

Finding control_groups() {
  Finding finding{
      "kernel", "control groups v2", Health::kOk, "mounted", "limits for programs that run beside a simulation", "",
      false};
  std::error_code ignored;
  if (fs::exists("/sys/fs/cgroup/cgroup.controllers", ignored)) return finding;
  finding.health = Health::kLimited;
  finding.found = fs::exists("/sys/fs/cgroup/unified", ignored) ? "version 1 with a v2 branch" : "not mounted";
  finding.fix = "boot with systemd.unified_cgroup_hierarchy=1";
  return finding;
}

// Counts instructions of this process, if it may.
bool counts_instructions() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long file = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (file < 0) return false;
  ::close(static_cast<int>(file));
  return true;
}

Finding performance_counters() {
  Finding finding{
      "kernel", "performance counters", Health::kOk, "instructions can be counted", "calibration of cost tables", "",
      false};
  if (counts_instructions()) return finding;
  const int problem = errno;
  finding.health = Health::kLimited;
  if (problem == EACCES || problem == EPERM) {
    finding.found = "not allowed: kernel.perf_event_paranoid is " + first_line("/proc/sys/kernel/perf_event_paranoid");
    finding.fix = "sudo sysctl -w kernel.perf_event_paranoid=1";
  } else {
    finding.found = "the processor offers none, as in most virtual machines";
    finding.fix = "calibrate on the machine itself, or pass its performance counters to the virtual machine";
  }
  return finding;
}

Finding pinning() {
  const auto pin = [] {
    cpu_set_t all;
    if (::sched_getaffinity(0, sizeof all, &all) != 0) return false;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (!CPU_ISSET(core, &all)) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(core, &one);
      return ::sched_setaffinity(0, sizeof one, &one) == 0;
    }
    return false;
  };
  Finding finding{
      "kernel", "pinning to a core", Health::kOk, "allowed", "fast hand-over between programs in virtual time", "",
      false};
  if (!works_in_child(pin)) {
    finding.health = Health::kLimited;
    finding.found = "not allowed";
    finding.fix = "allow sched_setaffinity in the container";
  }
  return finding;
}

Finding shared_memory() {
  const int file = static_cast<int>(::syscall(SYS_memfd_create, "strata", 0));
  Finding finding{"kernel", "shared memory", Health::kOk, "memfd available", "programs in virtual time", "", false};
  if (file < 0) {
    finding.health = Health::kMissing;
    finding.found = "no memfd";
    finding.fix = "allow memfd_create in the container";
  } else {
    ::close(file);
  }
  return finding;
}

}  // namespace

std::vector<Finding> check_kernel() {
  return {syscall_user_dispatch(), namespaces(), process_ids(),    seccomp(),
          shared_memory(),         pinning(),    control_groups(), performance_counters()};
}

}  // namespace strata::app
