#include "scenario/maps/drawn_type.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.hpp"
#include "scenario/maps/drawn_parts.hpp"

namespace strata::maps {
namespace {

constexpr std::string_view kPartPrefix = "component_";

std::string text_or_none(const Config& attributes, const char* name) {
  return attributes.has(name) ? attributes.text(name) : "";
}

DrawnUnits units_of(const MapContent& content) { return {content.settings().scale_m, content.drawing().page_size.y}; }

/// The middle of a shape; an error for lines and what has no size.
std::optional<Vec2> spot(MapContent& content, const DrawnCell& cell) {
  if (!cell.is_edge && cell.has_size) return content.metres(cell.centre());
  content.error(cell, "this has to be a shape with a size", "draw it as a circle or a box");
  return std::nullopt;
}

void add_body(MapContent& content, const DrawnCell& cell, const Config& attributes, const char* motion,
              double altitude_m) {
  const std::optional<Vec2> at = spot(content, cell);
  if (!at) return;
  const std::optional<Value> body = content.body_of(cell, attributes.quantity("height"));
  const auto name = content.take_name(cell, text_or_none(attributes, "name"), cell.type);
  if (!body || !name) return;
  Value place = point_value(*at, cell.where);
  if (altitude_m != 0) place.items().push_back(Value::scalar(format_number(altitude_m), cell.where));
  Value robot = Value::map({{"at", std::move(place)}}, cell.where);
  robot.set("heading", angle_value(MapContent::heading_deg(cell), cell.where));
  robot.set("body", *body);
  robot.set("motion", Value::map({{"kind", Value::scalar(motion, cell.where)}}, cell.where));
  for (const auto& [key, value] : cell.attributes) {
    if (!key.starts_with(kPartPrefix)) continue;
    const std::string part = key.substr(kPartPrefix.size());
    if (is_implied_part(part)) {
      content.note(cell, fmt::format("'{}' is not needed: every robot has it", key));
    } else {
      collect(add_part(robot, part, value, units_of(content), content.registry(), cell.where), content.errors());
    }
  }
  if (attributes.has("collision_tag")) {
    const std::string& tag = attributes.text("collision_tag");
    const Result<void> added = add_part(robot, "collision_tag", Value::scalar(tag, cell.where, true), units_of(content),
                                        content.registry(), cell.where);
    if (!added.ok()) content.note(cell, "'collision_tag' has no meaning here and is left out");
  }
  content.add_robot(cell, *name, std::move(robot));
}

void add_robot(MapContent& content, const DrawnCell& cell, const Config& attributes) {
  add_body(content, cell, attributes, "point", 0);
}
void add_drone(MapContent& content, const DrawnCell& cell, const Config& attributes) {
  add_body(content, cell, attributes, "point", attributes.quantity("altitude"));
}

void add_point(MapContent& content, const DrawnCell& cell, const Config& attributes) {
  const auto at = spot(content, cell);
  if (!at) return;
  const std::string tag = attributes.has("tag") ? attributes.text("tag") : fmt::format("POI_{}", content.count("POI"));
  content.add_place(
      "points", Value::map({{"tag", word_value(tag, cell.where)}, {"at", point_value(*at, cell.where)}}, cell.where));
}

void add_map_path(MapContent& content, const DrawnCell& cell, const Config& attributes) {
  const auto way = content.way_of(cell);
  const auto name = content.take_name(cell, text_or_none(attributes, "name"), "path");
  if (!way || !name) return;
  Value path =
      Value::map({{"name", Value::scalar(*name, cell.where)}, {"points", points_value(*way, cell.where)}}, cell.where);
  if (attributes.flag("one_way")) path.set("one_way", Value::scalar("true", cell.where));
  content.add_place("paths", std::move(path));
}

void add_route(MapContent& content, const DrawnCell& cell, const Config& /*attributes*/) {
  const auto way = content.way_of(cell);
  if (!way) return;
  const std::string* robot = content.robot_of(cell.source);
  if (robot == nullptr)
    return content.error(cell, "the path does not begin at a robot",
                         "connect its beginning to the robot that follows it");
  content.add_place(
      "routes", Value::map({{"robot", Value::scalar(*robot, cell.where)}, {"points", points_value(*way, cell.where)}},
                           cell.where));
}

void add_item(MapContent& content, const DrawnCell& cell, const Config& attributes) {
  const auto at = spot(content, cell);
  const auto name = content.take_name(cell, text_or_none(attributes, "name"), "pickable");
  if (!at || !name) return;
  const double radius = 0.5 * std::min(cell.size.x, cell.size.y) * content.settings().scale_m;
  content.add_place(
      "items", Value::map({{"name", Value::scalar(*name, cell.where)},
                           {"at", point_value(*at, cell.where)},
                           {"weight", Value::scalar(format_quantity(attributes.quantity("weight"), "kg"), cell.where)},
                           {"radius", length_value(radius, cell.where)}},
                          cell.where));
}

void add_wall(MapContent& content, const DrawnCell& cell, const Config& attributes) {
  const double height = attributes.has("height") ? attributes.quantity("height") : content.settings().height_m;
  const double drawn = cell.style.number("strokeWidth", 0) * content.settings().scale_m;
  const double line = attributes.has("thickness") ? attributes.quantity("thickness")
                      : drawn > 0                 ? drawn
                                                  : content.settings().line_m;
  content.add_solid(cell, text_or_none(attributes, "name"), height, line);
}

void add_charger(MapContent& content, const DrawnCell& cell, const Config& attributes) {
  const auto at = spot(content, cell);
  if (!at) return;
  const std::string tag =
      attributes.has("tag") ? attributes.text("tag") : fmt::format("charger_{}", content.count("charger"));
  const double radius = 0.5 * std::max(cell.size.x, cell.size.y) * content.settings().scale_m;
  content.add_place(
      "chargers", Value::map({{"tag", word_value(tag, cell.where)},
                              {"at", point_value(*at, cell.where)},
                              {"radius", length_value(radius, cell.where)},
                              {"power", Value::scalar(format_quantity(attributes.quantity("power"), "W"), cell.where)}},
                             cell.where));
}

void add_nothing(MapContent& /*content*/, const DrawnCell& /*cell*/, const Config& /*attributes*/) {}

/// Attributes as the kind's parameters want them; what nobody knows is reported.
std::optional<Config> read_attributes(MapContent& content, const DrawnCell& cell, const DrawnTypeKind& kind) {
  Value given = Value::map({}, cell.where);
  std::vector<std::string> names;
  for (const Param& param : kind.params) names.push_back(param.name);
  for (const auto& [key, value] : cell.attributes) {
    const auto param = std::find(names.begin(), names.end(), key);
    if (param != names.end()) {
      const Param& wanted = kind.params[static_cast<std::size_t>(param - names.begin())];
      given.set(
          key, with_unit(Value::scalar(value, cell.where, wanted.type == ParamType::kText), wanted, units_of(content)));
    } else if (!kind.takes_components || !key.starts_with(kPartPrefix)) {
      const std::string near = nearest(key, names);
      content.note(cell, fmt::format("the attribute '{}' means nothing to a '{}' and is left out{}", key.substr(0, 60),
                                     kind.name, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
  }
  Result<Config> config = Config::check(given, kind.params);
  if (!collect(config, content.errors())) return std::nullopt;
  return std::move(config).value();
}

void interpret_plain(MapContent& content, const DrawnCell& cell) {
  if (cell.is_edge) {
    const bool is_line = cell.style.get("endArrow") == "none" &&
                         (cell.style.get("startArrow").empty() || cell.style.get("startArrow") == "none");
    if (!is_line)
      return content.note(cell, "an arrow without a type is left out; give it the type map-path, path or wall");
  } else if (!cell.has_size) {
    return;  // layers and labels of edges
  }
  const double drawn = cell.style.number("strokeWidth", 0) * content.settings().scale_m;
  content.add_solid(cell, "", content.settings().height_m, drawn > 0 ? drawn : content.settings().line_m);
}

void interpret_cell(MapContent& content, const DrawnCell& cell) {
  // `debug` is what HMR Sim calls shapes for people; so are annotations without a type.
  if (cell.type.empty() && cell.attributes.empty()) return interpret_plain(content, cell);
  if (cell.type.empty()) {
    content.note(cell, "its annotations are left out: they name no 'type'");
    return interpret_plain(content, cell);
  }
  const auto& catalog = content.registry().catalog<DrawnTypeKind>();
  const DrawnTypeKind* kind = catalog.find(cell.type);
  if (kind == nullptr)
    return content.error(cell, fmt::format("unknown type '{}'", cell.type.substr(0, 60)),
                         suggestion(cell.type, catalog.names()) + "; a plugin can add types");
  if (const auto attributes = read_attributes(content, cell, *kind)) kind->add(content, cell, *attributes);
}

void add_kind(Registry& registry, std::string name, std::string summary, std::vector<Param> params,
              void (*add)(MapContent&, const DrawnCell&, const Config&), bool takes_components = false) {
  DrawnTypeKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  kind.params = std::move(params);
  kind.add = add;
  kind.takes_components = takes_components;
  registry.catalog<DrawnTypeKind>().add(std::move(kind));
}

}  // namespace

void register_drawn_types(Registry& registry) {
  using namespace param;
  const auto name = [] { return text("name", "", "of the thing; its label if not given"); };
  const auto height = [](const char* standard) {
    return quantity("height", "m", standard, "how tall it is").above(0).at_most(1e5);
  };
  const auto collision_tag = [] {
    return text("collision_tag", "", "for collision responses, if something registers them");
  };
  add_kind(registry, "robot", "A robot where it is drawn, with the shape as its body",
           {name(), height("0.3 m"), collision_tag()}, &add_robot, true);
  add_kind(registry, "drone", "A robot that hovers where it is drawn",
           {name(), height("0.3 m"), quantity("altitude", "m", "1 m", "above the ground").at_least(0).at_most(1e5),
            collision_tag()},
           &add_drone, true);
  add_kind(registry, "POI", "A point of interest: robots can be sent to its tag",
           {text("tag", "", "POI_1, POI_2, ... if not given")}, &add_point);
  add_kind(registry, "map-path", "A way that robots may travel, an arrow",
           {name(), flag("one_way", false, "only from its beginning to its end")}, &add_map_path);
  add_kind(registry, "path", "A way that the robot at its beginning follows, an arrow", {}, &add_route);
  add_kind(registry, "pickable", "A thing that a claw can pick up",
           {name(), quantity("weight", "kg", "1 kg", "what a claw has to lift").at_least(0).at_most(1e6)}, &add_item);
  add_kind(registry, "wall", "Solid, a shape or a line",
           {name(), quantity("height", "m", "", "how tall it is; that of the map if not given").above(0).at_most(1e5),
            quantity("thickness", "m", "", "of a line").above(0).at_most(1e3)},
           &add_wall);
  add_kind(registry, "charger", "A place where batteries are charged",
           {text("tag", "", "charger_1, charger_2, ... if not given"),
            quantity("power", "W", "100 W", "into a robot's battery").above(0).at_most(1e9)},
           &add_charger);
  add_kind(registry, "debug", "For people only: not in the world", {}, &add_nothing);
}

void interpret(MapContent& content) {
  // Lines refer to shapes, so those come first.
  for (const bool edges : {false, true}) {
    for (const DrawnCell& cell : content.drawing().cells) {
      if (cell.is_edge == edges && cell.is_visible) interpret_cell(content, cell);
    }
  }
}

}  // namespace strata::maps
