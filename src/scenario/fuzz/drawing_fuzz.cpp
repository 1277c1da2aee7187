// Any bytes as a drawing: read, given meaning and written as a scenario. Whatever they are, the answer is a scenario or
// errors.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "scenario/maps/drawing.hpp"
#include "scenario/maps/map.hpp"
#include "scenario/read.hpp"
#include "scenario/run.hpp"
#include "scenario/yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace strata;
  static Registry* const registry = [] {
    auto* const made = new Registry;
    register_all_kinds(*made);
    return made;
  }();
  maps::MapSettings settings;
  settings.file = "fuzz.drawio";
  settings.unknown_shapes = maps::UnknownShapes::kBox;
  const auto map = maps::import_drawing(std::string(reinterpret_cast<const char*>(data), size), settings, *registry);
  if (!map.ok()) {
    for (const Error& error : map.errors()) {
      if (error.problem.empty()) std::abort();
    }
    return 0;
  }
  // What a drawing says can be written down, and means the same when read.
  Value root = map->sections;
  root.set("strata", Value::scalar("1"));
  const Result<ScenarioSpec> spec = read_scenario(root, *registry);
  const Result<Value> again = parse_yaml(to_yaml(root), "again.yaml");
  if (!again.ok() || read_scenario(*again, *registry).ok() != spec.ok()) std::abort();
  return 0;
}
