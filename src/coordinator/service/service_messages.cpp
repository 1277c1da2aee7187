// What peers say to the service, and what it says to them.
#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coordinator/dispatcher/guardian.hpp"
#include "coordinator/files/task_file.hpp"
#include "coordinator/messages/wire.hpp"
#include "coordinator/service/remote.hpp"
#include "coordinator/service/service.hpp"
#include "coordinator/service/views.hpp"

namespace strata::coordinator {

namespace {

constexpr int kMessagesAtOnce = 256;  // then processes get their turn
constexpr std::size_t kMostPeers = 4096;
constexpr std::size_t kHistoryPage = 10'000;
constexpr std::size_t kLogPage = 256U << 10U;

using Json = nlohmann::ordered_json;

std::string log_page(const std::filesystem::path& file, std::uint64_t offset) {
  std::ifstream in(file, std::ios::binary);
  std::string page(kLogPage, '\0');
  if (!in || !in.seekg(static_cast<std::streamoff>(offset))) return "";
  in.read(page.data(), static_cast<std::streamsize>(page.size()));
  page.resize(static_cast<std::size_t>(in.gcount()));
  return page;
}

}  // namespace

void Service::receive() {
  for (int i = 0; i < kMessagesAtOnce; ++i) {
    std::optional<std::string> peer = socket_->receive();
    if (!peer) return;
    std::vector<std::string> frames;
    while (socket_->more()) {
      std::optional<std::string> frame = socket_->receive();
      if (!frame) break;
      frames.push_back(std::move(*frame));
    }
    if (frames.size() == 1) {
      handle(*peer, frames.front());
    } else {
      const Errors errors = {{{}, fmt::format("a message of {} frames", frames.size()), "send one frame"}};
      refuse(*peer, {}, Code::kError, errors);
    }
  }
}

void Service::handle(const std::string& peer, const std::string& bytes) {
  const Result<Message> message = decode(bytes);
  if (!message.ok()) return refuse(peer, {}, Code::kError, message.errors());
  const int origin = static_cast<int>(message->code) / 100;
  if (origin == 4) return handle_dispatcher(peer, *message);
  if (origin != 2) {
    const Errors errors = {{{}, to_text(message->code) + " is not for a planner", "send codes 200 to 299"}};
    return refuse(peer, *message, Code::kError, errors);
  }
  if (!in_sequence(peer, *message)) {
    const Errors errors = {
        {{},
         fmt::format("message number {} does not follow {}", message->number, peers_[peer].last_number),
         "number your messages one by one"}};
    return refuse(peer, *message, Code::kError, errors);
  }
  handle_terminal(peer, *message);
}

// A peer may begin with any number; from then on it counts. A repeated message must not submit a task twice.
bool Service::in_sequence(const std::string& peer, const Message& message) {
  if (peers_.size() >= kMostPeers && !peers_.contains(peer)) {
    const auto oldest = std::min_element(peers_.begin(), peers_.end(), [](const auto& a, const auto& b) {
      return a.second.last_seen < b.second.last_seen;
    });
    peers_.erase(oldest);
  }
  const auto [entry, is_new] = peers_.try_emplace(peer);
  Peer& state = entry->second;
  state.last_seen = ++seen_;
  if (!is_new && message.number != state.last_number + 1) return false;
  state.last_number = message.number;
  return true;
}

void Service::handle_terminal(const std::string& peer, const Message& message) {
  switch (message.code) {
    case Code::kNewTask:
      return new_tasks(peer, message);
    case Code::kRequest:
      return request(peer, message);
    case Code::kSubscribe:
      peers_[peer].subscribed = true;
      return answer(peer, message, Code::kDone, 0);
    case Code::kQuery: {
      std::uint64_t id = 0;
      const Result<std::string> result = query(message, id);
      if (!result.ok()) return refuse(peer, message, Code::kError, result.errors());
      return answer(peer, message, Code::kAnswer, id, *result);
    }
    default:
      return change_task(peer, message);
  }
}

// All or nothing: a file with one task that cannot run is refused as a whole.
void Service::new_tasks(const std::string& peer, const Message& message) {
  Result<std::vector<TaskSpec>> tasks = decode_tasks(message.data);
  if (!tasks.ok()) return refuse(peer, message, Code::kError, tasks.errors());
  Errors errors;
  const TaskId first = scheduler_->next_id();
  for (std::size_t i = 0; i < tasks->size(); ++i) {
    TaskSpec& task = (*tasks)[i];
    TaskSpec alone = task;
    for (auto [list, kept] : {std::pair{&task.after, &alone.after}, {&task.after_success, &alone.after_success}}) {
      kept->clear();
      for (TaskId& id : *list) {
        const bool inside = (id & kInFile) != 0;
        const TaskId index = id & ~kInFile;
        if (inside && index >= i) {
          errors.push_back({{}, fmt::format("task {} of the list depends on a later one", i), "change their order"});
        }
        if (inside) {
          id = first + index;
        } else {
          kept->push_back(id);
        }
      }
    }
    if (const Result<void> fine = scheduler_->acceptable(alone); !fine.ok()) {
      for (Error error : fine.errors()) {
        if (tasks->size() > 1) error.problem = fmt::format("task {} of the list: {}", i, error.problem);
        errors.push_back(std::move(error));
      }
    }
    if (errors.size() > 20) break;
  }
  if (errors.empty() && scheduler_->tasks().size() + tasks->size() > spec_.scheduler.max_waiting) {
    errors.push_back({{},
                      fmt::format("the coordinator is full: {} tasks wait", scheduler_->tasks().size()),
                      "try again later, or allow more with --max-waiting"});
  }
  if (!errors.empty()) return refuse(peer, message, Code::kError, errors);
  const Time time = now();
  for (TaskSpec& task : *tasks) {
    store_->add(scheduler_->next_id(), task, time);
    static_cast<void>(scheduler_->submit(time, std::move(task)).value());
  }
  std::string count;
  wire::put(count, static_cast<std::uint32_t>(tasks->size()));
  answer(peer, message, Code::kAccepted, first, count);
}

void Service::request(const std::string& peer, const Message& message) {
  switch (scheduler_->request(now())) {
    case RequestAnswer::kStarted:
      return answer(peer, message, Code::kStarted, 0);
    case RequestAnswer::kEmpty:
      return answer(peer, message, Code::kEmpty, 0);
    case RequestAnswer::kNoResources:
      return answer(peer, message, Code::kNoResources, 0);
    case RequestAnswer::kNoPriority:
      return answer(peer, message, Code::kNoPriority, 0);
  }
}

void Service::change_task(const std::string& peer, const Message& message) {
  const Time time = now();
  const TaskId id = message.id;
  Result<void> result;
  std::uint64_t count = id;
  switch (message.code) {
    case Code::kTerminate:
      result = scheduler_->kill(time, id);
      break;
    case Code::kDiscard:
      result = scheduler_->discard(time, id);
      break;
    case Code::kDiscardGroup:
      count = scheduler_->discard_group(time, message.data);
      break;
    case Code::kSuspend:
      result = scheduler_->suspend(time, id);
      break;
    case Code::kResume:
      result = scheduler_->resume(time, id);
      break;
    case Code::kResource: {
      const auto resource = static_cast<int>(id);
      if (id > 2'000'000'000 || scheduler_->resources().find(resource) < 0) {
        result = Error{{}, fmt::format("there is no resource {}", id), "see `strata task resources`"};
      } else if (message.data == "failed") {
        scheduler_->resource_lost(time, resource);
      } else if (message.data == "back") {
        scheduler_->resource_back(time, resource);
      } else {
        result = Error{{}, fmt::format("a resource cannot be '{}'", message.data), "one of: failed, back"};
      }
      break;
    }
    default:
      result = Error{{}, to_text(message.code) + " is not understood here", ""};
      break;
  }
  if (result.ok()) {
    return answer(peer, message, message.code == Code::kTerminate ? Code::kFinished : Code::kDone, count);
  }
  const bool unknown = message.code != Code::kResource && !scheduler_->state_of(id);
  refuse(peer, message, unknown ? Code::kNoSuchTask : Code::kError, result.errors());
}

Result<std::string> Service::query(const Message& message, std::uint64_t& id) {
  const Json wanted = Json::parse(message.data, nullptr, false);
  if (!wanted.is_object()) return Error{{}, "the question is not a JSON object", R"(write {"what": "queue"})"};
  const std::string what = wanted.contains("what") && wanted["what"].is_string() ? wanted["what"] : "";
  const auto number = [&wanted](const char* name, std::uint64_t usual) {
    return wanted.contains(name) && wanted[name].is_number_unsigned() ? wanted[name].get<std::uint64_t>() : usual;
  };
  if (what == "queue") return queues_json(*scheduler_);
  if (what == "resources") return resources_json(*scheduler_);
  if (what == "tables") return tables_json(*scheduler_);
  if (what == "stats") {
    return statistics_json(*scheduler_, now(), spec_.planner == nullptr ? "priority" : spec_.planner->name());
  }
  if (what == "running") {
    return running_json(*scheduler_, [this](TaskId task) {
      const auto found = pids_.find(task);
      return found == pids_.end() ? 0 : found->second;
    });
  }
  if (what == "history") {
    const std::uint64_t limit = std::min<std::uint64_t>(number("limit", kHistoryPage), kHistoryPage);
    store_->commit();
    return history_json(store_->history(std::max<std::uint64_t>(limit, 1), number("before", ~TaskId{0} >> 1U)),
                        *scheduler_);
  }
  if (what == "task") {
    store_->commit();
    const std::optional<Record> record = store_->find(number("id", ~TaskId{0} >> 1U));
    if (!record) return Error{{}, "there is no such task", "see `strata task history`"};
    return history_json({*record}, *scheduler_);
  }
  if (what == "log") {
    const bool errors = wanted.contains("stream") && wanted["stream"] == "err";
    const std::uint64_t offset = number("offset", 0);
    const std::string page = log_page(log_file(spec_.folder, number("id", 0), errors ? "err" : "out"), offset);
    id = offset + page.size();
    return page;
  }
  return Error{{},
               fmt::format("'{}' cannot be asked for", what),
               suggestion(what, {"queue", "running", "resources", "tables", "history", "task", "stats", "log"})};
}

void Service::handle_dispatcher(const std::string& peer, const Message& message) {
  if (remote_ == nullptr) {
    const Errors errors = {{{}, "this coordinator runs its tasks itself", "start it with --role planner"}};
    return refuse(peer, message, Code::kError, errors);
  }
  using Kind = ProcessEvent::Kind;
  // A dispatcher that has just come, or has come back, tells all it has first: data "begin".
  if (message.code == Code::kHello && message.data == "begin") return remote_->begin(peer);
  if (peer != remote_->peer() || message.code == Code::kAlive) {
    const bool unknown = peer != remote_->peer() || !remote_->is_ready();
    return send(peer, {Code::kWelcome, MessageKind::kSynchronisation, 0, unknown ? 0 : instance_, {}});
  }
  ProcessEvent event{Kind::kStarted, message.id, static_cast<int>(message.number), 0, false, {}};
  std::string_view data = message.data;
  std::uint32_t pid = 0;
  std::uint8_t stopped = 0;
  switch (message.code) {
    case Code::kHello: {
      const std::vector<ProcessEvent> known = std::move(remote_->known);
      reconcile(known, remote_->not_sent());
      return remote_->ready();
    }
    case Code::kExecuteOk:
      event.kind = Kind::kStarted;
      break;
    case Code::kStopped:
      event.kind = Kind::kStopped;
      break;
    case Code::kContinued:
      event.kind = Kind::kContinued;
      break;
    case Code::kExecuteError:
    case Code::kFinishOk: {
      const Result<Report> report = decode_report(message.data);
      if (!report.ok()) return;
      event.kind = Kind::kEnded;
      event.report = *report;
      break;
    }
    default:
      return;
  }
  if (event.kind != Kind::kEnded && wire::take(data, pid) && wire::take(data, stopped)) {
    event.pid = static_cast<int>(pid);
    event.stopped = stopped != 0;
  }
  if (remote_->is_ready()) {
    happened(event);
  } else {
    remote_->known.push_back(event);
  }
}

void Service::answer(const std::string& peer, const Message& to, Code code, std::uint64_t id, std::string data) {
  Answer answer{0, peer, {code, MessageKind::kSynchronisation, to.number, id, std::move(data)}};
  // Questions change nothing, so nothing has to reach the disk first.
  const bool changes = to.code != Code::kQuery && to.code != Code::kSubscribe;
  if (changes) answer.ticket = ~std::uint64_t{0};
  answers_.push_back(std::move(answer));
}

void Service::refuse(const std::string& peer, const Message& to, Code code, const Errors& errors) {
  send(peer, {code, MessageKind::kSynchronisation, to.number, to.id, encode_errors(errors)});
}

void Service::send(const std::string& peer, const Message& message) {
  if (socket_->send(peer, true)) socket_->send(encode(message));
}

// In order for each peer; what waits for the disk waits.
void Service::send_answers() {
  constexpr std::uint64_t kUnticketed = ~std::uint64_t{0};
  const bool fresh =
      std::any_of(answers_.begin(), answers_.end(), [](const Answer& answer) { return answer.ticket == kUnticketed; });
  if (fresh) {
    const std::uint64_t ticket = syncer_->request();
    for (Answer& answer : answers_) {
      if (answer.ticket == kUnticketed) answer.ticket = ticket;
    }
  }
  if (answers_.empty()) return;
  const std::uint64_t done = syncer_->done();
  while (!answers_.empty() && answers_.front().ticket <= done) {
    send(answers_.front().peer, answers_.front().message);
    answers_.pop_front();
  }
}

// As the original tells its terminal: a start, and an end with how it went.
void Service::notify(const Update& update) {
  const bool start = update.state == TaskState::kRunning;
  if (!start && !is_final(update.state)) return;
  const Message message{start ? Code::kStarted : Code::kFinished, MessageKind::kSynchronisation, 0, update.id,
                        std::string(to_text(update.state))};
  for (const auto& [peer, state] : peers_) {
    if (state.subscribed) send(peer, message);
  }
}

}  // namespace strata::coordinator
