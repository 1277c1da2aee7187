// What a sweep varies, and what it concludes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/sweep/results.hpp"

namespace strata::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Sweep, AxesAreListsAndRanges) {
  EXPECT_THAT(parse_axis("a.b=x,y, z")->values, ElementsAre("x", "y", "z"));
  EXPECT_THAT(parse_axis("a=2..5")->values, ElementsAre("2", "3", "4", "5"));
  EXPECT_THAT(parse_axis("a=1..10..4,20")->values, ElementsAre("1", "5", "9", "20"));
  EXPECT_THAT(parse_axis("a=0.1..0.3..0.1")->values.size(), 3U);
  EXPECT_THAT(parse_axis("a=[1, 2],{b: 1, c: 2}")->values, ElementsAre("[1, 2]", "{b: 1, c: 2}"));
  EXPECT_THAT(parse_axis("a=0.5 m/s,1 m/s")->values, ElementsAre("0.5 m/s", "1 m/s"));
  for (const char* wrong : {"", "a", "=1", "a=", "a=1,,2", "a=5..2", "a=1..2..0", "a=1,1", "a=0..1e9"})
    EXPECT_FALSE(parse_axis(wrong).ok()) << wrong;
}

TEST(Sweep, AllCombinations) {
  const std::vector<Axis> axes{{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}};
  const auto variants = combine(axes, 100);
  ASSERT_TRUE(variants.ok());
  ASSERT_EQ(variants->size(), 6U);
  EXPECT_EQ((*variants)[1].name(axes), "a=1 b=y");
  EXPECT_FALSE(combine(axes, 5).ok());
  EXPECT_FALSE(combine({{"a", {"1"}}, {"a", {"2"}}}, 5).ok());
}

// Values from tables of Student's t.
TEST(Sweep, Student) {
  EXPECT_NEAR(student_quantile(0.05, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.05, 9), 2.26216, 1e-5);
  EXPECT_NEAR(student_quantile(0.01, 30), 2.75000, 1e-5);
  EXPECT_NEAR(student_two_sided(1.96, 1e7), 0.05, 1e-4);
  EXPECT_DOUBLE_EQ(student_two_sided(0, 5), 1);
}

TEST(Sweep, ConfidenceInterval) {
  const std::vector<double> values{1, 2, 3, 4, 5};
  const Summary s = summarise(values);
  EXPECT_DOUBLE_EQ(s.mean, 3);
  EXPECT_NEAR(s.deviation, 1.5811388, 1e-6);
  EXPECT_NEAR(s.high - s.mean, 1.963243, 1e-5);  // 2.776445 * 1.581139 / sqrt(5)
  EXPECT_EQ(summarise(std::vector<double>{7}).low, 7);
}

// The classic example of unequal variances: t = -2.8352, 27.7 degrees of freedom.
TEST(Sweep, Welch) {
  const std::vector<double> a{27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
  const std::vector<double> b{27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.2, 23.7};
  EXPECT_NEAR(welch_p(a, b), 0.00845, 5e-4);
  EXPECT_DOUBLE_EQ(welch_p(a, b), welch_p(b, a));
  EXPECT_EQ(welch_p(std::vector<double>{1, 1}, std::vector<double>{1, 1}), 1);
  EXPECT_EQ(welch_p(std::vector<double>{1, 1}, std::vector<double>{2, 2}), 0);
  EXPECT_EQ(welch_p(std::vector<double>{1}, std::vector<double>{2, 3}), 1);
}

TEST(Sweep, Holm) {
  EXPECT_THAT(holm(std::vector<double>{0.01, 0.04, 0.03}),
              ElementsAre(::testing::DoubleEq(0.03), ::testing::DoubleEq(0.06), ::testing::DoubleEq(0.06)));
  EXPECT_THAT(holm(std::vector<double>{0.6, 0.7}), ElementsAre(1, 1));
}

TEST(Sweep, RecordsSurviveAsLines) {
  const auto record = record_of(
      R"({"hash": "ab", "end": "complete", "passed": true, "simulated_s": 5.0, "metrics": {"distance.mean": 0.1},
          "event_counts": {"collision": 3}})",
      "a=1", 7);
  ASSERT_TRUE(record.has_value());
  const auto again = from_line(to_line(*record));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->figures, record->figures);
  EXPECT_EQ(again->figures.at("events.collision"), 3);
  EXPECT_FALSE(from_line(to_line(*record).substr(0, 30)).has_value());
  EXPECT_FALSE(record_of("nonsense", "", 1).has_value());
  EXPECT_FALSE(record_of(R"({"hash": "ab", "end": "interrupted", "metrics": {}})", "", 1).has_value());
}

TEST(Sweep, TheOrderOfArrivalDoesNotMatter) {
  const std::vector<Axis> axes{{"a", {"1", "2"}}};
  const std::vector<Variant> variants{{{"1"}}, {{"2"}}};
  std::vector<RunRecord> records;
  for (int i = 0; i < 6; ++i)
    records.push_back({i < 3 ? "a=1" : "a=2",
                       static_cast<std::uint64_t>(i % 3),
                       true,
                       "h",
                       {{"figure", i < 3 ? i : 100 + i}, {"same", 1}}});
  records[1].figures["events.rare"] = 2;
  Results forward(axes, variants);
  Results backward(axes, variants);
  for (const RunRecord& record : records) forward.add(record);
  std::reverse(records.begin(), records.end());
  for (const RunRecord& record : records) backward.add(record);
  EXPECT_EQ(forward.to_csv(), backward.to_csv());
  EXPECT_EQ(forward.to_json(), backward.to_json());
  EXPECT_THAT(forward.figures(false), ElementsAre("events.rare", "figure"));
  EXPECT_EQ(forward.summary(1, "events.rare").mean, 0);
  const auto comparison = forward.compare("figure");
  ASSERT_EQ(comparison.size(), 1U);
  EXPECT_LT(comparison[0].corrected, 0.001);
  EXPECT_THAT(forward.to_csv(), HasSubstr("a,seed,hash,events.rare,figure,same\n1,0,h,0,0,1\n"));
}

}  // namespace
}  // namespace strata::sweep
