// Counter-based random numbers (Philox4x32-10): a draw is a pure function of (stream, counter). A stream is named by
// (seed, entity, purpose), so draws are the same however the work is split over threads, processes or hosts.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace strata {

/// Names a stream. Plain data; keep it, or make it anew each time: the same arguments give the same stream.
struct StreamKey {
  std::uint64_t value = 0;
};

/// `purpose` keeps the draws of different users of one entity apart, e.g. "random_walk".
[[nodiscard]] StreamKey stream_key(std::uint64_t seed, std::uint64_t entity, std::string_view purpose);

/// 128 random bits at position `counter` of a stream.
[[nodiscard]] std::array<std::uint32_t, 4> random_block(StreamKey key, std::uint64_t counter);

/// In [0, 1), 53 bits, from one of the two halves of a block.
[[nodiscard]] constexpr double to_unit(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>((static_cast<std::uint64_t>(high) << 32 | low) >> 11) * 0x1.0p-53;
}

/// A stream with its position: plain data that may live in a component. Each call moves on by one block.
class RandomStream {
 public:
  RandomStream() = default;
  explicit RandomStream(StreamKey key, std::uint64_t counter = 0) : key_(key), counter_(counter) {}
  RandomStream(std::uint64_t seed, std::uint64_t entity, std::string_view purpose)
      : key_(stream_key(seed, entity, purpose)) {}

  std::uint64_t bits() {
    const auto block = random_block(key_, counter_++);
    return static_cast<std::uint64_t>(block[0]) << 32 | block[1];
  }
  /// Uniform in [0, 1).
  double uniform() {
    const auto block = random_block(key_, counter_++);
    return to_unit(block[0], block[1]);
  }
  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in 0 .. bound-1, without bias. `bound` > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal.
  double normal();
  /// Exponential with the given mean.
  double exponential(double mean);
  bool chance(double probability) { return uniform() < probability; }

  [[nodiscard]] std::uint64_t counter() const { return counter_; }

 private:
  StreamKey key_;
  std::uint64_t counter_ = 0;
};

}  // namespace strata
