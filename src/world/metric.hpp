// Metrics: figures sampled while a simulation runs, for recording, reports and expectations.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/catalog.hpp"
#include "world/world.hpp"

namespace strata {

class Simulation;

/// What a metric has to say about an entity to which it does not apply.
inline constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

/// The figures of many entities at once, one per entity; kNoFigure: this entity does not count.
using EntityFigures =
    std::function<void(const World& world, std::span<const EntityId> entities, std::span<double> figures)>;

/// A figure sampled while running: per entity (then .mean, .min, .max and .sum exist) or one for the world.
struct MetricKind : KindInfo {
  static constexpr const char* kCategory = "metric";
  std::string unit;
  EntityFigures per_entity;  ///< null for a world-wide metric; see figure_of
  std::function<double(const Simulation&)> global;
};

/// A per-entity metric taken from one component: `figure_of<Odometer>([](const Odometer& o) { return o.distance_m; })`.
template <class T, class Figure>
[[nodiscard]] EntityFigures figure_of(Figure figure) {
  return
      [figure = std::move(figure)](const World& world, std::span<const EntityId> entities, std::span<double> figures) {
        const Pool<T>* pool = world.find_pool<T>();
        for (std::size_t i = 0; i < entities.size(); ++i) {
          const T* component = pool == nullptr ? nullptr : pool->get(entities[i]);
          figures[i] = component == nullptr ? kNoFigure : static_cast<double>(figure(*component));
        }
      };
}

/// A per-entity metric over several entities. Without any figure all but `count` and `sum` are kNoFigure.
struct MetricSummary {
  std::size_t count = 0;
  double mean = kNoFigure;
  double min = kNoFigure;
  double max = kNoFigure;
  double sum = 0;
};
/// `scratch` is room that is kept between calls.
[[nodiscard]] MetricSummary summarise(const EntityFigures& figures, const World& world,
                                      std::span<const EntityId> entities, std::vector<double>& scratch);

}  // namespace strata
