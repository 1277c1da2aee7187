#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "base/units.hpp"
#include "scenario/maps/drawing.hpp"

namespace strata::maps {
namespace {

/// Quarter turns clockwise.
int quarters(std::string_view direction) {
  if (direction == "south") return 1;
  if (direction == "west") return 2;
  if (direction == "north") return 3;
  return 0;
}

Vec2 turned(Vec2 v, int quarters_clockwise) {
  switch (quarters_clockwise) {
    case 1:
      return {-v.y, v.x};
    case 2:
      return {-v.x, -v.y};
    case 3:
      return {v.y, -v.x};
    default:
      return v;
  }
}

double rotation_deg(const Style& style) { return std::fmod(style.number("rotation", 0), 360.0); }

}  // namespace

Style Style::parse(std::string_view text) {
  Style out;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      out.values[std::string(part.substr(0, equals))] = std::string(part.substr(equals + 1));
    } else if (!part.empty()) {
      out.words.emplace_back(part);
    }
  }
  return out;
}

bool Style::has_word(std::string_view word) const { return std::find(words.begin(), words.end(), word) != words.end(); }

std::string_view Style::get(std::string_view key) const {
  const auto it = values.find(key);
  return it == values.end() ? std::string_view{} : std::string_view{it->second};
}

double Style::number(std::string_view key, double otherwise) const {
  const Result<double> number = parse_number(get(key));
  return number.ok() ? *number : otherwise;
}

double DrawnCell::turned_deg() const { return rotation_deg(style) + 90.0 * quarters(style.get("direction")); }

Vec2 DrawnCell::own_size() const { return quarters(style.get("direction")) % 2 == 0 ? size : Vec2{size.y, size.x}; }

Vec2 DrawnCell::on_page(Vec2 own) const {
  Vec2 v = own - 0.5 * own_size();
  if (style.get("flipH") == "1") v.x = -v.x;
  if (style.get("flipV") == "1") v.y = -v.y;
  v = turned(v, quarters(style.get("direction")));
  const double rotation = rotation_deg(style);
  if (rotation != 0) {
    constexpr double kRadPerDeg = 3.14159265358979323846 / 180;
    const Vec2 axis = math::unit(rotation * kRadPerDeg);
    v = {axis.x * v.x - axis.y * v.y, axis.y * v.x + axis.x * v.y};
  }
  return centre() + v;
}

const std::string* DrawnCell::attribute(std::string_view name) const {
  for (const auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

const DrawnCell* Drawing::find(std::string_view id) const {
  const auto it = by_id.find(id);
  return it == by_id.end() ? nullptr : &cells[it->second];
}

}  // namespace strata::maps
