// ROS 1 messages as bytes: what recordings, rosbridge and ROS bridges exchange. A codec only: no sockets, no files, no
// clock. Little endian, as ROS 1 is on every machine it runs on. Each message type comes with its full definition, that
// of the types it contains included, in the form the schema encoding "ros1msg" expects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/vec.hpp"
#include "protocol/byte_stream.hpp"

namespace strata::ros1 {

/// Virtual time as ROS writes it; a time before the start is 0, one after the year 2106 the last that fits.
struct RosTime {
  std::uint32_t secs = 0;
  std::uint32_t nsecs = 0;
};
[[nodiscard]] RosTime to_ros(Time time);
[[nodiscard]] Time from_ros(RosTime time);

/// Appends the serial form of fields to a buffer.
class Writer : public ByteWriter {
 public:
  using ByteWriter::ByteWriter;

  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void time(Time value);
  void point(Vec3 value);
  /// Variable-length array of numbers.
  template <class T>
  void numbers(std::span<const T> values) {
    number(static_cast<std::uint32_t>(values.size()));
    raw(values.data(), values.size_bytes());
  }
  void texts(std::span<const std::string> values);
};

/// Reads fields back; as safe as ByteReader.
class Reader : public ByteReader {
 public:
  using ByteReader::ByteReader;

  Time time();
  Vec3 point();
  template <class T>
  std::vector<T> numbers() {
    const std::uint32_t count = length(sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), raw(count * sizeof(T)).data(), count * sizeof(T));
    return values;
  }
  std::vector<std::string> texts();
  /// The length of an array whose elements take at least `least` bytes each; 0 if the message cannot hold it.
  std::uint32_t length(std::size_t least);
};

/// A message type: its name ("tf2_msgs/TFMessage") and its definition with all that it contains.
struct MessageType {
  std::string name;
  std::string definition;
};

// The messages. Units are those of the ROS definitions: SI, except charge in ampere-hours and temperature in Celsius.

struct Header {
  std::uint32_t seq = 0;
  Time stamp;
  std::string frame_id;
};

/// geometry_msgs/TransformStamped
struct TransformStamped {
  Header header;
  std::string child_frame_id;
  Vec3 translation;
  Quat rotation;
};

/// tf2_msgs/TFMessage. Many transforms with constant names: use TransformTemplate (ros1_tf.hpp) instead.
struct TfMessage {
  std::vector<TransformStamped> transforms;
};

/// sensor_msgs/BatteryState; what is not known is NaN.
struct BatteryState {
  enum Status : std::uint8_t { kUnknown = 0, kCharging = 1, kDischarging = 2, kNotCharging = 3, kFull = 4 };
  Header header;
  float voltage_v = 0;
  float temperature_c = 0;
  float current_a = 0;
  float charge_ah = 0;
  float capacity_ah = 0;
  float design_capacity_ah = 0;
  float fraction = 0;  ///< 0 .. 1; the field is called "percentage"
  std::uint8_t status = kUnknown;
  std::uint8_t health = 0;
  std::uint8_t technology = 0;
  bool present = true;
  std::vector<float> cell_voltage_v;
  std::vector<float> cell_temperature_c;
  std::string location;
  std::string serial_number;
};

/// sensor_msgs/LaserScan
struct LaserScan {
  Header header;
  float angle_min = 0;
  float angle_max = 0;
  float angle_increment = 0;
  float time_increment_s = 0;
  float scan_time_s = 0;
  float range_min_m = 0;
  float range_max_m = 0;
  std::vector<float> ranges_m;
  std::vector<float> intensities;
};

/// strata_msgs/Event: something that happened in the world.
struct Event {
  Time stamp;
  std::string name;    ///< what happened: "collision", "battery_empty"
  std::string entity;  ///< to whom
  std::string other;   ///< the other party, or ""
  Vec3 point;          ///< where, in the frame "map"
  std::string text;    ///< further words, or ""
};

/// strata_msgs/Metrics: values of all metrics at one time.
struct Metrics {
  Time stamp;
  std::vector<std::string> names;
  std::vector<double> values;
};

/// strata_msgs/BatteryFleet: the batteries of a large fleet in one message, instead of one topic per robot.
struct BatteryFleet {
  Time stamp;
  std::vector<std::string> names;
  std::vector<double> left_j;
  std::vector<double> capacity_j;
};

/// std_msgs/ColorRGBA, 0 .. 1
struct Color {
  float r = 0;
  float g = 0;
  float b = 0;
  float a = 1;
};

/// visualization_msgs/Marker: a thing to draw, fixed to a frame.
struct Marker {
  enum Type : std::int32_t { kCube = 1, kCylinder = 3, kTriangleList = 11 };
  Header header;
  std::string ns;
  std::int32_t id = 0;
  std::int32_t type = kCube;
  std::int32_t action = 0;  ///< add or change
  Vec3 position;
  Quat orientation;
  Vec3 scale;
  Color color;
  bool frame_locked = true;  ///< moves along with its frame
  std::vector<Vec3> points;  ///< of a triangle list
};

/// visualization_msgs/MarkerArray
struct MarkerArray {
  std::vector<Marker> markers;
};

[[nodiscard]] const MessageType& tf_message_type();
[[nodiscard]] const MessageType& transform_stamped_type();
[[nodiscard]] const MessageType& battery_state_type();
[[nodiscard]] const MessageType& laser_scan_type();
[[nodiscard]] const MessageType& event_type();
[[nodiscard]] const MessageType& metrics_type();
[[nodiscard]] const MessageType& battery_fleet_type();
[[nodiscard]] const MessageType& marker_array_type();

/// Appends the serial form of a message to `out`.
void encode(const TransformStamped& message, Bytes& out);
void encode(const TfMessage& message, Bytes& out);
void encode(const BatteryState& message, Bytes& out);
void encode(const LaserScan& message, Bytes& out);
void encode(const Event& message, Bytes& out);
void encode(const Metrics& message, Bytes& out);
void encode(const BatteryFleet& message, Bytes& out);
void encode(const MarkerArray& message, Bytes& out);

/// Reads a message back; an error if the bytes end early or some are left over.
[[nodiscard]] Result<TfMessage> decode_tf(std::span<const std::byte> bytes);
[[nodiscard]] Result<BatteryState> decode_battery_state(std::span<const std::byte> bytes);
[[nodiscard]] Result<LaserScan> decode_laser_scan(std::span<const std::byte> bytes);
[[nodiscard]] Result<Event> decode_event(std::span<const std::byte> bytes);
[[nodiscard]] Result<Metrics> decode_metrics(std::span<const std::byte> bytes);
[[nodiscard]] Result<BatteryFleet> decode_battery_fleet(std::span<const std::byte> bytes);

}  // namespace strata::ros1
