// What the recording publishers put on channels, and how it looks outside: the schemas that go with the types.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "kernel/channels.hpp"
#include "protocol/ros1.hpp"
#include "protocol/ros1_tf.hpp"

namespace strata {

/// Poses of many frames at one time, on "/tf" and "/tf_static". Kept as numbers until somebody encodes it.
struct TransformSample {
  Time stamp;
  std::uint32_t seq = 0;
  std::shared_ptr<const ros1::TransformTemplate> frames;
  std::vector<ros1::FramePose> poses;  ///< one per frame
};

/// Batteries of a large fleet at one time, on "/battery".
struct BatteryFleetSample {
  Time stamp;
  std::shared_ptr<const std::vector<std::string>> names;
  std::vector<double> left_j;
  std::vector<double> capacity_j;
};

void encode_sample(const TransformSample& sample, std::vector<std::byte>& out);
void encode_sample(const BatteryFleetSample& sample, std::vector<std::byte>& out);

/// A schema in ROS 1 form for messages of type T, which ros1::encode knows.
template <class T>
[[nodiscard]] std::shared_ptr<const Schema> ros1_schema(const ros1::MessageType& type) {
  return std::make_shared<const Schema>(Schema{
      type.name, "ros1", "ros1msg", type.definition,
      [](const void* message, std::vector<std::byte>& out) { ros1::encode(*static_cast<const T*>(message), out); }});
}
/// tf2_msgs/TFMessage, from TransformSample.
[[nodiscard]] std::shared_ptr<const Schema> transform_schema();
/// strata_msgs/BatteryFleet, from BatteryFleetSample.
[[nodiscard]] std::shared_ptr<const Schema> battery_fleet_schema();

}  // namespace strata
