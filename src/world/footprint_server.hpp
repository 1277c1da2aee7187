// The built-in world server: bodies are extruded footprints that move in straight lines within a step and stop where
// they touch. Nothing passes through anything at any speed and step, and no two bodies come to overlap.
#pragma once

#include <vector>

#include "world/mover_grid.hpp"
#include "world/server.hpp"
#include "world/static_index.hpp"

namespace strata {

class FootprintServer final : public WorldServer {
 public:
  struct Spec {
    bool brute_force = false;  ///< tests every pair: slow, for checking the index
  };
  FootprintServer() = default;
  explicit FootprintServer(Spec spec) : spec_(spec) {}

  void advance(World& world, const Step& step) override;
  void refresh(const World& world) override;
  void cast(const World& world, std::span<const Ray> rays, std::span<RayHit> hits) const override;
  bool cast(const World& world, const RayFan& fan, std::span<RayHit> hits) const override;
  [[nodiscard]] std::vector<EntityId> within(const World& world, Vec3 centre, double radius) const override;
  [[nodiscard]] std::vector<EntityId> overlapping(const World& world, std::uint32_t shape_set, const Pose& pose,
                                                  double clearance, EntityId ignore) const override;
  [[nodiscard]] std::vector<std::pair<EntityId, EntityId>> overlaps(const World& world) const override;
  [[nodiscard]] std::size_t memory() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Where a mover's components are, found again only when entities or components come or go.
  struct Rows {
    EntityId entity;
    std::uint64_t stable = 0;
    std::uint32_t pose = 0;
    std::uint32_t velocity = 0;
    std::uint32_t body = 0;
    std::uint32_t contact = kNone;
    std::uint32_t odometer = kNone;
    bool disabled = false;
    bool is_circle = true;
  };
  /// How far a mover gets in this step, and what stops it.
  struct Stop {
    double fraction = 1;
    Vec2 normal;
    EntityId other;
    std::uint64_t other_stable = 0;
  };

  /// Where a mover is now, by its place in the grid: all that most questions need to say no.
  struct Spot {
    Vec3 at;
    double radius = 0;
  };

  void update_statics(const World& world);
  void update_rows(const World& world);
  void gather(const World& world, Duration dt, ThreadPool& threads);
  void find_turns(std::size_t begin, std::size_t end, double seconds, std::span<const Velocity> velocities);
  void find_stops(const World& world, ThreadPool& threads);
  void settle(const World& world);
  void integrate(World& world, const Step& step);
  void report(World& world, const Step& step);

  /// First contact of a mover with everything, the others stopping where stops_ says.
  [[nodiscard]] Stop limit(const World& world, const Mover& mover, bool others_stop) const;
  void limit_by_statics(const World& world, const Mover& mover, Stop& stop) const;
  void limit_by_mover(const World& world, const Mover& mover, const Mover& other, bool others_stop, Stop& stop) const;
  [[nodiscard]] std::optional<geometry::Impact> meet(const World& world, const Mover& a, double a_from, bool a_moves,
                                                     const Mover& b, double b_from, bool b_moves) const;
  [[nodiscard]] geometry::Sweep sweep(const Mover& mover, double from, bool moves) const;
  /// Calls visit(mover, spot) for those that may be within `radius` of a point now.
  template <class Visit>
  void visit_spots(Vec2 centre, double radius, Visit&& visit) const {
    const auto visit_places = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t place = begin; place < end; ++place) {
        const Spot& spot = spots_[place];
        const double dx = spot.at.x - centre.x;
        const double dy = spot.at.y - centre.y;
        const double reach = radius + spot.radius;
        if (dx * dx + dy * dy <= reach * reach) visit(grid_.sorted()[place], spot);
      }
    };
    if (spec_.brute_force) {
      visit_places(0, static_cast<std::uint32_t>(spots_.size()));
    } else {
      grid_.query_places(centre, radius, visit_places);
    }
  }
  template <class Visit>
  void visit_movers(Vec2 centre, double radius, Visit&& visit) const {
    if (spec_.brute_force) {
      for (const Mover& mover : grid_.sorted()) visit(mover);
    } else {
      grid_.query(centre, radius, visit);
    }
  }

  [[nodiscard]] RayHit cast_one(const World& world, const Ray& ray) const;
  class FanHits;
  class FanCast;
  void cast_movers(const World& world, const RayFan& fan, FanHits& hits) const;
  void cast_statics(const RayFan& fan, FanHits& hits) const;
  [[nodiscard]] geometry::Frame frame_of(const World& world, const Mover& mover, const Spot& spot) const;

  Spec spec_;
  std::uint64_t row_membership_ = 0;
  std::uint64_t static_membership_ = 0;
  std::vector<Rows> rows_;
  std::vector<Mover> movers_;
  std::vector<double> turns_;  // half of the yaw over the step
  std::vector<double> turn_sin_;
  std::vector<double> turn_cos_;
  std::span<const Pose> poses_;  // before the step, while it is worked out
  std::vector<Stop> stops_;
  std::vector<Spot> spots_;
  MoverGrid grid_;
  StaticIndex statics_;
};

}  // namespace strata
