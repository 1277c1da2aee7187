#include "guest/warden.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "shim/core/host.hpp"
#include "shim/core/raw.hpp"

namespace strata::guest {

namespace {

constexpr int kLook_ms = 250;
constexpr int kSpinLooks = 8;  ///< looks without progress before a loop is broken up

void ring(shim::Region& region) {
  __atomic_add_fetch(&region.bell, 1, __ATOMIC_SEQ_CST);
  shim::futex_rouse(&region.bell);
}

class Warden {
 public:
  Warden(const ExecSpec& spec, const RegionMemory& memory, unsigned host, int core, std::string region_path)
      : spec_(spec),
        region_(memory.region()),
        host_(*region_.hosts[host]),
        core_(core),
        region_path_(std::move(region_path)) {}

  [[noreturn]] void run() {
    shim::here = {&region_, &host_, nullptr};
    host_.warden_pid = ::getpid();
    listen();
    start_programs();
    for (;;) step();
  }

 private:
  void listen() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    signals_ = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    watch(signals_, -1);
  }

  void watch(int descriptor, int pid) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 =
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(descriptor)) << 32 | static_cast<std::uint32_t>(pid);
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }

  void start_programs() {
    shim::Process* process = host_.processes;
    for (std::uint32_t i = 0; i < region_.program_count; ++i) {
      shim::Program& program = region_.programs[i];
      if (program.host != host_.index) continue;
      const pid_t pid = ::fork();
      if (pid == 0) become(spec_.programs[i], program);
      program.pid = pid;
      __atomic_store_n(&process->pid, pid, __ATOMIC_SEQ_CST);
      process = process->next;
    }
    find_new();
  }

  [[noreturn]] void become(const ProgramSpec& spec, shim::Program& program) {
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::personality(ADDR_NO_RANDOMIZE);
    if (core_ >= 0) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(static_cast<unsigned>(core_), &set);
      ::sched_setaffinity(0, sizeof set, &set);
    }
    const auto set = [](const std::string& name, const std::string& value) {
      ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): after fork
    };
    set(shim::kRegionVariable, region_path_);
    set(shim::kHostVariable, std::to_string(host_.index));
    set("LD_PRELOAD", spec_.library);
    set("PYTHONHASHSEED", "0");
    for (const auto& [name, value] : spec.environment) set(name, value);
    if (!spec.folder.empty() && ::chdir(spec.folder.c_str()) != 0) {
      program.exec_error = errno;
      ::_exit(126);
    }
    std::vector<char*> words;
    for (const std::string& word : spec.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    program.exec_error = errno;
    ::_exit(127);
  }

  void step() {
    epoll_event events[16];
    const int count = ::epoll_wait(epoll_, events, 16, kLook_ms);
    if (count == 0) break_spins();
    for (int i = 0; i < count; ++i) {
      const auto pid = static_cast<int>(static_cast<std::uint32_t>(events[i].data.u64));
      const auto descriptor = static_cast<int>(events[i].data.u64 >> 32);
      if (pid < 0) {
        read_signals();
      } else {
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
        ::close(descriptor);
        died(pid);
      }
    }
  }

  void read_signals() {
    signalfd_siginfo info{};
    while (::read(signals_, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGUSR2) pass_token();
    }
    find_new();
  }

  // Processes that appeared: from now on their end is noticed.
  void find_new() {
    for (shim::Process* p = host_.processes; p != nullptr; p = p->next) {
      const int pid = __atomic_load_n(&p->pid, __ATOMIC_SEQ_CST);
      if (p->watched != 0 || pid == 0) continue;
      p->watched = 1;
      const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
      if (descriptor >= 0) {
        watch(descriptor, pid);
      } else {
        died(pid);
      }
    }
  }

  // Programs and orphans are our children. Every program is watched, so its end leads here.
  void reap() {
    int status = 0;
    for (;;) {
      siginfo_t info{};
      if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
      const pid_t pid = info.si_pid;
      if (::waitpid(pid, &status, 0) != pid) return;
      for (std::uint32_t i = 0; i < region_.program_count; ++i) {
        shim::Program& program = region_.programs[i];
        if (program.host != host_.index || program.pid != pid || program.ended != 0) continue;
        program.status = status;
        program.end_time = host_.now;
        finished_.push_back(&program);
      }
    }
  }

  // Told only when everything it had is closed: the launcher may end the run at once.
  void announce_ends() {
    for (shim::Program* program : finished_) __atomic_store_n(&program->ended, 1, __ATOMIC_SEQ_CST);
    if (!finished_.empty()) ring(region_);
    finished_.clear();
  }

  bool all_ended() const {
    for (std::uint32_t i = 0; i < region_.program_count; ++i) {
      if (__atomic_load_n(&region_.programs[i].ended, __ATOMIC_SEQ_CST) == 0) return false;
    }
    return true;
  }

  void died(int pid) {
    // Takes the kernel's lock once: its signal to the parent has been sent when this returns.
    siginfo_t info{};
    ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
    reap();
    shim::Process* process = nullptr;
    for (shim::Process* p = host_.processes; p != nullptr; p = p->next) {
      if (p->pid == pid && p->life != shim::Life::kZombie) process = p;
    }
    if (process == nullptr || !started_) return announce_ends();
    const shim::Thread* current = host_.current;
    if (current == nullptr || current->process != process) {
      process->died_alone = 1;
      __atomic_store_n(&host_.attention, 1, __ATOMIC_SEQ_CST);
      return announce_ends();
    }
    host_.current = nullptr;
    shim::bury(*process);
    announce_ends();
    pass_token();
  }

  void pass_token() {
    started_ = true;
    if (all_ended()) return ring(region_);
    shim::give(host_, *shim::next_thread(host_));
  }

  // Processor time of a thread in ticks; -1 if it is not running.
  static long ticks_of(int pid, int tid) {
    std::ifstream in(fmt::format("/proc/{}/task/{}/stat", pid, tid));
    std::string text;
    std::getline(in, text);
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos || end + 2 >= text.size() || text[end + 2] != 'R') return -1;
    std::size_t at = end + 2;
    for (int field = 3; field < 14; ++field) at = text.find(' ', at) + 1;
    return std::atol(text.c_str() + at);
  }

  // A thread that computes for long without a call may wait for memory that another thread should write.
  void break_spins() {
    const shim::Counters& c = host_.counters;
    const std::uint64_t progress = c.syncs + c.clock_reads + c.traps + c.switches;
    shim::Thread* current = host_.current;
    if (progress != progress_ || current == nullptr || host_.parked != 0 || host_.queue.first() == nullptr) {
      progress_ = progress;
      looks_ = 0;
      return;
    }
    if (ticks_of(current->process->pid, current->tid) < 0) return;
    if (++looks_ < kSpinLooks) return;
    ::syscall(SYS_tgkill, current->process->pid, current->tid, shim::kBreakSignal);
  }

  const ExecSpec& spec_;
  shim::Region& region_;
  shim::Host& host_;
  int core_;
  std::string region_path_;
  int signals_ = -1;
  int epoll_ = -1;
  bool started_ = false;
  std::vector<shim::Program*> finished_;
  std::uint64_t progress_ = 0;
  int looks_ = 0;
};

}  // namespace

void run_warden(const ExecSpec& spec, const RegionMemory& memory, unsigned host, Isolation isolation, int core) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  settle_in(isolation, memory.host_names()[host], memory.region().hosts[host]->ip, memory.host_names());
  // The memory has no name: it is reached through this process, as the guests see it.
  const bool own_ids = isolation.processes && isolation.mounts;
  char self[32] = {};
  if (::readlink("/proc/self", self, sizeof self - 1) < 0) ::_exit(2);
  const std::string path =
      fmt::format("/proc/{}/fd/{}", own_ids ? std::to_string(::getpid()) : self, memory.descriptor());
  Warden warden(spec, memory, host, core, path);
  warden.run();
}

}  // namespace strata::guest
