#include "kernel/inbox.hpp"

#include <algorithm>

namespace strata {

namespace {
// Before everybody else in the Deliver phase.
constexpr Key kInboxKey = 0;
}  // namespace

void Inbox::post(std::string topic, std::string payload) {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    posted_.emplace_back(std::move(topic), std::move(payload));
    waiting_.store(true, std::memory_order_release);
    wake = wake_;
  }
  if (wake) wake();
}

void Inbox::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

std::size_t Inbox::drain(Time at) {
  if (!waiting()) return 0;
  STRATA_ASSERT(at > kernel_.now() || (at == kernel_.now() && !kernel_.touched()),
                "messages must come first at their instant");
  std::vector<std::pair<std::string, std::string>> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
    waiting_.store(false, std::memory_order_release);
  }
  for (auto& [topic, payload] : posted) {
    schedule({.time = at,
              .phase = Phase::kDeliver,
              .sequence = sequence_++,
              .topic = std::move(topic),
              .payload = std::move(payload)});
  }
  return posted.size();
}

std::size_t Inbox::drain() {
  return drain(kernel_.touched() ? kernel_.now() + Duration::nanoseconds(1) : kernel_.now());
}

Result<void> Inbox::replay(const std::vector<InboxMessage>& messages) {
  Errors errors;
  for (const InboxMessage& message : messages) {
    if (message.time < kernel_.now() || (message.time == kernel_.now() && kernel_.touched())) {
      Error error;
      error.problem = "message " + std::to_string(message.sequence) + " of the input log is due at " +
                      to_text(message.time) + ", which has passed";
      error.remedy = "replay the log from the start of the run";
      errors.push_back(std::move(error));
    }
  }
  if (!errors.empty()) return errors;
  for (const InboxMessage& message : messages) {
    schedule(message);
    sequence_ = std::max(sequence_, message.sequence + 1);
  }
  return {};
}

void Inbox::schedule(InboxMessage message) {
  const Time at = message.time;
  const Phase phase = message.phase;
  kernel_.schedule(at, phase, kInboxKey, [this, message = std::move(message)] { deliver(message); });
}

void Inbox::deliver(const InboxMessage& message) {
  if (log_) log_(message);
  ++delivered_;
  const auto it = handlers_.find(message.topic);
  if (it == handlers_.end()) {
    ++unhandled_;
    return;
  }
  // By index: a handler may add handlers.
  for (std::size_t i = 0; i < it->second.size(); ++i) {
    const Handler handler = it->second[i];
    handler(message);
  }
}

}  // namespace strata
