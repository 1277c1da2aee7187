#include "record/samples.hpp"

namespace strata {

void encode_sample(const TransformSample& sample, std::vector<std::byte>& out) {
  sample.frames->encode(sample.stamp, sample.seq, sample.poses, out);
}

void encode_sample(const BatteryFleetSample& sample, std::vector<std::byte>& out) {
  ros1::Writer writer(out);
  writer.time(sample.stamp);
  writer.texts(*sample.names);
  writer.numbers<double>(sample.left_j);
  writer.numbers<double>(sample.capacity_j);
}

namespace {

template <class T>
std::shared_ptr<const Schema> sample_schema(const ros1::MessageType& type) {
  return std::make_shared<const Schema>(Schema{
      type.name, "ros1", "ros1msg", type.definition,
      [](const void* message, std::vector<std::byte>& out) { encode_sample(*static_cast<const T*>(message), out); }});
}

}  // namespace

std::shared_ptr<const Schema> transform_schema() { return sample_schema<TransformSample>(ros1::tf_message_type()); }

std::shared_ptr<const Schema> battery_fleet_schema() {
  return sample_schema<BatteryFleetSample>(ros1::battery_fleet_type());
}

}  // namespace strata
