#include "record/channel_queue.hpp"

#include <algorithm>
#include <chrono>
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
  const std::uint64_t before = waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  high_water_ = std::max(high_water_, before + bytes);
  ++taken_;
  handed_bytes_ += bytes;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({&info, &lane, time, message, bytes});
    wake = handed_bytes_ >= kWakeBytes || waiting_.size() >= kWakeItems;
    due_ = due_ || wake;
  }
  if (!wake) return;
  handed_bytes_ = 0;
  wake_.notify_one();
}

void ChannelQueue::run() {
  std::vector<Item> batch;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      // Not to be woken is no reason to keep what came: a run may be killed, and should lose little.
      wake_.wait_for(lock, std::chrono::milliseconds(100), [this] { return stopping_ || due_; });
      due_ = false;
      if (waiting_.empty()) {
        if (stopping_) return;
        continue;
      }
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
