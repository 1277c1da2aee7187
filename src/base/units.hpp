// Quantities with units as users write them: "20 ms", "0.8 m/s", "1.5 GHz", "5 %", "1 per h". Inside, everything is SI.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace strata {

/// Exponents of the base dimensions. Angle and data are kept apart so that 2 rad/s is not mistaken for 2 Hz.
struct Dimension {
  enum Base : std::size_t { kLength, kMass, kTime, kCurrent, kTemperature, kAngle, kData, kCount };
  std::array<std::int8_t, kCount> exponents{};
  bool operator==(const Dimension&) const = default;
  [[nodiscard]] bool dimensionless() const { return *this == Dimension{}; }
};

struct Quantity {
  double si = 0;  ///< in base SI units: m, kg, s, A, K, rad, bit
  Dimension dimension;
};

/// Reads "NUMBER UNIT" or a bare number. The error has no place: the caller knows it.
[[nodiscard]] Result<Quantity> parse_quantity(std::string_view text);
/// Reads a unit alone ("m/s^2"): its size in SI and its dimension.
[[nodiscard]] Result<Quantity> parse_unit(std::string_view text);
/// Reads a finite number; no unit allowed.
[[nodiscard]] Result<double> parse_number(std::string_view text);
/// Reads "30s", "30 s", "5 min".
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// Dimension of a unit known to be right (a constant of ours).
[[nodiscard]] Dimension dimension_of(std::string_view unit);
/// A number in `unit` for people and for resolved scenarios: shortest text that reads back exactly, with the unit.
[[nodiscard]] std::string format_quantity(double si, std::string_view unit);
/// Shortest text that reads back to exactly `value`.
[[nodiscard]] std::string format_number(double value);

}  // namespace strata
