#include "world/battery.hpp"

#include <algorithm>
#include <vector>

namespace strata {
namespace {

class BatterySystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<BatterySystem>());
  }

  void step(World& world, const Step& step) override {
    std::vector<EntityId> empty;
    const double dt = step.dt.seconds();
    for (auto [entity, battery, odometer] : world.each<Battery, const Odometer>()) {
      if (battery.left_j <= 0) continue;
      battery.left_j -= battery.idle_w * dt + battery.per_metre_j * (odometer.distance_m - battery.seen_distance_m);
      battery.seen_distance_m = odometer.distance_m;
      if (battery.left_j > 0) continue;
      battery.left_j = 0;
      empty.push_back(entity);
    }
    // A removed battery is a failed one: what runs on it stops as well.
    for (const EntityId entity : std::as_const(world).pool<Powered>().owners()) {
      if (world.has<Battery>(entity)) continue;
      const Disabled* disabled = world.get<Disabled>(entity);
      if (disabled == nullptr || (disabled->reasons & Disabled::kBatteryEmpty) == 0) empty.push_back(entity);
    }
    std::sort(empty.begin(), empty.end(),
              [&](EntityId a, EntityId b) { return world.stable_id(a) < world.stable_id(b); });
    for (const EntityId entity : empty) {
      disable(world, entity, Disabled::kBatteryEmpty);
      const Pose* pose = world.get<Pose>(entity);
      world.emit({step.now, "battery_empty", entity, {}, pose == nullptr ? Vec3{} : pose->position, "", 0});
    }
  }

  // While nothing drives, the next thing to happen is the first battery to run empty.
  [[nodiscard]] Time due(const World& world, Time now) const override {
    Time first = Time::never();
    for (const Battery& battery : world.pool<Battery>().rows()) {
      if (battery.left_j <= 0 || battery.idle_w <= 0) continue;
      first = std::min(first, now + Duration::from_seconds(battery.left_j / battery.idle_w));
    }
    return first;
  }
};

}  // namespace

bool spend(World& world, EntityId entity, double joules) {
  if (!world.has<Battery>(entity)) return !world.has<Powered>(entity);
  Battery& battery = *world.edit<Battery>(entity);
  if (battery.left_j < joules) return false;
  battery.left_j -= joules;
  return true;
}

void register_battery(Registry& registry) {
  ComponentKind kind;
  kind.name = "battery";
  kind.summary = "Energy that drains over time and way; empty, the robot stops";
  kind.params = {param::quantity("capacity", "J", "20 Wh", "energy when full").above(0),
                 param::quantity("charge", "", "100 %", "how full it is at the start").at_least(0).at_most(1),
                 param::quantity("idle", "W", "0 W", "drawn all the time").at_least(0),
                 param::quantity("per_metre", "J/m", "0 J/m", "drawn per metre of way").at_least(0)};
  kind.systems = {"battery"};
  kind.attach = [](World& world, EntityId entity, const Config& config) -> Result<void> {
    const double capacity = config.quantity("capacity");
    Battery battery{capacity, capacity * config.quantity("charge"), config.quantity("idle"),
                    config.quantity("per_metre"), 0};
    world.add(entity, battery);
    world.add(entity, Powered{});
    if (!world.has<Odometer>(entity)) world.add(entity, Odometer{});
    if (battery.left_j <= 0) disable(world, entity, Disabled::kBatteryEmpty);
    return {};
  };
  registry.catalog<ComponentKind>().add(std::move(kind));

  SystemKind system;
  system.name = "battery";
  system.summary = "Drains batteries over virtual time and way";
  system.phase = Phase::kPhysics;
  system.order = 10;
  system.make = &BatterySystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
}

}  // namespace strata
