#include "coordinator/service/relay.hpp"

#include <chrono>
#include <zmq.h>

#include "coordinator/dispatcher/guardian.hpp"
#include "coordinator/messages/wire.hpp"

namespace strata::coordinator {

namespace {
constexpr auto kHeartbeat = std::chrono::milliseconds(500);
using Clock = std::chrono::steady_clock;
}  // namespace

Relay::Relay(const RelaySpec& spec) : spec_(spec), socket_(context_, ZmqSocket::Type::kDealer) {}

Result<std::unique_ptr<Relay>> Relay::open(const RelaySpec& spec) {
  auto relay = std::unique_ptr<Relay>(new Relay(spec));
  const Result<std::string> mark = ensure_mark(spec.folder);
  if (!mark.ok()) return mark.errors();
  relay->dispatcher_ = std::make_unique<Dispatcher>(DispatcherSpec{spec.folder, *mark, spec.guardian_command});
  std::vector<ProcessEvent> known;
  if (const Result<void> fine = relay->dispatcher_->connect(known); !fine.ok()) return fine.errors();
  if (is_network(spec.planner)) relay->socket_.be_curve_client(spec.keys, spec.server_key);
  if (const Result<void> fine = relay->socket_.connect(spec.planner); !fine.ok()) return fine.errors();
  return relay;
}

void Relay::send(Code code, TaskId id, int attempt, std::string data) {
  socket_.send(encode({code, MessageKind::kSynchronisation, static_cast<std::uint32_t>(attempt), id, std::move(data)}));
}

// A new connection to the guardian makes it tell all it has, which goes on to the planner.
void Relay::say_hello() {
  std::vector<ProcessEvent> known;
  if (!dispatcher_->connect(known).ok()) return;
  send(Code::kHello, 0, 0, "begin");
  for (const ProcessEvent& event : known) report(event);
  send(Code::kHello, 0, 0, "end");
}

void Relay::report(const ProcessEvent& event) {
  std::string data;
  switch (event.kind) {
    case ProcessEvent::Kind::kEnded:
      return send(event.report.ending.spawned ? Code::kFinishOk : Code::kExecuteError, event.id, event.attempt,
                  encode_report(event.report));
    case ProcessEvent::Kind::kStarted:
    case ProcessEvent::Kind::kStopped:
    case ProcessEvent::Kind::kContinued:
      wire::put(data, static_cast<std::uint32_t>(event.pid));
      wire::put(data, static_cast<std::uint8_t>(event.stopped ? 1 : 0));
      const Code code = event.kind == ProcessEvent::Kind::kStarted   ? Code::kExecuteOk
                        : event.kind == ProcessEvent::Kind::kStopped ? Code::kStopped
                                                                     : Code::kContinued;
      return send(code, event.id, event.attempt, std::move(data));
  }
}

void Relay::receive() {
  while (const std::optional<std::string> bytes = socket_.receive()) {
    const Result<Message> message = decode(*bytes);
    if (message.ok()) obey(*message);
  }
}

void Relay::obey(const Message& message) {
  switch (message.code) {
    case Code::kWelcome:
      // 0: the planner does not know us; another number than before: it has been restarted.
      if (message.id == 0 || (planner_instance_ != 0 && planner_instance_ != message.id)) say_hello();
      planner_instance_ = message.id;
      break;
    case Code::kExecute:
      if (const Result<TaskSpec> task = decode_task(message.data); task.ok()) {
        dispatcher_->execute(message.id, static_cast<int>(message.number), *task);
      }
      break;
    case Code::kFinish:
    case Code::kKill:
    case Code::kStop:
    case Code::kContinue:
    case Code::kForget:
      dispatcher_->tell(message.code, message.id);
      break;
    case Code::kShutdown:
      // The planner goes; its tasks go, and we wait for it to come back.
      dispatcher_->shut_down();
      break;
    default:
      break;
  }
}

void Relay::run(const std::atomic<bool>& stop, bool keep) {
  auto next_beat = Clock::now();
  while (!stop) {
    if (Clock::now() >= next_beat) {
      send(Code::kAlive, 0, 0, {});
      next_beat = Clock::now() + kHeartbeat;
    }
    zmq_pollitem_t items[2] = {{socket_.get(), 0, ZMQ_POLLIN, 0}, {nullptr, dispatcher_->fd(), ZMQ_POLLIN, 0}};
    if (dispatcher_->wants_to_send()) items[1].events |= ZMQ_POLLOUT;
    zmq_poll(items, dispatcher_->connected() ? 2 : 1, static_cast<long>(kHeartbeat.count()));
    receive();
    std::vector<ProcessEvent> events;
    const bool alive = dispatcher_->exchange(events);
    for (const ProcessEvent& event : events) report(event);
    if (!alive) say_hello();
  }
  if (!keep) dispatcher_->shut_down();
}

}  // namespace strata::coordinator
