#include "kernel/channels.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::ElementsAre;

struct Reading {
  int value = 0;
};
void encode_reading(const void* message, std::vector<std::byte>& out) {
  out.push_back(static_cast<std::byte>(static_cast<const Reading*>(message)->value));
}
ChannelInfo info(std::string name) {
  auto schema = std::make_shared<Schema>();
  schema->name = "test/Reading";
  schema->encode = &encode_reading;
  return {.name = std::move(name), .schema = std::move(schema)};
}
std::shared_ptr<const Reading> reading(int value) { return std::make_shared<Reading>(Reading{value}); }

TEST(Channels, ReachPresentAndFutureSubscribers) {
  Channels channels;
  std::vector<std::string> log;
  const Channel<Reading> first = channels.declare<Reading>(info("/first"));
  EXPECT_FALSE(first.wanted());
  first.publish(Time{}, reading(0));  // nobody listens
  const auto all =
      channels.subscribe([&](const ChannelInfo& channel, Time, const std::shared_ptr<const void>& message) {
        log.push_back(channel.name + std::to_string(static_cast<const Reading*>(message.get())->value));
      });
  const Channel<Reading> second = channels.declare<Reading>(info("/second"));
  EXPECT_TRUE(first.wanted());
  EXPECT_TRUE(second.wanted());
  first.publish(Time{}, reading(1));
  second.publish(Time{}, reading(2));
  EXPECT_THAT(log, ElementsAre("/first1", "/second2"));
  EXPECT_EQ(channels.published("/first"), 1U);
}

TEST(Channels, FilterByNameAndUnsubscribe) {
  Channels channels;
  int seen = 0;
  const Channel<Reading> a = channels.declare<Reading>(info("/a"));
  const Channel<Reading> b = channels.declare<Reading>(info("/b"));
  {
    const auto subscription = channels.listen<Reading>("/a", [&](Time time, const Reading& message) {
      EXPECT_EQ(time, Time::from_ns(5));
      seen += message.value;
    });
    EXPECT_TRUE(a.wanted());
    EXPECT_FALSE(b.wanted());
    a.publish(Time::from_ns(5), reading(3));
    b.publish(Time::from_ns(5), reading(100));
  }
  EXPECT_FALSE(a.wanted());
  a.publish(Time::from_ns(6), reading(100));
  EXPECT_EQ(seen, 3);
}

TEST(Channels, SubscribersAreCalledInTheirOrderEvenIfTheyChange) {
  Channels channels;
  std::string log;
  const Channel<Reading> channel = channels.declare<Reading>(info("/a"));
  ChannelSubscription first;
  ChannelSubscription second;
  ChannelSubscription third;
  ChannelSubscription late;
  first = channels.subscribe([&](const auto&, Time, const auto&) { log += '1'; });
  second = channels.subscribe([&](const auto&, Time, const auto&) {
    log += '2';
    first.end();
    second.end();
    late = channels.subscribe([&](const auto&, Time, const auto&) { log += 'L'; });
  });
  third = channels.subscribe([&](const auto&, Time, const auto&) { log += '3'; });
  channel.publish(Time{}, reading(0));
  EXPECT_EQ(log, "123");
  channel.publish(Time{}, reading(0));
  EXPECT_EQ(log, "1233L");
}

TEST(Channels, AMessageCanBeEncodedLaterOnAnotherThread) {
  Channels channels;
  std::vector<std::pair<const ChannelInfo*, std::shared_ptr<const void>>> kept;
  const auto recorder =
      channels.subscribe([&](const ChannelInfo& channel, Time, const std::shared_ptr<const void>& message) {
        kept.emplace_back(&channel, message);
      });
  const Channel<Reading> channel = channels.declare<Reading>(info("/a"));
  for (int i = 0; i < 3; ++i) channel.publish(Time{}, reading(i));
  std::vector<std::byte> out;
  std::thread writer([&] {
    for (const auto& [channel_info, message] : kept) channel_info->schema->encode(message.get(), out);
  });
  writer.join();
  EXPECT_THAT(out, ElementsAre(std::byte{0}, std::byte{1}, std::byte{2}));
}

TEST(Channels, ListsByNameAndGivesTheSameChannelAgain) {
  Channels channels;
  channels.declare<Reading>(info("/b"));
  const Channel<Reading> a = channels.declare<Reading>(info("/a"));
  const Channel<Reading> again = channels.declare<Reading>(info("/a"));
  EXPECT_EQ(&a.info(), &again.info());
  ASSERT_EQ(channels.list().size(), 2U);
  EXPECT_EQ(channels.list()[0]->name, "/a");
  EXPECT_NE(channels.find("/b"), nullptr);
  EXPECT_EQ(channels.find("/c"), nullptr);
}

TEST(Channels, ASubscriptionMayOutliveThem) {
  ChannelSubscription subscription;
  {
    Channels channels;
    subscription = channels.subscribe([](const auto&, Time, const auto&) {});
  }
  subscription.end();
}

TEST(ChannelsDeath, ANameHasOneType) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Channels channels;
  channels.declare<Reading>(info("/a"));
  EXPECT_DEATH(channels.declare<int>(info("/a")), "another type");
}

}  // namespace
}  // namespace strata
