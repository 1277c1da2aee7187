#include "world/range_scan.hpp"

#include <algorithm>
#include <atomic>
#include <map>

#include "base/math.hpp"
#include "base/random.hpp"
#include "world/components.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

void declare_scan(World& world) {
  world.register_component<RangeScan>(
      "range_scan", {field("range", "m", &RangeScan::range_m), field("nearest", "m", &RangeScan::nearest_m),
                     field("first", "rad", &RangeScan::first_rad), field("spacing", "rad", &RangeScan::spacing_rad),
                     field("height", "m", &RangeScan::height_m), field("noise", "m", &RangeScan::noise_m),
                     field("period", "ns", &RangeScan::period_ns), field("next", "ns", &RangeScan::next_ns),
                     field("scans", "", &RangeScan::scans), field("digest", "", &RangeScan::digest),
                     field("count", "", &RangeScan::count), field("first_reading", "", &RangeScan::first_reading)});
}

class RangeScanSystem final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config&) {
    return std::unique_ptr<System>(std::make_unique<RangeScanSystem>());
  }

  void start(Simulation& simulation) override {
    simulation_ = &simulation;
    declare_scan(simulation.world());
  }

  void step(World& world, const Step& step) override {
    Pool<RangeScan>& scans = world.pool<RangeScan>();
    for (const RangeScan& scan : std::as_const(scans).rows()) pattern(scan);
    const std::span<RangeScan> rows = scans.edit_rows();
    const Pool<Pose>& poses = std::as_const(world).pool<Pose>();
    constexpr std::size_t kScansPerChunk = 128;
    step.threads.for_each_chunk(rows.size(), kScansPerChunk, [&](std::size_t begin, std::size_t end) {
      std::vector<RayHit> hits;
      for (std::size_t i = begin; i < end; ++i) {
        if (rows[i].next_ns > step.now.ns()) continue;
        const EntityId entity = scans.owners()[i];
        const Pose* pose = poses.get(entity);
        if (pose != nullptr) scan_one(world, entity, *pose, rows[i], hits);
        // Kept on the grid of the period, however late the step came.
        rows[i].next_ns += std::max<std::int64_t>(rows[i].period_ns, 0);
        if (rows[i].next_ns <= step.now.ns())
          rows[i].next_ns = rows[i].period_ns > 0 ? step.now.ns() + rows[i].period_ns : 0;
      }
    });
  }

 private:
  using Shape = std::tuple<double, double, std::uint32_t>;
  const FanPattern& pattern(const RangeScan& scan) {
    const Shape key{scan.first_rad, scan.spacing_rad, scan.count};
    // Scans of one kind follow each other: the last pattern is nearly always the right one.
    if (last_ != nullptr && last_key_ == key) return *last_;
    auto it = patterns_.find(key);
    if (it == patterns_.end())
      it = patterns_.emplace(key, FanPattern::make(scan.first_rad, scan.spacing_rad, scan.count)).first;
    last_ = &it->second;
    last_key_ = key;
    return it->second;
  }
  [[nodiscard]] const FanPattern& known_pattern(const RangeScan& scan) const {
    if (patterns_.size() == 1) return patterns_.begin()->second;
    return patterns_.find({scan.first_rad, scan.spacing_rad, scan.count})->second;
  }

  void scan_one(World& world, EntityId entity, const Pose& pose, RangeScan& scan, std::vector<RayHit>& hits) const {
    hits.resize(scan.count);
    const Vec3 origin{pose.position.x, pose.position.y, pose.position.z + scan.height_m};
    const RayFan fan{origin, heading(pose.orientation), &known_pattern(scan), scan.range_m, entity};
    const bool sees = simulation_->server().cast(world, fan, hits);
    const std::uint64_t number = scan.scans++;
    // Nothing then, nothing now: the readings stand.
    if (!sees && number > 0 && scan.nearest_m == scan.range_m) return;
    if (!sees) std::fill(hits.begin(), hits.end(), RayHit{scan.range_m, {}});
    const std::span<float> readings = world.edit_readings(scan.first_reading, scan.count);
    if (scan.noise_m > 0) add_noise(world, entity, scan, number, hits);
    scan.nearest_m = scan.range_m;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      readings[i] = static_cast<float>(hits[i].distance_m);
      scan.nearest_m = std::min(scan.nearest_m, hits[i].distance_m);
    }
    scan.digest = hash_bytes(0, readings.data(), readings.size_bytes());
  }

  static void add_noise(const World& world, EntityId entity, const RangeScan& scan, std::uint64_t number,
                        std::span<RayHit> hits) {
    const StreamKey key = stream_key(world.seed(), static_cast<std::uint64_t>(world.stable_id(entity)), "range_scan");
    RandomStream noise(key, number * scan.count);
    for (RayHit& hit : hits) {
      const double error = scan.noise_m * noise.normal();
      if (hit.entity.valid()) hit.distance_m = std::clamp(hit.distance_m + error, 0.0, scan.range_m);
    }
  }

  Simulation* simulation_ = nullptr;
  std::map<Shape, FanPattern> patterns_;
  const FanPattern* last_ = nullptr;
  Shape last_key_;
};

Result<void> attach(World& world, EntityId entity, const Config& config) {
  declare_scan(world);
  RangeScan scan;
  scan.range_m = config.quantity("range");
  scan.nearest_m = scan.range_m;
  scan.count = static_cast<std::uint32_t>(config.integer("rays"));
  const double view = config.quantity("view");
  // A full circle does not repeat its first ray at its end.
  const bool full = view >= math::kTau - 1e-9;
  scan.spacing_rad = full ? math::kTau / scan.count : (scan.count > 1 ? view / (scan.count - 1) : math::kTau);
  scan.first_rad = full ? 0 : -view / 2;
  scan.height_m = config.quantity("height");
  scan.noise_m = config.quantity("noise");
  if (config.has("rate")) scan.period_ns = Duration::from_seconds(1 / config.quantity("rate")).ns();
  scan.first_reading = world.reserve_readings(scan.count);
  world.add(entity, scan);
  return {};
}

}  // namespace

void register_range_scan(Registry& registry) {
  SensorKind kind;
  kind.name = "range_scan";
  kind.summary = "A fan of distance rays in a horizontal plane: lidar, infrared ring";
  kind.params = {
      param::quantity("range", "m", "5 m", "how far it sees").above(0).at_most(1e5),
      param::integer("rays", "24", "number of rays").at_least(1).at_most(4096),
      param::quantity("view", "rad", "360 deg", "angle they cover, centred ahead").above(0).at_most(math::kTau + 1e-9),
      param::quantity("height", "m", "0.05 m", "above the body's base"),
      param::quantity("noise", "m", "0 m", "standard deviation of a reading").at_least(0),
      param::quantity("rate", "Hz", "", "scans per second; every step if not given").above(0)};
  kind.details =
      "Readings go out as sensor_msgs/LaserScan when recorded. Where nothing is seen, a reading equals the range.";
  kind.systems = {"range_scan"};
  kind.declare = &declare_scan;
  kind.attach = &attach;
  registry.catalog<SensorKind>().add(std::move(kind));

  SystemKind system;
  system.name = "range_scan";
  system.summary = "Takes the readings of all range scans";
  system.phase = Phase::kSense;
  system.make = &RangeScanSystem::make;
  registry.catalog<SystemKind>().add(std::move(system));
}

}  // namespace strata
