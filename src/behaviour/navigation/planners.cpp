#include <algorithm>

#include "base/bytes.hpp"
#include "behaviour/navigation/grid_planner.hpp"
#include "behaviour/navigation/path_graph.hpp"
#include "behaviour/navigation/planner.hpp"
#include "world/places.hpp"

namespace strata {
namespace {

class StraightPlanner final : public Planner {
 public:
  [[nodiscard]] Plan plan(const World& /*world*/, const PlanRequest& request) override {
    return {{request.from, request.to}, length(request.to - request.from), true, ""};
  }
};

struct PathPlannerSpec {
  double merge_m = 0;
  double tolerance_m = 0;
  double cell_m = 0;
  bool learns = true;
};

/// Goes along the paths of the map, leaves them only within the tolerance and where nothing stands between.
class PathPlanner final : public Planner {
 public:
  explicit PathPlanner(PathPlannerSpec spec)
      : spec_(spec), graph_(spec.merge_m), sight_({spec.cell_m, 2 * spec.cell_m, true}) {}

  [[nodiscard]] Plan plan(const World& world, const PlanRequest& request) override {
    begin(world);
    const auto in_sight = [&](Vec3 from, Vec3 to) {
      PlanRequest direct = request;
      direct.from = from;
      direct.to = to;
      return sight_.in_sight(world, direct);
    };
    std::vector<PathGraph::Start> starts;
    std::vector<PathGraph::Start> ends;
    for (std::uint32_t node = 0; node < graph_.nodes().size(); ++node) {
      const double from = length(graph_.nodes()[node] - request.from);
      const double to = length(graph_.nodes()[node] - request.to);
      if (from <= spec_.tolerance_m && in_sight(request.from, graph_.nodes()[node])) starts.push_back({node, from});
      if (to <= spec_.tolerance_m && in_sight(graph_.nodes()[node], request.to)) ends.push_back({node, to});
    }
    const double direct = length(request.to - request.from);
    if (direct <= spec_.tolerance_m && in_sight(request.from, request.to))
      return {{request.from, request.to}, direct, true, ""};
    if (starts.empty()) return {{}, 0, false, "no path begins within its tolerance of where it stands"};
    return best_of(request, starts, ends);
  }

  [[nodiscard]] std::uint64_t digest() const override { return graph_.digest(); }
  void save(std::vector<std::byte>& out) const override { put_rows<Vec3>(out, learned_); }
  void load(std::span<const std::byte>& in) override {
    std::vector<Vec3> learned;
    const bool good = take_rows(in, learned) && learned.size() % 2 == 0;
    STRATA_ASSERT(good, "a snapshot of paths is too short");
    // What was learned is learned again, in the same order.
    to_learn_ = std::move(learned);
  }

 private:
  void begin(const World& world) {
    if (begun_) return;
    begun_ = true;
    for (const MapPath& path : world.places().paths) graph_.add(path.points, path.one_way);
    for (std::size_t i = 0; i + 1 < to_learn_.size(); i += 2) learn(to_learn_[i], to_learn_[i + 1]);
  }

  void learn(Vec3 from, Vec3 to) {
    const std::size_t before = graph_.nodes().size();
    const std::uint32_t node = graph_.add_node(to);
    if (graph_.nodes().size() == before) return;
    graph_.connect(graph_.nearest(from, 2 * spec_.merge_m), node);
    learned_.push_back(from);
    learned_.push_back(to);
  }

  Plan best_of(const PlanRequest& request, const std::vector<PathGraph::Start>& starts,
               const std::vector<PathGraph::Start>& ends) {
    Plan best;
    for (const PathGraph::Start& end : ends) {
      const PathGraph::Way way = graph_.shortest(starts, end.node);
      if (!way.complete || (best.complete && way.length + end.way >= best.length_m)) continue;
      best = along(request, way);
      best.points.push_back(request.to);
      best.length_m = way.length + end.way;
      best.complete = true;
    }
    if (best.complete) {
      // The ends of the way are known from now on.
      const Vec3 last = best.points[best.points.size() - 2];
      if (spec_.learns) learn(last, request.to);
      return best;
    }
    const std::uint32_t goal = graph_.nearest(request.to, Param::kInfinity);
    best = along(request, graph_.shortest(starts, goal));
    best.length_m = length_of(best.points);
    best.problem = ends.empty() ? "no path ends within its tolerance of the target" : "the paths do not lead there";
    return best;
  }

  [[nodiscard]] Plan along(const PlanRequest& request, const PathGraph::Way& way) const {
    Plan out;
    out.points.push_back(request.from);
    for (const std::uint32_t node : way.nodes) out.points.push_back(graph_.nodes()[node]);
    return out;
  }

  PathPlannerSpec spec_;
  PathGraph graph_;
  GridPlanner sight_;
  bool begun_ = false;
  std::vector<Vec3> learned_;  // pairs: known point, new point
  std::vector<Vec3> to_learn_;
};

Param cell_param() {
  return param::quantity("cell", "m", "0.1 m", "size of the grid's cells").at_least(0.001).at_most(1000);
}

void add_grid(Registry& registry, const char* name, const char* summary, bool any_angle) {
  PlannerKind kind;
  kind.name = name;
  kind.summary = summary;
  kind.params = {cell_param(),
                 param::quantity("snap", "m", "0.5 m", "how far from free ground the start may be").at_least(0)};
  kind.make = [any_angle](const Config& config) -> Result<std::unique_ptr<Planner>> {
    const GridPlannerSpec spec{config.quantity("cell"), config.quantity("snap"), any_angle};
    return std::unique_ptr<Planner>(std::make_unique<GridPlanner>(spec));
  };
  registry.catalog<PlannerKind>().add(std::move(kind));
}

void add_paths(Registry& registry) {
  PlannerKind kind;
  kind.name = "paths";
  kind.summary = "Shortest way along the paths of the map";
  kind.params = {param::quantity("merge", "m", "0.5 m", "points of paths nearer than this are one").at_least(0),
                 param::quantity("tolerance", "m", "2 m", "how far from the paths start and target may be").at_least(0),
                 param::flag("learn", true, "ways that were found become paths for all"), cell_param()};
  kind.details = "Start and target are joined to the paths only where nothing stands between.";
  kind.make = [](const Config& config) -> Result<std::unique_ptr<Planner>> {
    const PathPlannerSpec spec{config.quantity("merge"), config.quantity("tolerance"), config.quantity("cell"),
                               config.flag("learn")};
    return std::unique_ptr<Planner>(std::make_unique<PathPlanner>(spec));
  };
  registry.catalog<PlannerKind>().add(std::move(kind));
}

void add_straight(Registry& registry) {
  PlannerKind kind;
  kind.name = "straight";
  kind.summary = "Straight to the target, whatever stands there: for open air";
  kind.make = [](const Config&) -> Result<std::unique_ptr<Planner>> {
    return std::unique_ptr<Planner>(std::make_unique<StraightPlanner>());
  };
  registry.catalog<PlannerKind>().add(std::move(kind));
}

}  // namespace

double length_of(const std::vector<Vec3>& points) {
  double sum = 0;
  for (std::size_t i = 1; i < points.size(); ++i) sum += length(points[i] - points[i - 1]);
  return sum;
}

void register_planners(Registry& registry) {
  add_grid(registry, "grid", "Shortest way over a grid in eight directions", false);
  add_grid(registry, "any_angle", "Short way over a grid that bends only where it must", true);
  add_paths(registry);
  add_straight(registry);
}

}  // namespace strata
