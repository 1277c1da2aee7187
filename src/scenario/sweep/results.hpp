// What the runs of a sweep gave, kept run by run so that an interrupted sweep goes on where it was, and put together as
// a table at the end. Holds nothing that depends on the machine or on how many ran at once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenario/sweep/statistics.hpp"
#include "scenario/sweep/variants.hpp"

namespace strata::sweep {

/// One run.
struct RunRecord {
  std::string variant;  ///< its name
  std::uint64_t seed = 0;
  bool passed = true;  ///< everything it expected came true
  std::string hash;
  std::map<std::string, double> figures;  ///< metrics at the end, "events.NAME", "simulated_s", "passed"
};

/// From the JSON that `strata run` writes; nothing if it is none.
[[nodiscard]] std::optional<RunRecord> record_of(const std::string& json, const std::string& variant,
                                                 std::uint64_t seed);
/// One line of JSON, and back; nothing if the line is damaged (the sweep was cut off while writing it).
[[nodiscard]] std::string to_line(const RunRecord& record);
[[nodiscard]] std::optional<RunRecord> from_line(const std::string& line);

class Results {
 public:
  explicit Results(std::vector<Axis> axes, std::vector<Variant> variants)
      : axes_(std::move(axes)), variants_(std::move(variants)) {}

  void add(RunRecord record) { records_[{record.variant, record.seed}] = std::move(record); }
  [[nodiscard]] bool has(const std::string& variant, std::uint64_t seed) const {
    return records_.contains({variant, seed});
  }
  /// Figures that differ between runs; `passed` first. All if `constant` ones are wanted, too.
  [[nodiscard]] std::vector<std::string> figures(bool constant) const;
  [[nodiscard]] Summary summary(std::size_t variant, const std::string& figure) const;

  /// Two variants compared in one figure.
  struct Comparison {
    std::size_t a = 0;
    std::size_t b = 0;
    double p = 1;          ///< Welch
    double corrected = 1;  ///< after Holm, over all pairs of this figure
  };
  /// All pairs; none if there are more than a few thousand.
  [[nodiscard]] std::vector<Comparison> compare(const std::string& figure) const;

  /// A line per run, in the order of variants and seeds.
  [[nodiscard]] std::string to_csv() const;
  [[nodiscard]] std::string to_json() const;
  /// For people: a row per variant and figure, with how it compares with the first variant.
  [[nodiscard]] std::vector<std::vector<std::string>> to_rows(const std::vector<std::string>& figures) const;

 private:
  [[nodiscard]] std::vector<const RunRecord*> of(std::size_t variant) const;
  [[nodiscard]] std::vector<double> values(std::size_t variant, const std::string& figure) const;

  std::vector<Axis> axes_;
  std::vector<Variant> variants_;
  std::map<std::pair<std::string, std::uint64_t>, RunRecord> records_;
};

}  // namespace strata::sweep
