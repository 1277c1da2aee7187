#include "coordinator/planners/project.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "base/random.hpp"

namespace strata::coordinator {

namespace {

constexpr int kMostActivities = 10'000;

Error wrong(const std::string& file, int line, std::string problem) {
  return {{file, line, 0, ""}, std::move(problem), "is it a single-mode PSPLIB file?"};
}

// Lines of the section that begins with `title`, without its headings.
std::vector<std::pair<int, std::vector<int>>> section(const std::vector<std::string>& lines, std::string_view title) {
  std::vector<std::pair<int, std::vector<int>>> rows;
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with(title)) inside = true;
    if (!inside) continue;
    if (lines[i].starts_with("****")) break;
    std::istringstream words(lines[i]);
    std::vector<int> numbers;
    int number = 0;
    while (words >> number) numbers.push_back(number);
    if (!numbers.empty()) rows.emplace_back(static_cast<int>(i) + 1, std::move(numbers));
  }
  return rows;
}

std::vector<int> early_starts(const Project& project, const std::vector<int>& order) {
  std::vector<int> start(project.size(), 0);
  for (const int i : order) {
    const auto from = static_cast<std::size_t>(i);
    for (const int next : project.successors[from]) {
      int& slot = start[static_cast<std::size_t>(next)];
      slot = std::max(slot, start[from] + project.duration[from]);
    }
  }
  return start;
}

// Highest demand at any time when everything starts as early as the order allows.
int peak_demand(const Project& project, const std::vector<int>& start, std::size_t resource) {
  int peak = 0;
  for (std::size_t i = 0; i < project.size(); ++i) {
    int used = 0;
    for (std::size_t j = 0; j < project.size(); ++j) {
      if (start[j] <= start[i] && start[i] < start[j] + project.duration[j]) used += project.demand[j][resource];
    }
    peak = std::max(peak, used);
  }
  return peak;
}

}  // namespace

Result<Project> read_sm(std::string_view text, const std::string& file) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto precedence = section(lines, "PRECEDENCE RELATIONS");
  const auto requests = section(lines, "REQUESTS/DURATIONS");
  const auto capacities = section(lines, "RESOURCEAVAILABILITIES");
  if (precedence.empty() || requests.empty() || capacities.empty()) {
    return wrong(file, 0, "a section is missing: PRECEDENCE RELATIONS, REQUESTS/DURATIONS or RESOURCEAVAILABILITIES");
  }
  Project project;
  project.capacity = capacities.back().second;
  const int count = static_cast<int>(precedence.size());
  if (count > kMostActivities) return wrong(file, 0, fmt::format("{} activities", count));
  project.duration.resize(precedence.size());
  project.successors.resize(precedence.size());
  project.demand.resize(precedence.size());
  for (const auto& [line, row] : precedence) {
    if (row.size() < 3 || row[0] < 1 || row[0] > count || row[1] != 1 || row[2] < 0 ||
        row.size() != 3 + static_cast<std::size_t>(row[2])) {
      return wrong(file, line, "a line of PRECEDENCE RELATIONS makes no sense");
    }
    for (std::size_t i = 3; i < row.size(); ++i) {
      if (row[i] < 1 || row[i] > count) return wrong(file, line, fmt::format("there is no activity {}", row[i]));
      project.successors[static_cast<std::size_t>(row[0] - 1)].push_back(row[i] - 1);
    }
  }
  for (const auto& [line, row] : requests) {
    if (row.size() != 3 + project.capacity.size() || row[0] < 1 || row[0] > count || row[2] < 0 || row[2] > 1'000'000) {
      return wrong(file, line, "a line of REQUESTS/DURATIONS makes no sense");
    }
    project.duration[static_cast<std::size_t>(row[0] - 1)] = row[2];
    project.demand[static_cast<std::size_t>(row[0] - 1)].assign(row.begin() + 3, row.end());
  }
  for (const auto& demand : project.demand) {
    if (demand.size() != project.capacity.size()) return wrong(file, 0, "an activity has no duration");
  }
  if (const Result<void> fine = check(project); !fine.ok()) return wrong(file, 0, fine.errors().front().problem);
  return project;
}

Result<void> check(const Project& project) {
  std::vector<int> before(project.size(), 0);
  for (const auto& list : project.successors) {
    for (const int next : list) ++before[static_cast<std::size_t>(next)];
  }
  std::vector<int> ready;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == 0) ready.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const int next : project.successors[static_cast<std::size_t>(ready[i])]) {
      if (--before[static_cast<std::size_t>(next)] == 0) ready.push_back(next);
    }
  }
  if (ready.size() != project.size()) return Error{{}, "the order goes in a circle", ""};
  for (const auto& demand : project.demand) {
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r] < 0 || demand[r] > project.capacity[r])
        return Error{{}, "an activity needs more than there is", ""};
    }
  }
  return {};
}

std::string fault_of(const Project& project, const Plan& plan) {
  if (plan.start.size() != project.size()) return "not every activity has a start";
  for (std::size_t i = 0; i < project.size(); ++i) {
    const int end = plan.start[i] + project.duration[i];
    if (plan.start[i] < 0 || end > plan.makespan) return fmt::format("activity {} is outside the plan", i);
    for (const int next : project.successors[i]) {
      if (plan.start[static_cast<std::size_t>(next)] < end) return fmt::format("activity {} starts too early", next);
    }
  }
  for (std::size_t r = 0; r < project.capacity.size(); ++r) {
    if (peak_demand(project, plan.start, r) > project.capacity[r]) return fmt::format("resource {} is overused", r);
  }
  return "";
}

Project generate_project(std::uint64_t seed, const ProjectShape& shape) {
  constexpr std::size_t kActivities = 32;
  constexpr std::size_t kResources = 4;
  RandomStream random(seed, 0, "project");
  Project project;
  project.duration.assign(kActivities, 0);
  project.successors.resize(kActivities);
  project.demand.assign(kActivities, std::vector<int>(kResources, 0));
  const std::size_t last = kActivities - 1;
  for (std::size_t i = 1; i < last; ++i) project.duration[i] = 1 + static_cast<int>(random.below(10));
  std::size_t arcs = 0;
  const auto link = [&](std::size_t from, std::size_t to) {
    auto& list = project.successors[from];
    if (std::find(list.begin(), list.end(), static_cast<int>(to)) != list.end()) return;
    list.push_back(static_cast<int>(to));
    ++arcs;
  };
  // Three begin and three end; everybody else has somebody before and behind.
  for (std::size_t i = 1; i <= 3; ++i) link(0, i);
  for (std::size_t i = 4; i < last; ++i) link(1 + random.below(std::min<std::uint64_t>(i - 1, last - 4)), i);
  for (std::size_t i = 1; i < last; ++i) {
    if (!project.successors[i].empty()) continue;
    const bool ends = i + 3 >= last;
    link(i, ends ? last : i + 1 + random.below(last - i - 1));
  }
  for (int tries = 0; static_cast<double>(arcs) < shape.complexity * kActivities && tries < 10'000; ++tries) {
    const std::size_t from = 1 + random.below(last - 2);
    link(from, from + 1 + random.below(std::min<std::uint64_t>(last - 1 - from, 10)));
  }
  for (std::size_t i = 1; i < last; ++i) {
    // Distinct ones: the factor is the part of the resources that is really needed.
    const auto needed = std::clamp<std::size_t>(
        static_cast<std::size_t>(shape.resource_factor * kResources + random.uniform()), 1, kResources);
    std::vector<std::size_t> left = {0, 1, 2, 3};
    for (std::size_t k = 0; k < needed; ++k) {
      const std::size_t pick = random.below(left.size());
      project.demand[i][left[pick]] = 1 + static_cast<int>(random.below(10));
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(pick));
    }
  }
  std::vector<int> order(kActivities);
  for (std::size_t i = 0; i < kActivities; ++i) order[i] = static_cast<int>(i);
  const std::vector<int> early = early_starts(project, order);
  for (std::size_t r = 0; r < kResources; ++r) {
    int least = 1;
    for (const auto& demand : project.demand) least = std::max(least, demand[r]);
    const int most = std::max(least, peak_demand(project, early, r));
    project.capacity.push_back(least + static_cast<int>(std::lround(shape.resource_strength * (most - least))));
  }
  return project;
}

}  // namespace strata::coordinator
