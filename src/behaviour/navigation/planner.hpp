// Planners: find a way for one body through the static world. A kind in the catalog, so that a plugin can add its own.
// Owned by the navigation system, one per use; called from one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "base/vec.hpp"
#include "world/world.hpp"

namespace strata {

struct PlanRequest {
  Vec3 from;
  Vec3 to;
  double radius_m = 0;  ///< of the body, with the distance it keeps
  double low_m = 0;     ///< absolute heights it occupies
  double high_m = 1;
  bool partial = false;  ///< a way to the nearest point is wanted if there is none to the target
};

struct Plan {
  std::vector<Vec3> points;  ///< from the first to the last, both included
  double length_m = 0;
  bool complete = false;  ///< false: it ends as near to the target as one can get
  std::string problem;    ///< why it is not complete
};

class Planner {
 public:
  Planner() = default;
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  virtual ~Planner() = default;

  [[nodiscard]] virtual Plan plan(const World& world, const PlanRequest& request) = 0;
  /// Learned while running, for snapshots and the state hash: equal states have equal digests.
  [[nodiscard]] virtual std::uint64_t digest() const { return 0; }
  virtual void save(std::vector<std::byte>& /*out*/) const {}
  virtual void load(std::span<const std::byte>& /*in*/) {}
};

struct PlannerKind : KindInfo {
  static constexpr const char* kCategory = "planner";
  std::function<Result<std::unique_ptr<Planner>>(const Config&)> make;
};

[[nodiscard]] double length_of(const std::vector<Vec3>& points);

/// Adds the planners `grid`, `any_angle`, `paths` and `straight`.
void register_planners(Registry& registry);

}  // namespace strata
