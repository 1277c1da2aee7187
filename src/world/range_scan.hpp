// Range scan: a fan of distance rays around a body, as a lidar or a ring of infrared sensors gives. Taken in phase
// Sense.
#pragma once

#include "world/server.hpp"
#include "world/system.hpp"

namespace strata {

struct RangeScan {
  double range_m = 0;
  double nearest_m = 0;  ///< smallest reading of the latest scan
  double first_rad = 0;  ///< direction of the first ray
  double spacing_rad = 0;
  double height_m = 0;  ///< of the sensor above the body's position
  double noise_m = 0;   ///< standard deviation
  std::int64_t period_ns = 0;
  std::int64_t next_ns = 0;
  std::uint64_t scans = 0;
  std::uint64_t digest = 0;  ///< of the readings: they are part of the state
  std::uint32_t count = 0;
  std::uint32_t first_reading = 0;  ///< in World::readings
};

/// Readings of the latest scan in metres; the range where nothing was seen.
[[nodiscard]] inline std::span<const float> readings(const World& world, const RangeScan& scan) {
  return world.readings(scan.first_reading, scan.count);
}

void register_range_scan(Registry& registry);

}  // namespace strata
