#include "record/publishers.hpp"

#include <algorithm>
#include <limits>

#include "world/components.hpp"
#include "world/range_scan.hpp"

namespace strata {

std::string entity_label(const World& world, EntityId entity) {
  if (!entity.valid() || !world.alive(entity)) return "";
  const std::string& name = world.name(entity);
  return name.empty() ? "entity" + std::to_string(entity.slot) : name;
}

// Samples come back when the last subscriber is done with them, so that a large fleet does not mean fresh memory, and
// page faults, for each sample. Returned from any thread.
class PosePublisher::Pool : public std::enable_shared_from_this<Pool> {
 public:
  std::shared_ptr<TransformSample> get() {
    std::unique_ptr<TransformSample> sample;
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        sample = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!sample) sample = std::make_unique<TransformSample>();
    return {sample.release(),
            [self = shared_from_this()](TransformSample* used) { self->put(std::unique_ptr<TransformSample>(used)); }};
  }

 private:
  static constexpr std::size_t kMost = 8;
  void put(std::unique_ptr<TransformSample> sample) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < kMost) free_.push_back(std::move(sample));
  }
  std::mutex mutex_;
  std::vector<std::unique_ptr<TransformSample>> free_;
};

PosePublisher::PosePublisher(Duration period, Trajectories* trajectories)
    : clock_(period), trajectories_(trajectories), pool_(std::make_shared<Pool>()) {}

PosePublisher::~PosePublisher() = default;

void PosePublisher::start(Simulation& simulation) {
  Channels& channels = simulation.channels();
  const auto schema = transform_schema();
  moving_channel_ = channels.declare<TransformSample>({"/tf", schema, Phase::kRecord, clock_.period()});
  fixed_channel_ = channels.declare<TransformSample>({"/tf_static", schema, Phase::kRecord, {}});
  bodies_channel_ = channels.declare<ros1::MarkerArray>(
      {"/bodies", ros1_schema<ros1::MarkerArray>(ros1::marker_array_type()), Phase::kRecord, {}});
  if (clock_.take(simulation.now())) publish(simulation.world(), simulation.now());
}

void PosePublisher::step(World& world, const Step& step) {
  if (clock_.take(step.now)) publish(world, step.now);
}

void PosePublisher::finish(Simulation& simulation) {
  if (latest_ < simulation.now()) publish(simulation.world(), simulation.now());
}

void PosePublisher::look_at_structure(const World& world, Time now) {
  if (structure_ == world.structure_version()) return;
  structure_ = world.structure_version();
  const auto& poses = world.pool<Pose>();
  std::vector<EntityId> moving;
  std::vector<EntityId> fixed;
  for (const EntityId entity : poses.owners()) {
    if (world.has<Robot>(entity) || world.has<Velocity>(entity))
      moving.push_back(entity);
    else if (world.has<Body>(entity))
      fixed.push_back(entity);
  }
  // In the order of the entities, whatever became of the rows.
  std::sort(moving.begin(), moving.end());
  std::sort(fixed.begin(), fixed.end());
  rows_.clear();
  for (const EntityId entity : moving) rows_.push_back(poses.row(entity));

  const bool changed = frames_ == nullptr || moving != moving_ || fixed != fixed_;
  if (!changed) return;
  moving_ = std::move(moving);
  fixed_ = std::move(fixed);
  std::vector<std::string> names;
  names.reserve(moving_.size());
  for (const EntityId entity : moving_) names.push_back(entity_label(world, entity));
  frames_ = std::make_shared<const ros1::TransformTemplate>(kWorldFrame, std::move(names));
  publish_fixed(world, now);
}

void PosePublisher::publish_fixed(const World& world, Time now) {
  if (fixed_channel_.wanted() && !fixed_.empty()) {
    auto sample = std::make_shared<TransformSample>();
    std::vector<std::string> names;
    for (const EntityId entity : fixed_) {
      const Pose& pose = *world.get<Pose>(entity);
      names.push_back(entity_label(world, entity));
      sample->poses.push_back({pose.position, pose.orientation});
    }
    sample->stamp = now;
    sample->frames = std::make_shared<const ros1::TransformTemplate>(kWorldFrame, std::move(names));
    fixed_channel_.publish(now, std::move(sample));
  }
  if (bodies_channel_.wanted())
    bodies_channel_.publish(now, std::make_shared<const ros1::MarkerArray>(body_markers(world)));
}

void PosePublisher::publish(const World& world, Time now) {
  if (trajectories_ == nullptr && !moving_channel_.wanted()) return;
  look_at_structure(world, now);
  latest_ = now;
  const std::shared_ptr<TransformSample> sample = pool_->get();
  sample->stamp = now;
  sample->seq = seq_++;
  sample->frames = frames_;
  sample->poses.resize(rows_.size());
  const std::span<const Pose> poses = world.pool<Pose>().rows();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Pose& pose = poses[rows_[i]];
    sample->poses[i] = {pose.position, pose.orientation};
  }
  if (trajectories_ != nullptr) trajectories_->add(sample);
  moving_channel_.publish(now, sample);
}

EventPublisher::EventPublisher(Simulation& simulation, std::vector<std::string> names)
    : world_(simulation.world()), names_(std::move(names)) {
  channel_ = simulation.channels().declare<ros1::Event>(
      {"/events", ros1_schema<ros1::Event>(ros1::event_type()), Phase::kRecord, {}});
  simulation.on_event([this](const WorldEvent& event) { publish(event); });
}

void EventPublisher::publish(const WorldEvent& event) {
  if (!channel_.wanted()) return;
  if (!names_.empty() && std::find(names_.begin(), names_.end(), event.name) == names_.end()) return;
  auto message = std::make_shared<ros1::Event>();
  message->stamp = event.time;
  message->name = event.name;
  message->entity = entity_label(world_, event.entity);
  message->other = entity_label(world_, event.other);
  message->point = event.point;
  message->text = event.text;
  channel_.publish(event.time, std::move(message));
}

void BatteryPublisher::start(Simulation& simulation) {
  channels_ = &simulation.channels();
  const World& world = simulation.world();
  combined_ = world.pool<Battery>().size() > kSingleBatteries;
  schema_ = ros1_schema<ros1::BatteryState>(ros1::battery_state_type());
  if (combined_)
    fleet_channel_ =
        channels_->declare<BatteryFleetSample>({"/battery", battery_fleet_schema(), Phase::kRecord, clock_.period()});
  const Time now = simulation.now();
  if (!clock_.take(now)) return;
  combined_ ? publish_fleet(world, now) : publish_each(world, now);
}

void BatteryPublisher::step(World& world, const Step& step) {
  if (!clock_.take(step.now)) return;
  combined_ ? publish_fleet(world, step.now) : publish_each(world, step.now);
}

void BatteryPublisher::publish_each(const World& world, Time now) {
  constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  const auto& batteries = world.pool<Battery>();
  for (const EntityId entity : batteries.owners()) {
    const std::string name = entity_label(world, entity);
    auto [place, is_new] = channels_of_.try_emplace(name);
    Channel<ros1::BatteryState>& channel = place->second;
    if (is_new)
      channel =
          channels_->declare<ros1::BatteryState>({"/" + name + "/battery", schema_, Phase::kRecord, clock_.period()});
    if (!channel.wanted()) continue;
    const Battery& battery = *batteries.get(entity);
    auto message = std::make_shared<ros1::BatteryState>();
    message->header = {seq_, now, name};
    message->voltage_v = message->temperature_c = message->current_a = kUnknown;
    message->charge_ah = message->capacity_ah = message->design_capacity_ah = kUnknown;
    message->fraction = battery.capacity_j > 0 ? static_cast<float>(battery.left_j / battery.capacity_j) : kUnknown;
    message->status = ros1::BatteryState::kDischarging;
    channel.publish(now, std::move(message));
  }
  ++seq_;
}

void BatteryPublisher::publish_fleet(const World& world, Time now) {
  if (!fleet_channel_.wanted()) return;
  const auto& batteries = world.pool<Battery>();
  if (names_ == nullptr ||
      !std::equal(owners_.begin(), owners_.end(), batteries.owners().begin(), batteries.owners().end())) {
    owners_.assign(batteries.owners().begin(), batteries.owners().end());
    auto names = std::make_shared<std::vector<std::string>>();
    for (const EntityId entity : owners_) names->push_back(entity_label(world, entity));
    names_ = std::move(names);
  }
  auto sample = std::make_shared<BatteryFleetSample>();
  sample->stamp = now;
  sample->names = names_;
  for (const Battery& battery : batteries.rows()) {
    sample->left_j.push_back(battery.left_j);
    sample->capacity_j.push_back(battery.capacity_j);
  }
  fleet_channel_.publish(now, std::move(sample));
}

void ScanPublisher::step(World& world, const Step& step) {
  const Pool<RangeScan>* scans = world.find_pool<RangeScan>();
  if (scans == nullptr) return;
  for (std::size_t row = 0; row < scans->size(); ++row) {
    const RangeScan& scan = scans->rows()[row];
    const std::string name = entity_label(world, scans->owners()[row]);
    auto [place, is_new] = sources_.try_emplace(name);
    Source& source = place->second;
    if (is_new)
      source.channel = channels_->declare<ros1::LaserScan>(
          {"/" + name + "/scan", schema_, Phase::kRecord, Duration::nanoseconds(scan.period_ns)});
    if (source.scans == scan.scans || !source.channel.wanted()) continue;
    source.scans = scan.scans;
    auto message = std::make_shared<ros1::LaserScan>();
    message->header = {static_cast<std::uint32_t>(scan.scans), step.now, name};
    message->angle_min = static_cast<float>(scan.first_rad);
    message->angle_max = static_cast<float>(scan.first_rad + scan.spacing_rad * (scan.count > 0 ? scan.count - 1 : 0));
    message->angle_increment = static_cast<float>(scan.spacing_rad);
    message->scan_time_s = static_cast<float>(Duration::nanoseconds(scan.period_ns).seconds());
    message->range_max_m = static_cast<float>(scan.range_m);
    const std::span<const float> ranges = readings(world, scan);
    message->ranges_m.assign(ranges.begin(), ranges.end());
    source.channel.publish(step.now, std::move(message));
  }
}

}  // namespace strata
