#include "coordinator/dispatcher/dispatcher.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "coordinator/dispatcher/guardian.hpp"
#include "coordinator/dispatcher/orphans.hpp"
#include "coordinator/messages/wire.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace strata::coordinator {

namespace {

using Kind = ProcessEvent::Kind;

constexpr int kConnectTries = 400;
constexpr int kLeaveTries = 1200;
constexpr auto kConnectPause = std::chrono::milliseconds(25);
constexpr int kHelloTimeout_ms = 10'000;

ProcessEvent state_event(Kind kind, const Message& message) {
  std::string_view data = message.data;
  std::uint32_t pid = 0;
  std::uint8_t stopped = 0;
  static_cast<void>(wire::take(data, pid) && wire::take(data, stopped));
  return {kind, message.id, static_cast<int>(message.number), static_cast<int>(pid), stopped != 0, {}};
}

}  // namespace

Dispatcher::~Dispatcher() { reap_guardian(); }

bool Dispatcher::attach() {
  const std::string path = guardian_socket(spec_.folder).string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  path.copy(address.sun_path, path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(fd);
    return false;
  }
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  guardian_ = MessageStream(fd);
  return true;
}

Result<void> Dispatcher::start_guardian() {
  std::vector<char*> arguments;
  for (std::string& word : spec_.guardian_command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int problem = ::posix_spawn(&guardian_pid_, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (problem == 0) return {};
  guardian_pid_ = 0;
  return Error{{}, fmt::format("cannot start a guardian: {}", std::system_category().message(problem)), ""};
}

void Dispatcher::reap_guardian() {
  if (guardian_pid_ > 0 && ::waitpid(guardian_pid_, nullptr, WNOHANG) == guardian_pid_) guardian_pid_ = 0;
}

Result<void> Dispatcher::connect(std::vector<ProcessEvent>& known) {
  for (int i = 0; i < kConnectTries; ++i) {
    reap_guardian();
    if (!attach()) {
      // Its lock decides if two are started at once; until one answers nothing of the old one may run.
      if (i == 0 && !end_orphans(spec_.mark)) {
        return Error{{}, "processes of lost tasks cannot be ended", "end them by hand: they carry STRATA_TASK"};
      }
      if (guardian_pid_ == 0) {
        if (const Result<void> fine = start_guardian(); !fine.ok()) return fine;
      }
      std::this_thread::sleep_for(kConnectPause);
      continue;
    }
    std::vector<ProcessEvent> events;
    bool hello = false;
    pollfd poll{guardian_.fd(), POLLIN, 0};
    bool open = true;
    while (open && !hello && ::poll(&poll, 1, kHelloTimeout_ms) > 0) open = take_messages(events, hello);
    if (hello) {
      known.insert(known.end(), events.begin(), events.end());
      return {};
    }
    guardian_.close();
  }
  return Error{{}, fmt::format("no guardian answers in {}", spec_.folder.string()), "may it write there?"};
}

bool Dispatcher::take_messages(std::vector<ProcessEvent>& events, bool& hello) {
  const bool open = guardian_.fill();
  while (true) {
    const Result<std::optional<Message>> next = guardian_.next();
    if (!next.ok()) return false;
    if (!*next) break;
    const Message& message = **next;
    switch (message.code) {
      case Code::kProcessState:
        events.push_back(state_event(Kind::kStarted, message));
        break;
      case Code::kStopped:
        events.push_back(state_event(Kind::kStopped, message));
        break;
      case Code::kContinued:
        events.push_back(state_event(Kind::kContinued, message));
        break;
      case Code::kHello:
        hello = true;
        break;
      case Code::kProcessFinish: {
        const Result<Report> report = decode_report(message.data);
        if (!report.ok()) return false;
        events.push_back({Kind::kEnded, message.id, static_cast<int>(message.number), 0, false, *report});
        break;
      }
      default:
        break;
    }
  }
  return open;
}

void Dispatcher::execute(TaskId id, int attempt, const TaskSpec& task) {
  Message message{Code::kExecute, MessageKind::kTask, static_cast<std::uint32_t>(attempt), id, {}};
  encode_task(task, message.data);
  guardian_.send(message);
}

void Dispatcher::tell(Code code, TaskId id) { guardian_.send({code, MessageKind::kSynchronisation, 0, id, {}}); }

void Dispatcher::shut_down() {
  if (!connected()) return;
  guardian_.send({Code::kShutdown, MessageKind::kProtocol, 0, 0, {}});
  static_cast<void>(guardian_.flush());
  // It goes when its tasks have; whoever started it waits for that.
  for (int i = 0; i < kLeaveTries && guardian_pid_ > 0; ++i) {
    reap_guardian();
    if (guardian_pid_ > 0) std::this_thread::sleep_for(kConnectPause);
  }
}

bool Dispatcher::flush() {
  if (!connected()) return false;
  if (guardian_.flush()) return true;
  guardian_.close();
  return false;
}

bool Dispatcher::exchange(std::vector<ProcessEvent>& events) {
  if (!connected()) return false;
  bool hello = false;
  if (guardian_.flush() && take_messages(events, hello)) return true;
  guardian_.close();
  return false;
}

}  // namespace strata::coordinator
