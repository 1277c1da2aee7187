#include "behaviour/sensing/notice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "base/math.hpp"
#include "behaviour/objects/claw.hpp"
#include "behaviour/script/instruction.hpp"
#include "behaviour/swarm/neighbours.hpp"
#include "world/components.hpp"
#include "world/event_kind.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

constexpr std::size_t kSensorsPerChunk = 128;

void declare_notices(World& world) {
  world.register_component<NoticeSensor>(
      "notice_sensor",
      {field("range", "m", &NoticeSensor::range_m), field("view_cos", "", &NoticeSensor::view_cos),
       field("nearest", "m", &NoticeSensor::nearest_m), field("period", "ns", &NoticeSensor::period_ns),
       field("next", "ns", &NoticeSensor::next_ns), field("digest", "", &NoticeSensor::digest),
       field("occluded", "", &NoticeSensor::occluded), field("count", "", &NoticeSensor::count)});
}

class NoticeSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<NoticeSystem>());
  }
  void start(Simulation& simulation) override {
    simulation_ = &simulation;
    declare_notices(simulation.world());
  }

  void step(World& world, const Step& step) override {
    Pool<NoticeSensor>& sensors = world.pool<NoticeSensor>();
    if (!any_due(sensors, step.now)) return;
    NoticeTable& table = world.table<NoticeTable>();
    for (const EntityId owner : sensors.owners()) {
      if (owner.slot >= table.by_slot.size()) table.by_slot.resize(owner.slot + 1);
    }
    gather(world);
    const std::span<NoticeSensor> rows = sensors.edit_rows();
    fresh_.assign(rows.size(), {});
    step.threads.for_each_chunk(rows.size(), kSensorsPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (rows[i].next_ns > step.now.ns()) continue;
        const EntityId owner = sensors.owners()[i];
        look(world, owner, rows[i], table.by_slot[owner.slot], fresh_[i]);
        const std::int64_t late = step.now.ns() - rows[i].next_ns;
        rows[i].next_ns += rows[i].period_ns * (late / rows[i].period_ns + 1);
      }
    });
    report(world, sensors, step.now);
  }
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }

  void save(std::vector<std::byte>& out) const override {
    const NoticeTable& table = simulation_->world().table<NoticeTable>();
    put(out, static_cast<std::uint64_t>(table.by_slot.size()));
    for (const auto& row : table.by_slot) put_rows<EntityId>(out, row);
  }
  void load(std::span<const std::byte>& in) override {
    NoticeTable& table = simulation_->world().table<NoticeTable>();
    std::uint64_t count = 0;
    bool good = take(in, count);
    table.by_slot.clear();
    for (std::uint64_t i = 0; good && i < count; ++i) good = take_rows(in, table.by_slot.emplace_back());
    STRATA_ASSERT(good, "a snapshot of sensors is too short");
  }

 private:
  static bool any_due(const Pool<NoticeSensor>& sensors, Time now) {
    return std::any_of(sensors.rows().begin(), sensors.rows().end(),
                       [&](const NoticeSensor& sensor) { return sensor.next_ns <= now.ns(); });
  }

  // Robots and things that lie around can be noticed.
  void gather(const World& world) {
    all_.clear();
    entities_.clear();
    double range = 0;
    for (const NoticeSensor& sensor : world.pool<NoticeSensor>().rows()) range = std::max(range, sensor.range_m);
    const auto add = [&](EntityId entity) {
      const Pose* pose = world.get<Pose>(entity);
      if (pose == nullptr) return;
      all_.push_back({pose->position.xy(), {}, 0, 0, 0, static_cast<std::uint32_t>(entities_.size()), 0});
      entities_.push_back(entity);
    };
    for (const EntityId robot : world.pool<Robot>().owners()) add(robot);
    if (const Pool<Pickable>* things = world.find_pool<Pickable>()) {
      for (const EntityId thing : things->owners()) add(thing);
    }
    grid_.build(all_, range);
  }

  void look(const World& world, EntityId owner, NoticeSensor& sensor, std::vector<EntityId>& noticed,
            std::vector<EntityId>& fresh) const {
    const Pose* pose = world.get<Pose>(owner);
    std::vector<EntityId> found;
    sensor.nearest_m = sensor.range_m;
    if (pose != nullptr) {
      const Vec2 ahead = heading(pose->orientation);
      grid_.query(pose->position.xy(), [&](const Neighbour& other) {
        const EntityId entity = entities_[other.id];
        const Vec2 offset = other.at - pose->position.xy();
        const double square = dot(offset, offset);
        if (entity == owner || square > sensor.range_m * sensor.range_m) return;
        const double distance = std::sqrt(square);
        if (dot(ahead, offset) < sensor.view_cos * distance) return;
        if (sensor.occluded != 0 && hidden(world, owner, *pose, entity, offset, distance)) return;
        found.push_back(entity);
        sensor.nearest_m = std::min(sensor.nearest_m, distance);
      });
    }
    const auto by_id = [&](EntityId a, EntityId b) { return world.stable_id(a) < world.stable_id(b); };
    std::sort(found.begin(), found.end(), by_id);
    for (const EntityId entity : found) {
      if (std::find(noticed.begin(), noticed.end(), entity) == noticed.end()) fresh.push_back(entity);
    }
    sensor.count = static_cast<std::uint32_t>(found.size());
    sensor.digest = 0;
    for (const EntityId entity : found)
      sensor.digest = mix(sensor.digest, static_cast<std::uint64_t>(world.stable_id(entity)));
    noticed = std::move(found);
  }

  // Something stands between: a ray towards the other's middle hits another body first.
  [[nodiscard]] bool hidden(const World& world, EntityId owner, const Pose& pose, EntityId other, Vec2 offset,
                            double distance) const {
    if (distance == 0) return false;
    const Body* body = world.get<Body>(owner);
    const double height = pose.position.z + (body == nullptr ? 0.1 : 0.5 * (body->low + body->high));
    const Ray ray{
        {pose.position.x, pose.position.y, height}, {offset.x / distance, offset.y / distance, 0}, distance, owner};
    RayHit hit;
    simulation_->server().cast(world, std::span(&ray, 1), std::span(&hit, 1));
    return hit.entity.valid() && hit.entity != other && hit.distance_m < distance;
  }

  void report(World& world, const Pool<NoticeSensor>& sensors, Time now) {
    std::vector<std::pair<StableId, std::size_t>> order;
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      if (!fresh_[i].empty()) order.emplace_back(world.stable_id(sensors.owners()[i]), i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [stable, i] : order) {
      for (const EntityId entity : fresh_[i]) {
        const Pose* pose = std::as_const(world).get<Pose>(entity);
        world.emit({now, "noticed", sensors.owners()[i], entity, pose == nullptr ? Vec3{} : pose->position,
                    world.name(entity), 0});
      }
    }
  }

  Simulation* simulation_ = nullptr;
  std::vector<Neighbour> all_;
  std::vector<EntityId> entities_;
  std::vector<std::vector<EntityId>> fresh_;
  NeighbourGrid grid_;
};

void add_sensor(Registry& registry, const char* name, const char* summary, bool sight) {
  SensorKind kind;
  kind.name = name;
  kind.summary = summary;
  kind.params = {param::quantity("range", "m", "5 m", "how far it notices").above(0),
                 param::quantity("rate", "Hz", "10 Hz", "how often it looks").above(0)};
  if (sight)
    kind.params.push_back(param::quantity("view", "rad", "120 deg", "angle of its field of view, around the heading")
                              .above(0)
                              .at_most(6.2832));
  kind.details = "Robots and things that lie around are noticed. Scripts ask with {if: sees NAME, do: [...]}.";
  kind.systems = {"notice"};
  kind.declare = &declare_notices;
  kind.attach = [sight](World& world, EntityId entity, const Config& config) -> Result<void> {
    declare_notices(world);
    if (world.has<NoticeSensor>(entity))
      return Error{config.where(), "a robot has one sensor that notices others", "keep proximity or sight"};
    NoticeSensor sensor;
    sensor.range_m = config.quantity("range");
    sensor.nearest_m = sensor.range_m;
    sensor.period_ns = std::max<std::int64_t>(Duration::from_seconds(1 / config.quantity("rate")).ns(), 1);
    if (sight) {
      const double view = config.quantity("view");
      sensor.view_cos = view >= math::kTau ? -1 : math::cos(0.5 * view);
      sensor.occluded = 1;
    }
    world.add(entity, sensor);
    return {};
  };
  registry.catalog<SensorKind>().add(std::move(kind));
}

void add_condition(Registry& registry) {
  ConditionKind sees;
  sees.name = "sees";
  sees.summary = "Whether its sensor notices somebody or something of that name";
  sees.usage = "sees NAME";
  sees.read = [](const InstructionWords& words, World& world, EntityId) -> Result<InstructionArgs> {
    InstructionArgs args;
    args.text = words.joined();
    if (words.words.size() != 1) return Error{words.where, "it does not say what to see", "write 'sees NAME'"};
    args.word = words.words.front();
    if (args.word.back() == '*') return args;
    if (world.find(args.word).valid()) return args;
    return Error{words.where, fmt::format("nothing is named '{}'", args.word), "name a robot or a thing, or use NAME*"};
  };
  sees.test = [](const World& world, EntityId robot, const InstructionArgs& args) {
    const bool prefix = args.word.back() == '*';
    const std::string_view stem = std::string_view(args.word).substr(0, args.word.size() - (prefix ? 1 : 0));
    const std::span<const EntityId> noticed = noticed_by(world, robot);
    return std::any_of(noticed.begin(), noticed.end(), [&](EntityId entity) {
      if (!world.alive(entity)) return false;
      return prefix ? world.name(entity).starts_with(stem) : world.name(entity) == stem;
    });
  };
  registry.catalog<ConditionKind>().add(std::move(sees));
}

}  // namespace

std::span<const EntityId> noticed_by(const World& world, EntityId robot) {
  const NoticeTable* table = world.find_table<NoticeTable>();
  if (table == nullptr || robot.slot >= table->by_slot.size() || !world.has<NoticeSensor>(robot)) return {};
  return table->by_slot[robot.slot];
}

void register_notice(Registry& registry) {
  add_sensor(registry, "proximity", "Notices everybody and everything within range", false);
  add_sensor(registry, "sight", "Notices who is in its field of view and not hidden", true);
  add_condition(registry);
  SystemKind system;
  system.name = "notice";
  system.summary = "Lets sensors notice others";
  system.phase = Phase::kSense;
  system.order = 10;
  system.make = &NoticeSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
  add_event(registry, "noticed", "a sensor notices somebody or something anew: it has come near or into sight");
}

}  // namespace strata
