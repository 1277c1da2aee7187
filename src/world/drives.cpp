#include "world/drives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.hpp"
#include "world/components.hpp"

namespace strata {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr std::size_t kDrivesPerChunk = 2048;

double approach(double from, double to, double most) {
  return to > from ? std::min(to, from + most) : std::max(to, from - most);
}

Vec3 approach(Vec3 from, Vec3 to, double most) {
  const Vec3 change = to - from;
  const double size = length(change);
  return size <= most ? to : from + change * (most / size);
}

Vec3 at_most(Vec3 v, double most) {
  const double size = length(v);
  return size <= most ? v : v * (most / size);
}

struct Motion {  // what a model sees and sets
  const Pose& pose;
  const DriveCommand& command;
  Velocity& velocity;
  double dt;
};

void follow(const HolonomicDrive& drive, const Motion& m) {
  const Vec2 h = heading(m.pose.orientation);
  const Vec3 wanted{h.x * m.command.linear.x - h.y * m.command.linear.y,
                    h.y * m.command.linear.x + h.x * m.command.linear.y, 0};
  m.velocity.linear = approach(m.velocity.linear, at_most(wanted, drive.max_speed), drive.max_acceleration * m.dt);
  m.velocity.angular = {0, 0, std::clamp(m.command.yaw_rate, -drive.max_turn, drive.max_turn)};
}

void follow(const DifferentialDrive& drive, const Motion& m) {
  const Vec2 h = heading(m.pose.orientation);
  const double now = h.x * m.velocity.linear.x + h.y * m.velocity.linear.y;
  const double speed =
      approach(now, std::clamp(m.command.linear.x, -drive.max_speed, drive.max_speed), drive.max_acceleration * m.dt);
  const double turn = std::clamp(m.command.yaw_rate, -drive.max_turn, drive.max_turn);
  m.velocity.linear = {h.x * speed, h.y * speed, 0};
  m.velocity.angular = {0, 0, approach(m.velocity.angular.z, turn, drive.max_turn_acceleration * m.dt)};
}

void follow(const AckermannDrive& drive, const Motion& m) {
  const Vec2 h = heading(m.pose.orientation);
  const double now = h.x * m.velocity.linear.x + h.y * m.velocity.linear.y;
  const double speed =
      approach(now, std::clamp(m.command.linear.x, -drive.max_speed, drive.max_speed), drive.max_acceleration * m.dt);
  const double most = std::abs(speed) * drive.max_curvature;
  m.velocity.linear = {h.x * speed, h.y * speed, 0};
  m.velocity.angular = {0, 0, std::clamp(m.command.yaw_rate, -most, most)};
}

void follow(const PointDrive& drive, const Motion& m) {
  const Vec2 h = heading(m.pose.orientation);
  Vec3 wanted{h.x * m.command.linear.x - h.y * m.command.linear.y, h.y * m.command.linear.x + h.x * m.command.linear.y,
              m.command.linear.z};
  wanted = at_most(wanted, drive.max_speed);
  wanted.z = std::clamp(wanted.z, -drive.max_climb, drive.max_climb);
  m.velocity.linear = approach(m.velocity.linear, wanted, drive.max_acceleration * m.dt);
  m.velocity.angular = {0, 0, std::clamp(m.command.yaw_rate, -drive.max_turn, drive.max_turn)};
}

template <class Drive>
class DriveSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<DriveSystem>());
  }

  void step(World& world, const Step& step) override {
    const Pool<Drive>& drives = std::as_const(world).pool<Drive>();
    const Pool<Pose>& poses = std::as_const(world).pool<Pose>();
    const Pool<DriveCommand>& commands = std::as_const(world).pool<DriveCommand>();
    Pool<Velocity>& velocities = world.pool<Velocity>();
    const std::span<Velocity> rows = velocities.edit_rows();
    step.threads.for_each_chunk(drives.size(), kDrivesPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const EntityId entity = drives.owners()[i];
        const std::uint32_t command = commands.row(entity);
        const std::uint32_t velocity = velocities.row(entity);
        if (command == PoolBase::kNone || velocity == PoolBase::kNone) continue;
        follow(drives.rows()[i],
               {poses.rows()[poses.row(entity)], commands.rows()[command], rows[velocity], step.dt.seconds()});
      }
    });
  }
  // Needed as long as something is commanded to move; the motion system keeps time running while something does.
  [[nodiscard]] Time due(const World& world, Time now) const override {
    for (const DriveCommand& command : world.pool<DriveCommand>().rows()) {
      if (command.linear != Vec3{} || command.yaw_rate != 0) return now;
    }
    return Time::never();
  }
};

double limit(const Config& config, std::string_view name) {
  return config.has(name) ? config.quantity(name) : kUnlimited;
}

template <class Drive>
void declare(World& world);
template <>
void declare<HolonomicDrive>(World& world) {
  world.register_component<HolonomicDrive>("holonomic",
                                           {field("max_speed", "m/s", &HolonomicDrive::max_speed),
                                            field("max_acceleration", "m/s^2", &HolonomicDrive::max_acceleration),
                                            field("max_turn", "rad/s", &HolonomicDrive::max_turn)});
}
template <>
void declare<DifferentialDrive>(World& world) {
  world.register_component<DifferentialDrive>(
      "differential", {field("max_speed", "m/s", &DifferentialDrive::max_speed),
                       field("max_acceleration", "m/s^2", &DifferentialDrive::max_acceleration),
                       field("max_turn", "rad/s", &DifferentialDrive::max_turn),
                       field("max_turn_acceleration", "rad/s^2", &DifferentialDrive::max_turn_acceleration)});
}
template <>
void declare<AckermannDrive>(World& world) {
  world.register_component<AckermannDrive>("ackermann",
                                           {field("max_speed", "m/s", &AckermannDrive::max_speed),
                                            field("max_acceleration", "m/s^2", &AckermannDrive::max_acceleration),
                                            field("max_curvature", "1/m", &AckermannDrive::max_curvature)});
}
template <>
void declare<PointDrive>(World& world) {
  world.register_component<PointDrive>(
      "point", {field("max_speed", "m/s", &PointDrive::max_speed),
                field("max_acceleration", "m/s^2", &PointDrive::max_acceleration),
                field("max_climb", "m/s", &PointDrive::max_climb), field("max_turn", "rad/s", &PointDrive::max_turn)});
}

HolonomicDrive read_holonomic(const Config& c) {
  return {limit(c, "max_speed"), limit(c, "max_acceleration"), limit(c, "max_turn")};
}
DifferentialDrive read_differential(const Config& c) {
  return {limit(c, "max_speed"), limit(c, "max_acceleration"), limit(c, "max_turn"), limit(c, "max_turn_acceleration")};
}
AckermannDrive read_ackermann(const Config& c) {
  return {limit(c, "max_speed"), limit(c, "max_acceleration"),
          math::tan(c.quantity("max_steer")) / c.quantity("wheelbase")};
}
PointDrive read_point(const Config& c) {
  return {limit(c, "max_speed"), limit(c, "max_acceleration"), limit(c, "max_climb"), limit(c, "max_turn")};
}

template <class Drive>
void add_motion(Registry& registry, std::string name, std::string summary, std::vector<Param> params,
                Drive (*read)(const Config&)) {
  const std::string system = name + "_drive";
  MotionKind kind;
  kind.name = name;
  kind.summary = summary;
  kind.params = std::move(params);
  kind.systems = {system};
  kind.declare = &declare<Drive>;
  kind.attach = [read](World& world, EntityId entity, const Config& config) -> Result<void> {
    declare<Drive>(world);
    world.add(entity, read(config));
    world.add(entity, DriveCommand{});
    world.add(entity, Velocity{});
    return {};
  };
  registry.catalog<MotionKind>().add(std::move(kind));
  SystemKind serves;
  serves.name = system;
  serves.summary = "Lets bodies with " + name + " motion follow their commands";
  serves.phase = Phase::kAct;
  serves.make = &DriveSystem<Drive>::make;
  registry.catalog<SystemKind>().add(std::move(serves));
}

}  // namespace

void register_drives(Registry& registry) {
  const auto speed = [](const char* standard) {
    return param::quantity("max_speed", "m/s", standard, "fastest it goes").above(0);
  };
  const auto acceleration = [] {
    return param::quantity("max_acceleration", "m/s^2", "", "how fast its speed changes; unlimited if not given")
        .above(0);
  };
  const auto turn = [](const char* standard) {
    return param::quantity("max_turn", "rad/s", standard, "fastest it turns").at_least(0);
  };
  add_motion<HolonomicDrive>(registry, "holonomic", "Moves in any direction on the ground, turning at will",
                             {speed("1 m/s"), acceleration(), turn("2 rad/s")}, &read_holonomic);
  add_motion<DifferentialDrive>(
      registry, "differential", "Two driven wheels: drives along its heading and turns on the spot",
      {speed("0.5 m/s"), acceleration(), turn("2 rad/s"),
       param::quantity("max_turn_acceleration", "rad/s^2", "", "how fast its turning changes; unlimited if not given")
           .above(0)},
      &read_differential);
  add_motion<AckermannDrive>(
      registry, "ackermann", "Steers like a car: turns only while it drives",
      {speed("2 m/s"), acceleration(), param::quantity("wheelbase", "m", "1 m", "distance between the axles").above(0),
       param::quantity("max_steer", "rad", "0.6 rad", "largest steering angle").above(0).at_most(1.5)},
      &read_ackermann);
  add_motion<PointDrive>(
      registry, "point", "A point in space with limited speed and acceleration, such as a drone seen from afar",
      {speed("5 m/s"), acceleration(),
       param::quantity("max_climb", "m/s", "2 m/s", "fastest it climbs or sinks").above(0), turn("2 rad/s")},
      &read_point);
}

}  // namespace strata
