#include "protocol/ros1_tf.hpp"

#include <array>
#include <cstring>
#include <limits>

namespace strata::ros1 {

TransformTemplate::TransformTemplate(std::string_view parent, std::vector<std::string> children)
    : children_(std::move(children)) {
  Writer writer(bytes_);
  writer.number(static_cast<std::uint32_t>(children_.size()));
  for (const std::string& child : children_) {
    TransformStamped transform;
    transform.header.frame_id = parent;
    transform.child_frame_id = child;
    heads_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    ros1::encode(transform, bytes_);
    numbers_.push_back(static_cast<std::uint32_t>(bytes_.size() - 7 * sizeof(double)));
  }
  STRATA_ASSERT(bytes_.size() < std::numeric_limits<std::uint32_t>::max(), "too many frames for one message");
}

void TransformTemplate::encode(Time stamp, std::uint32_t seq, std::span<const FramePose> poses, Bytes& out) const {
  STRATA_ASSERT(poses.size() == children_.size(), "one pose per frame");
  const RosTime ros = to_ros(stamp);
  const std::array<std::uint32_t, 3> head{seq, ros.secs, ros.nsecs};
  // insert() copies without first filling with zeros, as resize() would.
  const std::size_t at = out.size();
  out.insert(out.end(), bytes_.begin(), bytes_.end());
  std::byte* base = out.data() + at;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const FramePose& pose = poses[i];
    const std::array<double, 7> numbers{pose.translation.x, pose.translation.y, pose.translation.z, pose.rotation.x,
                                        pose.rotation.y,    pose.rotation.z,    pose.rotation.w};
    std::memcpy(base + heads_[i], head.data(), sizeof(head));
    std::memcpy(base + numbers_[i], numbers.data(), sizeof(numbers));
  }
}

}  // namespace strata::ros1
