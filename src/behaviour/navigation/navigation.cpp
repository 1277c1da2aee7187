#include "behaviour/navigation/navigation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "behaviour/navigation/follow.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

constexpr std::size_t kTripsPerChunk = 1024;
constexpr double kProgress_m = 0.005;
constexpr std::int64_t kOnTheWay = -1;  // Course::end_ns while the end of the way is farther than one step

void declare_navigation(World& world) {
  world.register_component<Navigator>(
      "navigator", {field("speed", "m/s", &Navigator::speed), field("clearance", "m", &Navigator::clearance_m),
                    field("tolerance", "m", &Navigator::tolerance_m), field("patience", "s", &Navigator::patience_s),
                    field("pace", "", &Navigator::pace), field("planner", "", &Navigator::planner),
                    field("partial", "", &Navigator::partial)});
  world.register_component<Course>(
      "course",
      {field("target", "m", &Course::target), field("wish", "m/s", &Course::wish),
       field("along", "m", &Course::along_m), field("best_left", "m", &Course::best_left_m),
       field("progress", "ns", &Course::progress_ns), field("end", "ns", &Course::end_ns),
       field("digest", "", &Course::digest), field("state", "", &Course::state), field("leg", "", &Course::leg)});
}

/// Ways by slot of their robot. A table of the world: the follower and the arrival check share it.
struct Ways {
  std::vector<std::vector<Vec3>> by_slot;

  [[nodiscard]] std::vector<Vec3>& of(EntityId robot) {
    if (robot.slot >= by_slot.size()) by_slot.resize(robot.slot + 1);
    return by_slot[robot.slot];
  }
};

PlanRequest request_for(const World& world, EntityId robot, const Navigator& navigator, Vec3 from, Vec3 to) {
  const Body* body = world.get<Body>(robot);
  PlanRequest request{from, to, navigator.clearance_m, from.z, from.z, navigator.partial != 0};
  if (body == nullptr) return request;
  request.radius_m += body->radius;
  request.low_m += body->low;
  request.high_m += body->high;
  return request;
}

std::vector<EntityId> by_stable_id(const World& world, std::vector<EntityId> entities) {
  std::sort(entities.begin(), entities.end(),
            [&](EntityId a, EntityId b) { return world.stable_id(a) < world.stable_id(b); });
  return entities;
}

Vec3 position_of(const World& world, EntityId entity) {
  const Pose* pose = world.get<Pose>(entity);
  return pose == nullptr ? Vec3{} : pose->position;
}

class NavigationSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<NavigationSystem>());
  }

  void start(Simulation& simulation) override {
    simulation_ = &simulation;
    declare_navigation(simulation.world());
  }

  void step(World& world, const Step& step) override {
    plan_asked(world, step);
    follow(world, step);
  }

  [[nodiscard]] Time due(const World& world, Time now) const override {
    for (const Course& course : world.pool<Course>().rows()) {
      if (course.travels()) return now;
    }
    return Time::never();
  }

  void save(std::vector<std::byte>& out) const override {
    const Ways* ways = simulation_->world().find_table<Ways>();
    put(out, static_cast<std::uint64_t>(ways == nullptr ? 0 : ways->by_slot.size()));
    if (ways != nullptr) {
      for (const std::vector<Vec3>& way : ways->by_slot) put_rows<Vec3>(out, way);
    }
    for (const auto& planner : simulation_->world().table<PlannerTable>().planners) planner->save(out);
  }
  void load(std::span<const std::byte>& in) override {
    std::uint64_t count = 0;
    bool good = take(in, count);
    Ways& ways = simulation_->world().table<Ways>();
    ways.by_slot.clear();
    for (std::uint64_t i = 0; good && i < count; ++i) good = take_rows(in, ways.by_slot.emplace_back());
    STRATA_ASSERT(good, "a snapshot of navigation is too short");
    for (const auto& planner : simulation_->world().table<PlannerTable>().planners) planner->load(in);
  }

 private:
  void plan_asked(World& world, const Step& step) {
    std::vector<EntityId> asked;
    const Pool<Course>& courses = std::as_const(world).pool<Course>();
    for (std::size_t i = 0; i < courses.size(); ++i) {
      if (courses.rows()[i].state == Course::kAsked) asked.push_back(courses.owners()[i]);
    }
    for (const EntityId robot : by_stable_id(world, std::move(asked))) plan_one(world, robot, step.now - step.dt);
  }

  void plan_one(World& world, EntityId robot, Time begin) {
    const Navigator* navigator = world.get<Navigator>(robot);
    Course& course = *world.edit<Course>(robot);
    const Pose* pose = world.get<Pose>(robot);
    if (navigator == nullptr || pose == nullptr)
      return end(world, robot, course, Course::kNotFound, begin, "it cannot navigate");
    std::vector<Vec3>& way = world.table<Ways>().of(robot);
    Vec3 target = course.target;
    Planner& planner = *world.table<PlannerTable>().planners[navigator->planner];
    Plan plan = planner.plan(world, request_for(world, robot, *navigator, pose->position, target));
    const bool nearer = plan.points.size() > 1 &&
                        length(plan.points.back() - target) + navigator->tolerance_m < length(pose->position - target);
    if (!plan.complete) {
      report(world, robot, begin, "path_not_found", plan.problem, target);
      if (navigator->partial == 0 || !nearer) {
        course.state = Course::kNotFound;
        course.end_ns = begin.ns();
        return;
      }
    }
    plan.points.erase(std::unique(plan.points.begin(), plan.points.end()), plan.points.end());
    if (plan.points.size() < 2) plan.points = {pose->position, target};
    way = std::move(plan.points);
    course.state = Course::kGoing;
    course.leg = 0;
    course.along_m = 0;
    course.end_ns = kOnTheWay;
    course.best_left_m = length_of(way);
    course.progress_ns = begin.ns();
    course.digest = mix(planner.digest(), hash_bytes(0, way.data(), way.size() * sizeof(Vec3)));
  }

  // Everybody who travels gets a command; data-parallel, each writes its own rows.
  void follow(World& world, const Step& step) {
    // Time was skipped: motion begins with the next step, not in the past.
    if (step.dt > simulation_->spec().step) return;
    Pool<Course>& courses = world.pool<Course>();
    Pool<DriveCommand>& commands = world.pool<DriveCommand>();
    if (courses.size() == 0) return;
    const std::span<Course> rows = courses.edit_rows();
    const std::span<DriveCommand> command_rows = commands.edit_rows();
    const Ways& ways = world.table<Ways>();
    const World& read = world;
    step.threads.for_each_chunk(rows.size(), kTripsPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (rows[i].state != Course::kGoing) continue;
        const EntityId robot = courses.owners()[i];
        const std::uint32_t command = commands.row(robot);
        const Pose* pose = read.get<Pose>(robot);
        const Navigator* navigator = read.get<Navigator>(robot);
        if (command == PoolBase::kNone || pose == nullptr || navigator == nullptr) continue;
        command_rows[command] = next_command(read, robot, *navigator, *pose, ways.by_slot[robot.slot], rows[i], step);
      }
    });
  }

  static DriveCommand next_command(const World& world, EntityId robot, const Navigator& navigator, const Pose& pose,
                                   const std::vector<Vec3>& way, Course& course, const Step& step) {
    const double dt = step.dt.seconds();
    const DriveLimits limits = limits_of(world, robot);
    const double speed = std::min(navigator.speed, limits.max_speed) * navigator.pace;
    const Aim next = aim(way, course, pose.position, speed, dt, navigator.clearance_m, limits.max_acceleration);
    const Time begin = step.now - step.dt;
    if (next.left_m < course.best_left_m - kProgress_m) {
      course.best_left_m = next.left_m;
      course.progress_ns = begin.ns();
    }
    // When it would be there at full speed: the last step is as slow as it takes to end exactly there.
    course.end_ns = kOnTheWay;
    if (next.is_last && speed > 0)
      course.end_ns = (begin + Duration::from_seconds(std::min(length(way.back() - pose.position) / speed, dt))).ns();
    course.wish = velocity_to(pose, next, dt);
    return command_for(limits, pose, course.wish, dt);
  }

  static void end(World& world, EntityId robot, Course& course, Course::State state, Time when,
                  const std::string& why) {
    course.state = state;
    course.end_ns = when.ns();
    report(world, robot, when, "path_not_found", why, course.target);
  }
  static void report(World& world, EntityId robot, Time when, const char* event, std::string why, Vec3 target) {
    world.emit({when, event, robot, {}, target, std::move(why), 0});
  }

  Simulation* simulation_ = nullptr;
};

/// Looks at the end of each step who has arrived, and who does not get on.
class ArrivalSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<ArrivalSystem>());
  }
  void start(Simulation& simulation) override { declare_navigation(simulation.world()); }

  void step(World& world, const Step& step) override {
    std::vector<EntityId> ended;
    const Pool<Course>& courses = std::as_const(world).pool<Course>();
    const Ways& ways = world.table<Ways>();
    for (std::size_t i = 0; i < courses.size(); ++i) {
      const Course& course = courses.rows()[i];
      if (course.state != Course::kGoing) continue;
      const EntityId robot = courses.owners()[i];
      const Navigator* navigator = std::as_const(world).get<Navigator>(robot);
      if (navigator == nullptr || arrived(world, robot, *navigator, ways) ||
          step.now.ns() - course.progress_ns > Duration::from_seconds(navigator->patience_s).ns())
        ended.push_back(robot);
    }
    for (const EntityId robot : by_stable_id(world, std::move(ended))) conclude(world, robot, ways, step.now);
  }
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }

 private:
  static bool arrived(const World& world, EntityId robot, const Navigator& navigator, const Ways& ways) {
    return world.get<Course>(robot)->end_ns != kOnTheWay &&
           length(ways.by_slot[robot.slot].back() - position_of(world, robot)) <= navigator.tolerance_m;
  }

  static void conclude(World& world, EntityId robot, const Ways& ways, Time now) {
    const Navigator* navigator = world.get<Navigator>(robot);
    Course& course = *world.edit<Course>(robot);
    if (DriveCommand* command = world.edit<DriveCommand>(robot)) *command = {};
    const Vec3 at = position_of(world, robot);
    if (navigator != nullptr && arrived(world, robot, *navigator, ways)) {
      course.end_ns = std::min(course.end_ns, now.ns());
      const bool whole = length(at - course.target) <= navigator->tolerance_m + kProgress_m;
      course.state = whole ? Course::kArrived : Course::kNotFound;
      world.emit({Time::from_ns(course.end_ns),
                  whole ? "arrived" : "stopped_short",
                  robot,
                  {},
                  at,
                  "",
                  length(at - course.target)});
      return;
    }
    course.state = Course::kBlocked;
    course.end_ns = now.ns();
    world.emit({now, "way_blocked", robot, {}, at, "no progress", course.best_left_m});
  }
};

// Equal text for equal settings.
std::string settings_text(const Value& value) {
  std::string out = value.text();
  for (const Value& item : value.items()) out += "[" + settings_text(item);
  for (const auto& [key, member] : value.members()) out += "{" + key + ":" + settings_text(member);
  return out;
}

Result<std::uint32_t> planner_index(World& world, const Catalog<PlannerKind>& planners, const Value& given) {
  std::string name = "any_angle";
  Value params;
  params.where() = given.where();
  if (given.is_scalar()) name = given.text();
  if (given.is_map()) {
    params = given;
    const Value* kind = given.find("kind");
    if (kind != nullptr && kind->is_scalar()) {
      name = kind->text();
      params.erase("kind");
    } else if (given.members().size() == 1) {
      name = given.members().front().first;
      params = given.members().front().second;
    }
  }
  const Result<const PlannerKind*> kind = planners.get(name, given.where());
  if (!kind.ok()) return kind.errors();
  const Result<Config> config = Config::check(params, (*kind)->params);
  if (!config.ok()) return config.errors();
  PlannerTable& table = world.table<PlannerTable>();
  const std::string text = name + settings_text(config->resolved());
  const auto known = std::find(table.names.begin(), table.names.end(), text);
  if (known != table.names.end()) return static_cast<std::uint32_t>(known - table.names.begin());
  Result<std::unique_ptr<Planner>> made = (*kind)->make(*config);
  if (!made.ok()) return made.errors();
  table.names.push_back(text);
  table.planners.push_back(std::move(made).value());
  return static_cast<std::uint32_t>(table.planners.size() - 1);
}

std::vector<Param> navigate_params() {
  Param planner = param::any("planner", "how it finds its way: a planner");
  planner.default_text = "any_angle";
  return {param::quantity("speed", "m/s", "", "on the way; as fast as its motion model allows if not given").above(0),
          planner,
          param::quantity("clearance", "m", "0.1 m", "distance it keeps from walls").at_least(0),
          param::quantity("tolerance", "m", "0.02 m", "this near to the target it has arrived").above(0),
          param::quantity("patience", "s", "20 s", "without progress for so long it gives up").above(0),
          param::flag("partial", false, "goes as near as it can if there is no way")};
}

Result<void> attach(World& world, EntityId robot, const Config& config, const Catalog<PlannerKind>& planners) {
  declare_navigation(world);
  const Result<std::uint32_t> planner = planner_index(world, planners, config.any("planner"));
  if (!planner.ok()) return planner.errors();
  Navigator navigator;
  navigator.speed = config.has("speed") ? config.quantity("speed") : Param::kInfinity;
  navigator.clearance_m = config.quantity("clearance");
  navigator.tolerance_m = config.quantity("tolerance");
  navigator.patience_s = config.quantity("patience");
  navigator.planner = *planner;
  navigator.partial = config.flag("partial") ? 1 : 0;
  world.add(robot, navigator);
  if (!world.has<Course>(robot)) world.add(robot, Course{});
  return {};
}

void add_system(Registry& registry, const char* name, const char* summary, Phase phase,
                Result<std::unique_ptr<System>> (*make)(const Config&)) {
  SystemKind system;
  system.name = name;
  system.summary = summary;
  system.phase = phase;
  system.make = make;
  registry.catalog<SystemKind>().add(std::move(system));
}

}  // namespace

void go_to(World& world, EntityId robot, Vec3 target) {
  Course course;
  course.target = target;
  course.state = Course::kAsked;
  world.add(robot, course);
}

void stop_going(World& world, EntityId robot) {
  if (DriveCommand* command = world.edit<DriveCommand>(robot)) *command = {};
  if (Course* course = world.edit<Course>(robot); course != nullptr) course->state = Course::kNone;
}

Result<void> ensure_navigator(World& world, EntityId robot, const Catalog<PlannerKind>& planners) {
  if (world.has<Navigator>(robot)) return {};
  return attach(world, robot, *Config::check({}, navigate_params()), planners);
}

Plan plan_for(World& world, EntityId robot, Vec3 from, Vec3 to) {
  const Navigator* navigator = world.get<Navigator>(robot);
  if (navigator == nullptr) return {{}, 0, false, "it cannot navigate"};
  Planner& planner = *world.table<PlannerTable>().planners[navigator->planner];
  return planner.plan(world, request_for(world, robot, *navigator, from, to));
}

void register_navigation(Registry& registry) {
  register_planners(registry);
  BehaviourKind kind;
  kind.name = "navigate";
  kind.summary = "Finds ways to places and follows them, when a script or a team says so";
  kind.params = navigate_params();
  kind.details = "Needs a motion model. Reports 'arrived', 'path_not_found' and 'way_blocked'.";
  kind.systems = {"navigation", "arrival"};
  kind.declare = &declare_navigation;
  kind.attach = [planners = &registry.catalog<PlannerKind>()](World& world, EntityId robot, const Config& config) {
    return attach(world, robot, config, *planners);
  };
  registry.catalog<BehaviourKind>().add(std::move(kind));
  add_system(registry, "navigation", "Plans ways and follows them", Phase::kPlan, &NavigationSystem::make);
  add_system(registry, "arrival", "Notices who has arrived and who does not get on", Phase::kSense,
             &ArrivalSystem::make);
  add_event(registry, "arrived", "a robot has reached the target of its way");
  add_event(registry, "stopped_short", "a robot has reached the end of a way that does not lead to its target");
  add_event(registry, "path_not_found", "there is no way to where a robot was sent");
  add_event(registry, "way_blocked", "a robot makes no progress on its way and gives up");
}

}  // namespace strata
