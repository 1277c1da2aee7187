#include "behaviour/navigation/grid_planner.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "world/components.hpp"
#include "world/places.hpp"

namespace strata {
namespace {

constexpr double kMostCells = 64e6;

void grow(geometry::Box& box, Vec2 point) {
  box.low = {std::min(box.low.x, point.x), std::min(box.low.y, point.y)};
  box.high = {std::max(box.high.x, point.x), std::max(box.high.y, point.y)};
}

// Everything somebody may want to go to.
geometry::Box needed_area(const World& world, const PlanRequest& request) {
  geometry::Box box{request.from.xy(), request.from.xy()};
  grow(box, request.to.xy());
  for (const Place& place : world.places().points) grow(box, place.at.xy());
  for (const Charger& charger : world.places().chargers) grow(box, charger.at.xy());
  for (const Pose& pose : world.pool<Pose>().rows()) grow(box, pose.position.xy());
  return box;
}

}  // namespace

std::uint64_t static_version(const World& world) {
  return world.pool<Body>().membership() + world.pool<Velocity>().membership();
}

GridPlanner::Sheet* GridPlanner::sheet(const World& world, const PlanRequest& request) {
  if (const std::uint64_t version = static_version(world); version != static_version_) {
    sheets_.clear();
    static_version_ = version;
  }
  const Key key{request.radius_m, request.low_m, request.high_m};
  auto found = sheets_.find(key);
  if (found != sheets_.end()) {
    const GridMap& map = found->second.map;
    if (map.contains(map.cell_at(request.from.xy())) && map.contains(map.cell_at(request.to.xy())))
      return &found->second;
    sheets_.erase(found);
  }
  const GridMapSpec spec{spec_.cell_m, request.radius_m, request.low_m, request.high_m, needed_area(world, request)};
  if (cell_count(world, spec) > kMostCells) return nullptr;
  Sheet& made = sheets_[key];
  made.map = make_grid_map(world, spec);
  made.search = std::make_unique<GridSearch>(made.map);
  made.regions = regions_of(made.map);
  return &made;
}

bool GridPlanner::in_sight(const World& world, const PlanRequest& request) {
  Sheet* sheet = this->sheet(world, request);
  if (sheet == nullptr) return false;
  const Cell from = sheet->map.cell_at(request.from.xy());
  const Cell to = sheet->map.cell_at(request.to.xy());
  return sheet->map.free(from) && sheet->map.free(to) && sheet->map.in_sight(from, to);
}

Plan GridPlanner::plan(const World& world, const PlanRequest& request) {
  Plan out;
  Sheet* sheet = this->sheet(world, request);
  if (sheet == nullptr) {
    out.problem = fmt::format("the world is too large for cells of {} m", spec_.cell_m);
    return out;
  }
  const GridMap& map = sheet->map;
  const Cell start = map.nearest_free(request.from.xy(), std::max(spec_.snap_m, 2 * spec_.cell_m));
  if (!map.contains(start)) {
    out.problem = "no free ground where it stands";
    return out;
  }
  const Cell wanted = map.cell_at(request.to.xy());
  const bool target_free = map.free(wanted);
  const bool reachable = target_free && sheet->regions[map.index(start)] == sheet->regions[map.index(wanted)];
  if (!reachable) out.problem = target_free ? "there is no way" : "the target is in a wall or too near to one";
  // A search for what cannot be reached would visit everything that can.
  if (!reachable && !request.partial) return out;
  const GridWay way =
      spec_.any_angle ? sheet->search->any_angle_search(start, wanted) : sheet->search->jump_search(start, wanted);
  // The ends are where they are asked for, the way between them goes from centre to centre.
  out.points.push_back(request.from);
  for (const Cell cell : way.cells) {
    const Vec2 centre = map.centre(cell);
    out.points.push_back({centre.x, centre.y, request.to.z});
  }
  out.complete = way.complete && target_free;
  if (out.complete) {
    out.points.back() = request.to;
    // Start and first centre share a cell: the detour over the centre is not needed.
    if (out.points.size() > 2 && start == map.cell_at(request.from.xy())) out.points.erase(out.points.begin() + 1);
  }
  out.length_m = length_of(out.points);
  return out;
}

}  // namespace strata
