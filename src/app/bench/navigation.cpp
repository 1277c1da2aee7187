#include "app/bench/navigation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/bench/boost_dijkstra.hpp"
#include "base/random.hpp"
#include "behaviour/navigation/grid_search.hpp"
#include "kernel/pacing.hpp"

namespace strata::bench {
namespace {

struct Query {
  Cell start;
  Cell goal;
  double length = 0;  // found; infinite if there is no way
};

// A building: rooms of random size whose walls have doors, with some furniture.
GridMap make_rooms(std::int32_t size) {
  GridMap map(size, size, 0.1);
  RandomStream random(1, 0, "bench_navigation_rooms");
  const auto between = [&](std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(high - low)));
  };
  for (const bool upright : {false, true}) {
    for (std::int32_t wall = between(10, 40); wall < size; wall += between(25, 60)) {
      for (std::int32_t i = 0; i < size; ++i) map.set(upright ? Cell{wall, i} : Cell{i, wall}, false);
      for (std::int32_t door = between(2, 20); door + 8 < size; door += between(20, 50)) {
        for (std::int32_t i = door; i < door + 8; ++i) map.set(upright ? Cell{wall, i} : Cell{i, wall}, true);
      }
    }
  }
  for (std::int32_t piece = 0; piece < size * size / 400; ++piece) {
    const Cell at{between(0, size - 4), between(0, size - 4)};
    const Cell extent{between(1, 4), between(1, 4)};
    for (std::int32_t y = 0; y < extent.y; ++y) {
      for (std::int32_t x = 0; x < extent.x; ++x) map.set({at.x + x, at.y + y}, false);
    }
  }
  return map;
}

// Every fifth cell blocked: the least order there is.
GridMap make_scatter(std::int32_t size) {
  GridMap map(size, size, 0.1);
  RandomStream random(1, 0, "bench_navigation_scatter");
  for (std::int32_t y = 0; y < size; ++y) {
    for (std::int32_t x = 0; x < size; ++x) {
      if (random.chance(0.2)) map.set({x, y}, false);
    }
  }
  return map;
}

std::vector<Query> make_queries(const GridMap& map, std::size_t count) {
  RandomStream random(1, 1, "bench_navigation_queries");
  const auto pick = [&] {
    while (true) {
      const auto x = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(map.width())));
      const auto y = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(map.height())));
      if (map.free({x, y})) return Cell{x, y};
    }
  };
  std::vector<Query> queries;
  for (std::size_t i = 0; i < count; ++i) {
    const Cell start = pick();
    queries.push_back({start, pick()});
  }
  return queries;
}

void compare_with_boost(Report& report, const std::string& name, const GridMap& map, const std::vector<Query>& queries,
                        std::size_t sample) {
  Row row{.name = name, .metric = "wrong_lengths_in_sample", .value = 0, .unit = ""};
  row.target = 0;
  row.peer = "Boost.Graph";
  for (std::size_t i = 0; i < sample; ++i) {
    const Query& query = queries[i * queries.size() / sample];
    const auto exact = boost_lengths(map, query.start, {query.goal});
    if (!exact) {
      row.target.reset();
      row.note = "not compared: apt-get install libboost-dev, and build again";
      report.rows.push_back(row);
      return;
    }
    const bool same = std::isinf(exact->front())
                          ? std::isinf(query.length)
                          : std::abs(exact->front() - query.length) < 1e-6 * exact->front() + 1e-9;
    row.value += same ? 0 : 1;
  }
  row.met = row.value == 0;
  row.note = fmt::format("{} queries compared with Dijkstra's search", sample);
  report.rows.push_back(row);
}

void measure(Report& report, const char* what, const GridMap& map, std::size_t count, std::size_t sample) {
  std::vector<Query> queries = make_queries(map, count);
  GridSearch search(map);
  std::size_t reached = 0;
  const Stopwatch watch;
  for (Query& query : queries) {
    const GridWay way = search.jump_search(query.start, query.goal);
    query.length = way.complete ? way.length : std::numeric_limits<double>::infinity();
    reached += way.complete ? 1 : 0;
  }
  const double rate = static_cast<double>(count) / watch.thread_cpu_seconds();
  const std::string name = fmt::format("{}-{}", what, map.width());
  report.rows.push_back({.name = name,
                         .metric = "queries_per_cpu_s",
                         .value = rate,
                         .unit = "1/s",
                         .target = 500,
                         .met = rate >= 500,
                         .note = fmt::format("{} queries, {} with a way", count, reached)});
  compare_with_boost(report, name, map, queries, sample);
}

void measure_any_angle(Report& report, const GridMap& map, std::size_t count) {
  const std::vector<Query> queries = make_queries(map, count);
  GridSearch search(map);
  const Stopwatch watch;
  for (const Query& query : queries) static_cast<void>(search.any_angle_search(query.start, query.goal));
  report.rows.push_back({.name = fmt::format("any_angle-{}", map.width()),
                         .metric = "queries_per_cpu_s",
                         .value = static_cast<double>(count) / watch.thread_cpu_seconds(),
                         .unit = "1/s"});
}

}  // namespace

Report run_navigation(const Options& options) {
  Report report{"navigation", {}};
  const std::int32_t size = options.quick ? 256 : 1024;
  const auto count = static_cast<std::size_t>(std::max(1L, options.count.value_or(options.quick ? 300 : 10'000)));
  const std::size_t sample = std::min<std::size_t>(count, options.quick ? 2 : 12);
  const GridMap rooms = make_rooms(size);
  measure(report, "rooms", rooms, count, sample);
  measure(report, "scatter", make_scatter(size), count, sample);
  measure_any_angle(report, rooms, std::max<std::size_t>(count / 50, 1));
  return report;
}

}  // namespace strata::bench
