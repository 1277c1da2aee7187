#include "coordinator/core/settings.hpp"

#include <set>

#include <fmt/format.h>

namespace strata::coordinator {

namespace {
constexpr std::size_t kMaxResources = 100'000;
constexpr int kMaxQueues = kLowestPriority + 1;
constexpr int kMaxCapacity = 1'000'000;
}  // namespace

const std::vector<std::string>& strategy_names() {
  static const std::vector<std::string> names = {"fifo", "priority", "multi_fifo", "multi_fifo_ordered"};
  return names;
}

std::string_view to_text(Strategy strategy) { return strategy_names()[static_cast<std::size_t>(strategy)]; }
std::string_view to_text(Preempt preempt) { return preempt == Preempt::kTerminate ? "terminate" : "suspend"; }
std::string_view to_text(Mode mode) {
  return mode == Mode::kImmediate ? "immediate" : mode == Mode::kInterval ? "interval" : "manual";
}

Result<Strategy> parse_strategy(std::string_view text) {
  const auto& names = strategy_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<Strategy>(i);
  }
  return Error{{}, fmt::format("unknown strategy '{}'", text), suggestion(std::string(text), names)};
}

Result<void> check(const SchedulerSpec& spec) {
  Errors errors;
  if (spec.queues < 1 || spec.queues > kMaxQueues) {
    errors.push_back({{}, fmt::format("{} queues", spec.queues), fmt::format("use 1 to {}", kMaxQueues)});
  }
  if (spec.mode == Mode::kInterval && spec.interval <= Duration{}) {
    errors.push_back({{}, "the interval is not positive", "write for example 1 s"});
  }
  if (spec.ageing < Duration{}) errors.push_back({{}, "the time of ageing is negative", "write for example 10 s"});
  if (spec.max_waiting == 0) errors.push_back({{}, "no task may wait", "allow at least one waiting task"});
  return errors;
}

Result<void> check(const std::vector<ResourceSpec>& resources) {
  Errors errors;
  if (resources.empty()) errors.push_back({{}, "there are no resources", "name at least one"});
  if (resources.size() > kMaxResources) {
    errors.push_back({{}, fmt::format("{} resources; {} are allowed", resources.size(), kMaxResources), ""});
  }
  std::set<int> ids;
  for (const ResourceSpec& resource : resources) {
    if (resource.id < 0) errors.push_back({{}, fmt::format("resource id {} is negative", resource.id), "count from 0"});
    if (!ids.insert(resource.id).second) {
      errors.push_back({{}, fmt::format("resource id {} is used twice", resource.id), "give each resource its own id"});
    }
    if (resource.capacity < 1 || resource.capacity > kMaxCapacity) {
      errors.push_back({{},
                        fmt::format("resource {}: a capacity of {}", resource.id, resource.capacity),
                        fmt::format("use 1 to {}", kMaxCapacity)});
    }
  }
  return errors;
}

}  // namespace strata::coordinator
