// Encodes the transforms of a whole fleet as one tf2_msgs/TFMessage, fast. The names do not change from sample to
// sample, so everything but stamps and numbers is laid out once; a sample then is a copy with the numbers patched in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/vec.hpp"
#include "protocol/ros1.hpp"

namespace strata::ros1 {

struct FramePose {
  Vec3 translation;
  Quat rotation;
};

/// Immutable once made: may be shared between threads.
class TransformTemplate {
 public:
  /// Transforms from `parent` to each of `children`, in this order.
  TransformTemplate(std::string_view parent, std::vector<std::string> children);

  [[nodiscard]] const std::vector<std::string>& children() const { return children_; }
  [[nodiscard]] std::size_t size() const { return children_.size(); }
  [[nodiscard]] std::size_t encoded_size() const { return bytes_.size(); }

  /// Appends the message to `out`; one pose per child.
  void encode(Time stamp, std::uint32_t seq, std::span<const FramePose> poses, Bytes& out) const;

 private:
  std::vector<std::string> children_;
  Bytes bytes_;
  std::vector<std::uint32_t> heads_;    // per child: where its header begins
  std::vector<std::uint32_t> numbers_;  // per child: where its seven numbers begin
};

}  // namespace strata::ros1
