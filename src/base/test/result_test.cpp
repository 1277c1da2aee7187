#include "base/result.hpp"

#include <gtest/gtest.h>

namespace strata {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{{"f.yaml", 3, 5, "a.b"}, "odd", "use an even number"};
  return n / 2;
}

TEST(Result, CarriesAValueOrErrors) {
  EXPECT_TRUE(half(4).ok());
  EXPECT_EQ(*half(4), 2);
  EXPECT_FALSE(half(3).ok());
  Errors errors;
  EXPECT_TRUE(collect(half(2), errors));
  EXPECT_FALSE(collect(half(1), errors));
  EXPECT_EQ(errors.size(), 1U);
  EXPECT_TRUE(Result<void>().ok());
  EXPECT_TRUE(Result<void>(Errors{}).ok());
  EXPECT_FALSE(Result<void>(Error{}).ok());
}

TEST(Result, ErrorsSayWhereWhatAndWhatToDo) {
  EXPECT_EQ(to_text(half(3).errors()), "f.yaml:3:5: a.b: odd\n  use an even number");
  EXPECT_EQ(to_text(Error{{"f.yaml", 0, 0, ""}, "gone", ""}), "f.yaml: gone");
  EXPECT_EQ(to_text(Error{{}, "x", ""}), "x");
}

TEST(Result, NearestFindsSlipsOfTheKeyboard) {
  const std::vector<std::string> words{"walker", "differential", "random_walk", "avoid"};
  EXPECT_EQ(nearest("wlaker", words), "walker");
  EXPECT_EQ(nearest("Walker", words), "walker");
  EXPECT_EQ(nearest("differental", words), "differential");
  EXPECT_EQ(nearest("randomwalk", words), "random_walk");
  EXPECT_EQ(nearest("battery", words), "");
  EXPECT_EQ(nearest(std::string(100'000, 'a'), words), "");
  EXPECT_EQ(suggestion("avoyd", words), "did you mean 'avoid'?");
  EXPECT_EQ(suggestion("x", {"alpha", "beta"}), "one of: alpha, beta");
  EXPECT_EQ(suggestion("x", {}), "");
}

TEST(ResultDeath, TheValueOfAFailureIsOurMistake) {
  EXPECT_DEATH((void)half(3).value(), "value\\(\\) of a failed Result");
}

}  // namespace
}  // namespace strata
