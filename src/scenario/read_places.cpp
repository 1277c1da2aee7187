#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "scenario/read_detail.hpp"
#include "scenario/sections.hpp"

namespace strata::detail {
namespace {

class PlacesReader {
 public:
  explicit PlacesReader(Reading& reading) : reading_(reading) {}

  std::pair<Places, Value> read(const Value& given) {
    Value out = Value::map({}, given.where());
    const Result<Config> config = Config::check(given, sections::places());
    if (!collect(config, reading_.errors())) return {std::move(places_), out};
    const auto read_list = [&](const char* list, const std::vector<Param>& params, auto add) {
      if (config->has(list)) out.set(list, entries(config->any(list), params, add));
    };
    read_list("points", sections::place_point(), [&](const Config& c) {
      if (take_tag(c)) places_.points.push_back({c.text("tag"), c.point("at"), c.where()});
    });
    read_list("paths", sections::place_path(), [&](const Config& c) {
      if (!is_way(c)) return;
      std::string name = c.has("name") ? c.text("name") : fmt::format("path{}", places_.paths.size() + 1);
      places_.paths.push_back({std::move(name), c.points("points"), c.flag("one_way"), c.where()});
    });
    read_list("routes", sections::place_route(), [&](const Config& c) {
      if (is_way(c)) places_.routes.push_back({c.text("robot"), c.points("points"), c.where()});
    });
    read_list("items", sections::place_item(), [&](const Config& c) {
      if (!reading_.take_name(c.text("name"), c.where())) return;
      places_.items.push_back(
          {c.text("name"), c.quantity("weight"), c.quantity("radius"), c.point("at"), EntityId{}, c.where()});
    });
    read_list("chargers", sections::place_charger(), [&](const Config& c) {
      if (!take_tag(c)) return;
      places_.chargers.push_back({c.text("tag"), c.point("at"), c.quantity("radius"), c.quantity("power"), c.where()});
    });
    return {std::move(places_), std::move(out)};
  }

 private:
  template <class Add>
  Value entries(const Value& given, const std::vector<Param>& params, Add add) {
    Value out = Value::list({}, given.where());
    if (!given.is_list() && !given.is_null()) {
      reading_.error(given.where(), fmt::format("expected a list, found {}", given.kind_text()),
                     "write '- {...}' for each of them");
    }
    for (const Value& item : given.items()) {
      const Result<Config> config = Config::check(item, params);
      if (!collect(config, reading_.errors())) continue;
      add(*config);
      out.items().push_back(config->resolved());
    }
    return out;
  }

  bool take_tag(const Config& config) {
    const std::string& tag = config.text("tag");
    if (tag.empty() || tag.find_first_of(" \t\n") != std::string::npos || parse_number(tag).ok()) {
      reading_.error(config.where("tag"), fmt::format("'{}' cannot be a tag", tag.substr(0, 40)),
                     "use a word without blanks that is not a number");
      return false;
    }
    const auto [it, fresh] = tags_.emplace(tag, config.where());
    if (fresh) return true;
    const Where& first = it->second;
    reading_.error(config.where(),
                   fmt::format("the tag '{}' is used already, in {}:{}{}{}", tag, first.file, first.line,
                               first.path.empty() ? "" : ", ", first.path),
                   "choose another tag");
    return false;
  }

  bool is_way(const Config& config) {
    const std::vector<Vec3>& points = config.points("points");
    const bool leads = std::any_of(points.begin(), points.end(), [&](Vec3 p) { return !(p == points.front()); });
    if (!leads) reading_.error(config.where("points"), "a way needs two different points", "write [[x, y], [x, y]]");
    return leads;
  }

  Reading& reading_;
  Places places_;
  std::map<std::string, Where> tags_;
};

}  // namespace

std::pair<Places, Value> read_places(Reading& reading, const Value& given) { return PlacesReader(reading).read(given); }

void check_routes(Reading& reading, const Places& places, const std::vector<GroupSpec>& groups) {
  if (!reading.errors().empty()) return;  // a group that failed to read may well have that robot
  for (const Route& route : places.routes) {
    const bool known = std::any_of(groups.begin(), groups.end(), [&](const GroupSpec& group) {
      if (!route.robot.starts_with(group.name)) return false;
      for (std::uint32_t i = 0; i < group.count; ++i) {
        if (group.robot_name(i) == route.robot) return true;
      }
      return false;
    });
    if (known) continue;
    std::vector<std::string> names;
    for (const GroupSpec& group : groups) names.push_back(group.robot_name(0));
    reading.error(route.where, fmt::format("no robot is named '{}'", route.robot), suggestion(route.robot, names));
  }
}

}  // namespace strata::detail
