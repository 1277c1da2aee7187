#include "coordinator/dispatcher/guardian.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "coordinator/dispatcher/message_stream.hpp"
#include "coordinator/dispatcher/output_log.hpp"
#include "coordinator/dispatcher/spawn.hpp"
#include "coordinator/messages/wire.hpp"

namespace strata::coordinator {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(3);  // without work and without a dispatcher

struct Process {
  std::uint64_t id = 0;
  std::uint32_t attempt = 0;
  pid_t pid = 0;
  bool stopped = false;
  Clock::time_point kill_at = Clock::time_point::max();
  OutputLog out;
  OutputLog err;
};

class Guardian {
 public:
  explicit Guardian(const GuardianSpec& spec) : spec_(spec) {}
  int run();

 private:
  bool prepare();
  void watch(int fd, std::uint64_t tag);
  void handle(std::uint64_t tag);
  void accept_dispatcher();
  void hello();
  void read_messages();
  void obey(const Message& message);
  void start(const Message& message);
  void reap();
  void finish(Process& process, int status, const rusage& used);
  void keep(std::uint64_t id, std::uint32_t attempt, const Report& report);
  void report_state(const Process& process, Code code);
  void read_output(std::uint64_t id, bool is_error);
  void kill_overdue();
  void shut_down();
  [[nodiscard]] int timeout_ms() const;
  Process* find(std::uint64_t id);

  // What epoll says: one of these, or a task's stream.
  static constexpr std::uint64_t kListen = ~std::uint64_t{0};
  static constexpr std::uint64_t kSignal = kListen - 1;
  static constexpr std::uint64_t kDispatcher = kListen - 2;

  GuardianSpec spec_;
  int lock_ = -1;
  int listen_ = -1;
  int signal_ = -1;
  int epoll_ = -1;
  MessageStream dispatcher_;
  std::map<std::uint64_t, Process> processes_;
  std::map<pid_t, std::uint64_t> by_pid_;
  std::map<std::uint64_t, Message> results_;  ///< reports the dispatcher has not confirmed
  Clock::time_point last_work_ = Clock::now();
  bool leaving_ = false;
};

bool Guardian::prepare() {
  // One guardian per folder: the second one finds the lock taken and goes.
  lock_ = ::open((spec_.folder / "guardian.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) return false;
  const std::string path = guardian_socket(spec_.folder).string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  path.copy(address.sun_path, path.size());
  ::unlink(path.c_str());
  listen_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  ::umask(077);
  if (::bind(listen_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) return false;
  if (::listen(listen_, 4) != 0) return false;
  // Whoever stops the coordinator from the keyboard does not mean us; and nobody reads what we say.
  ::setsid();
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGCHLD);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  watch(listen_, kListen);
  watch(signal_, kSignal);
  return true;
}

void Guardian::watch(int fd, std::uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

int Guardian::run() {
  if (!prepare()) return 1;
  epoll_event events[64];
  while (!leaving_ || !processes_.empty()) {
    const int count = ::epoll_wait(epoll_, events, 64, timeout_ms());
    for (int i = 0; i < count; ++i) handle(events[i].data.u64);
    kill_overdue();
    if (dispatcher_.open() && !dispatcher_.flush()) dispatcher_.close();
    const bool idle = processes_.empty() && results_.empty() && !dispatcher_.open();
    if (!idle) last_work_ = Clock::now();
    if (idle && Clock::now() - last_work_ > kPatience) break;
  }
  if (dispatcher_.open()) static_cast<void>(dispatcher_.flush());
  ::unlink(guardian_socket(spec_.folder).c_str());
  return 0;
}

int Guardian::timeout_ms() const {
  auto soonest = Clock::time_point::max();
  for (const auto& [id, process] : processes_) soonest = std::min(soonest, process.kill_at);
  if (dispatcher_.open() && dispatcher_.wants_to_send()) return 10;
  if (soonest == Clock::time_point::max()) return dispatcher_.open() ? -1 : 500;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(soonest - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left + 1, 0, 60'000));
}

void Guardian::handle(std::uint64_t tag) {
  if (tag == kListen) return accept_dispatcher();
  if (tag == kSignal) return reap();
  if (tag == kDispatcher) return read_messages();
  read_output(tag >> 1U, (tag & 1U) != 0);
}

// What the former dispatcher still wanted is done before the new one hears what there is.
void Guardian::accept_dispatcher() {
  const int fd = ::accept4(listen_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  if (dispatcher_.open()) read_messages();
  dispatcher_ = MessageStream(fd);
  watch(fd, kDispatcher);
  hello();
}

void Guardian::hello() {
  for (const auto& [id, process] : processes_) report_state(process, Code::kProcessState);
  for (const auto& [id, report] : results_) dispatcher_.send(report);
  dispatcher_.send({Code::kHello, MessageKind::kSynchronisation, 0, processes_.size(), {}});
}

void Guardian::read_messages() {
  const bool open = dispatcher_.fill();
  while (true) {
    const Result<std::optional<Message>> message = dispatcher_.next();
    if (!message.ok()) return dispatcher_.close();
    if (!*message) break;
    obey(**message);
  }
  if (!open) dispatcher_.close();
}

Process* Guardian::find(std::uint64_t id) {
  const auto found = processes_.find(id);
  return found == processes_.end() ? nullptr : &found->second;
}

void Guardian::obey(const Message& message) {
  if (message.code == Code::kExecute) return start(message);
  if (message.code == Code::kForget) {
    results_.erase(message.id);
    return;
  }
  if (message.code == Code::kShutdown) return shut_down();
  Process* process = find(message.id);
  if (process == nullptr) return;
  switch (message.code) {
    case Code::kFinish:
      ::kill(-process->pid, SIGTERM);
      ::kill(-process->pid, SIGCONT);
      process->kill_at = std::min(process->kill_at, Clock::now() + std::chrono::nanoseconds(spec_.grace.ns()));
      break;
    case Code::kKill:
      ::kill(-process->pid, SIGKILL);
      break;
    case Code::kStop:
      if (process->stopped) report_state(*process, Code::kStopped);
      ::kill(-process->pid, SIGSTOP);
      break;
    case Code::kContinue:
      ::kill(-process->pid, SIGCONT);
      break;
    default:
      break;
  }
}

void Guardian::start(const Message& message) {
  const std::uint64_t id = message.id;
  if (find(id) != nullptr || results_.contains(id)) return;
  const auto fail = [&](const std::string& why) {
    Report report;
    report.ending = {127, 0, false, why};
    keep(id, message.number, report);
  };
  const Result<TaskSpec> task = decode_task(message.data);
  if (!task.ok()) return fail(task.errors().front().problem);
  Process process;
  process.id = id;
  process.attempt = message.number;
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) return fail(std::system_category().message(errno));
  const Result<pid_t> pid = spawn({*task, fmt::format("{}:{}", spec_.mark, id), out[1], err[1]});
  ::close(out[1]);
  ::close(err[1]);
  process.out = OutputLog(out[0], log_file(spec_.folder, id, "out"), spec_.log_bytes);
  process.err = OutputLog(err[0], log_file(spec_.folder, id, "err"), spec_.log_bytes);
  if (!pid.ok()) {
    const Error& error = pid.errors().front();
    return fail(error.remedy.empty() ? error.problem : error.problem + " (" + error.remedy + ")");
  }
  process.pid = *pid;
  watch(out[0], id << 1U);
  watch(err[0], (id << 1U) | 1U);
  by_pid_[*pid] = id;
  Process& kept = processes_.emplace(id, std::move(process)).first->second;
  report_state(kept, Code::kProcessState);
}

void Guardian::report_state(const Process& process, Code code) {
  if (!dispatcher_.open()) return;
  std::string data;
  wire::put(data, static_cast<std::uint32_t>(process.pid));
  wire::put(data, static_cast<std::uint8_t>(process.stopped ? 1 : 0));
  dispatcher_.send({code, MessageKind::kSynchronisation, process.attempt, process.id, std::move(data)});
}

void Guardian::read_output(std::uint64_t id, bool is_error) {
  if (Process* process = find(id)) (is_error ? process->err : process->out).read();
}

void Guardian::reap() {
  signalfd_siginfo info{};
  while (::read(signal_, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo != SIGCHLD) shut_down();
  }
  while (true) {
    siginfo_t child{};
    if (::waitid(P_ALL, 0, &child, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) != 0 || child.si_pid == 0)
      break;
    const auto found = by_pid_.find(child.si_pid);
    Process* process = found == by_pid_.end() ? nullptr : find(found->second);
    const bool over = child.si_code != CLD_STOPPED && child.si_code != CLD_CONTINUED;
    // While it has not been waited for its group cannot be anybody else's: whatever it left behind goes now.
    if (process != nullptr && over) ::kill(-process->pid, SIGKILL);
    int status = 0;
    rusage used{};
    if (::wait4(child.si_pid, &status, WNOHANG | WUNTRACED | WCONTINUED, &used) <= 0) break;
    if (process == nullptr) continue;
    if (over) {
      finish(*process, status, used);
    } else {
      process->stopped = child.si_code == CLD_STOPPED;
      report_state(*process, process->stopped ? Code::kStopped : Code::kContinued);
    }
  }
}

void Guardian::finish(Process& process, int status, const rusage& used) {
  process.out.read();
  process.err.read();
  Report report;
  report.ending.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  report.ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const auto ns = [](const timeval& time) { return time.tv_sec * 1'000'000'000L + time.tv_usec * 1000L; };
  report.cpu = Duration::nanoseconds(ns(used.ru_utime) + ns(used.ru_stime));
  report.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  const std::uint64_t id = process.id;
  const std::uint32_t attempt = process.attempt;
  by_pid_.erase(process.pid);
  processes_.erase(id);
  keep(id, attempt, report);
}

void Guardian::keep(std::uint64_t id, std::uint32_t attempt, const Report& report) {
  const Message message{Code::kProcessFinish, MessageKind::kSynchronisation, attempt, id, encode_report(report)};
  results_[id] = message;
  if (dispatcher_.open()) dispatcher_.send(message);
}

void Guardian::kill_overdue() {
  const auto now = Clock::now();
  for (auto& [id, process] : processes_) {
    if (process.kill_at > now) continue;
    ::kill(-process.pid, SIGKILL);
    process.kill_at = Clock::time_point::max();
  }
}

// Ends what runs and goes. Without a dispatcher to tell, the results are lost: what ran counts as interrupted.
void Guardian::shut_down() {
  leaving_ = true;
  for (auto& [id, process] : processes_) {
    ::kill(-process.pid, SIGTERM);
    ::kill(-process.pid, SIGCONT);
    process.kill_at = std::min(process.kill_at, Clock::now() + std::chrono::nanoseconds(spec_.grace.ns()));
  }
}

}  // namespace

std::filesystem::path guardian_socket(const std::filesystem::path& folder) { return folder / "guardian.sock"; }

std::filesystem::path log_file(const std::filesystem::path& folder, std::uint64_t task, const char* stream) {
  // Folders of a thousand: a million files in one are slow to find.
  return folder / "logs" / std::to_string(task / 1000) / fmt::format("{}.{}", task, stream);
}

int run_guardian(const GuardianSpec& spec) { return Guardian(spec).run(); }

}  // namespace strata::coordinator
