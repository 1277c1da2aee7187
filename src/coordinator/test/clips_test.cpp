#include "coordinator/planners/clips.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "virtual_dispatcher.hpp"

namespace strata::coordinator {
namespace {

using testing::VirtualDispatcher;

std::filesystem::path rules(const std::string& name, const std::string& text) {
  const std::filesystem::path folder = STRATA_TEST_TMP;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name) << text;
  return folder / name;
}

std::unique_ptr<ClipsPlanner> planner_or_skip(const std::filesystem::path& file) {
  auto planner = ClipsPlanner::open(file);
  if (planner.ok()) return std::move(planner).value();
  EXPECT_NE(to_text(planner.errors()).find("built without CLIPS"), std::string::npos) << to_text(planner.errors());
  return nullptr;
}

TEST(Clips, RulesChooseWhatStarts) {
  // The other way round: the least important first.
  const auto file = rules("order.clp",
                          "(defrule last (task (id ?i) (priority ?p) (state waiting)) =>"
                          " (assert (choose (task ?i) (rank (- 99 ?p)))))");
  const auto planner = planner_or_skip(file);
  if (planner == nullptr) GTEST_SKIP() << "built without CLIPS";
  VirtualDispatcher dispatcher({.forcing = false, .mode = Mode::kManual}, testing::plain_resources(1));
  dispatcher.scheduler().set_planner(planner.get());
  for (const int priority : {1, 5, 9}) dispatcher.submit(testing::task({0}, priority));
  for (int i = 0; i < 200; ++i) {
    dispatcher.at(Time::from_seconds(i), [&] { dispatcher.scheduler().request(dispatcher.now()); });
  }
  dispatcher.run();
  EXPECT_EQ(dispatcher.broken(), "");
  const std::map<double, std::vector<TaskId>> expected{{0, {2}}, {50, {1}}, {100, {0}}};
  EXPECT_EQ(dispatcher.starts(), expected);
}

TEST(Clips, ReadsChangedRulesAndKeepsThemIfTheNewAreWrong) {
  const auto file = rules("reload.clp", "(defrule none (initial-fact) =>)");
  const auto planner = planner_or_skip(file);
  if (planner == nullptr) GTEST_SKIP() << "built without CLIPS";
  Scheduler scheduler({.mode = Mode::kManual}, testing::plain_resources(1));
  ASSERT_TRUE(scheduler.submit({}, testing::task({0}, 3)).ok());
  EXPECT_EQ(planner->choose({}, scheduler), std::vector<TaskId>());
  const auto later = [&file](int seconds) {
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::seconds(seconds));
  };
  rules("reload.clp", "(defrule all (task (id ?i) (state waiting)) => (assert (choose (task ?i))))");
  later(10);
  EXPECT_EQ(planner->choose({}, scheduler), std::vector<TaskId>{0});
  rules("reload.clp", "(defrule broken");
  later(20);
  EXPECT_EQ(planner->choose({}, scheduler), std::vector<TaskId>{0});
}

TEST(Clips, EndlessRulesFallBackToTheQueues) {
  const auto file = rules("endless.clp",
                          "(defrule again ?f <- (n ?x) => (retract ?f) (assert (n (+ ?x 1))))"
                          "(defrule begin (initial-fact) => (assert (n 0)))");
  const auto planner = planner_or_skip(file);
  if (planner == nullptr) GTEST_SKIP() << "built without CLIPS";
  Scheduler scheduler({.mode = Mode::kManual}, testing::plain_resources(1));
  EXPECT_EQ(planner->choose({}, scheduler), std::nullopt);
}

TEST(Clips, RefusesRulesItCannotRead) {
  EXPECT_FALSE(ClipsPlanner::open(rules("wrong.clp", "(defrule")).ok());
  EXPECT_FALSE(ClipsPlanner::open("/nowhere/rules.clp").ok());
}

}  // namespace
}  // namespace strata::coordinator
