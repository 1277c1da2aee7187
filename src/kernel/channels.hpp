// Channels: the one registry behind recording, plots, metrics and bridges. Producers declare a channel and publish;
// they do not know who listens. Messages are immutable and shared, so a subscriber may keep one and encode it later on
// another thread: a recording never stalls the run. Owned by a simulation; used from its thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "base/assert.hpp"
#include "base/time.hpp"
#include "kernel/phase.hpp"

namespace strata {

/// How the messages of a channel look outside the program.
struct Schema {
  std::string name;             ///< "tf2_msgs/TFMessage"
  std::string encoding;         ///< of the messages: "ros1"
  std::string schema_encoding;  ///< of the definition: "ros1msg"
  std::string definition;
  /// Appends the encoded message to `out`. Pure: may be called on any thread.
  void (*encode)(const void* message, std::vector<std::byte>& out) = nullptr;
};

struct ChannelInfo {
  std::string name;                                ///< "/tf", unique
  std::shared_ptr<const Schema> schema = nullptr;  ///< null: for use inside the program only
  Phase phase = Phase::kRecord;                    ///< in which it is published
  Duration period = {};                            ///< zero: not periodic
};

/// Gets every message of the channels it is subscribed to, in the order of publication, in the simulation's thread.
/// `message` may be kept; `info` stays valid as long as the Channels.
using ChannelCallback =
    std::function<void(const ChannelInfo& info, Time time, const std::shared_ptr<const void>& message)>;

class Channels;

namespace detail {
struct ChannelSubscriber {
  std::uint64_t id = 0;
  std::function<bool(const ChannelInfo&)> filter;  // empty: all
  ChannelCallback callback;
  bool active = true;
};
struct ChannelState {
  ChannelInfo info;
  const std::type_info* type = nullptr;
  std::vector<std::shared_ptr<ChannelSubscriber>> subscribers;  // in order of subscription
  std::uint64_t published = 0;

  void publish(Time time, const std::shared_ptr<const void>& message);
};
struct ChannelRegistry;
}  // namespace detail

/// A producer's end of a channel. Cheap to copy; valid as long as the Channels.
template <class T>
class Channel {
 public:
  Channel() = default;
  /// Somebody listens. If not, building the message can be skipped.
  [[nodiscard]] bool wanted() const { return state_ != nullptr && !state_->subscribers.empty(); }
  void publish(Time time, std::shared_ptr<const T> message) const {
    if (wanted()) state_->publish(time, std::move(message));
  }
  [[nodiscard]] const ChannelInfo& info() const {
    STRATA_ASSERT(state_ != nullptr, "channel was not declared");
    return state_->info;
  }

 private:
  friend class Channels;
  explicit Channel(detail::ChannelState* state) : state_(state) {}
  detail::ChannelState* state_ = nullptr;
};

/// Ends the subscription when destroyed. May outlive the Channels.
class [[nodiscard]] ChannelSubscription {
 public:
  ChannelSubscription() = default;
  ChannelSubscription(ChannelSubscription&& other) noexcept = default;
  ChannelSubscription& operator=(ChannelSubscription&& other) noexcept;
  ~ChannelSubscription() { end(); }
  void end();

 private:
  friend class Channels;
  std::weak_ptr<detail::ChannelRegistry> registry_;
  std::shared_ptr<detail::ChannelSubscriber> subscriber_;
};

class Channels {
 public:
  Channels();
  ~Channels();
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  /// Makes a channel for messages of type T. Declaring a name again gives the same channel and needs the same T.
  template <class T>
  Channel<T> declare(ChannelInfo info) {
    return Channel<T>(declare_raw(std::move(info), typeid(T)));
  }

  /// Subscribes to all present and future channels for which `filter` holds (empty: all of them). Subscribers are
  /// called in the order of subscription.
  ChannelSubscription subscribe(ChannelCallback callback, std::function<bool(const ChannelInfo&)> filter = {});
  /// Subscribes to the channel of that name, present or future.
  ChannelSubscription subscribe_to(std::string name, ChannelCallback callback);
  /// Typed: to the channel of that name, which must carry T.
  template <class T, class F>
  ChannelSubscription listen(std::string name, F callback) {
    return subscribe_to(
        std::move(name), [this, callback = std::move(callback)](const ChannelInfo& info, Time time,
                                                                const std::shared_ptr<const void>& message) mutable {
          STRATA_ASSERT(carries(info.name, typeid(T)), "channel '" + info.name + "' carries another type");
          callback(time, *static_cast<const T*>(message.get()));
        });
  }

  /// All channels by name.
  [[nodiscard]] std::vector<const ChannelInfo*> list() const;
  [[nodiscard]] const ChannelInfo* find(std::string_view name) const;
  /// Messages that went to at least one subscriber.
  [[nodiscard]] std::uint64_t published(std::string_view name) const;

 private:
  detail::ChannelState* declare_raw(ChannelInfo info, const std::type_info& type);
  [[nodiscard]] bool carries(const std::string& name, const std::type_info& type) const;

  std::shared_ptr<detail::ChannelRegistry> registry_;
};

}  // namespace strata
