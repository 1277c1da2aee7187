// Metrics over a run: what the kinds in the catalog tell about the world, sampled at a period, kept in memory for the
// report and written as metrics.csv. Sampling only looks; it never makes the world step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "kernel/channels.hpp"
#include "protocol/ros1.hpp"
#include "record/csv.hpp"
#include "record/samples.hpp"
#include "record/sampling.hpp"
#include "world/metric.hpp"
#include "world/simulation.hpp"
#include "world/system.hpp"

namespace strata {

/// Values over time: one column per metric. NaN where a metric has no value.
class MetricTable {
 public:
  struct Column {
    std::string name;     ///< "distance.mean"
    std::string unit;     ///< "m", may be empty
    std::string summary;  ///< may be empty
    std::vector<double> values;
  };

  void add_column(std::string name, std::string unit, std::string summary);
  /// One value per column.
  void add_row(Time time, std::span<const double> values);

  [[nodiscard]] const std::vector<Time>& times() const { return times_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  /// Null if there is none of that name.
  [[nodiscard]] const Column* find(std::string_view name) const;

  /// Fills in units and summaries from the kinds, where the names are known: metrics.csv does not hold them.
  void describe(const Catalog<MetricKind>& kinds);

  /// "time_s,distance.mean,..." and the lines below it, without line ends.
  [[nodiscard]] std::string csv_header() const;
  [[nodiscard]] std::string csv_row(std::size_t row) const;
  /// Reads metrics.csv back; units and summaries are not in it.
  [[nodiscard]] static Result<MetricTable> from_csv(std::string_view text, const std::string& file_name);

 private:
  std::vector<Time> times_;
  std::vector<Column> columns_;
};

/// Samples metrics into a table, a file and the channel "/metrics".
class MetricSystem final : public System {
 public:
  /// All metrics of the catalog, which must outlive the system. `file` may be missing.
  MetricSystem(const Catalog<MetricKind>& kinds, Duration period, const std::optional<std::filesystem::path>& file);

  void start(Simulation& simulation) override;
  void step(World& world, const Step& step) override;
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }
  /// Takes a last sample, of the end.
  void finish(Simulation& simulation) override;

  [[nodiscard]] const MetricTable& table() const { return table_; }
  /// After finish(): what went wrong with the file.
  [[nodiscard]] const Errors& errors() const { return errors_; }

 private:
  void sample(Time now);
  void write_row();

  std::vector<const MetricKind*> kinds_;
  SampleClock clock_;
  std::optional<std::filesystem::path> path_;
  MetricTable table_;
  std::vector<double> row_;
  std::vector<double> figures_;  // of the entities of one metric
  std::shared_ptr<const std::vector<std::string>> names_;
  std::optional<CsvFile> file_;
  Errors errors_;
  Simulation* simulation_ = nullptr;
  Channel<ros1::Metrics> channel_;
};

}  // namespace strata
