#include "annotate/estimate.hpp"

#include <gtest/gtest.h>

namespace strata::annotate {
namespace {

constexpr const char* kProcess = R"({"program": "x", "process": 7, "target": "cortex-a72", "hz": 1500000000,
  "instructions": {"annotated": 900, "library": 100, "total": 1000}, "cycles": 1500, "time_s": 1e-6,
  "functions": [{"name": "_Z4workv", "place": "a.cpp:3", "library": false, "instructions": 900, "cycles": 1400},
                {"name": "memcpy", "library": true, "instructions": 100, "cycles": 100}],
  "threads": [{"number": 0, "start": "main", "instructions": 900, "library_instructions": 100, "cycles": 1400,
               "library_cycles": 100}],
  "host_s": 2.0, "unaccounted": [{"name": "deflate", "host_share": 0.25}]})";

TEST(Estimate, MergesProcesses) {
  const auto estimate = read_estimate({{"a", kProcess}, {"b", kProcess}});
  ASSERT_TRUE(estimate.ok()) << to_text(estimate.errors());
  EXPECT_EQ(estimate->processes, 2);
  EXPECT_DOUBLE_EQ(estimate->instructions(), 2000);
  ASSERT_EQ(estimate->functions.size(), 2U);
  EXPECT_EQ(estimate->functions[0].name, "work()");
  EXPECT_DOUBLE_EQ(estimate->functions[0].instructions, 1800);
  ASSERT_EQ(estimate->unaccounted.size(), 1U);
  EXPECT_DOUBLE_EQ(estimate->unaccounted[0].host_share, 0.25);
}

TEST(Estimate, DamagedFilesAreNamed) {
  const auto estimate = read_estimate({{"a", "{"}, {"b", "[]"}});
  ASSERT_FALSE(estimate.ok());
  EXPECT_EQ(estimate.errors().size(), 2U);
}

TEST(Estimate, OnABoard) {
  const auto estimate = read_estimate({{"a", kProcess}});
  ASSERT_TRUE(estimate.ok());
  board::Board board;
  board.name = "b";
  board.static_power_w = 1;
  board::Processor processor;
  processor.core = "cortex-a72";
  processor.clocks = {{1e9, 1}};
  processor.cycle_energy_j = 1e-9;
  processor.static_power_w = 1;
  processor.misprediction_cycles = 10;
  processor.misprediction_rate = 0.1;
  board.processors = {processor};
  processor.core = "cortex-a53";
  board.processors.push_back(processor);
  const auto on = on_board(*estimate, board);
  ASSERT_EQ(on.size(), 1U);
  EXPECT_DOUBLE_EQ(on[0].time_s, 1.5e-6);
  EXPECT_DOUBLE_EQ(on[0].dynamic_j, 1.5e-6);
  EXPECT_DOUBLE_EQ(on[0].static_j, 3e-6);
  EXPECT_DOUBLE_EQ(on[0].most_cycles, 1500 + 150);
}

}  // namespace
}  // namespace strata::annotate
