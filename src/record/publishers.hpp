// Systems that look at the world in the record phase and publish what they see, for whoever listens. They change
// nothing and never ask for a step, so a run gives the same hash with and without them.
//
//   /tf             tf2_msgs/TFMessage          robots and other moving things, from "map" to the entity's name, at a
//   rate /tf_static      tf2_msgs/TFMessage          what stands still; once, and again when it changes /bodies
//   visualization_msgs/MarkerArray   the shapes of all bodies, fixed to their frames; once, and again /events
//   strata_msgs/Event           what happens, when it happens /NAME/battery   sensor_msgs/BatteryState    one per
//   robot, at a rate, in fleets of up to kSingleBatteries /battery        strata_msgs/BatteryFleet    all in one
//   message, in larger fleets /NAME/scan      sensor_msgs/LaserScan       every scan a range sensor takes, if asked
//   for: it is a lot of data
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/channels.hpp"
#include "record/samples.hpp"
#include "record/sampling.hpp"
#include "record/trajectories.hpp"
#include "world/simulation.hpp"
#include "world/system.hpp"

namespace strata {

/// The frame all poses are in.
inline constexpr const char* kWorldFrame = "map";

/// The entity's name, or one made from its id: every frame needs one.
[[nodiscard]] std::string entity_label(const World& world, EntityId entity);

class PosePublisher final : public System {
 public:
  /// `trajectories` may be null; it must outlive the system.
  PosePublisher(Duration period, Trajectories* trajectories);
  ~PosePublisher() override;

  void start(Simulation& simulation) override;
  void step(World& world, const Step& step) override;
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }
  /// Publishes where everything is in the end.
  void finish(Simulation& simulation) override;

 private:
  class Pool;
  void look_at_structure(const World& world, Time now);
  void publish_fixed(const World& world, Time now);
  void publish(const World& world, Time now);

  SampleClock clock_;
  Trajectories* trajectories_;
  Channel<TransformSample> moving_channel_;
  Channel<TransformSample> fixed_channel_;
  Channel<ros1::MarkerArray> bodies_channel_;
  std::uint64_t structure_ = 0;  // version of the world's structure that the following belongs to
  std::vector<EntityId> moving_;
  std::vector<EntityId> fixed_;
  std::vector<std::uint32_t> rows_;  // of the poses of moving_
  std::shared_ptr<const ros1::TransformTemplate> frames_;
  std::shared_ptr<Pool> pool_;
  std::uint32_t seq_ = 0;
  Time latest_ = Time::from_ns(-1);
};

/// Not a system: events come when they happen.
class EventPublisher {
 public:
  /// `names`: which; none: all. Before the simulation starts, and to live as long as it runs.
  EventPublisher(Simulation& simulation, std::vector<std::string> names);

 private:
  void publish(const WorldEvent& event);
  const World& world_;
  std::vector<std::string> names_;
  Channel<ros1::Event> channel_;
};

class BatteryPublisher final : public System {
 public:
  /// Up to this many batteries have a topic each, which plots show without further ado.
  static constexpr std::size_t kSingleBatteries = 200;

  explicit BatteryPublisher(Duration period) : clock_(period) {}

  void start(Simulation& simulation) override;
  void step(World& world, const Step& step) override;
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }

 private:
  void publish_each(const World& world, Time now);
  void publish_fleet(const World& world, Time now);

  SampleClock clock_;
  Channels* channels_ = nullptr;
  bool combined_ = false;
  std::uint32_t seq_ = 0;
  Channel<BatteryFleetSample> fleet_channel_;
  std::map<std::string, Channel<ros1::BatteryState>> channels_of_;  // by the robot's name
  std::vector<EntityId> owners_;                                    // of the names below
  std::shared_ptr<const std::vector<std::string>> names_;
  std::shared_ptr<const Schema> schema_;
};

class ScanPublisher final : public System {
 public:
  ScanPublisher() = default;

  void start(Simulation& simulation) override { channels_ = &simulation.channels(); }
  void step(World& world, const Step& step) override;
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }

 private:
  struct Source {
    Channel<ros1::LaserScan> channel;
    std::uint64_t scans = 0;  // published so far
  };
  Channels* channels_ = nullptr;
  std::map<std::string, Source> sources_;  // by the robot's name
  std::shared_ptr<const Schema> schema_ = ros1_schema<ros1::LaserScan>(ros1::laser_scan_type());
};

/// The shapes of every body as markers in its own frame.
[[nodiscard]] ros1::MarkerArray body_markers(const World& world);

}  // namespace strata
