// Takes messages from channels in the simulation's thread and hands them to a consumer in a thread of its own:
// encoding, compressing and writing never stall the run. The queue is unbounded; how much it held at most is reported.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/time.hpp"
#include "kernel/channels.hpp"

namespace strata {

class ChannelQueue {
 public:
  /// Called in the queue's thread, in the order of publication. Returns how many bytes the message took encoded: the
  /// estimate for what waits of its channel.
  using Consumer = std::function<std::size_t(const ChannelInfo& info, Time time, const void* message)>;

  ChannelQueue() = default;
  /// Drains.
  ~ChannelQueue() { stop(); }
  ChannelQueue(const ChannelQueue&) = delete;
  ChannelQueue& operator=(const ChannelQueue&) = delete;

  /// `channels` must live until stop().
  void start(Channels& channels, std::function<bool(const ChannelInfo&)> filter, Consumer consumer);
  /// Waits until everything taken so far is consumed, and ends.
  void stop();

  /// The most that waited at one time, estimated from the encoded size of each channel's latest message.
  [[nodiscard]] std::uint64_t high_water_bytes() const { return high_water_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  struct Lane {  // per channel
    std::atomic<std::uint64_t> latest_bytes{64};
  };
  struct Item {
    const ChannelInfo* info;
    Lane* lane;
    Time time;
    std::shared_ptr<const void> message;
    std::uint64_t bytes;  // as estimated when it was taken
  };
  /// The consumer is woken when this much waits; otherwise it looks by itself, a few times per second.
  static constexpr std::uint64_t kWakeBytes = 1U << 21U;
  static constexpr std::size_t kWakeItems = 1000;

  void take(const ChannelInfo& info, Time time, const std::shared_ptr<const void>& message);
  void run();

  Consumer consumer_;
  ChannelSubscription subscription_;
  std::thread thread_;
  std::map<const ChannelInfo*, Lane> lanes_;  // the simulation's thread only; never shrinks
  std::uint64_t taken_ = 0;
  std::uint64_t high_water_ = 0;
  std::uint64_t handed_bytes_ = 0;  // since the consumer was last woken

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Item> waiting_;
  bool due_ = false;  // enough waits to begin at once
  bool stopping_ = false;
  std::atomic<std::uint64_t> waiting_bytes_{0};
};

}  // namespace strata
