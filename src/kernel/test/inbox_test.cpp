#include "kernel/inbox.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "kernel/state_hash.hpp"
#include "times.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Inbox, DeliversFirstAtItsInstant) {
  Kernel kernel;
  Inbox inbox(kernel);
  std::string log;
  inbox.on("move", [&](const InboxMessage& message) {
    EXPECT_EQ(kernel.phase(), Phase::kDeliver);
    log += message.payload;
  });
  kernel.schedule(at(1s), Phase::kDeliver, 1, [&] { log += '.'; });
  inbox.post("move", "a");
  inbox.post("move", "b");
  inbox.post("unknown", "c");
  EXPECT_TRUE(inbox.waiting());
  EXPECT_EQ(log, "");
  EXPECT_EQ(inbox.drain(at(1s)), 3U);
  EXPECT_FALSE(inbox.waiting());
  kernel.run();
  EXPECT_EQ(log, "ab.");
  EXPECT_EQ(inbox.delivered(), 3U);
  EXPECT_EQ(inbox.unhandled(), 1U);
}

TEST(Inbox, AnInstantThatHasRunIsClosed) {
  Kernel kernel;
  Inbox inbox(kernel);
  std::vector<std::int64_t> times;
  inbox.on("x", [&](const InboxMessage& message) { times.push_back(message.time.ns()); });
  inbox.post("x", "");
  inbox.drain();  // nothing has run at 0
  kernel.run_until(Time::from_ns(5));
  inbox.post("x", "");
  inbox.drain();  // nothing has run at 5
  kernel.run_until(Time::from_ns(5));
  inbox.post("x", "");
  inbox.drain();
  kernel.run();
  EXPECT_THAT(times, ElementsAre(0, 5, 6));
}

TEST(Inbox, PostsComeFromAnyThreadAndWakeTheRun) {
  Kernel kernel;
  Inbox inbox(kernel);
  std::atomic<int> wakes{0};
  inbox.set_wake([&] { ++wakes; });
  int received = 0;
  inbox.on("x", [&](const InboxMessage&) { ++received; });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) inbox.post("x", "payload");
    });
  }
  for (int i = 0; i < 50; ++i) {
    inbox.drain();
    kernel.run_until(kernel.now() + 1ms);
  }
  for (std::thread& thread : threads) thread.join();
  inbox.drain();
  kernel.run();
  EXPECT_EQ(received, 400);
  EXPECT_EQ(wakes.load(), 400);
}

/// A little simulation that depends on when and in which order its input comes.
struct Toy {
  Kernel kernel;
  Inbox inbox{kernel};
  std::uint64_t state = 1;
  StateHash hash;
  std::string log;

  Toy() {
    inbox.set_log([this](const InboxMessage& message) { log += InboxLog::line(message); });
    inbox.on("mix", [this](const InboxMessage& message) { state = mix(state, hash_text(message.payload)); });
    step();
  }
  void step() {
    state = mix(state, 3);
    hash.add(1, 1, &state, sizeof state);
    hash.end_step(kernel.now());
    kernel.schedule(kernel.now() + 10ms, Phase::kPhysics, 1, [this] { step(); });
  }
};

TEST(Inbox, AReplayedLogGivesTheSameRun) {
  Toy live;
  RandomStream random(1, 1, "inbox_test");
  for (int i = 0; i < 200; ++i) {
    if (random.chance(0.5)) live.inbox.post(random.chance(0.8) ? "mix" : "other", "message " + std::to_string(i));
    live.inbox.drain();
    live.kernel.run_until(live.kernel.now() +
                          Duration::nanoseconds(static_cast<std::int64_t>(random.below(30'000'000))));
  }
  const Result<InboxLog> log = InboxLog::parse(live.log, "input.jsonl");
  ASSERT_TRUE(log.ok());
  EXPECT_GT(log.value().messages.size(), 50U);
  EXPECT_FALSE(log.value().truncated);

  Toy again;
  ASSERT_TRUE(again.inbox.replay(log.value().messages).ok());
  again.kernel.run_until(live.kernel.now());
  EXPECT_EQ(again.hash.value(), live.hash.value());
  EXPECT_EQ(again.log, live.log);

  Toy without;
  without.kernel.run_until(live.kernel.now());
  EXPECT_NE(without.hash.value(), live.hash.value());
}

TEST(Inbox, AReplayThatComesTooLateIsAnError) {
  Kernel kernel;
  Inbox inbox(kernel);
  kernel.run_until(at(5s));
  const Result<void> result = inbox.replay({{.time = at(1s), .sequence = 0, .topic = "x", .payload = ""}});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(to_text(result.errors()), HasSubstr("1 s"));
}

TEST(InboxLog, RoundTripsAnyBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::vector<InboxMessage> messages = {
      {.time = Time::from_ns(0), .sequence = 0, .topic = "plain", .payload = "hello"},
      {.time = Time::from_ns(1), .sequence = 1, .topic = "quo\"te\\\n\t\x01", .payload = "{\"a\": [1, 2]}\n"},
      {.time = Time::from_ns(1), .sequence = 2, .topic = "unicode äöü", .payload = "\xF0\x9F\xA4\x96"},
      {.time = Time::from_ns(9), .phase = Phase::kAct, .sequence = 3, .topic = "bytes", .payload = all},
      {.time = Time::from_ns(9), .sequence = 4, .topic = "bytes", .payload = "\xFF"},
      {.time = Time::from_ns(9), .sequence = 5, .topic = "bytes", .payload = "\xFF\xFE"},
      {.time = Time::from_ns(9), .sequence = 6, .topic = "bytes", .payload = std::string("\0\xFF\0", 3)},
      {.time = Time::from_ns(9'000'000'000'000'000'000), .sequence = 7, .topic = "", .payload = ""},
  };
  std::string text;
  for (const InboxMessage& message : messages) text += InboxLog::line(message);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
  const Result<InboxLog> log = InboxLog::parse(text, "log");
  ASSERT_TRUE(log.ok()) << to_text(log.errors());
  EXPECT_EQ(log.value().messages, messages);
}

TEST(InboxLog, ReadsOtherWritersJson) {
  const Result<InboxLog> log = InboxLog::parse(
      "\n  { \"sequence\" : 3, \"topic\":\"\\u00e4\\ud83e\\udd16\\/\", \"time_ns\": 12,\t\"payload\":\"\\r\\b\\f\", "
      "\"phase\":\"deliver\" } \r\n",
      "log");
  ASSERT_TRUE(log.ok()) << to_text(log.errors());
  EXPECT_EQ(log.value().messages[0].topic, "\xC3\xA4\xF0\x9F\xA4\x96/");
  EXPECT_EQ(log.value().messages[0].payload, "\r\b\f");
}

TEST(InboxLog, ReportsAllErrorsWithTheirLines) {
  const std::string good = InboxLog::line({.time = Time::from_ns(5), .topic = "a", .payload = "b"});
  const std::string text =
      good + "nonsense\n" + good + "{\"time_ns\":-4}\n" +
      InboxLog::line({.time = Time::from_ns(1), .topic = "a", .payload = "b"}) +
      "{\"time_ns\":6,\"phase\":\"never\",\"sequence\":1,\"topic\":\"\",\"payload\":\"\"}\n" +
      "{\"time_ns\":6,\"phase\":\"deliver\",\"sequence\":1,\"topic\":\"\"}\n" +
      "{\"time_ns\":6,\"phase\":\"deliver\",\"sequence\":1,\"topic\":\"\",\"payload_base64\":\"A=A=\"}\n" +
      "{\"time_ns\":6,\"time_ns\":6}\n" + "{\"topic\":\"\\ud800\"}\n" + "{\"topic\":\"\xFF\"}\n" + "{\"other\":1}\n" +
      good.substr(0, 20);
  const Result<InboxLog> log = InboxLog::parse(text, "input.jsonl");
  ASSERT_FALSE(log.ok());
  std::vector<int> lines;
  for (const Error& error : log.errors()) lines.push_back(error.where.line);
  EXPECT_THAT(lines, ElementsAre(2, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(to_text(log.errors()[0]), HasSubstr("input.jsonl:2:1"));
}

TEST(InboxLog, ACutOffLastLineIsLeftOut) {
  const std::string good = InboxLog::line({.time = Time::from_ns(5), .topic = "a", .payload = "b"});
  const Result<InboxLog> log = InboxLog::parse(good + good.substr(0, good.size() / 2), "log");
  ASSERT_TRUE(log.ok());
  EXPECT_TRUE(log.value().truncated);
  EXPECT_EQ(log.value().messages.size(), 1U);
  EXPECT_TRUE(InboxLog::parse("", "log").value().messages.empty());
}

}  // namespace
}  // namespace strata
