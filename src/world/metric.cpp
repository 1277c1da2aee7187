#include "world/metric.hpp"

#include <algorithm>
#include <cmath>

namespace strata {

MetricSummary summarise(const EntityFigures& figures, const World& world, std::span<const EntityId> entities,
                        std::vector<double>& scratch) {
  scratch.resize(entities.size());
  figures(world, entities, scratch);
  MetricSummary out;
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const double figure : scratch) {
    if (std::isnan(figure)) continue;
    ++out.count;
    out.sum += figure;
    least = std::min(least, figure);
    most = std::max(most, figure);
  }
  if (out.count == 0) return out;
  out.mean = out.sum / static_cast<double>(out.count);
  out.min = least;
  out.max = most;
  return out;
}

}  // namespace strata
