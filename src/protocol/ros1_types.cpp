// The definitions of the message types, as ROS tools read them. The field lists are those of ROS 1 (common_msgs,
// geometry2); comments are ours and do not take part in the checksum of a type.
#include <initializer_list>

#include "protocol/ros1.hpp"

namespace strata::ros1 {

namespace {

struct Part {
  const char* name;
  const char* fields;
};

constexpr Part kHeader{"std_msgs/Header",
                       "uint32 seq\n"
                       "time stamp\n"
                       "string frame_id\n"};
constexpr Part kVector3{"geometry_msgs/Vector3",
                        "float64 x\n"
                        "float64 y\n"
                        "float64 z\n"};
constexpr Part kPoint{"geometry_msgs/Point",
                      "float64 x\n"
                      "float64 y\n"
                      "float64 z\n"};
constexpr Part kQuaternion{"geometry_msgs/Quaternion",
                           "float64 x\n"
                           "float64 y\n"
                           "float64 z\n"
                           "float64 w\n"};
constexpr Part kTransform{"geometry_msgs/Transform",
                          "geometry_msgs/Vector3 translation\n"
                          "geometry_msgs/Quaternion rotation\n"};
constexpr Part kTransformStamped{"geometry_msgs/TransformStamped",
                                 "std_msgs/Header header\n"
                                 "string child_frame_id\n"
                                 "geometry_msgs/Transform transform\n"};
constexpr Part kTfMessage{"tf2_msgs/TFMessage", "geometry_msgs/TransformStamped[] transforms\n"};
constexpr Part kBatteryState{"sensor_msgs/BatteryState",
                             "uint8 POWER_SUPPLY_STATUS_UNKNOWN = 0\n"
                             "uint8 POWER_SUPPLY_STATUS_CHARGING = 1\n"
                             "uint8 POWER_SUPPLY_STATUS_DISCHARGING = 2\n"
                             "uint8 POWER_SUPPLY_STATUS_NOT_CHARGING = 3\n"
                             "uint8 POWER_SUPPLY_STATUS_FULL = 4\n"
                             "uint8 POWER_SUPPLY_HEALTH_UNKNOWN = 0\n"
                             "uint8 POWER_SUPPLY_HEALTH_GOOD = 1\n"
                             "uint8 POWER_SUPPLY_HEALTH_OVERHEAT = 2\n"
                             "uint8 POWER_SUPPLY_HEALTH_DEAD = 3\n"
                             "uint8 POWER_SUPPLY_HEALTH_OVERVOLTAGE = 4\n"
                             "uint8 POWER_SUPPLY_HEALTH_UNSPEC_FAILURE = 5\n"
                             "uint8 POWER_SUPPLY_HEALTH_COLD = 6\n"
                             "uint8 POWER_SUPPLY_HEALTH_WATCHDOG_TIMER_EXPIRE = 7\n"
                             "uint8 POWER_SUPPLY_HEALTH_SAFETY_TIMER_EXPIRE = 8\n"
                             "uint8 POWER_SUPPLY_TECHNOLOGY_UNKNOWN = 0\n"
                             "uint8 POWER_SUPPLY_TECHNOLOGY_NIMH = 1\n"
                             "uint8 POWER_SUPPLY_TECHNOLOGY_LION = 2\n"
                             "uint8 POWER_SUPPLY_TECHNOLOGY_LIPO = 3\n"
                             "uint8 POWER_SUPPLY_TECHNOLOGY_LIFE = 4\n"
                             "uint8 POWER_SUPPLY_TECHNOLOGY_NICD = 5\n"
                             "uint8 POWER_SUPPLY_TECHNOLOGY_LIMN = 6\n"
                             "uint8 POWER_SUPPLY_TECHNOLOGY_PB = 7\n"
                             "std_msgs/Header header\n"
                             "float32 voltage # V\n"
                             "float32 temperature # degrees Celsius, NaN if unknown\n"
                             "float32 current # A, negative when discharging, NaN if unknown\n"
                             "float32 charge # Ah, NaN if unknown\n"
                             "float32 capacity # Ah, NaN if unknown\n"
                             "float32 design_capacity # Ah, NaN if unknown\n"
                             "float32 percentage # 0 to 1\n"
                             "uint8 power_supply_status\n"
                             "uint8 power_supply_health\n"
                             "uint8 power_supply_technology\n"
                             "bool present\n"
                             "float32[] cell_voltage\n"
                             "float32[] cell_temperature\n"
                             "string location\n"
                             "string serial_number\n"};
constexpr Part kLaserScan{"sensor_msgs/LaserScan",
                          "std_msgs/Header header\n"
                          "float32 angle_min # rad\n"
                          "float32 angle_max # rad\n"
                          "float32 angle_increment # rad\n"
                          "float32 time_increment # s\n"
                          "float32 scan_time # s\n"
                          "float32 range_min # m\n"
                          "float32 range_max # m\n"
                          "float32[] ranges # m\n"
                          "float32[] intensities\n"};
constexpr Part kEvent{"strata_msgs/Event",
                      "time stamp # virtual time\n"
                      "string name # what happened\n"
                      "string entity # to whom\n"
                      "string other # the other party, or empty\n"
                      "geometry_msgs/Point point # where, in the frame map\n"
                      "string text\n"};
constexpr Part kMetrics{"strata_msgs/Metrics",
                        "time stamp # virtual time\n"
                        "string[] names\n"
                        "float64[] values # SI units, NaN if undefined\n"};
constexpr Part kBatteryFleet{"strata_msgs/BatteryFleet",
                             "time stamp # virtual time\n"
                             "string[] names\n"
                             "float64[] left # J\n"
                             "float64[] capacity # J\n"};

constexpr Part kPose{"geometry_msgs/Pose",
                     "geometry_msgs/Point position\n"
                     "geometry_msgs/Quaternion orientation\n"};
constexpr Part kColor{"std_msgs/ColorRGBA",
                      "float32 r\n"
                      "float32 g\n"
                      "float32 b\n"
                      "float32 a\n"};
constexpr Part kMarker{"visualization_msgs/Marker",
                       "uint8 ARROW=0\n"
                       "uint8 CUBE=1\n"
                       "uint8 SPHERE=2\n"
                       "uint8 CYLINDER=3\n"
                       "uint8 LINE_STRIP=4\n"
                       "uint8 LINE_LIST=5\n"
                       "uint8 CUBE_LIST=6\n"
                       "uint8 SPHERE_LIST=7\n"
                       "uint8 POINTS=8\n"
                       "uint8 TEXT_VIEW_FACING=9\n"
                       "uint8 MESH_RESOURCE=10\n"
                       "uint8 TRIANGLE_LIST=11\n"
                       "uint8 ADD=0\n"
                       "uint8 MODIFY=0\n"
                       "uint8 DELETE=2\n"
                       "uint8 DELETEALL=3\n"
                       "std_msgs/Header header\n"
                       "string ns\n"
                       "int32 id\n"
                       "int32 type\n"
                       "int32 action\n"
                       "geometry_msgs/Pose pose\n"
                       "geometry_msgs/Vector3 scale\n"
                       "std_msgs/ColorRGBA color\n"
                       "duration lifetime\n"
                       "bool frame_locked\n"
                       "geometry_msgs/Point[] points\n"
                       "std_msgs/ColorRGBA[] colors\n"
                       "string text\n"
                       "string mesh_resource\n"
                       "bool mesh_use_embedded_materials\n"};
constexpr Part kMarkerArray{"visualization_msgs/MarkerArray", "visualization_msgs/Marker[] markers\n"};

MessageType make(const Part& top, std::initializer_list<Part> contained) {
  MessageType type{top.name, top.fields};
  for (const Part& part : contained)
    type.definition += std::string(80, '=') + "\nMSG: " + part.name + "\n" + part.fields;
  return type;
}

}  // namespace

const MessageType& tf_message_type() {
  static const MessageType type = make(kTfMessage, {kTransformStamped, kHeader, kTransform, kVector3, kQuaternion});
  return type;
}
const MessageType& transform_stamped_type() {
  static const MessageType type = make(kTransformStamped, {kHeader, kTransform, kVector3, kQuaternion});
  return type;
}
const MessageType& battery_state_type() {
  static const MessageType type = make(kBatteryState, {kHeader});
  return type;
}
const MessageType& laser_scan_type() {
  static const MessageType type = make(kLaserScan, {kHeader});
  return type;
}
const MessageType& event_type() {
  static const MessageType type = make(kEvent, {kPoint});
  return type;
}
const MessageType& metrics_type() {
  static const MessageType type = make(kMetrics, {});
  return type;
}
const MessageType& marker_array_type() {
  static const MessageType type = make(kMarkerArray, {kMarker, kHeader, kPose, kPoint, kQuaternion, kVector3, kColor});
  return type;
}
const MessageType& battery_fleet_type() {
  static const MessageType type = make(kBatteryFleet, {});
  return type;
}

}  // namespace strata::ros1
