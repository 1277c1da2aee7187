#include "coordinator/planners/project.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::coordinator {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSmall =
    "jobs (incl. supersource/sink ):  5\nPRECEDENCE RELATIONS:\njobnr. #modes #successors successors\n"
    " 1 1 3 2 3 4\n 2 1 1 5\n 3 1 1 5\n 4 1 1 5\n 5 1 0\n****\n"
    "REQUESTS/DURATIONS:\njobnr. mode duration R 1 R 2\n----\n"
    " 1 1 0 0 0\n 2 1 4 2 0\n 3 1 3 2 1\n 4 1 2 1 1\n 5 1 0 0 0\n****\n"
    "RESOURCEAVAILABILITIES:\n R 1 R 2\n 3 1\n****\n";

TEST(Project, ReadsPsplibFiles) {
  const Project project = read_sm(kSmall, "small.sm").value();
  EXPECT_EQ(project.duration, (std::vector<int>{0, 4, 3, 2, 0}));
  EXPECT_EQ(project.capacity, (std::vector<int>{3, 1}));
  EXPECT_EQ(project.successors[0], (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(project.demand[2], (std::vector<int>{2, 1}));
}

TEST(Project, RefusesBrokenFiles) {
  const auto problem = [](std::string text) {
    const auto project = read_sm(text, "x.sm");
    return project.ok() ? "" : to_text(project.errors());
  };
  EXPECT_THAT(problem(""), HasSubstr("section is missing"));
  std::string circle = kSmall;
  circle.replace(circle.find("5 1 0\n"), 6, "5 1 1 1\n");
  EXPECT_THAT(problem(circle), HasSubstr("circle"));
  std::string greedy = kSmall;
  greedy.replace(greedy.find("2 1 4 2 0"), 9, "2 1 4 9 0");
  EXPECT_THAT(problem(greedy), HasSubstr("more than there is"));
}

TEST(Project, FindsTheBestPlanOfASmallOne) {
  const Project project = read_sm(kSmall, "small.sm").value();
  const Plan plan = solve(project, std::chrono::seconds(1));
  EXPECT_EQ(fault_of(project, plan), "");
  EXPECT_EQ(plan.makespan, 7);
}

TEST(Project, EveryPlanIsFeasible) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Project project = generate_project(seed, {.complexity = seed % 2 == 0 ? 1.5 : 2.1,
                                                    .resource_factor = 0.25 * static_cast<double>(1 + seed % 4),
                                                    .resource_strength = seed % 3 == 0 ? 0.2 : 0.7});
    ASSERT_TRUE(check(project).ok());
    const Plan sampled = sample_plan(project, 20);
    EXPECT_EQ(fault_of(project, sampled), "");
    EXPECT_LE(sampled.bound, sampled.makespan);
  }
}

TEST(Project, FaultsAreFound) {
  const Project project = read_sm(kSmall, "small.sm").value();
  EXPECT_THAT(fault_of(project, {{0, 0, 0, 0, 4}, 4, 0}), HasSubstr("overused"));
  EXPECT_THAT(fault_of(project, {{0, 0, 4, 7, 5}, 9, 0}), HasSubstr("too early"));
}

}  // namespace
}  // namespace strata::coordinator
