#include "behaviour/swarm/reciprocal.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "behaviour/navigation/follow.hpp"
#include "behaviour/navigation/grid_planner.hpp"
#include "behaviour/swarm/half_planes.hpp"
#include "behaviour/swarm/neighbours.hpp"
#include "world/components.hpp"
#include "world/drives.hpp"
#include "world/simulation.hpp"
#include "world/static_index.hpp"

namespace strata {
namespace {

constexpr std::size_t kYieldersPerChunk = 256;
constexpr double kAside = 0.2;           // sideways part of the wanted velocity while somebody is in the way
constexpr std::size_t kMostPlanes = 32;  // the nearest count: beyond, nobody could keep to all of them anyway

void declare_give_way(World& world) {
  world.register_component<Reciprocal>(
      "reciprocal",
      {field("horizon", "s", &Reciprocal::horizon_s), field("margin", "m", &Reciprocal::margin_m),
       field("max_speed", "m/s", &Reciprocal::max_speed), field("wall_horizon", "s", &Reciprocal::wall_horizon_s)});
}

/// Half planes of one body, the nearest obstacles only.
class Planes {
 public:
  void add(const HalfPlane& plane, double distance) {
    if (count_ < kMostPlanes) {
      planes_[count_] = plane;
      distances_[count_++] = distance;
      return;
    }
    const auto farthest =
        static_cast<std::size_t>(std::max_element(distances_.begin(), distances_.end()) - distances_.begin());
    if (distance >= distances_[farthest]) return;
    planes_[farthest] = plane;
    distances_[farthest] = distance;
  }
  [[nodiscard]] std::span<const HalfPlane> all() const { return std::span(planes_).first(count_); }

 private:
  std::array<HalfPlane, kMostPlanes> planes_;
  std::array<double, kMostPlanes> distances_;
  std::size_t count_ = 0;
};

class ReciprocalSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<ReciprocalSystem>());
  }
  void start(Simulation& simulation) override { declare_give_way(simulation.world()); }

  void step(World& world, const Step& step) override {
    if (!gather(world)) return;
    update_walls(world);
    grid_.build(all_, reach_);
    Pool<DriveCommand>& commands = world.pool<DriveCommand>();
    const std::span<DriveCommand> rows = commands.edit_rows();
    const std::vector<Neighbour>& sorted = grid_.sorted();
    const double dt = step.dt.seconds();
    step.threads.for_each_chunk(sorted.size(), kYieldersPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (sorted[i].moves != 0) steer(world, sorted[i], rows, dt);
      }
    });
  }
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }

 private:
  /// What is known of a body that takes part.
  struct Member {
    EntityId entity;
    std::uint32_t command = 0;
    Vec2 wanted;
    Vec2 heading;
  };

  // Everything that moves, in the order of the pool. False if nobody who avoids is under way.
  bool gather(const World& world) {
    const Pool<Velocity>& velocities = world.pool<Velocity>();
    const Pool<Pose>& poses = world.pool<Pose>();
    const Pool<Body>& bodies = world.pool<Body>();
    const Pool<Reciprocal>& avoids = world.pool<Reciprocal>();
    const Pool<DriveCommand>& commands = world.pool<DriveCommand>();
    const Pool<Course>* courses = world.find_pool<Course>();
    const Pool<DifferentialDrive>* wheels = world.find_pool<DifferentialDrive>();
    all_.clear();
    members_.clear();
    reach_ = 0;
    bool any = false;
    double fastest = 0;  // squared
    double longest = 0;
    for (std::size_t i = 0; i < velocities.size(); ++i) {
      const EntityId entity = velocities.owners()[i];
      const std::uint32_t body_row = bodies.row(entity);
      const std::uint32_t pose_row = poses.row(entity);
      if (body_row == PoolBase::kNone || pose_row == PoolBase::kNone) continue;
      const Body& body = bodies.rows()[body_row];
      const Pose& pose = poses.rows()[pose_row];
      Vec2 velocity = velocities.rows()[i].linear.xy();
      Member member{entity, commands.row(entity), {}, {}};
      bool moves = false;
      if (const std::uint32_t row = avoids.row(entity); row != PoolBase::kNone && member.command != PoolBase::kNone) {
        const Reciprocal& avoid = avoids.rows()[row];
        const Vec3 linear = commands.rows()[member.command].linear;
        member.heading = heading(pose.orientation);
        member.wanted = {member.heading.x * linear.x - member.heading.y * linear.y,
                         member.heading.y * linear.x + member.heading.x * linear.y};
        // Wheels that turn on the spot say nothing about where they want to go; the course does.
        const std::uint32_t course = courses == nullptr ? PoolBase::kNone : courses->row(entity);
        if (course != PoolBase::kNone && courses->rows()[course].state == Course::kGoing)
          member.wanted = courses->rows()[course].wish.xy();
        // Nor does their velocity while they turn: what counts is where they are going to drive.
        if (wheels != nullptr && wheels->has(entity)) velocity = member.wanted;
        moves = member.wanted != Vec2{};
        any |= moves;
        fastest = std::max(fastest, dot(member.wanted, member.wanted));
        longest = std::max(longest, avoid.horizon_s);
        reach_ = std::max(reach_, 2 * body.radius + avoid.margin_m);
      }
      fastest = std::max(fastest, dot(velocity, velocity));
      all_.push_back({pose.position.xy(), velocity, body.radius, pose.position.z + body.low,
                      pose.position.z + body.high, static_cast<std::uint32_t>(members_.size()), moves ? 1U : 0U});
      members_.push_back(member);
    }
    // Nobody farther away can be met within the horizon; evading, nobody gets faster than the fastest is.
    fastest_ = std::sqrt(fastest);
    reach_ += 2 * fastest_ * longest;
    return any && reach_ > 0;
  }

  void update_walls(const World& world) {
    if (const std::uint64_t version = static_version(world); version != static_version_) {
      walls_.build(world);
      static_version_ = version;
    }
  }

  void steer(const World& world, const Neighbour& self, std::span<DriveCommand> rows, double dt) const {
    const Member& member = members_[self.id];
    const Reciprocal& avoid = *world.get<Reciprocal>(member.entity);
    const double horizon = std::max(avoid.horizon_s, 2 * dt);
    const double most = std::min(avoid.max_speed, fastest_);
    const bool near_walls = !walls_.empty();
    if (!near_walls && !in_the_way(self, member.wanted, avoid.margin_m, horizon)) return;
    Planes planes;
    grid_.query(self.at, [&](const Neighbour& other) {
      if (other.id == self.id || other.low >= self.high || other.high <= self.low) return;
      const Vec2 offset = other.at - self.at;
      const double radii = self.radius + other.radius + avoid.margin_m;
      const double square = dot(offset, offset);
      // Too far to meet even if both hurried.
      const double range = radii + (most + length(other.velocity)) * horizon;
      if (square > range * range) return;
      // Who rests or does not take part will not give way.
      const double share = other.moves != 0 ? 0.5 : 1.0;
      planes.add(keep_apart({offset, self.velocity - other.velocity, self.velocity, radii, horizon, dt, share}),
                 square);
    });
    if (near_walls) add_walls(self, avoid, dt, planes);
    bool fits = true;
    for (const HalfPlane& plane : planes.all()) fits &= dot(member.wanted - plane.point, plane.normal) >= 0;
    if (fits) return;
    // Everybody keeps a little to the right: two who meet head on would only slow down otherwise.
    const DriveLimits limits = limits_of(world, member.entity);
    const Vec2 right{member.wanted.x + kAside * member.wanted.y, member.wanted.y - kAside * member.wanted.x};
    const Vec2 safe = nearest_allowed(planes.all(), right, most);
    DriveCommand& command = rows[member.command];
    if (limits.kind == DriveLimits::kWheeled || limits.kind == DriveLimits::kCar) {
      command = command_for(limits, *world.get<Pose>(member.entity), {safe.x, safe.y, 0}, dt);
      return;
    }
    command.linear.x = member.heading.x * safe.x + member.heading.y * safe.y;
    command.linear.y = member.heading.x * safe.y - member.heading.y * safe.x;
    command.yaw_rate = 0;
  }

  // Whether it would meet somebody within the horizon if all went on as they do: most of the time nobody.
  [[nodiscard]] bool in_the_way(const Neighbour& self, Vec2 wanted, double margin, double horizon) const {
    bool meets = false;
    grid_.query(self.at, [&](const Neighbour& other) {
      const Vec2 offset = other.at - self.at;
      const Vec2 closing = wanted - other.velocity;
      const double radii = self.radius + other.radius + margin;
      const double apart = dot(offset, offset) - radii * radii;
      const double along = dot(offset, closing);
      const double speed = dot(closing, closing);
      // First contact at (along - sqrt(along^2 - speed * apart)) / speed, written without root and quotient.
      const double late = along - speed * horizon;
      const bool soon = late <= 0 || late * late <= along * along - speed * apart;
      const bool touches = apart < 0 || (along > 0 && along * along >= speed * apart && soon);
      meets |= touches && other.id != self.id && other.low < self.high && other.high > self.low;
    });
    return meets;
  }

  void add_walls(const Neighbour& self, const Reciprocal& avoid, double dt, Planes& planes) const {
    const double horizon = std::max(avoid.wall_horizon_s, dt);
    const double range = self.radius + avoid.max_speed * horizon;
    const geometry::Box box{{self.at.x - range, self.at.y - range}, {self.at.x + range, self.at.y + range}};
    const Shape round{{{0, 0}}, self.radius, 0, 0};
    walls_.query(box, [&](const StaticIndex::Item& item) {
      if (item.low >= self.high || item.high <= self.low) return;
      const geometry::Separation apart = geometry::separation(round, {self.at, {1, 0}}, *item.shape, item.frame);
      if (apart.distance > avoid.max_speed * horizon) return;
      // Towards the wall only as fast as the room lasts.
      const double room = std::max(apart.distance, 0.0);
      planes.add({apart.normal * (-room / horizon), apart.normal}, apart.distance * apart.distance);
    });
  }

  std::vector<Neighbour> all_;
  std::vector<Member> members_;
  NeighbourGrid grid_;
  StaticIndex walls_;
  std::uint64_t static_version_ = 0;
  double reach_ = 0;
  double fastest_ = 0;  // of all, wanted or real
};

}  // namespace

void register_reciprocal(Registry& registry) {
  BehaviourKind kind;
  kind.name = "give_way";
  kind.summary = "Avoids others without stopping: each of two gives way by half";
  kind.params = {param::quantity("horizon", "s", "1 s", "how far ahead in time it looks for others").above(0),
                 param::quantity("wall_horizon", "s", "0.3 s", "how far ahead in time it looks for walls").above(0),
                 param::quantity("margin", "m", "0.05 m", "distance to keep").at_least(0)};
  kind.details =
      "Changes the command of the behaviours before it (navigate, formation). Those who stand still are gone around. "
      "In a "
      "crowd without room for all it slows down; bodies never overlap.";
  kind.systems = {"give_way"};
  kind.declare = &declare_give_way;
  kind.attach = [](World& world, EntityId entity, const Config& config) -> Result<void> {
    declare_give_way(world);
    const DriveLimits limits = limits_of(world, entity);
    if (limits.kind == DriveLimits::kNone)
      return Error{config.where(), "only what moves can give way", "give the robot a motion model"};
    world.add(entity, Reciprocal{config.quantity("horizon"), config.quantity("margin"), limits.max_speed,
                                 config.quantity("wall_horizon")});
    return {};
  };
  registry.catalog<BehaviourKind>().add(std::move(kind));

  SystemKind system;
  system.name = "give_way";
  system.summary = "Lets everybody give way by half";
  system.phase = Phase::kPlan;
  system.order = 100;
  system.make = &ReciprocalSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
}

}  // namespace strata
