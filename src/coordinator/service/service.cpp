#include "coordinator/service/service.hpp"

#include <chrono>
#include <csignal>
#include <zmq.h>

#include <fmt/format.h>

#include "coordinator/dispatcher/guardian.hpp"
#include "coordinator/service/remote.hpp"

namespace strata::coordinator {

namespace {

constexpr int kLongestWait_ms = 1000;

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Service::Service(ServiceSpec spec) : spec_(std::move(spec)) {}

Service::~Service() = default;

// The store's birth is zero; while we run, the steady clock counts, so that a change of the wall clock changes nothing.
Time Service::now() const { return start_ + Duration::nanoseconds(steady_ns() - start_steady_ns_); }

Result<std::unique_ptr<Service>> Service::open(ServiceSpec spec) {
  auto service = std::unique_ptr<Service>(new Service(std::move(spec)));
  if (const Result<void> fine = service->start(); !fine.ok()) return fine.errors();
  return service;
}

Result<void> Service::start() {
  Result<std::unique_ptr<Store>> store = Store::open(spec_.folder);
  if (!store.ok()) return store.errors();
  store_ = std::move(store).value();
  start_steady_ns_ = steady_ns();
  start_ = Time::from_ns(std::max<std::int64_t>(0, wall_ns() - store_->born_ns()));
  instance_ = static_cast<std::uint64_t>(wall_ns());
  scheduler_ = std::make_unique<Scheduler>(spec_.scheduler, spec_.resources);
  scheduler_->set_planner(spec_.planner.get());

  // The gate must be there before anybody can knock.
  gate_ = std::make_unique<Gate>(context_, spec_.allowed);
  socket_ = std::make_unique<ZmqSocket>(context_, ZmqSocket::Type::kRouter);
  std::vector<ProcessEvent> known;
  if (spec_.guardian_command.empty()) {
    remote_ = std::make_unique<Remote>(*socket_);
    executor_ = remote_.get();
  } else {
    const Result<std::string> mark = ensure_mark(spec_.folder);
    if (!mark.ok()) return mark.errors();
    dispatcher_ = std::make_unique<Dispatcher>(DispatcherSpec{spec_.folder, *mark, spec_.guardian_command});
    executor_ = dispatcher_.get();
    if (const Result<void> fine = dispatcher_->connect(known); !fine.ok()) return fine;
  }
  restore();
  if (dispatcher_ != nullptr) reconcile(known);
  syncer_ = std::make_unique<Syncer>(*store_);
  scheduler_->restored(now());
  settle();

  for (const std::string& address : spec_.addresses) {
    if (is_network(address)) socket_->be_curve_server(spec_.keys);
    if (const Result<void> fine = socket_->bind(address); !fine.ok()) return fine;
  }
  return {};
}

// What ran counts as running until the guardian says otherwise.
void Service::restore() {
  using As = Scheduler::Restored::As;
  const Time time = now();
  store_->restore(
      [&](TaskId id, TaskState state, int attempts) {
        scheduler_->restore(time, {.id = id, .attempts = attempts, .as = As::kFinal, .final_state = state});
      },
      [&](Record record) {
        const bool fits = scheduler_->resources().claims_of(record.spec).ok();
        if (!fits) {
          // The resources have changed since: it can never run again.
          scheduler_->restore(time, {.id = record.id, .as = As::kFinal, .final_state = TaskState::kDiscarded});
          store_->update({record.id, TaskState::kDiscarded, time, record.started, record.attempts,
                          "its resources do not exist any more"});
          return;
        }
        const bool ran = record.state >= TaskState::kStarting;
        if (record.state == TaskState::kSuspended) stopped_by_operator_.insert(record.id);
        scheduler_->restore(time, {.id = record.id,
                                   .spec = std::move(record.spec),
                                   .submitted = record.submitted,
                                   .started = record.started == Time::never() ? time : record.started,
                                   .attempts = record.attempts,
                                   .as = record.state == TaskState::kParked ? As::kStopped
                                         : ran                              ? As::kRunning
                                                                            : As::kWaiting});
      });
}

// Compares what should run with what does.
void Service::reconcile(const std::vector<ProcessEvent>& known, const std::set<TaskId>& waiting) {
  std::set<TaskId> alive = waiting;
  for (const ProcessEvent& event : known) alive.insert(event.id);
  std::vector<TaskId> lost;
  for (const auto& [id, task] : scheduler_->tasks()) {
    const bool runs = task->parked || (task->state >= TaskState::kStarting && task->state <= TaskState::kEnding);
    if (runs && !alive.contains(id)) lost.push_back(id);
  }
  for (const TaskId id : lost) {
    pids_.erase(id);
    scheduler_->interrupted(now(), id);
  }
  for (const ProcessEvent& event : known) {
    happened(event);
    if (event.kind != ProcessEvent::Kind::kEnded) put_right(event);
  }
  stopped_by_operator_.clear();
}

// Makes a process that was found again do what its task should.
void Service::put_right(const ProcessEvent& event) {
  const LiveTask* task = scheduler_->find(event.id);
  const bool wanted = task != nullptr && task->attempts == event.attempt && (task->holding || task->parked);
  if (!wanted) {
    executor_->tell(Code::kKill, event.id);
  } else if (stopped_by_operator_.contains(event.id)) {
    static_cast<void>(scheduler_->suspend(now(), event.id));
  } else if (task->parked != event.stopped) {
    executor_->tell(task->parked ? Code::kStop : Code::kContinue, event.id);
  }
}

Result<void> Service::run(const std::atomic<bool>& stop, bool keep) {
  while (!stop) {
    wait_for_work();
    gate_->serve();
    receive();
    exchange_with_guardian();
    scheduler_->advance(now());
    settle();
    send_answers();
  }
  leave(keep);
  return {};
}

void Service::wait_for_work() {
  int timeout_ms = kLongestWait_ms;
  const Time next = scheduler_->next_timer();
  if (next != Time::never()) {
    const std::int64_t left = (next - now()).ns();
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>((left + 999'999) / 1'000'000, 0, kLongestWait_ms));
  }
  zmq_pollitem_t items[4] = {{socket_->get(), 0, ZMQ_POLLIN, 0},
                             {gate_->socket(), 0, ZMQ_POLLIN, 0},
                             {nullptr, syncer_->fd(), ZMQ_POLLIN, 0},
                             {nullptr, -1, ZMQ_POLLIN, 0}};
  int count = 3;
  if (dispatcher_ != nullptr && dispatcher_->connected()) {
    items[count].fd = dispatcher_->fd();
    if (dispatcher_->wants_to_send()) items[count].events |= ZMQ_POLLOUT;
    ++count;
  }
  zmq_poll(items, count, timeout_ms);
}

void Service::exchange_with_guardian() {
  if (dispatcher_ == nullptr) return;
  std::vector<ProcessEvent> events;
  const bool alive = dispatcher_->exchange(events);
  for (const ProcessEvent& event : events) happened(event);
  if (alive) return;
  std::vector<ProcessEvent> known;
  if (dispatcher_->connect(known).ok()) reconcile(known);
}

void Service::happened(const ProcessEvent& event) {
  const LiveTask* task = scheduler_->find(event.id);
  const bool current = task != nullptr && task->attempts == event.attempt;
  if (event.kind == ProcessEvent::Kind::kEnded) to_forget_.push_back(event.id);
  if (!current) return;
  switch (event.kind) {
    case ProcessEvent::Kind::kStarted:
      pids_[event.id] = event.pid;
      scheduler_->started(now(), event.id);
      break;
    case ProcessEvent::Kind::kStopped:
      scheduler_->suspended(now(), event.id);
      break;
    case ProcessEvent::Kind::kContinued:
      scheduler_->resumed(now(), event.id);
      break;
    case ProcessEvent::Kind::kEnded:
      pids_.erase(event.id);
      reports_[event.id] = event.report;
      // A very short task may have ended before its start was seen.
      if (event.report.ending.spawned) scheduler_->started(now(), event.id);
      scheduler_->ended(now(), event.id, event.report.ending);
      break;
  }
}

// A start must be on record before it happens, and an end; what lies between is known to the guardian.
bool Service::is_kept(const Update& update) const {
  if (is_final(update.state) || update.state == TaskState::kStarting) return true;
  if (update.attempts == 0) return false;
  switch (update.state) {
    case TaskState::kWaiting:
    case TaskState::kParked:
    case TaskState::kSuspended:
    case TaskState::kResuming:
      return true;
    case TaskState::kHeld:
      return !scheduler_->find(update.id)->parked;
    default:
      return false;
  }
}

// Records first, then acts.
void Service::settle() {
  const std::vector<Update> updates = scheduler_->take_updates();
  for (const Update& update : updates) {
    // The last word on a task that is over comes later in the list.
    if (!is_final(update.state) && scheduler_->find(update.id) == nullptr) continue;
    if (!is_kept(update)) continue;
    const auto report = reports_.find(update.id);
    store_->update(update, report == reports_.end() ? nullptr : &report->second);
  }
  store_->commit();
  reports_.clear();
  for (const TaskId id : to_forget_) executor_->tell(Code::kForget, id);
  to_forget_.clear();
  for (const Decision& decision : scheduler_->take_decisions()) carry_out(decision);
  if (dispatcher_ != nullptr) static_cast<void>(dispatcher_->flush());
  for (const Update& update : updates) notify(update);
}

void Service::carry_out(const Decision& decision) {
  const LiveTask* task = scheduler_->find(decision.id);
  if (task == nullptr) return;
  switch (decision.kind) {
    case Decision::Kind::kStart:
      return executor_->execute(decision.id, task->attempts, task->spec);
    case Decision::Kind::kTerminate:
      return executor_->tell(Code::kFinish, decision.id);
    case Decision::Kind::kKill:
      return executor_->tell(Code::kKill, decision.id);
    case Decision::Kind::kSuspend:
      return executor_->tell(Code::kStop, decision.id);
    case Decision::Kind::kResume:
      return executor_->tell(Code::kContinue, decision.id);
  }
}

void Service::leave(bool keep) {
  settle();
  const std::uint64_t ticket = syncer_->request();
  while (syncer_->done() < ticket) {
    zmq_pollitem_t item{nullptr, syncer_->fd(), ZMQ_POLLIN, 0};
    zmq_poll(&item, 1, kLongestWait_ms);
  }
  send_answers();
  if (!keep) executor_->shut_down();
}

}  // namespace strata::coordinator
