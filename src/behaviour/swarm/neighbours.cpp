#include "behaviour/swarm/neighbours.hpp"

#include <bit>
#include <cmath>

namespace strata {

std::int64_t NeighbourGrid::place(double metres) const {
  const double scaled = metres * per_metre_;
  const auto truncated = static_cast<std::int64_t>(scaled);
  return truncated - (static_cast<double>(truncated) > scaled ? 1 : 0);
}

void NeighbourGrid::build(const std::vector<Neighbour>& all, double cell_m) {
  per_metre_ = 1 / cell_m;
  // About two buckets per body; rows an odd number of buckets apart, so that a square does not fold onto itself.
  const auto wanted = static_cast<std::uint32_t>(std::bit_ceil(std::max<std::size_t>(2 * all.size(), 64)));
  mask_ = wanted - 1;
  stride_ = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(wanted))) | 1U;
  starts_.assign(wanted + 1, 0);
  keys_.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    keys_[i] = bucket(place(all[i].at.x), place(all[i].at.y));
    ++starts_[keys_[i] + 1];
  }
  for (std::uint32_t i = 0; i < wanted; ++i) starts_[i + 1] += starts_[i];
  sorted_.resize(all.size());
  // Backwards, so that equal keys keep their order; starts_ ends up shifted into place.
  std::vector<std::uint32_t>& next = starts_;
  for (std::size_t i = all.size(); i-- > 0;) sorted_[--next[keys_[i] + 1]] = all[i];
  // After the loop next[k + 1] is the start of k: shift down by one.
  for (std::uint32_t i = 0; i < wanted; ++i) starts_[i] = starts_[i + 1];
  starts_[wanted] = static_cast<std::uint32_t>(all.size());
}

}  // namespace strata
