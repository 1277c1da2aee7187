#include "behaviour/random_walk.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "base/random.hpp"
#include "world/components.hpp"

namespace strata {
namespace {

constexpr std::size_t kWalkersPerChunk = 2048;

void declare_random_walk(World& world) {
  world.register_component<RandomWalkSpec>(
      "random_walk_spec",
      {field("min_speed", "m/s", &RandomWalkSpec::min_speed), field("max_speed", "m/s", &RandomWalkSpec::max_speed),
       field("turn_rate", "rad/s", &RandomWalkSpec::turn_rate), field("mean_leg", "s", &RandomWalkSpec::mean_leg_s)});
  world.register_component<RandomWalk>(
      "random_walk", {field("speed", "m/s", &RandomWalk::speed), field("turn_left", "rad", &RandomWalk::turn_left_rad),
                      field("leg_end", "ns", &RandomWalk::leg_end_ns), field("stream", "", &RandomWalk::stream),
                      field("draws", "", &RandomWalk::draws)});
}

// A new leg: speed, length and direction from two draws.
void begin_leg(const RandomWalkSpec& spec, RandomWalk& walk, Time now, const Pose& pose, Vec2 away_from) {
  const auto first = random_block({walk.stream}, walk.draws++);
  const auto second = random_block({walk.stream}, walk.draws++);
  walk.speed = spec.min_speed + (spec.max_speed - spec.min_speed) * to_unit(first[0], first[1]);
  const double leg_s = -spec.mean_leg_s * math::log(1 - to_unit(first[2], first[3]));
  walk.leg_end_ns = (now + Duration::from_seconds(leg_s)).ns();
  const double u = 2 * to_unit(second[0], second[1]) - 1;
  if (away_from == Vec2{}) {
    walk.turn_left_rad = u * math::kPi;
  } else {
    // Somewhere within 80 degrees of straight away from what was touched.
    constexpr double kSpread = 1.4;
    const Vec2 now_heading = heading(pose.orientation);
    const double to_normal = math::atan2(cross(now_heading, away_from), dot(now_heading, away_from));
    walk.turn_left_rad = math::wrap(to_normal + u * kSpread);
  }
}

class RandomWalkSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<RandomWalkSystem>());
  }

  void step(World& world, const Step& step) override {
    Pool<RandomWalk>& walks = world.pool<RandomWalk>();
    const Pool<RandomWalkSpec>& specs = std::as_const(world).pool<RandomWalkSpec>();
    const Pool<Pose>& poses = std::as_const(world).pool<Pose>();
    const Pool<Contact>& contacts = std::as_const(world).pool<Contact>();
    Pool<DriveCommand>& commands = world.pool<DriveCommand>();
    const std::span<RandomWalk> rows = walks.edit_rows();
    const std::span<DriveCommand> command_rows = commands.edit_rows();
    const double dt = step.dt.seconds();
    step.threads.for_each_chunk(rows.size(), kWalkersPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const EntityId entity = walks.owners()[i];
        const std::uint32_t command = commands.row(entity);
        const std::uint32_t spec_row = specs.row(entity);
        if (command == PoolBase::kNone || spec_row == PoolBase::kNone) continue;
        const RandomWalkSpec& spec = specs.rows()[spec_row];
        RandomWalk& walk = rows[i];
        const Contact* contact = contacts.get(entity);
        const bool touching = contact != nullptr && contact->touching != 0;
        if (walk.turn_left_rad == 0 && (touching || step.now.ns() >= walk.leg_end_ns)) {
          begin_leg(spec, walk, step.now, poses.rows()[poses.row(entity)], touching ? contact->normal : Vec2{});
        }
        // Turns on the spot first, then drives.
        const double most = spec.turn_rate * dt;
        const double turn = std::clamp(walk.turn_left_rad, -most, most);
        walk.turn_left_rad = turn == walk.turn_left_rad ? 0 : walk.turn_left_rad - turn;
        command_rows[command] = {{turn == 0 ? walk.speed : 0, 0, 0}, turn / dt};
      }
    });
  }
};

Result<void> attach(World& world, EntityId entity, const Config& config) {
  declare_random_walk(world);
  const RandomWalkSpec spec{config.quantity("min_speed"), config.quantity("max_speed"), config.quantity("turn"),
                            config.quantity("leg")};
  if (spec.min_speed > spec.max_speed)
    return Error{config.where("min_speed"), "min_speed is above max_speed", "make it at most max_speed"};
  RandomWalk walk;
  walk.stream = stream_key(world.seed(), static_cast<std::uint64_t>(world.stable_id(entity)), "random_walk").value;
  world.add(entity, spec);
  world.add(entity, walk);
  if (!world.has<Contact>(entity)) world.add(entity, Contact{});
  return {};
}

}  // namespace

void register_random_walk(Registry& registry) {
  BehaviourKind kind;
  kind.name = "random_walk";
  kind.summary = "Drives straight for a while, turns to a random direction, drives on";
  kind.params = {param::quantity("min_speed", "m/s", "0.1 m/s", "slowest leg").at_least(0),
                 param::quantity("max_speed", "m/s", "0.3 m/s", "fastest leg").above(0),
                 param::quantity("turn", "rad/s", "2 rad/s", "how fast it turns").above(0),
                 param::quantity("leg", "s", "10 s", "mean time between turns").above(0)};
  kind.details = "Needs a motion model. After a contact it turns away from what it touched.";
  kind.systems = {"random_walk"};
  kind.declare = &declare_random_walk;
  kind.attach = &attach;
  registry.catalog<BehaviourKind>().add(std::move(kind));

  SystemKind system;
  system.name = "random_walk";
  system.summary = "Chooses directions for everybody who walks at random";
  system.phase = Phase::kPlan;
  system.make = &RandomWalkSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
}

}  // namespace strata
