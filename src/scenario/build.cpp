#include <algorithm>

#include <fmt/format.h>

#include "behaviour/navigation/navigation.hpp"
#include "behaviour/team/team.hpp"
#include "scenario/faults.hpp"
#include "scenario/run.hpp"
#include "world/components.hpp"

namespace strata {
namespace {

constexpr std::size_t kMostOverlaps = 20;  // of one sort: a thousand overlaps are one mistake

std::string show(Vec3 at) { return fmt::format("({:.3g}, {:.3g})", at.x, at.y); }

class Builder {
 public:
  Builder(const ScenarioSpec& spec, Registry& registry, int threads) : spec_(spec), registry_(registry) {
    out_->simulation = std::make_unique<Simulation>(SimulationSpec{spec.step, spec.seed, threads});
  }

  Result<std::unique_ptr<Built>> build() {
    set_server();
    for (const ObjectSpec& object : spec_.world.objects) add_object(object);
    add_places();
    make_robots();
    if (!errors_.empty()) return std::move(errors_);
    place_robots();
    read_common_handlers();
    for (std::size_t g = 0; g < spec_.groups.size() && errors_.empty(); ++g) equip(g);
    if (!errors_.empty()) return std::move(errors_);
    if (spec_.team) add_team(*spec_.team);
    add_systems();
    add_faults();
    add_expectations();
    if (!errors_.empty()) return std::move(errors_);
    return std::move(out_);
  }

 private:
  /// Robots of one group while they are being made.
  struct Group {
    std::unique_ptr<Placement> placement;
    std::vector<EntityId> robots;
    std::vector<std::uint32_t> shape_sets;  // by robot
    std::vector<bool> fixed;                // placed by hand
  };

  [[nodiscard]] World& world() { return out_->simulation->world(); }

  void set_server() {
    Result<std::unique_ptr<WorldServer>> server = spec_.world.server.kind->make(spec_.world.server.config);
    if (collect(server, errors_)) out_->simulation->set_server(std::move(server).value());
  }

  void add_object(const ObjectSpec& object) {
    const EntityId entity = world().create(object.name);
    const Pose pose = pose_at(object.position, object.heading_rad);
    const std::uint32_t shapes = world().shapes().add(object.shapes);
    note_place(entity, object.where);
    world().add(entity, pose);
    set_body(world(), entity, shapes);
    if (object.moves) set_moving(object, entity, pose);
  }

  // A moving object is driven like a robot whose command never changes.
  void set_moving(const ObjectSpec& object, EntityId entity, const Pose& pose) {
    const MotionKind* drive = registry_.catalog<MotionKind>().find("point");
    STRATA_ASSERT(drive != nullptr, "the motion model 'point' moves objects");
    const auto fastest = [](double value, const char* unit) {
      return Value::scalar(format_quantity(std::max(std::abs(value), 1e-9), unit));
    };
    const Result<Config> config = Config::check(Value::map({{"max_speed", fastest(length(object.velocity), "m/s")},
                                                            {"max_climb", fastest(object.velocity.z, "m/s")},
                                                            {"max_turn", fastest(object.turn_rad_s, "rad/s")}},
                                                           object.where),
                                                drive->params);
    if (!collect(config, errors_) || !collect(drive->attach(world(), entity, *config), errors_)) return;
    const Vec2 axis = heading(pose.orientation);
    const Vec3 v = object.velocity;
    world().add(entity,
                DriveCommand{{axis.x * v.x + axis.y * v.y, axis.x * v.y - axis.y * v.x, v.z}, object.turn_rad_s});
    world().add(entity, Contact{});
    need(drive->systems);
    moving_.push_back(entity);
  }

  void make_robots() {
    for (const GroupSpec& spec : spec_.groups) {
      Group group;
      Result<std::unique_ptr<Placement>> placement = spec.place.kind->make(spec.place.config);
      if (!collect(placement, errors_)) continue;
      group.placement = std::move(placement).value();
      std::vector<std::uint32_t> variant_sets;
      for (const RobotSpec& robot : spec.variants)
        variant_sets.push_back(robot.body.empty() ? kNoShape : world().shapes().add(robot.body));
      for (std::uint32_t i = 0; i < spec.count; ++i) {
        group.robots.push_back(world().create(spec.robot_name(i)));
        group.shape_sets.push_back(variant_sets[spec.variant_of.empty() ? 0 : spec.variant_of[i]]);
        group.fixed.push_back(spec.robot(i).at.has_value());
      }
      groups_.push_back(std::move(group));
    }
  }

  // Items are there to be found, but in nobody's way.
  void add_places() {
    Places places = spec_.places;
    for (Item& item : places.items) {
      item.entity = world().create(item.name);
      world().add(item.entity, pose_at(item.at, 0));
    }
    world().set_places(std::move(places));
    for (const std::string& note : spec_.notes) out_->simulation->warn(note);
  }

  // A robot sent into a wall never arrives.
  void check_places(const Occupancy& walls) {
    constexpr double kPoint = 1e-4;
    const std::uint32_t shape = world().shapes().add({circle_shape(kPoint, kPoint)});
    const auto check = [&](const std::string& what, Vec3 at, const Where& where) {
      const EntityId wall = walls.conflict(shape, pose_at(at, 0), 0);
      if (!wall.valid() || ++inside_walls_ > kMostOverlaps) return;
      errors_.push_back(
          {where, fmt::format("{} at {} is inside of '{}'", what, show(at), world().name(wall)), "move one of them"});
    };
    for (const Place& place : world().places().points)
      check(fmt::format("the place '{}'", place.tag), place.at, place.where);
    for (const Charger& charger : world().places().chargers)
      check(fmt::format("the charger '{}'", charger.tag), charger.at, charger.where);
    for (const Item& item : world().places().items) check(fmt::format("'{}'", item.name), item.at, item.where);
  }

  // First what has its place, then what looks for one.
  void place_robots() {
    Occupancy occupied(world());
    check_places(occupied);
    for (const EntityId entity : moving_) {
      claim(occupied, entity, world().get<Body>(entity)->shape_set, *world().get<Pose>(entity), *place_of(entity));
    }
    poses_.resize(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      poses_[g].resize(groups_[g].robots.size());
      place_fixed(occupied, g);
      if (!groups_[g].placement->searches()) place_group(occupied, g);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].placement->searches()) place_group(occupied, g);
    }
  }

  void place_fixed(Occupancy& occupied, std::size_t g) {
    for (std::uint32_t i = 0; i < groups_[g].robots.size(); ++i) {
      if (!groups_[g].fixed[i]) continue;
      const RobotSpec& robot = spec_.groups[g].robot(i);
      poses_[g][i] = pose_at(*robot.at, robot.heading_rad);
      claim(occupied, groups_[g].robots[i], groups_[g].shape_sets[i], poses_[g][i], robot.where);
    }
  }

  void place_group(Occupancy& occupied, std::size_t g) {
    Group& group = groups_[g];
    const PlacementTask task{world(), occupied, spec_.groups[g].name, group.robots, group.shape_sets, group.fixed};
    const Result<std::vector<Pose>> poses = group.placement->place(task);
    if (!collect(poses, errors_)) return;
    for (std::size_t i = 0; i < group.robots.size(); ++i) {
      if (group.fixed[i]) continue;
      poses_[g][i] = (*poses)[i];
      if (group.placement->searches()) continue;
      claim(occupied, group.robots[i], group.shape_sets[i], poses_[g][i], spec_.groups[g].place.config.where());
    }
  }

  /// Puts an entity where nobody may be yet.
  void claim(Occupancy& occupied, EntityId entity, std::uint32_t shape_set, const Pose& pose, const Where& where) {
    note_place(entity, where);
    const EntityId other = occupied.conflict(shape_set, pose, 0);
    occupied.add(entity, shape_set, pose);
    if (!other.valid() || ++overlaps_ > kMostOverlaps) return;
    const Where* second = place_of(other);
    const std::string from =
        second == nullptr || second->line == 0 ? "" : fmt::format(" ({}:{})", second->file, second->line);
    errors_.push_back({where,
                       fmt::format("'{}' at {} overlaps '{}'{}", world().name(entity), show(pose.position),
                                   world().name(other), from),
                       "move one of them, make them smaller, or use place: {random: {area: ...}}"});
  }

  void note_place(EntityId entity, const Where& where) {
    if (places_.size() <= entity.slot) places_.resize(entity.slot + 1, nullptr);
    places_[entity.slot] = &where;
  }
  [[nodiscard]] const Where* place_of(EntityId entity) const {
    return entity.slot < places_.size() ? places_[entity.slot] : nullptr;
  }

  void equip(std::size_t g) {
    const GroupSpec& spec = spec_.groups[g];
    for (std::uint32_t i = 0; i < spec.count; ++i) {
      const EntityId entity = groups_[g].robots[i];
      const RobotSpec& robot = spec.robot(i);
      world().add(entity, poses_[g][i]);
      world().add(entity, Robot{static_cast<std::uint32_t>(g), i});
      if (groups_[g].shape_sets[i] != kNoShape) set_body(world(), entity, groups_[g].shape_sets[i]);
      if (robot.motion) {
        world().add(entity, Odometer{});
        world().add(entity, Contact{});
        attach(*robot.motion, entity);
      }
      for (const auto& use : robot.components) attach(use, entity);
      for (const auto& use : robot.sensors) attach(use, entity);
      for (const auto& use : robot.behaviours) attach(use, entity);
      if (!errors_.empty()) return;  // the same for all of them
      out_->robots.push_back(entity);
    }
    const RobotSpec& first = spec.variants.front();
    if (!first.motion && !first.behaviours.empty()) {
      out_->simulation->warn(
          fmt::format("the robots '{}' have behaviours but no motion: they will not move", spec.name));
    }
  }

  template <class Kind>
  void attach(const Use<Kind>& use, EntityId entity) {
    const Result<void> attached = use.kind->attach(world(), entity, use.config);
    if (!attached.ok()) {
      for (Error error : attached.errors()) {
        if (error.where.file.empty()) error.where = use.config.where();
        errors_.push_back(std::move(error));
      }
    }
    need(use.kind->systems);
  }

  void need(const std::vector<std::string>& systems) {
    for (const std::string& system : systems) {
      if (std::find(needed_.begin(), needed_.end(), system) == needed_.end()) needed_.push_back(system);
    }
  }

  void add_systems() {
    for (const SystemSpec& system : spec_.systems) add_system(system.name, *system.use.kind, system.use.config);
    for (const std::string& name : needed_) {
      const bool configured = std::any_of(spec_.systems.begin(), spec_.systems.end(),
                                          [&](const SystemSpec& s) { return s.use.kind->name == name; });
      if (configured || out_->simulation->has_system(name)) continue;
      const SystemKind* kind = registry_.catalog<SystemKind>().find(name);
      if (kind == nullptr) {
        errors_.push_back({{},
                           fmt::format("a part of a robot needs the system '{}', which does not exist", name),
                           "the plugin that adds the part has to add it"});
        continue;
      }
      const Result<Config> config = Config::check({}, kind->params);
      if (collect(config, errors_)) add_system(name, *kind, *config);
    }
  }

  void add_system(const std::string& name, const SystemKind& kind, const Config& config) {
    if (out_->simulation->has_system(name)) {
      errors_.push_back({config.where(), fmt::format("the name '{}' belongs to a system of the world", name),
                         "give it another name"});
      return;
    }
    Result<std::unique_ptr<System>> system = kind.make(config);
    if (!collect(system, errors_)) return;
    out_->simulation->add_system(name, kind.phase, kind.order, std::move(system).value());
  }

  void add_faults() {
    if (spec_.faults.empty()) return;
    for (const FaultSpec& fault : spec_.faults) collect(check_fault(world(), fault), errors_);
    std::vector<FaultSpec> faults = timed_faults(world(), spec_.faults, Time{} + spec_.duration);
    out_->simulation->add_system("scenario.faults", Phase::kDeliver, 0,
                                 std::make_unique<FaultSystem>(std::move(faults)));
  }

  // What scripts do about errors they do not handle themselves.
  void read_common_handlers() {
    if (spec_.on_error.is_null()) return;
    Result<ErrorHandlers> handlers = read_handlers(world(), spec_.on_error, ScriptCatalogs(registry_));
    if (collect(handlers, errors_)) world().table<ProgramTable>().handlers.front() = std::move(handlers).value();
  }

  void add_team(const TeamSetup& setup) {
    TeamSpec team;
    for (const std::string& pattern : setup.members) {
      std::vector<EntityId> named = robots_named(world(), pattern);
      if (named.empty()) named = robots_named(world(), pattern + "*");  // the name of a group
      if (named.empty()) {
        std::vector<std::string> known;
        for (const GroupSpec& group : spec_.groups) known.push_back(group.name);
        errors_.push_back({setup.where, fmt::format("no robot is named '{}'", pattern), suggestion(pattern, known)});
      }
      for (const EntityId robot : named) {
        if (std::find(team.members.begin(), team.members.end(), robot) == team.members.end())
          team.members.push_back(robot);
      }
    }
    for (const EntityId robot : team.members)
      collect(ensure_navigator(world(), robot, registry_.catalog<PlannerKind>()), errors_);
    for (const Value& task : setup.tasks) {
      const Result<std::uint32_t> program = read_program(world(), {}, task, ScriptCatalogs(registry_));
      if (collect(program, errors_)) team.tasks.programs.push_back(*program);
    }
    if (!errors_.empty()) return;
    team.strategy = setup.strategy.kind->make(setup.strategy.config);
    team.tasks.first = setup.first;
    team.tasks.every = setup.every;
    team.tasks.random = setup.random;
    team.tasks.count = setup.count;
    team.attempts = setup.attempts;
    team.by_way = setup.by_way;
    need({"script", "navigation", "arrival", "charger"});
    constexpr int kBeforeScripts = -200;
    out_->simulation->add_system("scenario.team", Phase::kPlan, kBeforeScripts,
                                 std::make_unique<TeamSystem>(std::move(team)));
  }

  void add_expectations() {
    if (spec_.expect.empty()) return;
    std::vector<std::string> groups;
    for (const GroupSpec& group : spec_.groups) groups.push_back(group.name);
    for (const ExpectSpec& expect : spec_.expect) {
      for (const std::string& pattern : expect.of) check_pattern(pattern, groups, expect.where);
    }
    auto system = std::make_unique<ExpectSystem>(spec_.expect, std::move(groups));
    out_->expectations = system.get();
    out_->simulation->on_event([watcher = system.get()](const WorldEvent& event) { watcher->see(event); });
    // After whatever else looks, so that it judges what was recorded.
    constexpr int kLast = 1000;
    out_->simulation->add_system("scenario.expect", Phase::kRecord, kLast, std::move(system));
  }

  // An expectation about nobody would always come true.
  void check_pattern(const std::string& pattern, const std::vector<std::string>& groups, const Where& where) {
    if (pattern == "*" || world().find(pattern).valid()) return;
    if (std::find(groups.begin(), groups.end(), pattern) != groups.end()) return;
    std::vector<std::string> names = groups;
    for (const EntityId entity : world().entities()) {
      if (matches(pattern, world().name(entity))) return;
      if (names.size() < groups.size() + 20 && !world().name(entity).empty()) names.push_back(world().name(entity));
    }
    errors_.push_back({where, fmt::format("nothing is named '{}'", pattern), suggestion(pattern, names)});
  }

  const ScenarioSpec& spec_;
  Registry& registry_;
  std::unique_ptr<Built> out_ = std::make_unique<Built>();
  std::vector<Group> groups_;
  std::vector<std::vector<Pose>> poses_;  // by group and robot
  std::vector<EntityId> moving_;          // objects
  std::vector<const Where*> places_;      // by slot
  std::vector<std::string> needed_;       // systems, in the order of need
  std::size_t overlaps_ = 0;
  std::size_t inside_walls_ = 0;
  Errors errors_;
};

}  // namespace

Result<std::unique_ptr<Built>> build(const Scenario& scenario, Registry& registry, int threads) {
  return Builder(scenario.spec, registry, threads).build();
}

}  // namespace strata
