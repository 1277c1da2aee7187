#include "board/board.hpp"

#include <gtest/gtest.h>

namespace strata::board {
namespace {

Value word(const char* text) { return Value::scalar(text); }

Value cache(const char* size, const char* ways) {
  return Value::map({{"size", word(size)}, {"ways", word(ways)}, {"line", word("64 B")}, {"latency", word("4")}});
}

Value processor() {
  return Value::map({{"name", word("main")},
                     {"core", word("cortex-a72")},
                     {"cores", word("4")},
                     {"clocks", Value::list({Value::map({{"frequency", word("600 MHz")}, {"voltage", word("0.8 V")}}),
                                             Value::map({{"frequency", word("1.5 GHz")}, {"voltage", word("1 V")}})})},
                     {"l1d", cache("32 KiB", "2")},
                     {"l1i", cache("48 KiB", "3")},
                     {"memory_latency", word("100 ns")}});
}

Value board(Value of_processor) {
  return Value::map(
      {{"strata_board", word("1")},
       {"name", word("test")},
       {"processors", Value::list({std::move(of_processor)})},
       {"buses",
        Value::list({Value::map({{"bandwidth", word("4 GB/s")}, {"processors", Value::list({word("main")})}})})}});
}

TEST(Board, ReadsAll) {
  const auto read = read_board(board(processor()));
  ASSERT_TRUE(read.ok()) << to_text(read.errors());
  const Processor* main = read->find("main");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->cores, 4);
  EXPECT_DOUBLE_EQ(main->clock().hz, 1.5e9);
  EXPECT_EQ(main->data.bytes, 32768U);
  EXPECT_EQ(main->data.sets(), 256U);
  EXPECT_EQ(main->instruction.sets(), 256U);
  EXPECT_EQ(main->second.sets(), 0U);
  EXPECT_DOUBLE_EQ(read->buses.at(0).bits_per_s, 32e9);
  EXPECT_EQ(read->system.policy, "priority");
  EXPECT_EQ(read->find("other"), nullptr);
}

TEST(Board, ReportsAllMistakes) {
  Value wrong = processor();
  wrong.set("l1d", cache("33 KiB", "2"));
  wrong.set("clocks",
            Value::list({Value::map({{"frequency", word("2 GHz")}}), Value::map({{"frequency", word("1 GHz")}})}));
  Value file = board(wrong);
  file.set("buses",
           Value::list({Value::map({{"bandwidth", word("1 GB/s")}, {"processors", Value::list({word("mian")})}})}));
  const auto read = read_board(file);
  ASSERT_FALSE(read.ok());
  const std::string text = to_text(read.errors());
  EXPECT_NE(text.find("power of two"), std::string::npos) << text;
  EXPECT_NE(text.find("clocks do not rise"), std::string::npos) << text;
  EXPECT_NE(text.find("'mian'"), std::string::npos) << text;
  EXPECT_NE(text.find("main"), std::string::npos) << text;
}

TEST(Board, NeedsAProcessorAndAClock) {
  Value file = board(processor());
  file.set("processors", Value::list());
  EXPECT_FALSE(read_board(file).ok());
  Value without_clock = processor();
  without_clock.set("clocks", Value::list());
  EXPECT_FALSE(read_board(board(without_clock)).ok());
  EXPECT_FALSE(read_board(Value::scalar("text")).ok());
}

}  // namespace
}  // namespace strata::board
