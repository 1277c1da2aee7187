#include "base/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using ::testing::HasSubstr;

std::vector<Param> params() {
  return {param::quantity("speed", "m/s", "0.5 m/s", "how fast").above(0).at_most(10),
          param::integer("count", "3", "how many").at_least(1),
          param::flag("on", true, "whether"),
          param::choice("mode", {"fast", "slow"}, "fast", "which"),
          param::text("label", "", "a word"),
          param::point("at", "where").required(),
          param::points("path", "which way"),
          param::texts("tags", "words"),
          param::any("rest", "whatever")};
}

Value word(const char* text, int line = 7) { return Value::scalar(text, {"a.yaml", line, 3, "x"}); }
Value numbers(std::initializer_list<const char*> texts) {
  std::vector<Value> items;
  for (const char* text : texts) items.push_back(word(text));
  return Value::list(std::move(items), {"a.yaml", 7, 3, ""});
}
Value given(std::vector<Value::Member> members) {
  Value map = Value::map(std::move(members), {"a.yaml", 5, 1, ""});
  if (map.find("at") == nullptr) map.set("at", numbers({"1", "2"}));
  return map;
}

Error only_error(const Value& value) {
  const Result<Config> config = Config::check(value, params());
  if (config.ok() || config.errors().size() != 1)
    return {{}, config.ok() ? "no error" : "several errors: " + to_text(config.errors()), ""};
  return config.errors().front();
}

TEST(Config, FillsDefaultsAndConverts) {
  const Result<Config> config = Config::check(
      given({{"count", word("4")}, {"path", Value::list({numbers({"0", "0"}), numbers({"1", "1", "2"})})}}), params());
  ASSERT_TRUE(config.ok()) << to_text(config.errors());
  EXPECT_DOUBLE_EQ(config->quantity("speed"), 0.5);
  EXPECT_EQ(config->integer("count"), 4);
  EXPECT_TRUE(config->flag("on"));
  EXPECT_EQ(config->text("mode"), "fast");
  EXPECT_FALSE(config->has("label"));
  EXPECT_EQ(config->point("at"), (Vec3{1, 2, 0}));
  EXPECT_EQ(config->points("path")[1], (Vec3{1, 1, 2}));
  EXPECT_EQ(config->resolved().find("speed")->text(), "0.5 m/s");
}

TEST(Config, MistakesNamePlaceAndRemedy) {
  const Error no_unit = only_error(given({{"speed", word("2", 9)}}));
  EXPECT_EQ(no_unit.problem, "'2' needs a unit");
  EXPECT_EQ(no_unit.remedy, "write '2 m/s'");
  EXPECT_EQ(no_unit.where.line, 9);
  EXPECT_EQ(only_error(given({{"speed", word("2 kg")}})).problem, "'2 kg' has the wrong unit");
  EXPECT_EQ(only_error(given({{"speed", word("0 m/s")}})).remedy, "must be more than 0 m/s");
  EXPECT_EQ(only_error(given({{"speed", word("11 m/s")}})).remedy, "must be at most 10 m/s");
  EXPECT_THAT(only_error(given({{"speed", word("nan m/s")}})).problem, HasSubstr("not a finite number"));
  EXPECT_THAT(only_error(given({{"count", word("2.5")}})).problem, HasSubstr("whole number"));
  EXPECT_EQ(only_error(given({{"mode", word("fsat")}})).remedy, "did you mean 'fast'?");
  EXPECT_EQ(only_error(given({{"sped", word("1 m/s")}})).remedy, "did you mean 'speed'?");
  EXPECT_THAT(only_error(given({{"on", word("maybe")}})).problem, HasSubstr("true or false"));
  EXPECT_THAT(only_error(given({{"at", numbers({"1"})}})).problem, HasSubstr("expected a point"));
  EXPECT_THAT(only_error(given({{"at", numbers({"1", "inf"})}})).problem, HasSubstr("coordinate"));
  EXPECT_THAT(only_error(word("5")).problem, HasSubstr("expected a map"));
  EXPECT_EQ(only_error(Value()).problem, "'at' is missing");
}

TEST(Config, ReportsAllMistakesAtOnce) {
  const Result<Config> config = Config::check(
      given({{"speed", word("x")}, {"count", word("-1")}, {"typo", word("1")}, {"mode", word("7")}}), params());
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.errors().size(), 4U);
}

TEST(Config, LeavesOutWhatBelongsToOthers) {
  EXPECT_TRUE(Config::check(given({{"kind", word("x")}}), params(), {"kind"}).ok());
}

TEST(ConfigDeath, AskingForWhatWasNotDeclaredIsOurMistake) {
  const Result<Config> config = Config::check(given({}), params());
  EXPECT_DEATH((void)config->quantity("label"), "asked for a parameter");
}

TEST(Param, DescribesItself) {
  EXPECT_EQ(params()[0].type_text(), "m/s");
  EXPECT_EQ(params()[0].range_text(), "0 .. 10");
  EXPECT_EQ(params()[1].range_text(), ">= 1");
  EXPECT_EQ(params()[3].type_text(), "fast | slow");
}

}  // namespace
}  // namespace strata
