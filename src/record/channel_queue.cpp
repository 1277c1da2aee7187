#include "record/channel_queue.hpp"

#include <algorithm>
#include <utility>

namespace strata {

void ChannelQueue::start(Channels& channels, std::function<bool(const ChannelInfo&)> filter, Consumer consumer) {
  STRATA_ASSERT(!thread_.joinable(), "a queue is started once");
  consumer_ = std::move(consumer);
  stopping_ = false;
  thread_ = std::thread([this] { run(); });
  subscription_ = channels.subscribe([this](const ChannelInfo& info, Time time,
                                            const std::shared_ptr<const void>& message) { take(info, time, message); },
                                     std::move(filter));
}

void ChannelQueue::stop() {
  if (!thread_.joinable()) return;
  subscription_.end();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ChannelQueue::take(const ChannelInfo& info, Time time, const std::shared_ptr<const void>& message) {
  Lane& lane = lanes_[&info];
  const std::uint64_t bytes = lane.latest_bytes.load(std::memory_order_relaxed);
  high_water_ = std::max(high_water_, waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
  ++taken_;
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    was_empty = waiting_.empty();
    waiting_.push_back({&info, &lane, time, message, bytes});
  }
  // The consumer takes all that waits at once, so it can only sleep on an empty queue.
  if (was_empty) wake_.notify_one();
}

void ChannelQueue::run() {
  std::vector<Item> batch;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      std::swap(batch, waiting_);
    }
    for (Item& item : batch) {
      const std::size_t bytes = consumer_(*item.info, item.time, item.message.get());
      if (bytes > 0) item.lane->latest_bytes.store(bytes, std::memory_order_relaxed);
      item.message.reset();
      waiting_bytes_.fetch_sub(item.bytes, std::memory_order_relaxed);
    }
    batch.clear();
  }
}

}  // namespace strata
