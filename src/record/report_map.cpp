// The map of the report: geometry and positions as compact data that the page's script draws.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "record/report.hpp"

namespace strata {

namespace {

using Json = nlohmann::json;

struct Bounds {
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
  void add(double x, double y, double radius) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    x0 = std::min(x0, x - radius);
    y0 = std::min(y0, y - radius);
    x1 = std::max(x1, x + radius);
    y1 = std::max(y1, y + radius);
  }
};

double millimetres(double value) { return std::round(value * 1000) / 1000; }

std::string base64(const std::vector<std::uint16_t>& words) {
  static constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned> bytes;
  bytes.reserve(words.size() * 2);
  for (const std::uint16_t word : words) {
    bytes.push_back(word & 0xFFU);
    bytes.push_back(word >> 8U);
  }
  std::string out;
  out.reserve(bytes.size() * 4 / 3 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(bytes.size() - i, 3);
    const unsigned group = bytes[i] << 16U | (have > 1 ? bytes[i + 1] << 8U : 0U) | (have > 2 ? bytes[i + 2] : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= have ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

Json radii_of(const MapData* map, const std::vector<std::string>& names) {
  std::vector<double> radii;
  for (const std::string& name : names) {
    const auto it = map == nullptr ? decltype(map->radii.end()){} : map->radii.find(name);
    radii.push_back(map == nullptr || it == map->radii.end() ? 0.0 : millimetres(it->second));
  }
  const bool all_equal = std::adjacent_find(radii.begin(), radii.end(), std::not_equal_to<>()) == radii.end();
  return all_equal ? Json(radii.empty() ? 0.0 : radii.front()) : Json(radii);
}

}  // namespace

std::string map_html(const MapData* map, const Trajectories* trajectories) {
  static const std::vector<std::string> kNobody;
  const std::vector<std::string>& names = trajectories == nullptr ? kNobody : trajectories->names();
  const std::vector<Trajectories::Moment> moments =
      trajectories == nullptr ? std::vector<Trajectories::Moment>() : trajectories->moments();
  if ((map == nullptr || map->fixed.empty()) && (names.empty() || moments.empty())) return "";

  Bounds bounds;
  Json fixed = Json::array();
  if (map != nullptr) {
    for (const MapData::Outline& outline : map->fixed) {
      std::vector<double> points;
      for (const Vec2& point : outline.points) {
        bounds.add(point.x, point.y, outline.radius);
        points.insert(points.end(), {millimetres(point.x), millimetres(point.y)});
      }
      fixed.push_back({{"p", points}, {"r", millimetres(outline.radius)}});
    }
  }
  for (const auto& moment : moments)
    for (const auto& p : moment.positions) bounds.add(static_cast<double>(p.x), static_cast<double>(p.y), 0.1);
  if (bounds.x0 > bounds.x1) bounds = {0, 0, 1, 1};

  // Positions as fractions of the bounds in 16 bits; the largest value stands for "not there".
  std::vector<std::uint16_t> words;
  words.reserve(moments.size() * names.size() * 2);
  std::vector<double> times;
  const auto fraction = [](double value, double low, double high) {
    return static_cast<std::uint16_t>(std::clamp(std::round((value - low) / (high - low) * 65534), 0.0, 65534.0));
  };
  for (const auto& moment : moments) {
    times.push_back(moment.time.seconds());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Trajectories::Position p = i < moment.positions.size() ? moment.positions[i] : Trajectories::Position{};
      const bool there = std::isfinite(p.x) && std::isfinite(p.y);
      words.push_back(there ? fraction(static_cast<double>(p.x), bounds.x0, bounds.x1) : std::uint16_t{65535});
      words.push_back(there ? fraction(static_cast<double>(p.y), bounds.y0, bounds.y1) : std::uint16_t{65535});
    }
  }
  const Json data{{"bounds", {bounds.x0, bounds.y0, bounds.x1, bounds.y1}},
                  {"fixed", std::move(fixed)},
                  {"names", names},
                  {"radii", radii_of(map, names)},
                  {"times", times}};
  // The positions, most of the page, need no escaping: they join as they are.
  std::string script = html::script_json(data.dump(-1, ' ', false, Json::error_handler_t::replace));
  script.pop_back();
  script += ",\"positions\":\"" + base64(words) + "\"}";
  std::string out =
      "<div class=\"map\"><canvas></canvas><div class=\"tip\"></div><div class=\"bar\"><button type=\"button\" "
      "class=\"play\">play</button>"
      "<input type=\"range\" min=\"0\" max=\"1000\" value=\"1000\" step=\"any\" aria-label=\"time\"><output></output>"
      "<label>trails <select "
      "class=\"trails\"><option>all</option><option>recent</option><option>none</option></select></label>"
      "<button type=\"button\" class=\"fit\">fit</button></div><script type=\"application/json\">" +
      script + "</script></div>";
  if (trajectories != nullptr && trajectories->seen() > names.size())
    out += html::paragraph("Shown are " + std::to_string(names.size()) + " of " + std::to_string(trajectories->seen()) +
                           " moving things.");
  if (map != nullptr && map->left_out > 0)
    out += html::paragraph(std::to_string(map->left_out) + " shapes are left out of the drawing.");
  return out;
}

}  // namespace strata
