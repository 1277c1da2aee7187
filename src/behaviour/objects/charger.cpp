#include "behaviour/objects/charger.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.hpp"
#include "behaviour/script/instruction.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

void declare_chargers(World& world) {
  world.register_component<Charging>(
      "charging", {field("power", "W", &Charging::power_w), field("until", "J", &Charging::until_j)});
}

const Charger* charger_at(const World& world, Vec3 at) {
  const Charger* best = nullptr;
  for (const Charger& charger : world.places().chargers) {
    const double distance = length(charger.at.xy() - at.xy());
    if (distance > charger.radius_m) continue;
    if (best == nullptr || distance < length(best->at.xy() - at.xy())) best = &charger;
  }
  return best;
}

class ChargerSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<ChargerSystem>());
  }
  void start(Simulation& simulation) override { declare_chargers(simulation.world()); }

  void step(World& world, const Step& step) override {
    std::vector<EntityId> full;
    for (auto [robot, charging, battery] : world.each<const Charging, Battery>()) {
      battery.left_j = std::min(battery.left_j + charging.power_w * step.dt.seconds(), charging.until_j);
      if (battery.left_j >= charging.until_j) full.push_back(robot);
    }
    std::sort(full.begin(), full.end(),
              [&](EntityId a, EntityId b) { return world.stable_id(a) < world.stable_id(b); });
    for (const EntityId robot : full) {
      const Pose* pose = std::as_const(world).get<Pose>(robot);
      world.remove<Charging>(robot);
      enable(world, robot, Disabled::kBatteryEmpty);
      world.emit({step.now, "charged", robot, {}, pose == nullptr ? Vec3{} : pose->position, "", 0});
    }
  }
  [[nodiscard]] Time due(const World& world, Time now) const override {
    return world.pool<Charging>().size() == 0 ? Time::never() : now;
  }
};

// "charge", "charge 80 %" or "charge to 80 %".
Result<InstructionArgs> read_charge(const InstructionWords& words, World& /*world*/, EntityId /*robot*/) {
  InstructionArgs args;
  args.text = words.joined();
  args.number = 1;
  InstructionWords rest = words;
  if (!rest.words.empty() && rest.words.front() == "to") rest.words.erase(rest.words.begin());
  if (rest.words.empty()) return args;
  const Result<Quantity> level = parse_quantity(rest.joined());
  if (!level.ok() || !level->dimension.dimensionless() || level->si <= 0 || level->si > 1)
    return Error{words.where, fmt::format("'{}' is not a level to charge to", rest.joined()), "write 'charge to 80 %'"};
  args.number = level->si;
  return args;
}

InstructionOutcome begin_charge(ScriptContext& context, const InstructionArgs& args) {
  World& world = context.world;
  const Battery* battery = std::as_const(world).get<Battery>(context.robot);
  const Pose* pose = std::as_const(world).get<Pose>(context.robot);
  if (battery == nullptr || pose == nullptr) return InstructionOutcome::failed("missing_part", "it has no battery");
  const Charger* charger = charger_at(world, pose->position);
  if (charger == nullptr) return InstructionOutcome::failed("no_charger", "there is no charger here");
  const double until = battery->capacity_j * args.number;
  if (battery->left_j >= until) return InstructionOutcome::done(context.begin);
  declare_chargers(world);
  world.add(context.robot, Charging{charger->power_w, until});
  return InstructionOutcome::busy();
}

InstructionOutcome poll_charge(ScriptContext& context, const InstructionArgs& /*args*/) {
  if (context.world.has<Charging>(context.robot)) {
    if (!context.world.has<Battery>(context.robot))
      return InstructionOutcome::failed("missing_part", "its battery is gone");
    return InstructionOutcome::busy();
  }
  return InstructionOutcome::done(context.now);
}

}  // namespace

void register_charger(Registry& registry) {
  SystemKind system;
  system.name = "charger";
  system.summary = "Fills the batteries of robots that charge";
  system.phase = Phase::kPhysics;
  system.order = 20;
  system.make = &ChargerSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
  InstructionKind kind;
  kind.name = "charge";
  kind.summary = "Fills the battery at a charger of the map";
  kind.usage = "charge, or charge to 80 %";
  kind.needs = "battery";
  kind.read = &read_charge;
  kind.begin = &begin_charge;
  kind.poll = &poll_charge;
  kind.cancel = [](World& world, EntityId robot) { world.remove<Charging>(robot); };
  registry.catalog<InstructionKind>().add(std::move(kind));
  add_event(registry, "charged", "a robot has charged its battery");
  add_error(registry, "no_charger", "there is no charger where the robot is");
}

}  // namespace strata
