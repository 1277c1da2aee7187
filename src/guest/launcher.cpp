#include "guest/launcher.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <linux/futex.h>
#include <sched.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "guest/trace.hpp"
#include "guest/warden.hpp"
#include "shim/core/program_file.hpp"
#include "shim/core/raw.hpp"

namespace strata::guest {

namespace {

constexpr long kLook_ns = 50000000;

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<unsigned>(i), &set)) cores.push_back(i);
  }
  return cores;
}

// The file a command means, or empty.
std::string find_command(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), F_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::string rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string file = rest.substr(0, colon) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return "";
}

class Run {
 public:
  Run(const ExecSpec& spec, const std::atomic<bool>& interrupted)
      : spec_(spec), interrupted_(interrupted), memory_(spec), region_(memory_.region()) {}

  ~Run() { end_hosts(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Outcome go() {
    start_hosts();
    if (claim_all()) {
      region_.wall_start_ns = shim::wall_now();
      region_.window_end = region_.lookahead;
      region_.active = region_.host_count;
      for (const pid_t warden : wardens_) ::kill(warden, SIGUSR2);
      wait_for_end();
    }
    const std::uint64_t wall = region_.wall_start_ns > 0 ? shim::wall_now() - region_.wall_start_ns : 0;
    end_hosts();
    return outcome(static_cast<double>(wall) * 1e-9);
  }

 private:
  void start_hosts() {
    std::vector<int> cores = allowed_cores();
    if (spec_.cores > 0 && cores.size() > static_cast<std::size_t>(spec_.cores))
      cores.erase(cores.begin(), cores.end() - spec_.cores);
    for (std::uint32_t i = 0; i < region_.host_count; ++i) {
      // From the last core down: the first is where everything else tends to run.
      const int core = spec_.pin && !cores.empty() ? cores[cores.size() - 1 - i % cores.size()] : -1;
      Isolation isolation;
      const pid_t pid = fork_isolated(!spec_.host_network, isolation);
      if (pid < 0) throw std::runtime_error("a host's first process cannot be started");
      if (pid == 0) run_warden(spec_, memory_, i, isolation, core);
      isolated_ = isolated_ && isolation.processes;
      wardens_.push_back(pid);
    }
  }

  // Every program is loaded and waits for its turn, or one could not be.
  bool claim_all() {
    for (;;) {
      const std::int32_t bell = __atomic_load_n(&region_.bell, __ATOMIC_SEQ_CST);
      bool all = true;
      for (std::uint32_t i = 0; i < region_.program_count; ++i) {
        const shim::Program& program = region_.programs[i];
        if (program.claimed != 0) continue;
        all = false;
        if (__atomic_load_n(&program.ended, __ATOMIC_SEQ_CST) == 0) continue;
        failure_ =
            program.exec_error != 0
                ? fmt::format("{}: {}", spec_.programs[i].words[0], std::system_category().message(program.exec_error))
                : fmt::format("{}: ended before it began; is it a dynamically linked program?",
                              spec_.programs[i].words[0]);
        return false;
      }
      if (all) return true;
      if (lost_warden()) return false;
      if (interrupted_) return false;
      wait_bell(bell);
    }
  }

  bool lost_warden() {
    for (const pid_t warden : wardens_) {
      siginfo_t info{};
      if (::waitid(P_PID, static_cast<id_t>(warden), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0) {
        if (failure_.empty()) failure_ = "the first process of a host was killed";
        return true;
      }
    }
    return false;
  }

  void wait_bell(std::int32_t seen) {
    const timespec time{0, kLook_ns};
    ::syscall(SYS_futex, &region_.bell, FUTEX_WAIT, seen, &time, nullptr, 0);
  }

  bool all_ended() const {
    for (std::uint32_t i = 0; i < region_.program_count; ++i) {
      if (__atomic_load_n(&region_.programs[i].ended, __ATOMIC_SEQ_CST) == 0) return false;
    }
    return true;
  }

  void wait_for_end() {
    for (;;) {
      const std::int32_t bell = __atomic_load_n(&region_.bell, __ATOMIC_SEQ_CST);
      shim::Stop stop = shim::Stop::kNo;
      __atomic_load(&region_.stop, &stop, __ATOMIC_SEQ_CST);
      if (stop != shim::Stop::kNo) return;
      if (all_ended() || interrupted_ || lost_warden()) return;
      wait_bell(bell);
    }
  }

  void end_hosts() {
    if (!isolated_) {
      // Without process ids of their own, guests are ended one by one, until none is left that could fork.
      for (int round = 0; round < 3; ++round) {
        for (std::uint32_t i = 0; i < region_.host_count; ++i) {
          for (shim::Process* p = region_.hosts[i]->processes; p != nullptr; p = p->next) {
            if (p->pid > 0 && p->life != shim::Life::kZombie) ::kill(p->pid, SIGKILL);
          }
        }
      }
    }
    for (const pid_t warden : wardens_) ::kill(warden, SIGKILL);
    for (const pid_t warden : wardens_) {
      while (::waitpid(warden, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    wardens_.clear();
  }

  Outcome outcome(double wall_s) {
    Outcome result;
    result.wall_s = wall_s;
    result.interrupted = interrupted_;
    result.isolated = isolated_;
    result.reason = region_.stop;
    if (region_.stop == shim::Stop::kNo) result.reason = shim::Stop::kEnded;
    result.message = region_.message;
    if (!failure_.empty() && !interrupted_) {
      result.reason = shim::Stop::kFailed;
      result.message = failure_;
    }
    std::uint64_t hash = 0x5354524154410001U;
    std::vector<std::uint64_t> traps(512);
    for (std::uint32_t i = 0; i < region_.host_count; ++i) {
      const shim::Host& host = *region_.hosts[i];
      hash = mix(hash, host.hash);
      result.virtual_s = std::max(result.virtual_s, static_cast<double>(host.now) * 1e-9);
      add(result.counters, host.counters);
      for (std::size_t k = 0; k < traps.size(); ++k) traps[k] += host.traps_by_call[k];
    }
    result.hash = hash;
    for (std::size_t k = 0; k < traps.size(); ++k) {
      if (traps[k] > 0) result.traps.emplace_back(static_cast<int>(k), traps[k]);
    }
    std::stable_sort(result.traps.begin(), result.traps.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    add_programs(result);
    if (!spec_.trace.empty()) write_trace(region_, spec_.trace);
    return result;
  }

  static void add(shim::Counters& sum, const shim::Counters& part) {
    const std::uint64_t late = std::max(sum.late_ns, part.late_ns);
    auto* to = reinterpret_cast<std::uint64_t*>(&sum);
    const auto* from = reinterpret_cast<const std::uint64_t*>(&part);
    for (std::size_t i = 0; i < sizeof sum / sizeof *to; ++i) to[i] += from[i];
    sum.late_ns = late;
  }

  void add_programs(Outcome& result) const {
    for (std::uint32_t i = 0; i < region_.program_count; ++i) {
      const shim::Program& program = region_.programs[i];
      ProgramOutcome one;
      one.name = spec_.programs[i].name;
      one.host = spec_.programs[i].host;
      one.stopped = program.ended == 0;
      one.end_s = static_cast<double>(program.ended != 0 ? program.end_time : region_.hosts[program.host]->now) * 1e-9;
      const std::uint64_t duration = region_.settings.duration_ns;
      if (program.ended != 0) {
        one.exit_code = WIFEXITED(program.status) ? WEXITSTATUS(program.status) : 128 + WTERMSIG(program.status);
        // What the end of the duration did to it is not its fault.
        if (duration != shim::kNever && program.end_time >= duration) one.stopped = true;
      }
      result.programs.push_back(one);
    }
  }

  const ExecSpec& spec_;
  const std::atomic<bool>& interrupted_;
  RegionMemory memory_;
  shim::Region& region_;
  std::vector<pid_t> wardens_;
  bool isolated_ = true;
  std::string failure_;
};

}  // namespace

Errors check(const ExecSpec& spec) {
  Errors errors;
  if (spec.programs.empty()) errors.push_back({{}, "no program is given", "write it behind `--`"});
  if (spec.programs.size() > static_cast<std::size_t>(shim::kMaxPrograms))
    errors.push_back({{}, fmt::format("more than {} programs", shim::kMaxPrograms), "start some from others"});
  std::vector<std::string> hosts;
  for (const ProgramSpec& program : spec.programs) {
    if (std::find(hosts.begin(), hosts.end(), program.host) == hosts.end()) hosts.push_back(program.host);
    const std::string file = find_command(program.words[0]);
    if (file.empty()) {
      errors.push_back({{}, fmt::format("program '{}' does not exist", program.words[0]), "check its name and PATH"});
      continue;
    }
    char culprit[256];
    switch (shim::inspect(file.c_str(), culprit, sizeof culprit)) {
      case shim::ProgramKind::kStatic:
        errors.push_back({{},
                          fmt::format("'{}' is linked statically and cannot run in virtual time", culprit),
                          "use a dynamically linked build"});
        break;
      case shim::ProgramKind::kForeign:
        errors.push_back(
            {{}, fmt::format("'{}' is not a 64-bit x86 program", culprit), "use a build for this machine"});
        break;
      case shim::ProgramKind::kRaised:
        errors.push_back({{},
                          fmt::format("'{}' changes its user or group when it starts", culprit),
                          "the loader does not take the shim into such programs; run it as that user"});
        break;
      case shim::ProgramKind::kFine:
        break;
    }
  }
  if (hosts.size() > static_cast<std::size_t>(shim::kMaxHosts))
    errors.push_back({{}, fmt::format("more than {} hosts", shim::kMaxHosts), "put several programs on one"});
  if (hosts.size() > 1 && spec.link.latency.ns() <= 0)
    errors.push_back({{}, "several hosts need a link between them that takes time", "give --latency, e.g. 1ms"});
  return errors;
}

Outcome execute(const ExecSpec& spec, const std::atomic<bool>& interrupted) { return Run(spec, interrupted).go(); }

}  // namespace strata::guest
