#include "behaviour/avoid.hpp"

#include <algorithm>
#include <array>

#include "base/math.hpp"
#include "world/components.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

constexpr std::size_t kAvoidersPerChunk = 256;
constexpr std::uint32_t kRays = 13;          // odd: one looks straight ahead
constexpr double kView = math::kPi * 2 / 3;  // what can be run into while driving ahead
constexpr std::size_t kAhead = kRays / 2;

void declare_avoid(World& world) {
  world.register_component<Avoid>(
      "avoid", {field("margin", "m", &Avoid::margin_m), field("look_ahead", "s", &Avoid::look_ahead_s),
                field("turn_rate", "rad/s", &Avoid::turn_rate), field("side", "", &Avoid::side)});
}

class AvoidSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<AvoidSystem>());
  }
  AvoidSystem() : pattern_(FanPattern::make(-kView / 2, kView / (kRays - 1), kRays)) {}

  void start(Simulation& simulation) override { server_ = &simulation.server(); }

  void step(World& world, const Step& step) override {
    Pool<Avoid>& avoids = world.pool<Avoid>();
    Pool<DriveCommand>& commands = world.pool<DriveCommand>();
    const std::span<Avoid> rows = avoids.edit_rows();
    const std::span<DriveCommand> command_rows = commands.edit_rows();
    const Pool<Pose>& poses = std::as_const(world).pool<Pose>();
    const Pool<Body>& bodies = std::as_const(world).pool<Body>();
    step.threads.for_each_chunk(rows.size(), kAvoidersPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const EntityId entity = avoids.owners()[i];
        const std::uint32_t command = commands.row(entity);
        const Pose* pose = poses.get(entity);
        const Body* body = bodies.get(entity);
        if (command == PoolBase::kNone || pose == nullptr || body == nullptr) continue;
        steer(world, entity, *pose, *body, rows[i], command_rows[command], step.dt.seconds());
      }
    });
  }
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }

 private:
  void steer(const World& world, EntityId entity, const Pose& pose, const Body& body, Avoid& avoid,
             DriveCommand& command, double dt) const {
    const double speed = command.linear.x;
    if (speed <= 0) return;
    // Rays start in the middle of the body: its own radius comes on top of the free way.
    const double keep = body.radius + avoid.margin_m;
    const double range = keep + speed * std::max(avoid.look_ahead_s, dt);
    std::array<RayHit, kRays> hits;
    const Vec3 origin{pose.position.x, pose.position.y, pose.position.z + 0.5 * (body.low + body.high)};
    if (!server_->cast(world, RayFan{origin, heading(pose.orientation), &pattern_, range, entity}, hits)) {
      avoid.side = 0;
      return;
    }
    // Free way along the heading for a body of this width, and the clearance on either side.
    double free = range;
    double left = 0;
    double right = 0;
    for (std::size_t i = 0; i < kRays; ++i) {
      const Vec2 direction = pattern_.directions[i];
      const double distance = hits[i].distance_m;
      if (i > kAhead) left += distance;
      if (i < kAhead) right += distance;
      if (hits[i].entity.valid() && std::abs(direction.y) * distance < keep)
        free = std::min(free, direction.x * distance);
    }
    if (free >= range) {
      avoid.side = 0;
      return;
    }
    if (avoid.side == 0) avoid.side = left >= right ? 1 : -1;
    const double room = std::max(free - keep, 0.0);
    command.linear.x = std::min(speed, room / std::max(avoid.look_ahead_s, dt));
    command.yaw_rate = avoid.side * avoid.turn_rate;
  }

  const WorldServer* server_ = nullptr;
  FanPattern pattern_;
};

}  // namespace

void register_avoid(Registry& registry) {
  BehaviourKind kind;
  kind.name = "avoid";
  kind.summary = "Slows down and steers aside before something is touched";
  kind.params = {
      param::quantity("margin", "m", "0.1 m", "distance to keep").at_least(0),
      param::quantity("look_ahead", "s", "1 s", "how far ahead it looks, in time at its present speed").above(0),
      param::quantity("turn", "rad/s", "1.5 rad/s", "how fast it steers aside").above(0)};
  kind.details = "Changes the command of the behaviours before it. What drives on regardless can still run into it.";
  kind.systems = {"avoid"};
  kind.declare = &declare_avoid;
  kind.attach = [](World& world, EntityId entity, const Config& config) -> Result<void> {
    declare_avoid(world);
    world.add(entity, Avoid{config.quantity("margin"), config.quantity("look_ahead"), config.quantity("turn"), 0});
    return {};
  };
  registry.catalog<BehaviourKind>().add(std::move(kind));

  SystemKind system;
  system.name = "avoid";
  system.summary = "Steers everybody with avoidance around what is ahead";
  system.phase = Phase::kPlan;
  system.order = 100;
  system.make = &AvoidSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
}

}  // namespace strata
