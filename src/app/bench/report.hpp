// What a benchmark reports, and how it is told what to measure. A benchmark is a function from Options to Report; the
// verb `bench` runs it, prints the table or the JSON, and knows nothing of what was measured.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata::bench {

/// One figure. The headline metric of a case comes first. Values are in base SI units.
struct Row {
  std::string name{};    ///< the case: "<what>-<N>", e.g. "timeouts-1000"
  std::string metric{};  ///< e.g. "timeouts_per_cpu_second"
  double value = 0;
  std::string unit{};
  std::optional<double> target{};  ///< of the value, or of the ratio
  bool target_is_ratio = false;
  std::optional<bool> met{};
  std::string peer{};  ///< who else was measured in the same run; "" if nobody
  std::optional<double> peer_value{};
  std::optional<double> ratio{};  ///< times better than the peer: more is better
  std::string note{};             ///< e.g. how to install a peer that is not there
};

struct Report {
  std::string bench;
  std::vector<Row> rows;
};

struct Options {
  std::optional<long> count;  ///< size of the case instead of the default sizes
  bool quick = false;         ///< small and inexact: does it work at all?
};

struct Bench {
  const char* name;
  const char* summary;
  bool takes_count;
  Report (*run)(const Options& options);
};

/// All benchmarks, in the order in which they run.
[[nodiscard]] std::span<const Bench> benches();

/// For people: one line per row.
[[nodiscard]] std::string to_table(const Report& report);
/// One JSON object: `bench`, `machine`, `results`.
[[nodiscard]] std::string to_json(const Report& report);

/// Whether every target was met; rows without one do not count.
[[nodiscard]] bool all_met(const Report& report);

}  // namespace strata::bench
