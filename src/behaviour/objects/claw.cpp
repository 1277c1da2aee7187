#include "behaviour/objects/claw.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "behaviour/navigation/navigation.hpp"
#include "world/battery.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

void declare_claws(World& world) {
  world.register_component<Claw>("claw",
                                 {field("reach", "m", &Claw::reach_m), field("capacity", "kg", &Claw::capacity_kg),
                                  field("slow_down", "", &Claw::slow_down), field("energy", "J", &Claw::energy_j),
                                  field("load", "kg", &Claw::load_kg), field("carried", "", &Claw::carried)});
  world.register_component<Pickable>(
      "pickable", {field("weight", "kg", &Pickable::weight_kg), field("holder_slot", "", &Pickable::holder_slot),
                   field("holder_generation", "", &Pickable::holder_generation)});
}

// "medicine" means the thing of that name, and medicine1, medicine2, ...
bool is_meant(const std::string& asked, const std::string& name) {
  if (name == asked) return true;
  return name.size() > asked.size() && name.compare(0, asked.size(), asked) == 0 &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(asked.size()), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

void set_pace(World& world, EntityId robot, const Claw& claw) {
  if (Navigator* navigator = world.edit<Navigator>(robot))
    navigator->pace = 1 - claw.slow_down * std::min(claw.load_kg / claw.capacity_kg, 1.0);
}

std::string place_near(const World& world, Vec3 at, double reach) {
  std::string tag;
  double nearest = reach;
  for (const Place& place : world.places().points) {
    const double distance = length(place.at.xy() - at.xy());
    if (distance > nearest || (distance == nearest && !tag.empty())) continue;
    nearest = distance;
    tag = place.tag;
  }
  return tag;
}

Result<InstructionArgs> read_thing(const InstructionWords& words, World& world, EntityId /*robot*/) {
  InstructionArgs args;
  args.text = words.joined();
  if (words.words.size() != 1)
    return Error{words.where, "it does not say what", "name one thing, as in 'grab medicine'"};
  args.word = words.words.front();
  std::vector<std::string> known;
  for (const Item& item : world.places().items) {
    if (is_meant(args.word, item.name)) return args;
    known.push_back(item.name);
  }
  return Error{words.where, fmt::format("there is no thing '{}' to pick up", args.word), suggestion(args.word, known)};
}

/// Makes the things of the map pickable; drops what a robot that is gone, or its claw, was holding.
class ClawSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<ClawSystem>());
  }
  void start(Simulation& simulation) override {
    World& world = simulation.world();
    declare_claws(world);
    for (const Item& item : world.places().items) {
      if (world.alive(item.entity) && !world.has<Pickable>(item.entity))
        world.add(item.entity, Pickable{item.weight_kg, 0, 0});
    }
  }

  void step(World& world, const Step& step) override {
    const std::uint64_t members = std::as_const(world).pool<Claw>().membership();
    if (members == members_ && !lost_) return remember(world);
    members_ = members;
    lost_ = false;
    std::vector<EntityId> lost;
    for (auto [thing, pickable] : world.each<const Pickable>()) {
      const EntityId holder = pickable.holder();
      if (holder.valid() && (!world.alive(holder) || !world.has<Claw>(holder))) lost.push_back(thing);
    }
    for (const EntityId thing : lost) put_down(world, thing, step.now);
    remember(world);
  }
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }

 private:
  void put_down(World& world, EntityId thing, Time now) {
    Pickable& pickable = *world.edit<Pickable>(thing);
    const EntityId holder = pickable.holder();
    const Pose* pose = world.alive(holder) ? world.get<Pose>(holder) : nullptr;
    Vec3 at = pose == nullptr ? Vec3{} : pose->position;
    for (const auto& [slot, last] : where_) {
      if (pose == nullptr && slot == holder.slot) at = last;
    }
    pickable.holder_slot = 0;
    pickable.holder_generation = 0;
    world.add(thing, Pose{at, {}});
    world.emit({now, "lost", thing, world.alive(holder) ? holder : EntityId{}, at, world.name(thing), 0});
  }

  // Where holders are: a robot that is taken out of the world leaves what it carried there.
  void remember(const World& world) {
    where_.clear();
    for (const Pickable& pickable : world.pool<Pickable>().rows()) {
      const EntityId holder = pickable.holder();
      if (!holder.valid()) continue;
      if (!world.alive(holder)) {
        lost_ = true;
      } else if (const Pose* pose = world.get<Pose>(holder)) {
        where_.emplace_back(holder.slot, pose->position);
      }
    }
  }

  std::uint64_t members_ = 0;
  bool lost_ = false;
  std::vector<std::pair<std::uint32_t, Vec3>> where_;
};

void add_instruction(Registry& registry, const char* name, const char* summary, const char* usage,
                     InstructionOutcome (*act)(World&, EntityId, const std::string&, Time)) {
  InstructionKind kind;
  kind.name = name;
  kind.summary = summary;
  kind.usage = usage;
  kind.needs = "claw";
  kind.read = &read_thing;
  kind.begin = [act](ScriptContext& context, const InstructionArgs& args) {
    return act(context.world, context.robot, args.word, context.begin);
  };
  registry.catalog<InstructionKind>().add(std::move(kind));
}

}  // namespace

InstructionOutcome grab(World& world, EntityId robot, const std::string& thing, Time now) {
  const Claw* claw = world.get<Claw>(robot);
  const Pose* pose = world.get<Pose>(robot);
  if (claw == nullptr || pose == nullptr) return InstructionOutcome::failed("missing_part", "it has no claw");
  const double reach = claw->reach_m;
  EntityId best;
  double nearest = 0;
  bool free = false;
  for (const EntityId candidate : world.pool<Pickable>().owners()) {
    if (!is_meant(thing, world.name(candidate))) continue;
    const Pose* at = world.get<Pose>(candidate);
    if (at == nullptr || world.get<Pickable>(candidate)->holder().valid()) continue;
    free = true;
    const double distance = length(at->position.xy() - pose->position.xy());
    if (distance > reach ||
        (best.valid() &&
         (distance > nearest || (distance == nearest && world.stable_id(candidate) > world.stable_id(best)))))
      continue;
    best = candidate;
    nearest = distance;
  }
  if (!best.valid())
    return InstructionOutcome::failed(free ? "out_of_reach" : "gone",
                                      fmt::format("no '{}' {}", thing, free ? "within reach" : "is left"));
  const double weight = world.get<Pickable>(best)->weight_kg;
  if (claw->load_kg + weight > claw->capacity_kg)
    return InstructionOutcome::failed("too_heavy",
                                      fmt::format("'{}' of {} kg is too much for it", world.name(best), weight));
  if (!spend(world, robot, claw->energy_j)) return InstructionOutcome::failed("no_energy", "its battery is too low");
  Claw& own = *world.edit<Claw>(robot);
  own.load_kg += weight;
  ++own.carried;
  set_pace(world, robot, own);
  const Vec3 at = world.get<Pose>(best)->position;
  Pickable& pickable = *world.edit<Pickable>(best);
  pickable.holder_slot = robot.slot;
  pickable.holder_generation = robot.generation;
  world.remove<Pose>(best);
  world.emit({now, "grabbed", robot, best, at, world.name(best), weight});
  return InstructionOutcome::done(now);
}

InstructionOutcome drop(World& world, EntityId robot, const std::string& thing, Time now) {
  const Claw* claw = world.get<Claw>(robot);
  const Pose* pose = world.get<Pose>(robot);
  if (claw == nullptr || pose == nullptr) return InstructionOutcome::failed("missing_part", "it has no claw");
  for (const EntityId candidate : world.pool<Pickable>().owners()) {
    const Pickable held = *world.get<Pickable>(candidate);
    if (held.holder() != robot || !is_meant(thing, world.name(candidate))) continue;
    if (!spend(world, robot, claw->energy_j)) return InstructionOutcome::failed("no_energy", "its battery is too low");
    Claw& own = *world.edit<Claw>(robot);
    --own.carried;
    own.load_kg = own.carried == 0 ? 0 : own.load_kg - held.weight_kg;
    set_pace(world, robot, own);
    *world.edit<Pickable>(candidate) = {held.weight_kg, 0, 0};
    const Vec3 at = pose->position;
    world.add(candidate, Pose{at, {}});
    world.emit({now, "dropped", robot, candidate, at, world.name(candidate), held.weight_kg});
    if (const std::string tag = place_near(world, at, claw->reach_m); !tag.empty())
      world.emit({now, "delivered", robot, candidate, at, tag, held.weight_kg});
    return InstructionOutcome::done(now);
  }
  return InstructionOutcome::failed("not_carried", fmt::format("it does not carry '{}'", thing));
}

void register_claw(Registry& registry) {
  ComponentKind kind;
  kind.name = "claw";
  kind.summary = "Picks up things, carries and drops them";
  kind.params = {
      param::quantity("reach", "m", "0.5 m", "from its middle to the thing").above(0),
      param::quantity("capacity", "kg", "2 kg", "of all it carries").above(0),
      param::quantity("slow_down", "", "0 %", "part of its speed that a full load costs").at_least(0).at_most(0.99),
      param::quantity("energy", "J", "0 J", "for each grab and drop").at_least(0)};
  kind.details = "Gives scripts the instructions 'grab THING' and 'drop THING'.";
  kind.systems = {"claw"};
  kind.declare = &declare_claws;
  kind.attach = [](World& world, EntityId robot, const Config& config) -> Result<void> {
    declare_claws(world);
    world.add(robot, Claw{config.quantity("reach"), config.quantity("capacity"), config.quantity("slow_down"),
                          config.quantity("energy"), 0, 0});
    return {};
  };
  registry.catalog<ComponentKind>().add(std::move(kind));
  SystemKind system;
  system.name = "claw";
  system.summary = "Looks after things that are carried";
  system.phase = Phase::kSense;
  system.make = &ClawSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
  add_instruction(registry, "grab", "Picks up a thing within reach", "grab THING", &grab);
  add_instruction(registry, "drop", "Puts down a thing it carries", "drop THING", &drop);
  add_event(registry, "grabbed", "a claw has picked up a thing; value: its weight in kg");
  add_event(registry, "dropped", "a claw has put down a thing");
  add_event(registry, "delivered", "a thing was put down at a place; text: its tag");
  add_event(registry, "lost", "a thing fell out of a claw that failed");
  add_error(registry, "out_of_reach", "the thing is too far away to grab");
  add_error(registry, "too_heavy", "the claw cannot carry that much");
  add_error(registry, "not_carried", "what should be dropped is not carried");
  add_error(registry, "no_energy", "the battery is too low for the action");
}

}  // namespace strata
