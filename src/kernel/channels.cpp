#include "kernel/channels.hpp"

#include <algorithm>
#include <utility>

namespace strata {

namespace detail {

struct ChannelRegistry {
  std::map<std::string, std::unique_ptr<ChannelState>, std::less<>> channels;
  std::vector<std::shared_ptr<ChannelSubscriber>> subscribers;
  std::uint64_t next_id = 1;
};

void ChannelState::publish(Time time, const std::shared_ptr<const void>& message) {
  ++published;
  // A callback may subscribe or unsubscribe: go by rising id over those present now, and hold each one while it is
  // called.
  const std::uint64_t last = subscribers.back()->id;
  std::uint64_t id = 0;
  for (std::size_t i = 0; i < subscribers.size() && subscribers[i]->id <= last;) {
    const std::shared_ptr<ChannelSubscriber> subscriber = subscribers[i];
    id = subscriber->id;
    if (subscriber->active) subscriber->callback(info, time, message);
    // Entries up to here may have left the list meanwhile.
    i = std::min(i + 1, subscribers.size());
    while (i > 0 && subscribers[i - 1]->id > id) --i;
  }
}

}  // namespace detail

ChannelSubscription& ChannelSubscription::operator=(ChannelSubscription&& other) noexcept {
  if (this != &other) {
    end();
    registry_ = std::move(other.registry_);
    subscriber_ = std::move(other.subscriber_);
  }
  return *this;
}

void ChannelSubscription::end() {
  const auto subscriber = std::exchange(subscriber_, nullptr);
  if (subscriber == nullptr) return;
  subscriber->active = false;
  if (const auto registry = registry_.lock()) {
    std::erase(registry->subscribers, subscriber);
    for (auto& [name, channel] : registry->channels) std::erase(channel->subscribers, subscriber);
  }
  registry_.reset();
}

Channels::Channels() : registry_(std::make_shared<detail::ChannelRegistry>()) {}
Channels::~Channels() = default;

detail::ChannelState* Channels::declare_raw(ChannelInfo info, const std::type_info& type) {
  STRATA_ASSERT(!info.name.empty(), "a channel needs a name");
  auto& state = registry_->channels[info.name];
  if (state != nullptr) {
    STRATA_ASSERT(*state->type == type, "channel '" + info.name + "' was declared with another type");
    return state.get();
  }
  state = std::make_unique<detail::ChannelState>();
  state->info = std::move(info);
  state->type = &type;
  for (const auto& subscriber : registry_->subscribers) {
    if (!subscriber->filter || subscriber->filter(state->info)) state->subscribers.push_back(subscriber);
  }
  return state.get();
}

ChannelSubscription Channels::subscribe(ChannelCallback callback, std::function<bool(const ChannelInfo&)> filter) {
  STRATA_ASSERT(callback != nullptr, "a subscription needs a callback");
  auto subscriber = std::make_shared<detail::ChannelSubscriber>();
  subscriber->id = registry_->next_id++;
  subscriber->filter = std::move(filter);
  subscriber->callback = std::move(callback);
  registry_->subscribers.push_back(subscriber);
  for (auto& [name, channel] : registry_->channels) {
    if (!subscriber->filter || subscriber->filter(channel->info)) channel->subscribers.push_back(subscriber);
  }
  ChannelSubscription subscription;
  subscription.registry_ = registry_;
  subscription.subscriber_ = std::move(subscriber);
  return subscription;
}

ChannelSubscription Channels::subscribe_to(std::string name, ChannelCallback callback) {
  return subscribe(std::move(callback),
                   [name = std::move(name)](const ChannelInfo& info) { return info.name == name; });
}

std::vector<const ChannelInfo*> Channels::list() const {
  std::vector<const ChannelInfo*> out;
  out.reserve(registry_->channels.size());
  for (const auto& [name, channel] : registry_->channels) out.push_back(&channel->info);
  return out;
}

const ChannelInfo* Channels::find(std::string_view name) const {
  const auto it = registry_->channels.find(name);
  return it == registry_->channels.end() ? nullptr : &it->second->info;
}

std::uint64_t Channels::published(std::string_view name) const {
  const auto it = registry_->channels.find(name);
  return it == registry_->channels.end() ? 0 : it->second->published;
}

bool Channels::carries(const std::string& name, const std::type_info& type) const {
  const auto it = registry_->channels.find(name);
  return it != registry_->channels.end() && *it->second->type == type;
}

}  // namespace strata
