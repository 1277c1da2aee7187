// A plugin: wind that pushes what has a sail. It adds one component (`sail`, something a robot can carry) and one
// system
// (`wind`, which serves it). Both can be listed, described, checked and used like the ones that come with Strata.
#include <memory>
#include <string>

#include "base/catalog.hpp"
#include "base/plugin.hpp"
#include "base/random.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"
#include "world/metric.hpp"
#include "world/simulation.hpp"
#include "world/system.hpp"

namespace {

using namespace strata;

// State is plain data. Its fields are named once, so that it is recorded, hashed and saved like any other.
struct Sail {
  double drag = 0;  // part of the wind's speed that it takes over
  double pushed_m = 0;
};

void declare_sail(World& world) {
  world.register_component<Sail>("sail", {field("drag", "", &Sail::drag), field("pushed", "m", &Sail::pushed_m)});
}

// Logic has no state that matters: the gust of a step is a function of the seed and the step.
class WindSystem final : public System {
 public:
  explicit WindSystem(const Config& config) : velocity_(config.point("velocity")), gusts_(config.quantity("gusts")) {}

  static Result<std::unique_ptr<System>> make(const Config& config) {
    return std::unique_ptr<System>(std::make_unique<WindSystem>(config));
  }

  void start(Simulation& simulation) override { declare_sail(simulation.world()); }

  void step(World& world, const Step& step) override {
    const StreamKey key = stream_key(world.seed(), 0, "wind");
    RandomStream random(key, step.index);
    const double strength = 1 + gusts_ * random.uniform(-1, 1);
    if (strength > kGale) world.emit({step.now, "gale", kEnvironment, {}, {}, "hold on", strength});
    for (auto [robot, sail, velocity] : world.each<Sail, Velocity>()) {
      const Vec3 push = velocity_ * (strength * sail.drag);
      velocity.linear = velocity.linear + push;
      sail.pushed_m += length(push) * step.dt.seconds();
    }
  }

 private:
  static constexpr double kGale = 1.45;

  Vec3 velocity_;
  double gusts_;
};

void add_kinds(Registry& registry) {
  ComponentKind sail;
  sail.name = "sail";
  sail.summary = "Lets the wind push a robot";
  sail.params = {param::number("drag", "10 %", "part of the wind's speed that it takes over").at_least(0).at_most(1)};
  sail.declare = &declare_sail;
  sail.attach = [](World& world, EntityId robot, const Config& config) -> Result<void> {
    declare_sail(world);
    world.add(robot, Sail{config.number("drag"), 0});
    return {};
  };
  registry.catalog<ComponentKind>().add(std::move(sail));

  SystemKind wind;
  wind.name = "wind";
  wind.summary = "Pushes everything that has a sail";
  wind.params = {param::point("velocity", "[x, y] in m/s: where it blows to, and how fast").required(),
                 param::number("gusts", "0 %", "how much its strength varies").at_least(0).at_most(1)};
  wind.phase = Phase::kAct;
  wind.order = 100;  // after the drives have set what the robots want
  wind.make = &WindSystem::make;
  registry.catalog<SystemKind>().add(std::move(wind));

  MetricKind pushed;
  pushed.name = "pushed";
  pushed.summary = "way the wind has pushed";
  pushed.unit = "m";
  pushed.per_entity = figure_of<Sail>([](const Sail& sail) { return sail.pushed_m; });
  registry.catalog<MetricKind>().add(std::move(pushed));

  add_event(registry, "gale", "a gust of wind, value: its strength");
}

}  // namespace

STRATA_PLUGIN("wind", add_kinds)
