#include "behaviour/swarm/formation.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "behaviour/navigation/follow.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

constexpr std::size_t kMembersPerChunk = 2048;

void declare_formation(World& world) {
  world.register_component<FormationMember>(
      "formation",
      {field("place", "m", &FormationMember::place), field("speed", "m/s", &FormationMember::speed),
       field("tolerance", "m", &FormationMember::tolerance_m), field("arrived", "ns", &FormationMember::arrived_ns),
       field("state", "", &FormationMember::state), field("touches", "", &FormationMember::touches)});
  world.register_component<FormationControl>(
      "formation_control",
      {field("begun", "ns", &FormationControl::begun_ns), field("members", "", &FormationControl::members),
       field("reported", "", &FormationControl::reported), field("touches", "", &FormationControl::touches),
       field("state", "", &FormationControl::state)});
}

// Places of the formation, around its centre.
std::vector<Vec3> make_places(const std::string& shape, Vec3 centre, double spacing, std::size_t count) {
  std::vector<Vec3> out;
  const auto n = static_cast<double>(count);
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(n)));
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<double>(i);
    Vec2 offset;
    if (shape == "circle") {
      const double radius = count < 2 ? 0 : spacing / (2 * math::sin(math::kPi / n));
      offset = math::unit(math::kTau * at / n) * radius;
    } else if (shape == "line") {
      offset = {(at - 0.5 * (n - 1)) * spacing, 0};
    } else if (shape == "wedge") {
      const std::size_t behind = (i + 1) / 2;
      const auto rank = static_cast<double>(behind);
      offset = {-rank * spacing, (i % 2 == 0 ? 1 : -1) * rank * spacing};
    } else {
      const double middle = 0.5 * (static_cast<double>(side) - 1);
      const std::size_t column = i % side;
      const std::size_t row = i / side;
      offset = {(static_cast<double>(column) - middle) * spacing, (static_cast<double>(row) - middle) * spacing};
    }
    out.push_back({centre.x + offset.x, centre.y + offset.y, centre.z});
  }
  return out;
}

// Halves the swarm and the formation over and over along their longer side: ways stay short and hardly cross, in
// N log^2 N.
void match(std::span<std::pair<Vec3, std::uint32_t>> members, std::span<std::pair<Vec3, std::uint32_t>> places) {
  if (members.size() < 2) return;
  const auto extent = [&](auto coordinate) {
    const auto [low, high] = std::minmax_element(places.begin(), places.end(), [&](const auto& a, const auto& b) {
      return coordinate(a.first) < coordinate(b.first);
    });
    return coordinate(high->first) - coordinate(low->first);
  };
  const bool by_x = extent([](Vec3 v) { return v.x; }) >= extent([](Vec3 v) { return v.y; });
  const auto before = [&](const auto& a, const auto& b) {
    const double left = by_x ? a.first.x : a.first.y;
    const double right = by_x ? b.first.x : b.first.y;
    return left < right || (left == right && a.second < b.second);
  };
  const std::size_t half = members.size() / 2;
  std::nth_element(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(half), members.end(), before);
  std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(half), places.end(), before);
  match(members.first(half), places.first(half));
  match(members.subspan(half), places.subspan(half));
}

struct FormationSpec {
  std::string shape;
  Vec3 centre;
  double spacing_m = 0;
  Duration time_limit;
  bool stop = false;
};

class FormationSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config& config) {
    FormationSpec spec{config.text("shape"), config.has("centre") ? config.point("centre") : Vec3{},
                       config.quantity("spacing"), config.duration("time_limit"), config.flag("stop")};
    return std::unique_ptr<System>(std::make_unique<FormationSystem>(spec, config.has("centre")));
  }
  FormationSystem(FormationSpec spec, bool has_centre) : spec_(std::move(spec)), has_centre_(has_centre) {}

  void start(Simulation& simulation) override {
    simulation_ = &simulation;
    declare_formation(simulation.world());
    if (!simulation.world().has<FormationControl>(kEnvironment))
      simulation.world().add(kEnvironment, FormationControl{});
    // Those who touch each other report it to the controller.
    simulation.on_event([this](const WorldEvent& event) {
      if (event.name == "collision") note_touch(event);
    });
  }

  void step(World& world, const Step& step) override {
    const FormationControl control = *std::as_const(world).get<FormationControl>(kEnvironment);
    const Time begin = step.now - step.dt;
    if (control.state == 0) assign(world, begin);
    if (control.state >= 2) return;
    if (step.dt > simulation_->spec().step) return;
    fly(world, step);
    take_reports(world, begin);
  }

  [[nodiscard]] Time due(const World& world, Time now) const override {
    return world.get<FormationControl>(kEnvironment)->state < 2 ? now : Time::never();
  }

 private:
  void assign(World& world, Time now) {
    std::vector<EntityId> members(world.pool<FormationMember>().owners().begin(),
                                  world.pool<FormationMember>().owners().end());
    std::sort(members.begin(), members.end(),
              [&](EntityId a, EntityId b) { return world.stable_id(a) < world.stable_id(b); });
    std::vector<std::pair<Vec3, std::uint32_t>> from;
    Vec3 middle;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      const Vec3 at = world.get<Pose>(members[i])->position;
      from.emplace_back(at, i);
      middle = middle + at * (1.0 / static_cast<double>(members.size()));
    }
    std::vector<std::pair<Vec3, std::uint32_t>> to;
    for (const Vec3 place :
         make_places(spec_.shape, has_centre_ ? spec_.centre : middle, spec_.spacing_m, members.size()))
      to.emplace_back(place, static_cast<std::uint32_t>(to.size()));
    match(from, to);
    for (std::size_t i = 0; i < from.size(); ++i) {
      FormationMember& member = *world.edit<FormationMember>(members[from[i].second]);
      member.place = to[i].first;
      member.state = FormationMember::kFlying;
    }
    FormationControl& control = *world.edit<FormationControl>(kEnvironment);
    control = {now.ns(), static_cast<std::uint32_t>(members.size()), 0, 0, 1};
  }

  void fly(World& world, const Step& step) {
    const Pool<FormationMember>& members = std::as_const(world).pool<FormationMember>();
    Pool<DriveCommand>& commands = world.pool<DriveCommand>();
    const Pool<Pose>& poses = std::as_const(world).pool<Pose>();
    const std::span<const FormationMember> rows = members.rows();
    arrives_.assign(rows.size(), 0);
    const std::span<DriveCommand> command_rows = commands.edit_rows();
    const double dt = step.dt.seconds();
    step.threads.for_each_chunk(rows.size(), kMembersPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const FormationMember& member = rows[i];
        if (member.state != FormationMember::kFlying) continue;
        const EntityId entity = members.owners()[i];
        const std::uint32_t command = commands.row(entity);
        const std::uint32_t pose = poses.row(entity);
        if (command == PoolBase::kNone || pose == PoolBase::kNone) continue;
        const Vec3 way = member.place - poses.rows()[pose].position;
        const double distance = length(way);
        if (distance <= member.tolerance_m) {
          arrives_[i] = 1;
          command_rows[command] = {};
          continue;
        }
        const Vec3 velocity = way * (std::min(member.speed, distance / dt) / distance);
        const Vec2 h = heading(poses.rows()[pose].orientation);
        command_rows[command] = {{h.x * velocity.x + h.y * velocity.y, h.x * velocity.y - h.y * velocity.x, velocity.z},
                                 0};
      }
    });
  }

  // Members are written only when one arrives: what nobody wrote need not be hashed again.
  void take_reports(World& world, Time now) {
    FormationControl control = *std::as_const(world).get<FormationControl>(kEnvironment);
    std::vector<EntityId> arrived;
    const Pool<FormationMember>& members = std::as_const(world).pool<FormationMember>();
    for (std::size_t i = 0; i < arrives_.size(); ++i) {
      if (arrives_[i] != 0) arrived.push_back(members.owners()[i]);
    }
    for (const EntityId entity : arrived) {
      FormationMember& member = *world.edit<FormationMember>(entity);
      member.state = FormationMember::kInPlace;
      member.arrived_ns = now.ns();
    }
    const auto alive = static_cast<std::uint32_t>(members.size());
    const auto in_place = static_cast<std::uint32_t>(
        std::count_if(members.rows().begin(), members.rows().end(),
                      [](const FormationMember& member) { return member.state == FormationMember::kInPlace; }));
    std::sort(arrived.begin(), arrived.end(),
              [&](EntityId a, EntityId b) { return world.stable_id(a) < world.stable_id(b); });
    for (const EntityId entity : arrived)
      world.emit({now, "in_formation", entity, {}, world.get<FormationMember>(entity)->place, "", 0});
    control.reported = in_place;
    control.members = alive;
    if (in_place == alive && alive > 0) return conclude(world, control, 2, now, "formation_complete");
    if (now >= Time::from_ns(control.begun_ns) + spec_.time_limit)
      return conclude(world, control, 3, now, "formation_given_up");
    if (control.reported != world.get<FormationControl>(kEnvironment)->reported)
      *world.edit<FormationControl>(kEnvironment) = control;
  }

  void conclude(World& world, FormationControl control, std::uint32_t state, Time now, const char* event) {
    control.state = state;
    *world.edit<FormationControl>(kEnvironment) = control;
    for (const EntityId entity : world.pool<FormationMember>().owners()) {
      if (DriveCommand* command = world.edit<DriveCommand>(entity)) *command = {};
    }
    world.emit({now, event, {}, {}, spec_.centre, "", static_cast<double>(control.reported)});
    if (spec_.stop) simulation_->kernel().stop(event);
  }

  void note_touch(const WorldEvent& event) {
    World& world = simulation_->world();
    for (const EntityId entity : {event.entity, event.other}) {
      if (!entity.valid() || !world.alive(entity) || !world.has<FormationMember>(entity)) continue;
      ++world.edit<FormationMember>(entity)->touches;
      ++world.edit<FormationControl>(kEnvironment)->touches;
      world.emit(
          {event.time, "touched", entity, entity == event.entity ? event.other : event.entity, event.point, "", 0});
    }
  }

  FormationSpec spec_;
  bool has_centre_;
  std::vector<std::uint8_t> arrives_;  // by row, of the present step
  Simulation* simulation_ = nullptr;
};

void add_behaviour(Registry& registry) {
  BehaviourKind kind;
  kind.name = "formation";
  kind.summary = "Flies to its place in the formation and reports";
  kind.params = {param::quantity("speed", "m/s", "2 m/s", "on the way").above(0),
                 param::quantity("tolerance", "m", "0.02 m", "this near it is in place").above(0)};
  kind.details =
      "The system 'formation' is the controller: its shape, spacing and time limit. Add 'give_way' to avoid "
      "each other.";
  kind.systems = {"formation"};
  kind.declare = &declare_formation;
  kind.attach = [](World& world, EntityId entity, const Config& config) -> Result<void> {
    declare_formation(world);
    const DriveLimits limits = limits_of(world, entity);
    if (limits.kind != DriveLimits::kFree)
      return Error{config.where(), "the formation is flown by what moves in any direction",
                   "use motion: point or motion: holonomic"};
    FormationMember member;
    member.speed = std::min(config.quantity("speed"), limits.max_speed);
    member.tolerance_m = config.quantity("tolerance");
    world.add(entity, member);
    return {};
  };
  registry.catalog<BehaviourKind>().add(std::move(kind));
}

}  // namespace

void register_formation(Registry& registry) {
  add_behaviour(registry);
  SystemKind system;
  system.name = "formation";
  system.summary = "Controller of a swarm: gives every member a place, takes their reports, gives up after a time";
  system.params = {param::choice("shape", {"grid", "circle", "line", "wedge"}, "grid", "of the formation"),
                   param::point("centre", "of the formation; where the swarm is in the middle if not given"),
                   param::quantity("spacing", "m", "1.5 m", "between places").above(0),
                   param::quantity("time_limit", "s", "60 s", "the controller gives up after this").above(0),
                   param::flag("stop", false, "ends the run when all have reported, or at the time limit")};
  system.phase = Phase::kPlan;
  system.make = &FormationSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
  add_event(registry, "in_formation", "a member reports that it is in its place");
  add_event(registry, "touched", "a member reports that it touched something");
  add_event(registry, "formation_complete", "all members have reported; value: how many");
  add_event(registry, "formation_given_up", "the time limit has come first; value: how many have reported");
}

}  // namespace strata
