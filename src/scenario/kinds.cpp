#include "behaviour/behaviour_kinds.hpp"
#include "record/sink.hpp"
#include "scenario/maps/map.hpp"
#include "scenario/plugin.hpp"
#include "scenario/read.hpp"
#include "scenario/run.hpp"
#include "scenario/sections.hpp"
#include "scenario/shape_kinds.hpp"
#include "world/event_kind.hpp"
#include "world/heartbeat.hpp"

namespace strata {
namespace {

void add_section(Registry& registry, std::string name, std::string summary, const std::vector<Param>& params,
                 std::string details = "") {
  SectionKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  kind.params = params;
  kind.details = std::move(details);
  registry.catalog<SectionKind>().add(std::move(kind));
}

void register_sections(Registry& registry) {
  add_section(registry, "scenario", "The top level of a scenario file", sections::scenario());
  add_section(registry, "world", "What robots live in", sections::world());
  add_section(registry, "world.border", "Four walls around a rectangle", sections::border());
  add_section(registry, "world.walls", "Straight walls, a list", sections::wall());
  add_section(registry, "world.objects", "Things with a shape, a list", sections::object(),
              "The keys of its shape stand beside these.");
  add_section(registry, "map", "A map file", maps::map_params());
  add_section(registry, "places", "What the map knows besides obstacles", sections::places());
  add_section(registry, "places.points", "Points of interest, a list", sections::place_point());
  add_section(registry, "places.paths", "Ways that robots may travel, a list", sections::place_path());
  add_section(registry, "places.routes", "Ways that single robots follow, a list", sections::place_route());
  add_section(registry, "places.items", "Things that a claw can pick up, a list", sections::place_item());
  add_section(registry, "places.chargers", "Where batteries are charged, a list", sections::place_charger());
  add_section(registry, "robots", "One group of robots", sections::robots(),
              "Every component kind is a further key, with its parameters.");
  add_section(registry, "body", "What a shape has within a body", sections::shape_in_body(),
              "The keys of its shape stand beside these.");
  add_section(registry, "faults", "What breaks, a list", sections::fault());
  add_section(registry, "team", "Robots that share tasks", sections::team());
  add_section(registry, "team.tasks", "What a team has to do", sections::team_tasks());
  add_section(registry, "team.tasks.arrive", "When tasks arrive", sections::task_arrivals());
  add_section(registry, "record", "What is recorded", sections::record());
}

// Whoever adds an event may be older than the catalog of events.
void ensure_event(Registry& registry, const char* name, const char* summary) {
  if (registry.catalog<EventKind>().find(name) == nullptr) add_event(registry, name, summary);
}

}  // namespace

void register_scenario_kinds(Registry& registry) {
  register_placements(registry);
  register_shapes(registry);
  maps::register_map_kinds(registry);
  register_sections(registry);
  ensure_event(registry, "collision", "two bodies begin to touch");
  ensure_event(registry, "battery_empty", "a battery has run empty");
  ensure_event(registry, "fault", "a component, or a whole robot, was taken away by 'faults:'");
}

void register_all_kinds(Registry& registry) {
  register_world_kinds(registry);
  register_behaviour_kinds(registry);
  register_heartbeat(registry);
  register_record_kinds(registry);
  register_scenario_kinds(registry);
}

}  // namespace strata
