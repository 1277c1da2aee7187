#include "app/bench/swarm.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "base/random.hpp"
#include "behaviour/behaviour_kinds.hpp"
#include "behaviour/swarm/formation.hpp"
#include "kernel/pacing.hpp"
#include "world/components.hpp"
#include "world/simulation.hpp"

namespace strata::bench {
namespace {

constexpr double kRate = 24;  // steps per second
constexpr double kDroneRadius = 0.25;
constexpr double kLimit_s = 120;

Config checked(const std::vector<Param>& params, Value values) {
  Result<Config> config = Config::check(values, params);
  STRATA_ASSERT(config.ok(), "the benchmark's own set-up is right");
  return std::move(config).value();
}

template <class Kind>
void attach(Registry& registry, World& world, EntityId entity, const char* name, const Config& config) {
  const bool good = registry.catalog<Kind>().find(name)->attach(world, entity, config).ok();
  STRATA_ASSERT(good, "the benchmark's own set-up is right");
}

// Drones stand scattered over a square, two metres apart on average; the formation is a denser square beside it.
std::unique_ptr<Simulation> make_swarm(long drones) {
  Registry registry;
  register_world_kinds(registry);
  register_behaviour_kinds(registry);
  SimulationSpec spec;
  spec.step = Duration::from_seconds(1 / kRate);
  spec.seed = 11;
  auto simulation = std::make_unique<Simulation>(spec);
  World& world = simulation->world();
  const auto side = static_cast<long>(std::ceil(std::sqrt(static_cast<double>(drones))));
  const std::uint32_t body = world.shapes().add({circle_shape(kDroneRadius, 0.2)});
  const auto config_of = [&](const auto& kind, Value values = {}) { return checked(kind->params, std::move(values)); };
  const Config drive =
      config_of(registry.catalog<MotionKind>().find("point"), Value::map({{"max_speed", Value::scalar("3 m/s")}}));
  const Config member = config_of(registry.catalog<BehaviourKind>().find("formation"));
  const Config avoid =
      config_of(registry.catalog<BehaviourKind>().find("give_way"), Value::map({{"horizon", Value::scalar("0.6 s")}}));
  RandomStream place(spec.seed, 0, "bench_swarm");
  for (long i = 0; i < drones; ++i) {
    const EntityId drone = world.create();
    const double x = 2 * static_cast<double>(i % side) + place.uniform(0, 1.4);
    const double y = 2 * static_cast<double>(i / side) + place.uniform(0, 1.4);  // NOLINT(bugprone-integer-division)
    world.add(drone, Pose{{x, y, 1}, {}});
    world.add(drone, Robot{0, static_cast<std::uint32_t>(i)});
    set_body(world, drone, body);
    world.add(drone, Contact{});
    attach<MotionKind>(registry, world, drone, "point", drive);
    attach<BehaviourKind>(registry, world, drone, "formation", member);
    attach<BehaviourKind>(registry, world, drone, "give_way", avoid);
  }
  const double centre = static_cast<double>(side) + 10;
  const Value control = Value::map({{"spacing", Value::scalar("1.5 m")},
                                    {"centre", Value::list({Value::scalar(format_number(centre)),
                                                            Value::scalar(format_number(centre)), Value::scalar("1")})},
                                    {"time_limit", Value::scalar(fmt::format("{} s", kLimit_s))},
                                    {"stop", Value::scalar("yes")}});
  for (const char* name : {"formation", "give_way", "point_drive"}) {
    const SystemKind& kind = *registry.catalog<SystemKind>().find(name);
    const Config config = checked(kind.params, std::string(name) == "formation" ? control : Value{});
    simulation->add_system(name, kind.phase, kind.order, kind.make(config).value());
  }
  simulation->start();
  return simulation;
}

struct SwarmOutcome {
  double cpu_per_s = 0;
  double simulated_s = 0;
  std::uint64_t reported = 0;
  std::uint64_t touched = 0;
  std::size_t overlaps = 0;
  bool complete = false;
};

SwarmOutcome fly(long drones, int rounds) {
  SwarmOutcome out;
  for (int round = 0; round < rounds; ++round) {
    const auto simulation = make_swarm(drones);
    const Stopwatch watch;
    simulation->run_until(Time::from_seconds(kLimit_s + 1));
    const double cpu = watch.thread_cpu_seconds();
    out.simulated_s = simulation->now().seconds();
    const double per_s = cpu / out.simulated_s;
    out.cpu_per_s = round == 0 ? per_s : std::min(out.cpu_per_s, per_s);
    out.reported = simulation->event_count("in_formation");
    out.touched = simulation->event_count("collision");
    out.complete = simulation->event_count("formation_complete") == 1;
  }
  return out;
}

// Looks after every step for two that overlap.
std::size_t count_overlaps(long drones) {
  const auto simulation = make_swarm(drones);
  std::size_t overlaps = 0;
  while (!simulation->kernel().stopped() && simulation->now() < Time::from_seconds(kLimit_s)) {
    simulation->run_until(simulation->now() + simulation->spec().step);
    overlaps += simulation->server().overlaps(simulation->world()).size();
  }
  return overlaps;
}

std::optional<double> target_for(long drones) {
  if (drones == 200) return 1.4e-3;
  if (drones == 20'000) return 1;
  return std::nullopt;
}

void measure(Report& report, long drones, bool quick) {
  const SwarmOutcome out = fly(drones, quick || drones > 500 ? 1 : 5);
  const std::string name = fmt::format("drones-{}", drones);
  Row row{.name = name, .metric = "cpu_s_per_simulated_s", .value = out.cpu_per_s, .unit = "s"};
  row.target = target_for(drones);
  if (row.target) row.met = out.cpu_per_s <= *row.target;
  row.note = fmt::format("{:.1f} s simulated, {} collisions", out.simulated_s, out.touched);
  report.rows.push_back(row);
  report.rows.push_back({.name = name,
                         .metric = "reported",
                         .value = static_cast<double>(out.reported),
                         .unit = "",
                         .target = static_cast<double>(drones),
                         .met = out.complete});
  if (drones > 2'000) return;
  const auto overlaps = static_cast<double>(count_overlaps(drones));
  report.rows.push_back(
      {.name = name, .metric = "overlaps", .value = overlaps, .unit = "", .target = 0, .met = overlaps == 0});
}

}  // namespace

Report run_swarm(const Options& options) {
  Report report{"swarm", {}};
  std::vector<long> sizes{20, 40, 60, 80, 100, 150, 200, 2'000, 20'000};
  if (options.quick) sizes = {20, 200};
  if (options.count) sizes = {std::max(1L, *options.count)};
  for (const long drones : sizes) measure(report, drones, options.quick);
  return report;
}

}  // namespace strata::bench
