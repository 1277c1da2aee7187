#include "record/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.hpp"
#include "world/components.hpp"

namespace strata {

namespace {
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// How many rows a killed run may lose.
constexpr std::size_t kFlushRows = 20;
}  // namespace

void MetricTable::add_column(std::string name, std::string unit, std::string summary) {
  STRATA_ASSERT(times_.empty(), "columns come before rows");
  columns_.push_back({std::move(name), std::move(unit), std::move(summary), {}});
}

void MetricTable::add_row(Time time, std::span<const double> values) {
  STRATA_ASSERT(values.size() == columns_.size(), "one value per column");
  times_.push_back(time);
  for (std::size_t i = 0; i < values.size(); ++i) columns_[i].values.push_back(values[i]);
}

const MetricTable::Column* MetricTable::find(std::string_view name) const {
  const auto it =
      std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) { return column.name == name; });
  return it == columns_.end() ? nullptr : &*it;
}

void MetricTable::describe(const Catalog<MetricKind>& kinds) {
  for (Column& column : columns_) {
    const MetricKind* kind = kinds.find(column.name);
    if (kind == nullptr) kind = kinds.find(column.name.substr(0, column.name.rfind('.')));
    if (kind == nullptr) continue;
    column.unit = kind->unit;
    column.summary = kind->summary;
  }
}

std::string MetricTable::csv_header() const {
  std::string line = "time_s";
  for (const Column& column : columns_) line += "," + csv_text(column.name);
  return line;
}

std::string MetricTable::csv_row(std::size_t row) const {
  std::string line = csv_seconds(times_[row]);
  for (const Column& column : columns_) line += "," + csv_number(column.values[row]);
  return line;
}

Result<MetricTable> MetricTable::from_csv(std::string_view text, const std::string& file_name) {
  const Result<CsvTable> csv = parse_csv(text, file_name);
  if (!csv) return csv.errors();
  MetricTable table;
  if (csv->columns.empty() || csv->columns.front() != "time_s")
    return Error{{file_name, 1, 0, ""}, "is not a table of metrics", "its first column is time_s"};
  for (std::size_t i = 1; i < csv->columns.size(); ++i) table.add_column(csv->columns[i], "", "");
  std::vector<double> values(table.columns_.size());
  for (std::size_t row = 0; row < csv->rows.size(); ++row) {
    const std::vector<std::string>& cells = csv->rows[row];
    const auto number = [&](std::size_t i) {
      const Result<double> value = parse_number(cells[i]);
      return value ? *value : kNone;
    };
    const double time_s = number(0);
    if (std::isnan(time_s)) return Error{{file_name, static_cast<int>(row) + 2, 1, ""}, "is not a time", ""};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = number(i + 1);
    table.add_row(Time::from_seconds(time_s), values);
  }
  return table;
}

MetricSystem::MetricSystem(const Catalog<MetricKind>& kinds, Duration period,
                           const std::optional<std::filesystem::path>& file)
    : clock_(period), path_(file) {
  for (const auto& [name, kind] : kinds.kinds()) {
    kinds_.push_back(&kind);
    if (kind.per_entity) {
      for (const char* end : {".mean", ".min", ".max", ".sum"}) table_.add_column(name + end, kind.unit, kind.summary);
    } else {
      table_.add_column(name, kind.unit, kind.summary);
    }
  }
  auto names = std::make_shared<std::vector<std::string>>();
  for (const MetricTable::Column& column : table_.columns()) names->push_back(column.name);
  names_ = std::move(names);
}

void MetricSystem::start(Simulation& simulation) {
  simulation_ = &simulation;
  channel_ = simulation.channels().declare<ros1::Metrics>(
      {"/metrics", ros1_schema<ros1::Metrics>(ros1::metrics_type()), Phase::kRecord, clock_.period()});
  if (path_) {
    Result<CsvFile> file = CsvFile::create(*path_, table_.csv_header());
    if (collect(file, errors_)) file_ = std::move(*file);
  }
  clock_.take(simulation.now());
  sample(simulation.now());
}

void MetricSystem::step(World& /*world*/, const Step& step) {
  if (clock_.take(step.now)) sample(step.now);
}

void MetricSystem::finish(Simulation& simulation) {
  if (table_.times().empty() || table_.times().back() < simulation.now()) sample(simulation.now());
  if (!file_) return;
  collect(file_->close(), errors_);
  file_.reset();
}

void MetricSystem::sample(Time now) {
  row_.clear();
  const World& world = simulation_->world();
  for (const MetricKind* kind : kinds_) {
    if (!kind->per_entity) {
      row_.push_back(kind->global ? kind->global(*simulation_) : kNone);
      continue;
    }
    const MetricSummary summary = summarise(kind->per_entity, world, world.pool<Robot>().owners(), figures_);
    row_.insert(row_.end(), {summary.mean, summary.min, summary.max, summary.sum});
  }
  table_.add_row(now, row_);
  write_row();
  if (channel_.wanted())
    channel_.publish(now, std::make_shared<const ros1::Metrics>(ros1::Metrics{now, *names_, row_}));
}

void MetricSystem::write_row() {
  if (!file_) return;
  const std::size_t row = table_.times().size() - 1;
  bool good = collect(file_->add(table_.csv_row(row)), errors_);
  if (good && row % kFlushRows == 0) good = collect(file_->flush(), errors_);
  // The first failure is enough; the table in memory goes on.
  if (!good) file_.reset();
}

}  // namespace strata
