#include "app/bench/robots.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "app/bench/enki.hpp"
#include "base/random.hpp"
#include "behaviour/behaviour_kinds.hpp"
#include "kernel/pacing.hpp"
#include "world/components.hpp"
#include "world/footprint_server.hpp"
#include "world/range_scan.hpp"
#include "world/simulation.hpp"

namespace strata::bench {
namespace {

constexpr double kRadius = 0.085;
constexpr double kStepSeconds = 0.1;

struct Crowd {
  long robots = 0;
  double ray_range = 0;  // 0 = no sensors
  int threads = 1;
  bool brute_force = false;
};

void must(const Result<void>& result) { STRATA_ASSERT(result.ok(), "the benchmark's own set-up is right"); }

template <class Kind>
void attach(Registry& registry, Simulation& simulation, EntityId entity, const char* name, const Config& config) {
  const Kind& kind = *registry.catalog<Kind>().find(name);
  must(kind.attach(simulation.world(), entity, config));
}

void add_systems(Registry& registry, Simulation& simulation, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const SystemKind& kind = *registry.catalog<SystemKind>().find(name);
    simulation.add_system(name, kind.phase, kind.order, kind.make(*Config::check({}, kind.params)).value());
  }
}

void add_wall(World& world, Vec2 from, Vec2 to) {
  const EntityId wall = world.create();
  world.add(wall, Pose{});
  set_body(world, wall, world.shapes().add({segment_shape(from, to, 0.1, 1)}));
}

// One robot per square metre, each somewhere in a square of its own.
std::unique_ptr<Simulation> make_crowd(const Crowd& crowd) {
  Registry registry;
  register_world_kinds(registry);
  register_behaviour_kinds(registry);
  SimulationSpec spec;
  spec.step = Duration::from_seconds(kStepSeconds);
  spec.seed = 7;
  spec.threads = crowd.threads;
  auto simulation = std::make_unique<Simulation>(spec);
  simulation->set_server(std::make_unique<FootprintServer>(FootprintServer::Spec{crowd.brute_force}));
  World& world = simulation->world();
  const auto side = static_cast<long>(std::ceil(std::sqrt(static_cast<double>(crowd.robots))));
  const double size = static_cast<double>(side);
  add_wall(world, {0, 0}, {size, 0});
  add_wall(world, {size, 0}, {size, size});
  add_wall(world, {size, size}, {0, size});
  add_wall(world, {0, size}, {0, 0});
  const std::uint32_t body = world.shapes().add({circle_shape(kRadius, 0.2)});
  const Config drive = *Config::check({}, registry.catalog<MotionKind>().find("differential")->params);
  const Config walk = *Config::check({}, registry.catalog<BehaviourKind>().find("random_walk")->params);
  Value scan_values = Value::map();
  scan_values.set("range", Value::scalar(fmt::format("{} m", std::max(crowd.ray_range, 0.1))));
  // The range counts from the rim: rays start in the middle of the body.
  if (crowd.ray_range > 0) scan_values.set("range", Value::scalar(fmt::format("{} m", crowd.ray_range + kRadius)));
  const Config scan = *Config::check(scan_values, registry.catalog<SensorKind>().find("range_scan")->params);
  RandomStream place(spec.seed, 0, "bench");
  for (long i = 0; i < crowd.robots; ++i) {
    const EntityId robot = world.create();
    const double dx = place.uniform(0.2, 0.8);
    const double dy = place.uniform(0.2, 0.8);
    const auto row = static_cast<double>(i / side);  // NOLINT(bugprone-integer-division): whole rows
    world.add(robot, Pose{{static_cast<double>(i % side) + dx, row + dy, 0}, {}});
    world.add(robot, Robot{0, static_cast<std::uint32_t>(i)});
    world.add(robot, Odometer{});
    set_body(world, robot, body);
    attach<MotionKind>(registry, *simulation, robot, "differential", drive);
    attach<BehaviourKind>(registry, *simulation, robot, "random_walk", walk);
    if (crowd.ray_range > 0) attach<SensorKind>(registry, *simulation, robot, "range_scan", scan);
  }
  add_systems(registry, *simulation, {"differential_drive", "random_walk"});
  if (crowd.ray_range > 0) add_systems(registry, *simulation, {"range_scan"});
  simulation->start();
  return simulation;
}

struct Outcome {
  double per_cpu_s = 0;
  double per_wall_s = 0;
  std::uint64_t collisions = 0;
  std::uint64_t ray_hits = 0;
  std::uint64_t hash = 0;
  double bytes_per_robot = 0;
};

std::uint64_t count_hits(const World& world) {
  std::uint64_t hits = 0;
  const Pool<RangeScan>* scans = world.find_pool<RangeScan>();
  if (scans == nullptr) return 0;
  for (const RangeScan& scan : scans->rows()) {
    for (const float reading : readings(world, scan)) hits += reading < static_cast<float>(scan.range_m) ? 1 : 0;
  }
  return hits;
}

// Steps for about `seconds` of CPU time, three times; the best counts, as the machine may be shared.
Outcome measure(const Crowd& crowd, double seconds) {
  const std::unique_ptr<Simulation> simulation = make_crowd(crowd);
  const auto step = [&](long steps) {
    simulation->run_until(simulation->now() + Duration::from_seconds(kStepSeconds) * steps);
  };
  step(20);
  Stopwatch watch;
  step(2);
  const double one = std::max(watch.cpu_seconds() / 2, 1e-7);
  const long steps = std::clamp(static_cast<long>(seconds / one), 3L, 20'000L);
  Outcome out;
  for (int round = 0; round < 3; ++round) {
    watch.restart();
    step(steps);
    const double work = static_cast<double>(steps) * static_cast<double>(crowd.robots);
    out.per_cpu_s = std::max(out.per_cpu_s, work / watch.cpu_seconds());
    out.per_wall_s = std::max(out.per_wall_s, work / watch.wall_seconds());
  }
  const auto& server = dynamic_cast<const FootprintServer&>(simulation->server());
  out.bytes_per_robot =
      static_cast<double>(simulation->world().memory() + server.memory()) / static_cast<double>(crowd.robots);
  return out;
}

Outcome run_exactly(const Crowd& crowd, int steps) {
  const std::unique_ptr<Simulation> simulation = make_crowd(crowd);
  Outcome out;
  for (int i = 0; i < steps; ++i) {
    simulation->run_until(simulation->now() + Duration::from_seconds(kStepSeconds));
    out.ray_hits += count_hits(simulation->world());
  }
  out.collisions = simulation->event_count("collision");
  out.hash = simulation->hash();
  return out;
}

std::string case_name(const char* what, long robots) { return fmt::format("{}-{}", what, robots); }

constexpr const char* kThroughput = "robot_steps_per_cpu_second";

// The index must find exactly what testing every pair finds.
void compare_with_brute_force(Report& report, long robots, int steps) {
  struct Case {
    const char* what;
    double range;
  };
  for (const Case& one : {Case{"none", 0}, Case{"rays24", 0.1}, Case{"rays24far", 5}}) {
    const double range = one.range;
    const Outcome fast = run_exactly({robots, range, 1, false}, steps);
    const Outcome slow = run_exactly({robots, range, 1, true}, steps);
    const auto row = [&](const char* metric, std::uint64_t value, std::uint64_t wanted) {
      report.rows.push_back({.name = case_name(one.what, robots),
                             .metric = metric,
                             .value = static_cast<double>(value),
                             .unit = "",
                             .target = static_cast<double>(wanted),
                             .met = value == wanted && fast.hash == slow.hash,
                             .note = "the target is what testing every pair gives"});
    };
    row("collisions", fast.collisions, slow.collisions);
    if (range > 0) row("ray_hits", fast.ray_hits, slow.ray_hits);
  }
}

void add_throughput(Report& report, const char* what, long robots, double range, double seconds,
                    std::optional<double> target) {
  const Outcome out = measure({robots, range, 1, false}, seconds);
  Row row{.name = case_name(what, robots), .metric = kThroughput, .value = out.per_cpu_s, .unit = "1/s"};
  if (target) {
    row.target = target;
    row.met = out.per_cpu_s >= *target;
  }
  report.rows.push_back(row);
}

void add_scaling(Report& report, double seconds) {
  const Outcome small = measure({1'000, 0, 1, false}, seconds);
  const Outcome large = measure({100'000, 0, 1, false}, 2 * seconds);
  const Outcome pair = measure({100'000, 0, 2, false}, 2 * seconds);
  const double kept = large.per_cpu_s / small.per_cpu_s;
  report.rows.push_back({.name = "none-100000", .metric = kThroughput, .value = large.per_cpu_s, .unit = "1/s"});
  report.rows.push_back({.name = "none-100000",
                         .metric = "throughput_kept_from_1000",
                         .value = kept,
                         .unit = "",
                         .target = 0.6,
                         .met = kept >= 0.6});
  report.rows.push_back({.name = "none-100000",
                         .metric = "bytes_per_robot",
                         .value = large.bytes_per_robot,
                         .unit = "B",
                         .target = 1024,
                         .met = large.bytes_per_robot <= 1024});
  const double speedup = pair.per_wall_s / large.per_wall_s;
  report.rows.push_back({.name = "none-100000",
                         .metric = "speedup_2_threads",
                         .value = speedup,
                         .unit = "",
                         .target = 1.6,
                         .met = speedup >= 1.6,
                         .note = "wall time: needs two free cores"});
}

void add_enki(Report& report, double seconds) {
  const Outcome ours = measure({1'000, 0, 1, false}, seconds);
  Row row{.name = "none-1000", .metric = kThroughput, .value = ours.per_cpu_s, .unit = "1/s"};
  const EnkiOutcome enki = run_enki(1'000, kRadius, kStepSeconds);
  row.peer = "enki";
  if (enki.robot_steps_per_cpu_s) {
    row.peer_value = enki.robot_steps_per_cpu_s;
    row.ratio = ours.per_cpu_s / *enki.robot_steps_per_cpu_s;
    row.target = 50;
    row.met = *row.ratio >= 50;
    row.target_is_ratio = true;
  } else {
    row.note = enki.note;
  }
  report.rows.push_back(row);
}

}  // namespace

Report run_robots(const Options& options) {
  Report report{"robots", {}};
  const double seconds = options.quick ? 0.05 : 0.7;
  if (options.count) {
    add_throughput(report, "none", *options.count, 0, seconds, std::nullopt);
    add_throughput(report, "rays24", *options.count, 0.1, seconds, std::nullopt);
    add_throughput(report, "rays24far", *options.count, 5, seconds, std::nullopt);
    return report;
  }
  add_throughput(report, "none", 10'000, 0, seconds, 5e6);
  add_throughput(report, "rays24", 10'000, 0.1, seconds, 3e6);
  add_throughput(report, "rays24far", 10'000, 5, seconds, 0.3e6);
  add_throughput(report, "none", 100, 0, seconds, std::nullopt);
  add_enki(report, seconds);
  if (!options.quick) add_scaling(report, seconds);
  compare_with_brute_force(report, options.quick ? 200 : 1'000, options.quick ? 20 : 100);
  return report;
}

}  // namespace strata::bench
