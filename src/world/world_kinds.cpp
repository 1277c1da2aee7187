// The metrics of the world itself.
#include "world/battery.hpp"
#include "world/components.hpp"
#include "world/drives.hpp"
#include "world/footprint_server.hpp"
#include "world/metric.hpp"
#include "world/range_scan.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

void add_metric(Registry& registry, std::string name, std::string unit, std::string summary, EntityFigures figures) {
  MetricKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  kind.unit = std::move(unit);
  kind.per_entity = std::move(figures);
  registry.catalog<MetricKind>().add(std::move(kind));
}

void add_global_metric(Registry& registry, std::string name, std::string unit, std::string summary,
                       std::function<double(const Simulation&)> global) {
  MetricKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  kind.unit = std::move(unit);
  kind.global = std::move(global);
  registry.catalog<MetricKind>().add(std::move(kind));
}

void register_metrics(Registry& registry) {
  add_metric(registry, "distance", "m", "way driven",
             figure_of<Odometer>([](const Odometer& odometer) { return odometer.distance_m; }));
  add_metric(registry, "speed", "m/s", "speed over ground",
             figure_of<Velocity>([](const Velocity& velocity) { return length(velocity.linear); }));
  add_metric(registry, "charge", "", "part of the battery's energy that is left",
             figure_of<Battery>([](const Battery& battery) { return battery.left_j / battery.capacity_j; }));
  add_metric(registry, "contacts", "", "contacts begun",
             figure_of<Contact>([](const Contact& contact) { return contact.touched; }));
  add_global_metric(registry, "robots", "", "robots in the world", [](const Simulation& simulation) {
    return static_cast<double>(simulation.world().pool<Robot>().size());
  });
  add_global_metric(registry, "collisions", "", "collisions so far", [](const Simulation& simulation) {
    return static_cast<double>(simulation.event_count("collision"));
  });
  add_global_metric(registry, "disabled", "", "robots that cannot move", [](const Simulation& simulation) {
    return static_cast<double>(simulation.world().pool<Disabled>().size());
  });
}

void register_servers(Registry& registry) {
  ServerKind kind;
  kind.name = "footprint";
  kind.summary = "Extruded footprints that stop where they touch; no tunnelling at any speed and step";
  kind.params = {param::flag("brute_force", false, "test every pair instead of using the index: slow, for checking")};
  kind.make = [](const Config& config) -> Result<std::unique_ptr<WorldServer>> {
    return std::unique_ptr<WorldServer>(
        std::make_unique<FootprintServer>(FootprintServer::Spec{config.flag("brute_force")}));
  };
  registry.catalog<ServerKind>().add(std::move(kind));
}

}  // namespace

void register_world_kinds(Registry& registry) {
  register_drives(registry);
  register_battery(registry);
  register_range_scan(registry);
  register_metrics(registry);
  register_servers(registry);
}

}  // namespace strata
