#include "record/samples.hpp"

namespace strata {

void encode_sample(const TransformSample& sample, std::vector<std::byte>& out) {
  sample.frames->encode(sample.stamp, sample.seq, sample.poses, out);
}

std::shared_ptr<const Schema> transform_schema() {
  const ros1::MessageType& type = ros1::tf_message_type();
  return std::make_shared<const Schema>(
      Schema{type.name, "ros1", "ros1msg", type.definition,
             [](const void* message, std::vector<std::byte>& out) { encode_sample(*static_cast<const TransformSample*>(message), out); }});
}

}  // namespace strata
