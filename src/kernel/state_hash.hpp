// The fingerprint of a run. Per step the wrapping sum of one contribution per (entity, component): a sum, so that any
// partition over threads or hosts gives the same; chained over the steps, so that order in time counts.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/hash.hpp"
#include "base/time.hpp"

namespace strata {

class StateHash {
 public:
  /// What one component of one entity adds to a step. Pure: may be summed up on any thread. The bytes must not hold
  /// padding.
  [[nodiscard]] static std::uint64_t contribution(std::uint64_t entity, std::uint64_t component, const void* bytes,
                                                  std::size_t size) {
    // Different constants, so that swapping entity and component shows; added once more, in case a factor is zero.
    const std::uint64_t seed =
        fold(entity ^ 0x9E3779B97F4A7C15U, component ^ 0xD6E8FEB86659FD93U) + entity + std::rotl(component, 32);
    return hash_bytes(seed, bytes, size);
  }

  void add(std::uint64_t entity, std::uint64_t component, const void* bytes, std::size_t size) {
    sum_ += contribution(entity, component, bytes, size);
  }
  /// Adds a partial sum of contributions, computed elsewhere.
  void add_sum(std::uint64_t partial) { sum_ += partial; }

  /// Chains what was added since the last step.
  void end_step(Time now) {
    chain_ = mix(mix(chain_, static_cast<std::uint64_t>(now.ns())), sum_);
    sum_ = 0;
    ++steps_;
  }

  /// The chain over all ended steps.
  [[nodiscard]] std::uint64_t value() const { return chain_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// Continues from a snapshot, taken between steps.
  void restore(std::uint64_t value, std::uint64_t steps) {
    chain_ = value;
    steps_ = steps;
    sum_ = 0;
  }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t chain_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace strata
