#include <cmath>

#include "base/units.hpp"
#include "scenario/maps/map_content.hpp"

namespace strata::maps {
namespace {

// Sums of scaled numbers end in noise that nobody drew.
std::string tidy(double value) {
  constexpr double kPerUnit = 1e6;
  const double rounded = std::round(value * kPerUnit) / kPerUnit;
  return format_number(rounded == 0 ? 0 : rounded);
}

}  // namespace

Value length_value(double metres, const Where& where) { return Value::scalar(tidy(metres) + " m", where); }

Value angle_value(double degrees, const Where& where) { return Value::scalar(tidy(degrees) + " deg", where); }

Value point_value(Vec2 at, const Where& where) {
  return Value::list({Value::scalar(tidy(at.x), where), Value::scalar(tidy(at.y), where)}, where);
}

Value points_value(const std::vector<Vec2>& points, const Where& where) {
  Value out = Value::list({}, where);
  for (const Vec2 point : points) out.items().push_back(point_value(point, where));
  return out;
}

Value word_value(const std::string& text, const Where& where) { return Value::scalar(text, where, true); }

}  // namespace strata::maps
