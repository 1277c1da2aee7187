// The one door for what enters from outside: viewer, operator, hardware, gateway. Anybody may post from any thread; the
// run takes the messages in between two instants, stamps them with (time, phase, sequence), logs them and hands them to
// their handlers as ordinary events. Fed with such a log, another run gets the same messages at the same instants.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "kernel/inbox_log.hpp"
#include "kernel/kernel.hpp"

namespace strata {

class Inbox {
 public:
  using Handler = std::function<void(const InboxMessage&)>;

  /// Must live as long as the kernel runs.
  explicit Inbox(Kernel& kernel) : kernel_(kernel) {}
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// From any thread. Wakes a paced run.
  void post(std::string topic, std::string payload);
  /// Something was posted and not drained. From any thread.
  [[nodiscard]] bool waiting() const { return waiting_.load(std::memory_order_acquire); }

  /// Adds a handler of a topic; all handlers of a topic are called, in the order added.
  void on(std::string topic, Handler handler) { handlers_[std::move(topic)].push_back(std::move(handler)); }
  /// Called with each message just before it is delivered: writes the log of the run.
  void set_log(Handler log) { log_ = std::move(log); }
  /// Called in the posting thread after each post: wakes a sleeping run.
  void set_wake(std::function<void()> wake);

  /// Between events: schedules everything posted so far for delivery at (at, Deliver) and returns how many. Nothing may
  /// have run at `at` yet: messages come first at their instant, in the run and in its replay.
  std::size_t drain(Time at);
  /// At the first instant at which nothing has run: now, or a nanosecond later.
  std::size_t drain();
  /// Schedules logged messages at exactly their old instants. Before they are due.
  [[nodiscard]] Result<void> replay(const std::vector<InboxMessage>& messages);

  /// Messages delivered, and those among them that no handler wanted.
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  [[nodiscard]] std::uint64_t unhandled() const { return unhandled_; }

 private:
  void schedule(InboxMessage message);
  void deliver(const InboxMessage& message);

  Kernel& kernel_;
  std::map<std::string, std::vector<Handler>, std::less<>> handlers_;
  Handler log_;
  std::uint64_t sequence_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t unhandled_ = 0;
  std::atomic<bool> waiting_{false};
  std::mutex mutex_;  // guards what follows
  std::vector<std::pair<std::string, std::string>> posted_;
  std::function<void()> wake_;
};

}  // namespace strata
