#include "protocol/ros1.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "protocol/ros1_tf.hpp"

namespace strata::ros1 {
namespace {

std::string hex(const Bytes& bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    const auto value = static_cast<unsigned>(b);
    out += "0123456789abcdef"[value >> 4U];
    out += "0123456789abcdef"[value & 15U];
  }
  return out;
}

TfMessage three_transforms() {
  TfMessage message;
  for (int i = 0; i < 3; ++i) {
    TransformStamped t;
    t.header = {7, Time::from_ns(12'345'000'000 + i * 0), "map"};
    t.child_frame_id = "robot" + std::to_string(i * 50);
    t.translation = {1.5 * i, -2, 0.25};
    t.rotation = {0.5, 0.5, -0.5, 0.5};
    message.transforms.push_back(t);
  }
  return message;
}

TEST(Ros1, TimeIsSecondsAndNanoseconds) {
  EXPECT_EQ(to_ros(Time::from_ns(1'500'000'007)).secs, 1U);
  EXPECT_EQ(to_ros(Time::from_ns(1'500'000'007)).nsecs, 500'000'007U);
  EXPECT_EQ(to_ros(Time::from_ns(-5)).secs, 0U);
  EXPECT_EQ(to_ros(Time::never()).secs, std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(from_ros(to_ros(Time::from_ns(98'765'432'123))).ns(), 98'765'432'123);
}

TEST(Ros1, EventHasTheBytesOfTheDefinition) {
  Bytes out;
  encode(Event{Time::from_ns(1'000'000'002), "ab", "c", "", {1, 0, 0}, "z"}, out);
  EXPECT_EQ(hex(out),
            "0100000002000000"  // stamp
            "020000006162"
            "0100000063"
            "00000000"  // name, entity, other
            "000000000000f03f"
            "0000000000000000"
            "0000000000000000"
            "010000007a");
}

TEST(Ros1, MessagesReadBackAsWritten) {
  Bytes out;
  encode(three_transforms(), out);
  const auto tf = decode_tf(out);
  ASSERT_TRUE(tf.ok());
  ASSERT_EQ(tf->transforms.size(), 3U);
  EXPECT_EQ(tf->transforms[2].child_frame_id, "robot100");
  EXPECT_EQ(tf->transforms[2].translation, (Vec3{3, -2, 0.25}));
  EXPECT_EQ(tf->transforms[1].rotation, (Quat{0.5, 0.5, -0.5, 0.5}));
  EXPECT_EQ(tf->transforms[0].header.stamp.ns(), 12'345'000'000);

  BatteryState battery;
  battery.header = {1, Time::from_seconds(3), "r"};
  battery.fraction = 0.75F;
  battery.voltage_v = std::numeric_limits<float>::quiet_NaN();
  battery.status = BatteryState::kDischarging;
  battery.cell_voltage_v = {3.6F, 3.7F};
  battery.serial_number = "s";
  out.clear();
  encode(battery, out);
  const auto battery_back = decode_battery_state(out);
  ASSERT_TRUE(battery_back.ok());
  EXPECT_EQ(battery_back->fraction, 0.75F);
  EXPECT_TRUE(std::isnan(battery_back->voltage_v));
  EXPECT_EQ(battery_back->cell_voltage_v, battery.cell_voltage_v);
  EXPECT_EQ(battery_back->status, BatteryState::kDischarging);

  LaserScan scan;
  scan.header.frame_id = "r/laser";
  scan.ranges_m = {1, 2, std::numeric_limits<float>::infinity()};
  scan.range_max_m = 5;
  out.clear();
  encode(scan, out);
  const auto scan_back = decode_laser_scan(out);
  ASSERT_TRUE(scan_back.ok());
  EXPECT_EQ(scan_back->ranges_m, scan.ranges_m);
  EXPECT_EQ(scan_back->range_max_m, 5);

  out.clear();
  encode(Metrics{Time::from_seconds(1), {"a", "b"}, {1, 2}}, out);
  const auto metrics = decode_metrics(out);
  ASSERT_TRUE(metrics.ok());
  EXPECT_EQ(metrics->names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(metrics->values, (std::vector<double>{1, 2}));

  out.clear();
  encode(BatteryFleet{Time::from_seconds(1), {"a"}, {5}, {10}}, out);
  const auto fleet = decode_battery_fleet(out);
  ASSERT_TRUE(fleet.ok());
  EXPECT_EQ(fleet->left_j, std::vector<double>{5});
}

TEST(Ros1, EveryTruncationIsAnError) {
  Bytes out;
  encode(three_transforms(), out);
  for (std::size_t size = 0; size < out.size(); ++size)
    EXPECT_FALSE(decode_tf(std::span(out).first(size)).ok()) << size;
  out.push_back(std::byte{0});
  EXPECT_FALSE(decode_tf(out).ok());
}

TEST(Ros1, HugeLengthsTakeNoMemory) {
  Bytes out;
  Writer writer(out);
  writer.number(std::uint32_t{0xFFFFFFFF});
  EXPECT_FALSE(decode_tf(out).ok());
  Bytes metrics;
  Writer(metrics).time(Time());
  Writer(metrics).number(std::uint32_t{0x7FFFFFFF});
  EXPECT_FALSE(decode_metrics(metrics).ok());
}

TEST(Ros1, DefinitionsNameEveryTypeTheyUse) {
  for (const MessageType* type :
       {&tf_message_type(), &transform_stamped_type(), &battery_state_type(), &laser_scan_type(), &event_type(),
        &metrics_type(), &battery_fleet_type(), &marker_array_type()}) {
    const std::string& text = type->definition;
    EXPECT_EQ(text.back(), '\n') << type->name;
    std::size_t at = 0;
    for (std::string line; at < text.size(); at += line.size() + 1) {
      line = text.substr(at, text.find('\n', at) - at);
      const std::size_t slash = line.find('/');
      if (slash == std::string::npos || line.starts_with("MSG: ") || line.find('#') < slash) continue;
      const std::string used = line.substr(0, line.find_first_of(" ["));
      EXPECT_NE(text.find(std::string(80, '=') + "\nMSG: " + used + "\n"), std::string::npos)
          << type->name << " uses " << used;
    }
  }
}

TEST(TransformTemplate, GivesTheSameBytesAsTheMessage) {
  const TfMessage message = three_transforms();
  std::vector<std::string> names;
  std::vector<FramePose> poses;
  for (const TransformStamped& t : message.transforms) {
    names.push_back(t.child_frame_id);
    poses.push_back({t.translation, t.rotation});
  }
  const TransformTemplate frames("map", names);
  Bytes expected{std::byte{42}};
  Bytes out = expected;
  encode(message, expected);
  frames.encode(message.transforms[0].header.stamp, 7, poses, out);
  EXPECT_EQ(out, expected);
}

TEST(TransformTemplate, MayBeEmpty) {
  Bytes out;
  TransformTemplate("map", {}).encode(Time(), 0, {}, out);
  EXPECT_EQ(out, Bytes(4));
}

}  // namespace
}  // namespace strata::ros1
