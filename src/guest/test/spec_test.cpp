#include "guest/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guest/launcher.hpp"

namespace strata::guest {
namespace {

using ::testing::HasSubstr;

TEST(TimeFunctions, AreRead) {
  EXPECT_EQ(parse_time_function("none")->kind, shim::TimeFunction::kNone);
  const auto constant = parse_time_function("const:20us");
  ASSERT_TRUE(constant.ok());
  EXPECT_EQ(constant->constant.ns(), 20000);
  EXPECT_DOUBLE_EQ(parse_time_function("cpu:1.5")->factor, 1.5);
  EXPECT_EQ(parse_time_function("wall")->kind, shim::TimeFunction::kWall);
}

TEST(TimeFunctions, WrongOnesAreRefused) {
  for (const char* text : {"", "nothing", "const", "const:", "const:5", "const:-1us", "cpu:x", "wall:-1", "none:1"})
    EXPECT_FALSE(parse_time_function(text).ok()) << text;
}

ExecSpec with(const std::string& host, const std::string& program) {
  ExecSpec spec;
  spec.programs.push_back({"p", host, {program}, {}, "", {}});
  return spec;
}

TEST(Check, TellsWhatCannotBeStarted) {
  EXPECT_EQ(check(ExecSpec{}).size(), 1U);
  EXPECT_TRUE(check(with("a", "true")).empty());
  EXPECT_THAT(check(with("a", "/no/such/program"))[0].problem, HasSubstr("/no/such/program"));
}

TEST(Check, HostsNeedALinkThatTakesTime) {
  ExecSpec spec = with("a", "true");
  spec.programs.push_back(spec.programs[0]);
  spec.programs[1].host = "b";
  EXPECT_EQ(check(spec).size(), 1U);
  spec.link.latency = Duration::nanoseconds(1000);
  EXPECT_TRUE(check(spec).empty());
}

Outcome with_codes(std::initializer_list<int> codes) {
  Outcome outcome;
  outcome.reason = shim::Stop::kEnded;
  for (const int code : codes) outcome.programs.push_back({"p", "h", code, false, 0});
  return outcome;
}

TEST(Outcomes, FirstFailureCounts) {
  EXPECT_EQ(with_codes({0, 0}).exit_code(), 0);
  EXPECT_EQ(with_codes({0, 7, 3}).exit_code(), 7);
  Outcome stopped = with_codes({143});
  stopped.programs[0].stopped = true;
  EXPECT_EQ(stopped.exit_code(), 0);
  stopped.interrupted = true;
  EXPECT_EQ(stopped.exit_code(), 130);
}

TEST(Outcomes, LossesOfFidelityAreNamed) {
  Outcome outcome = with_codes({0});
  EXPECT_TRUE(fidelity(outcome).empty());
  outcome.counters.spins_broken = 2;
  outcome.isolated = false;
  EXPECT_EQ(fidelity(outcome).size(), 2U);
  EXPECT_THAT(summary_line(outcome), HasSubstr("spins_broken 2"));
  EXPECT_THAT(to_json(outcome), HasSubstr("\"spins_broken\": 2"));
}

}  // namespace
}  // namespace strata::guest
