// The problem behind "which task when": activities with durations, an order between some of them, and resources of
// limited capacity (resource-constrained project scheduling). Times are whole units.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace strata::coordinator {

struct Project {
  std::vector<int> duration;
  std::vector<std::vector<int>> successors;
  std::vector<std::vector<int>> demand;  ///< by activity and resource
  std::vector<int> capacity;             ///< by resource
  [[nodiscard]] std::size_t size() const { return duration.size(); }
};

struct Plan {
  std::vector<int> start;
  int makespan = 0;
  int bound = 0;  ///< no plan is shorter; equal to the makespan if proven best
  [[nodiscard]] bool proven() const { return bound >= makespan; }
};

/// Reads a PSPLIB single-mode file (`.sm`).
[[nodiscard]] Result<Project> read_sm(std::string_view text, const std::string& file);

/// A random instance of PSPLIB's kind: 30 activities between a first and a last, 4 resources.
struct ProjectShape {
  double complexity = 1.8;         ///< arcs per activity
  double resource_factor = 0.5;    ///< part of the resources an activity needs
  double resource_strength = 0.5;  ///< 0: as scarce as can be, 1: never scarce
};
[[nodiscard]] Project generate_project(std::uint64_t seed, const ProjectShape& shape);

/// Whether the order has no circle and every activity can run at all.
[[nodiscard]] Result<void> check(const Project& project);
/// "" if the plan keeps the order and the capacities, else what is wrong with it.
[[nodiscard]] std::string fault_of(const Project& project, const Plan& plan);

/// A good plan by sampling: always feasible, bound by order and resources alone. `rounds` limits the work.
[[nodiscard]] Plan sample_plan(const Project& project, int rounds);
/// The best plan that can be found in `limit`, by sampling and then constraint programming, which also proves bounds.
[[nodiscard]] Plan solve(const Project& project, std::chrono::nanoseconds limit);
/// Whether this program was built with a constraint solver.
[[nodiscard]] bool has_solver();
/// Improves `plan` and its bound until `limit`; nothing without a constraint solver.
void improve_by_constraints(const Project& project, Plan& plan, std::chrono::nanoseconds limit);

}  // namespace strata::coordinator
