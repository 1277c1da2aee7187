#include "world/mover_grid.hpp"

namespace strata {
namespace {

constexpr double kCellPerReach = 3;  // wide enough that a query spans two rows, small enough that they hold few movers
constexpr std::size_t kMoversPerChunk = 4096;

// Power of two at or below, read off the number's bits.
int exponent_of(double reach) { return static_cast<int>(std::bit_cast<std::uint64_t>(std::max(reach, 1e-9)) >> 52); }

}  // namespace

void MoverGrid::find_levels(const std::vector<Mover>& movers) {
  levels_.clear();
  // Most worlds have one or two sizes: a linear search among the levels found so far beats anything clever.
  for (const Mover& mover : movers) {
    const double reach = mover.reach;
    const int exponent = exponent_of(reach);
    auto it =
        std::find_if(levels_.begin(), levels_.end(), [&](const Level& level) { return level.exponent == exponent; });
    if (it == levels_.end()) {
      levels_.push_back({});
      it = levels_.end() - 1;
      it->exponent = exponent;
    }
    it->reach = std::max(it->reach, reach);
    ++it->end;  // counts for now
  }
  std::sort(levels_.begin(), levels_.end(), [](const Level& a, const Level& b) { return a.exponent < b.exponent; });
  std::uint32_t movers_before = 0;
  std::uint32_t starts_before = 0;
  for (Level& level : levels_) {
    const std::uint32_t count = level.end;
    const std::uint32_t buckets = std::bit_ceil(std::max<std::uint32_t>(64, 2 * count));
    level.per_metre = 1 / std::max(kCellPerReach * level.reach, 1e-6);
    level.mask = buckets - 1;
    level.shift = static_cast<std::uint32_t>(std::bit_width(buckets) - 1) / 2;
    level.first_start = starts_before;
    level.begin = movers_before;
    level.end = movers_before + count;
    movers_before += count;
    starts_before += buckets + 1;
  }
  starts_.assign(starts_before, 0);
}

const MoverGrid::Level& MoverGrid::level_of(double reach) const {
  if (levels_.size() == 1) return levels_.front();
  const int exponent = exponent_of(reach);
  return *std::find_if(levels_.begin(), levels_.end(), [&](const Level& level) { return level.exponent == exponent; });
}

void MoverGrid::build(const std::vector<Mover>& movers, ThreadPool& threads) {
  find_levels(movers);
  keys_.resize(movers.size());
  places_.resize(movers.size());
  sorted_.resize(movers.size());
  threads.for_each_chunk(movers.size(), kMoversPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Level& level = level_of(movers[i].reach);
      const Vec2 middle = movers[i].middle();
      keys_[i] = level.first_start + bucket(level, cell(middle.x, level.per_metre), cell(middle.y, level.per_metre));
    }
  });
  for (const std::uint32_t key : keys_) ++starts_[key];
  for (const Level& level : levels_) {
    std::uint32_t sum = level.begin;
    for (std::uint32_t b = level.first_start; b <= level.first_start + level.mask; ++b) {
      const std::uint32_t count = starts_[b];
      starts_[b] = sum;
      sum += count;
    }
    starts_[level.first_start + level.mask + 1] = sum;
  }
  // Filling moves each start to its end; afterwards they are moved back by one place.
  for (std::size_t i = 0; i < movers.size(); ++i) places_[i] = starts_[keys_[i]]++;
  for (const Level& level : levels_) {
    for (std::uint32_t b = level.first_start + level.mask; b > level.first_start; --b) starts_[b] = starts_[b - 1];
    starts_[level.first_start] = level.begin;
  }
  threads.for_each_chunk(movers.size(), kMoversPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sorted_[places_[i]] = movers[i];
  });
}

std::size_t MoverGrid::memory() const {
  return starts_.capacity() * 4 + keys_.capacity() * 4 + places_.capacity() * 4 + sorted_.capacity() * sizeof(Mover);
}

}  // namespace strata
