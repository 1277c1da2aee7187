// What a map knows besides obstacles: tagged points, paths, things to pick up, chargers. Set up once by the scenario,
// never changed by a run; navigation, scripts and claws read it from the world (`world.places()`). Metres, world frame.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/vec.hpp"
#include "world/entity.hpp"

namespace strata {

/// A point of interest. Tags are unique among points and chargers.
struct Place {
  std::string tag;
  Vec3 at;
  Where where;  ///< in the scenario or drawing
};

/// A way that may be travelled: navigation makes its graph of them.
struct MapPath {
  std::string name;
  std::vector<Vec3> points;  ///< at least two
  bool one_way = false;
  Where where;
};

/// A way that one robot has to follow.
struct Route {
  std::string robot;  ///< name of the entity
  std::vector<Vec3> points;
  Where where;
};

/// Something a claw can pick up. The entity exists from the start, with a Pose and without a Body: it blocks nobody.
struct Item {
  std::string name;  ///< also of the entity
  double weight_kg = 0;
  double radius_m = 0;  ///< for drawing it
  Vec3 at;
  EntityId entity;
  Where where;
};

struct Charger {
  std::string tag;
  Vec3 at;
  double radius_m = 0;  ///< how near a robot must be
  double power_w = 0;
  Where where;
};

struct Places {
  std::vector<Place> points;
  std::vector<MapPath> paths;
  std::vector<Route> routes;
  std::vector<Item> items;
  std::vector<Charger> chargers;

  /// Where the point or charger of that tag is; null if there is none.
  [[nodiscard]] const Vec3* find(std::string_view tag) const;
  /// All tags, for suggestions.
  [[nodiscard]] std::vector<std::string> tags() const;
};

}  // namespace strata
