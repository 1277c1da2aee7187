#include "record/map_data.hpp"

#include <nlohmann/json.hpp>

#include "record/publishers.hpp"
#include "world/components.hpp"

namespace strata {

using Json = nlohmann::json;

MapData map_of(const World& world) {
  MapData map;
  const auto& bodies = world.pool<Body>();
  for (std::size_t row = 0; row < bodies.size(); ++row) {
    const EntityId entity = bodies.owners()[row];
    const Pose* pose = world.get<Pose>(entity);
    if (pose == nullptr) continue;
    const Body& body = bodies.rows()[row];
    if (world.has<Robot>(entity) || world.has<Velocity>(entity)) {
      map.radii[entity_label(world, entity)] = body.radius;
      continue;
    }
    for (const Shape& shape : world.shapes().shapes(body.shape_set)) {
      if (map.fixed.size() >= MapData::kMostShapes) {
        ++map.left_out;
        continue;
      }
      MapData::Outline outline{entity_label(world, entity), {}, shape.radius};
      for (const Vec2& point : shape.points)
        outline.points.push_back((pose->position + rotate(pose->orientation, {point.x, point.y, 0})).xy());
      map.fixed.push_back(std::move(outline));
    }
  }
  return map;
}

std::string to_json(const MapData& map) {
  Json fixed = Json::array();
  for (const MapData::Outline& outline : map.fixed) {
    Json points = Json::array();
    for (const Vec2& point : outline.points) points.push_back({point.x, point.y});
    fixed.push_back({{"name", outline.name}, {"points", std::move(points)}, {"radius", outline.radius}});
  }
  // Names may hold bytes that are not UTF-8; those are replaced rather than refused.
  return Json{{"fixed", std::move(fixed)}, {"radii", map.radii}, {"left_out", map.left_out}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

Result<MapData> map_from_json(const std::string& text) {
  const Error bad{{}, "the map in the recording is damaged", ""};
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return bad;
  try {
    MapData map;
    for (const Json& item : json.at("fixed")) {
      MapData::Outline outline{item.at("name").get<std::string>(), {}, item.at("radius").get<double>()};
      for (const Json& point : item.at("points"))
        outline.points.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
      map.fixed.push_back(std::move(outline));
    }
    map.radii = json.at("radii").get<std::map<std::string, double>>();
    map.left_out = json.value("left_out", std::size_t{0});
    return map;
  } catch (const Json::exception&) {
    return bad;
  }
}

}  // namespace strata
