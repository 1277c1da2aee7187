#include "protocol/ros1.hpp"

#include <algorithm>
#include <limits>

namespace strata::ros1 {

RosTime to_ros(Time time) {
  constexpr std::int64_t kBillion = 1'000'000'000;
  if (time.ns() <= 0) return {};
  const std::int64_t secs = time.ns() / kBillion;
  if (secs > std::numeric_limits<std::uint32_t>::max())
    return {std::numeric_limits<std::uint32_t>::max(), kBillion - 1};
  return {static_cast<std::uint32_t>(secs), static_cast<std::uint32_t>(time.ns() % kBillion)};
}

Time from_ros(RosTime time) {
  return Time::from_ns(static_cast<std::int64_t>(time.secs) * 1'000'000'000 + static_cast<std::int64_t>(time.nsecs));
}

void Writer::time(Time value) {
  const RosTime ros = to_ros(value);
  number(ros.secs);
  number(ros.nsecs);
}

void Writer::point(Vec3 value) {
  number(value.x);
  number(value.y);
  number(value.z);
}

void Writer::texts(std::span<const std::string> values) {
  number(static_cast<std::uint32_t>(values.size()));
  for (const std::string& value : values) text(value);
}

std::uint32_t Reader::length(std::size_t least) {
  const auto count = number<std::uint32_t>();
  if (count <= left() / std::max<std::size_t>(least, 1)) return count;
  fail();
  return 0;
}

Time Reader::time() {
  const auto secs = number<std::uint32_t>();
  const auto nsecs = number<std::uint32_t>();
  return from_ros({secs, nsecs});
}

Vec3 Reader::point() {
  Vec3 p;
  p.x = number<double>();
  p.y = number<double>();
  p.z = number<double>();
  return p;
}

std::vector<std::string> Reader::texts() {
  const std::uint32_t count = length(4);
  std::vector<std::string> values;
  values.reserve(count);
  for (std::uint32_t i = 0; i < count && ok(); ++i) values.push_back(text());
  return values;
}

namespace {

void put(Writer& out, const Header& header) {
  out.number(header.seq);
  out.time(header.stamp);
  out.text(header.frame_id);
}

Header get_header(Reader& in) {
  Header header;
  header.seq = in.number<std::uint32_t>();
  header.stamp = in.time();
  header.frame_id = in.text();
  return header;
}

void put(Writer& out, const TransformStamped& transform) {
  put(out, transform.header);
  out.text(transform.child_frame_id);
  out.point(transform.translation);
  out.number(transform.rotation.x);
  out.number(transform.rotation.y);
  out.number(transform.rotation.z);
  out.number(transform.rotation.w);
}

TransformStamped get_transform(Reader& in) {
  TransformStamped transform;
  transform.header = get_header(in);
  transform.child_frame_id = in.text();
  transform.translation = in.point();
  transform.rotation.x = in.number<double>();
  transform.rotation.y = in.number<double>();
  transform.rotation.z = in.number<double>();
  transform.rotation.w = in.number<double>();
  return transform;
}

template <class T>
Result<T> finish(const Reader& in, T message, const MessageType& type) {
  if (!in.ok()) return Error{{}, "a message of type " + type.name + " ends early", ""};
  if (in.left() > 0) return Error{{}, "a message of type " + type.name + " has bytes left over", ""};
  return message;
}

}  // namespace

void encode(const TransformStamped& message, Bytes& out) {
  Writer writer(out);
  put(writer, message);
}

void encode(const TfMessage& message, Bytes& out) {
  Writer writer(out);
  writer.number(static_cast<std::uint32_t>(message.transforms.size()));
  for (const TransformStamped& transform : message.transforms) put(writer, transform);
}

Result<TfMessage> decode_tf(std::span<const std::byte> bytes) {
  constexpr std::size_t kLeastTransform = 12 + 4 + 4 + 7 * 8;
  Reader in(bytes);
  TfMessage message;
  const std::uint32_t count = in.length(kLeastTransform);
  message.transforms.reserve(count);
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) message.transforms.push_back(get_transform(in));
  return finish(in, std::move(message), tf_message_type());
}

void encode(const BatteryState& message, Bytes& out) {
  Writer writer(out);
  put(writer, message.header);
  for (const float value : {message.voltage_v, message.temperature_c, message.current_a, message.charge_ah,
                            message.capacity_ah, message.design_capacity_ah, message.fraction})
    writer.number(value);
  writer.number(message.status);
  writer.number(message.health);
  writer.number(message.technology);
  writer.flag(message.present);
  writer.numbers<float>(message.cell_voltage_v);
  writer.numbers<float>(message.cell_temperature_c);
  writer.text(message.location);
  writer.text(message.serial_number);
}

Result<BatteryState> decode_battery_state(std::span<const std::byte> bytes) {
  Reader in(bytes);
  BatteryState message;
  message.header = get_header(in);
  for (float* value : {&message.voltage_v, &message.temperature_c, &message.current_a, &message.charge_ah,
                       &message.capacity_ah, &message.design_capacity_ah, &message.fraction})
    *value = in.number<float>();
  message.status = in.number<std::uint8_t>();
  message.health = in.number<std::uint8_t>();
  message.technology = in.number<std::uint8_t>();
  message.present = in.number<std::uint8_t>() != 0;
  message.cell_voltage_v = in.numbers<float>();
  message.cell_temperature_c = in.numbers<float>();
  message.location = in.text();
  message.serial_number = in.text();
  return finish(in, std::move(message), battery_state_type());
}

void encode(const LaserScan& message, Bytes& out) {
  Writer writer(out);
  put(writer, message.header);
  for (const float value : {message.angle_min, message.angle_max, message.angle_increment, message.time_increment_s,
                            message.scan_time_s, message.range_min_m, message.range_max_m})
    writer.number(value);
  writer.numbers<float>(message.ranges_m);
  writer.numbers<float>(message.intensities);
}

Result<LaserScan> decode_laser_scan(std::span<const std::byte> bytes) {
  Reader in(bytes);
  LaserScan message;
  message.header = get_header(in);
  for (float* value : {&message.angle_min, &message.angle_max, &message.angle_increment, &message.time_increment_s,
                       &message.scan_time_s, &message.range_min_m, &message.range_max_m})
    *value = in.number<float>();
  message.ranges_m = in.numbers<float>();
  message.intensities = in.numbers<float>();
  return finish(in, std::move(message), laser_scan_type());
}

void encode(const Event& message, Bytes& out) {
  Writer writer(out);
  writer.time(message.stamp);
  writer.text(message.name);
  writer.text(message.entity);
  writer.text(message.other);
  writer.point(message.point);
  writer.text(message.text);
}

Result<Event> decode_event(std::span<const std::byte> bytes) {
  Reader in(bytes);
  Event message;
  message.stamp = in.time();
  message.name = in.text();
  message.entity = in.text();
  message.other = in.text();
  message.point = in.point();
  message.text = in.text();
  return finish(in, std::move(message), event_type());
}

void encode(const Metrics& message, Bytes& out) {
  Writer writer(out);
  writer.time(message.stamp);
  writer.texts(message.names);
  writer.numbers<double>(message.values);
}

Result<Metrics> decode_metrics(std::span<const std::byte> bytes) {
  Reader in(bytes);
  Metrics message;
  message.stamp = in.time();
  message.names = in.texts();
  message.values = in.numbers<double>();
  return finish(in, std::move(message), metrics_type());
}

void encode(const BatteryFleet& message, Bytes& out) {
  Writer writer(out);
  writer.time(message.stamp);
  writer.texts(message.names);
  writer.numbers<double>(message.left_j);
  writer.numbers<double>(message.capacity_j);
}

void encode(const MarkerArray& message, Bytes& out) {
  Writer writer(out);
  writer.number(static_cast<std::uint32_t>(message.markers.size()));
  for (const Marker& marker : message.markers) {
    put(writer, marker.header);
    writer.text(marker.ns);
    writer.number(marker.id);
    writer.number(marker.type);
    writer.number(marker.action);
    writer.point(marker.position);
    for (const double value : {marker.orientation.x, marker.orientation.y, marker.orientation.z, marker.orientation.w})
      writer.number(value);
    writer.point(marker.scale);
    for (const float value : {marker.color.r, marker.color.g, marker.color.b, marker.color.a}) writer.number(value);
    writer.number(std::int64_t{0});  // lifetime: for ever
    writer.flag(marker.frame_locked);
    writer.number(static_cast<std::uint32_t>(marker.points.size()));
    for (const Vec3& point : marker.points) writer.point(point);
    writer.number(std::uint32_t{0});  // colors: none per point
    writer.text("");                  // text
    writer.text("");                  // mesh_resource
    writer.flag(false);               // mesh_use_embedded_materials
  }
}

Result<BatteryFleet> decode_battery_fleet(std::span<const std::byte> bytes) {
  Reader in(bytes);
  BatteryFleet message;
  message.stamp = in.time();
  message.names = in.texts();
  message.left_j = in.numbers<double>();
  message.capacity_j = in.numbers<double>();
  return finish(in, std::move(message), battery_fleet_type());
}

}  // namespace strata::ros1
