#include "record/csv_sink.hpp"

#include "base/math.hpp"
#include "protocol/ros1.hpp"

namespace strata {

namespace {

std::string joined(std::initializer_list<std::string> cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (!line.empty()) line += ',';
    line += cell;
  }
  return line;
}

std::vector<std::string> pose_rows(std::span<const std::byte> message) {
  std::vector<std::string> rows;
  const auto tf = ros1::decode_tf(message);
  if (!tf) return rows;
  for (const ros1::TransformStamped& t : tf->transforms)
    rows.push_back(joined({csv_seconds(t.header.stamp), csv_text(t.child_frame_id), csv_number(t.translation.x),
                           csv_number(t.translation.y), csv_number(t.translation.z), csv_number(math::yaw(t.rotation)),
                           csv_number(t.rotation.w), csv_number(t.rotation.x), csv_number(t.rotation.y),
                           csv_number(t.rotation.z)}));
  return rows;
}

std::vector<std::string> event_rows(std::span<const std::byte> message) {
  const auto event = ros1::decode_event(message);
  if (!event) return {};
  return {joined({csv_seconds(event->stamp), csv_text(event->name), csv_text(event->entity), csv_text(event->other),
                  csv_number(event->point.x), csv_number(event->point.y), csv_number(event->point.z),
                  csv_text(event->text)})};
}

std::vector<std::string> battery_rows(std::span<const std::byte> message) {
  const auto battery = ros1::decode_battery_state(message);
  if (!battery) return {};
  return {joined({csv_seconds(battery->header.stamp), csv_text(battery->header.frame_id),
                  csv_number(static_cast<double>(battery->fraction))})};
}

std::vector<std::string> fleet_rows(std::span<const std::byte> message) {
  std::vector<std::string> rows;
  const auto fleet = ros1::decode_battery_fleet(message);
  if (!fleet || fleet->names.size() != fleet->left_j.size() || fleet->names.size() != fleet->capacity_j.size())
    return rows;
  for (std::size_t i = 0; i < fleet->names.size(); ++i)
    rows.push_back(
        joined({csv_seconds(fleet->stamp), csv_text(fleet->names[i]),
                csv_number(static_cast<double>(static_cast<float>(fleet->left_j[i] / fleet->capacity_j[i])))}));
  return rows;
}

}  // namespace

const std::map<std::string, CsvSink::Table>& CsvSink::tables() {
  static const std::map<std::string, Table> all{
      {"tf2_msgs/TFMessage", {"poses.csv", "time_s,name,x_m,y_m,z_m,yaw_rad,qw,qx,qy,qz", &pose_rows}},
      {"strata_msgs/Event", {"events.csv", "time_s,event,entity,other,x_m,y_m,z_m,text", &event_rows}},
      {"sensor_msgs/BatteryState", {"battery.csv", "time_s,name,fraction", &battery_rows}},
      {"strata_msgs/BatteryFleet", {"battery.csv", "time_s,name,fraction", &fleet_rows}},
  };
  return all;
}

SinkKind CsvSink::kind() {
  SinkKind kind;
  kind.name = "csv";
  kind.summary = "Writes poses, events and batteries as text tables: poses.csv, events.csv, battery.csv";
  kind.details =
      "For spreadsheets and scripts. Large fleets are better recorded with mcap: smaller and many times faster.";
  kind.make = [](const Config&) -> Result<std::unique_ptr<Sink>> {
    return std::unique_ptr<Sink>(std::make_unique<CsvSink>());
  };
  return kind;
}

CsvSink::~CsvSink() { queue_.stop(); }

Result<void> CsvSink::open(Channels& channels, const RunFolder& folder, const RunFacts& /*facts*/) {
  // All files at once and here: an error is better before the run, and what is there does not depend on what happened.
  for (const auto& [schema, table] : tables()) {
    if (files_.contains(table.file)) continue;
    const auto path = folder.claim(table.file);
    if (!path) return path.errors();
    Result<CsvFile> file = CsvFile::create(*path, table.header);
    if (!file) return file.errors();
    files_.emplace(table.file, std::move(*file));
  }
  const auto wanted = [](const ChannelInfo& info) {
    return info.schema != nullptr && info.schema->encode != nullptr && info.schema->encoding == "ros1" &&
           tables().contains(info.schema->name);
  };
  queue_.start(channels, wanted,
               [this](const ChannelInfo& info, Time, const void* message) { return record(info, message); });
  return {};
}

void CsvSink::note(const Errors& errors) {
  if (errors_.empty()) errors_ = errors;
  failed_ = true;
}

std::size_t CsvSink::record(const ChannelInfo& info, const void* message) {
  if (failed_) return 0;
  // By way of the bytes: a plugin may publish the same schema from a type of its own.
  buffer_.clear();
  info.schema->encode(message, buffer_);
  const Table& table = tables().at(info.schema->name);
  CsvFile& file = files_.at(table.file);
  for (const std::string& row : table.rows(buffer_))
    if (Result<void> written = file.add(row); !written) return note(written.errors()), 0;
  ++messages_;
  return buffer_.size();
}

Result<SinkReport> CsvSink::close(const RunFacts& /*facts*/) {
  queue_.stop();
  SinkReport report;
  for (auto& [name, file] : files_) {
    report.files.push_back(name);
    report.bytes += file.size();
    if (Result<void> closed = file.close(); !closed) note(closed.errors());
  }
  if (failed_) return errors_;
  report.messages = messages_;
  report.high_water_bytes = queue_.high_water_bytes();
  return report;
}

}  // namespace strata
