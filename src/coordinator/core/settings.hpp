// How a coordinator decides: the strategy, its queues, pre-emption and modes. And the resources it decides about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "coordinator/core/task.hpp"

namespace strata::coordinator {

enum class Strategy : std::uint8_t {
  kFifo,             ///< one queue in order of arrival
  kPriority,         ///< one queue in order of priority
  kMultiFifo,        ///< a queue per priority, the last one in order of arrival
  kMultiFifoOrdered  ///< a queue per priority, the last one in order of priority
};

enum class Preempt : std::uint8_t { kTerminate, kSuspend };

enum class Mode : std::uint8_t {
  kImmediate,  ///< reacts to every event
  kInterval,   ///< decides on a timer
  kManual      ///< decides on request
};

struct ResourceSpec {
  int id = 0;
  std::string name;
  int capacity = 1;  ///< writers at a time
  bool operator==(const ResourceSpec&) const = default;
};

struct SchedulerSpec {
  Strategy strategy = Strategy::kMultiFifoOrdered;
  int queues = 5;          ///< priorities beyond the last go to the last
  std::size_t window = 1;  ///< tasks examined per queue; 0: all
  bool forcing = true;     ///< tasks of higher priority push others aside
  Preempt preempt = Preempt::kTerminate;
  Mode mode = Mode::kImmediate;
  Duration interval = std::chrono::seconds(1);
  bool one_per_tick = false;  ///< start at most one task per tick or request
  bool reserve = false;       ///< a waiting task keeps what it wants from queues below its own
  Duration ageing{};          ///< waiting this long raises the priority by one; zero: never
  std::size_t max_waiting = 200'000;
  bool operator==(const SchedulerSpec&) const = default;
};

[[nodiscard]] std::string_view to_text(Strategy strategy);
[[nodiscard]] std::string_view to_text(Preempt preempt);
[[nodiscard]] std::string_view to_text(Mode mode);
[[nodiscard]] const std::vector<std::string>& strategy_names();

[[nodiscard]] Result<Strategy> parse_strategy(std::string_view text);
[[nodiscard]] Result<void> check(const SchedulerSpec& spec);
/// Ids are unique, capacities positive.
[[nodiscard]] Result<void> check(const std::vector<ResourceSpec>& resources);

}  // namespace strata::coordinator
