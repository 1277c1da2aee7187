#include "scenario/maps/map.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "scenario/maps/drawn_type.hpp"
#include "scenario/maps/ros_map.hpp"
#include "scenario/source.hpp"
#include "scenario/yaml.hpp"

namespace strata::maps {
namespace {

namespace fs = std::filesystem;

Result<ImportedMap> interpreted(const Drawing& drawing, const MapSettings& settings, Registry& registry) {
  MapContent content(drawing, settings, registry);
  interpret(content);
  if (!content.errors().empty()) return std::move(content.errors());
  ImportedMap out;
  out.sections = content.sections();
  out.notes = content.notes();
  if (out.sections.members().empty()) {
    return Error{{drawing.file, 0, 0, ""},
                 drawing.page.empty() ? "the page is empty" : fmt::format("the page '{}' is empty", drawing.page),
                 "draw something on it, or choose another with 'page'"};
  }
  return out;
}

Result<ImportedMap> import_text(std::string text, const MapSettings& settings, Registry& registry) {
  if (looks_like_drawing(text)) return import_drawing(std::move(text), settings, registry);
  const std::string extension = fs::path(settings.file).extension().string();
  if (extension == ".drawio" || extension == ".xml" || text.starts_with("<")) {
    const Result<Drawing> drawing = parse_drawing(std::move(text), settings.file, settings.page);
    if (!drawing.ok()) return drawing.errors();  // says what is wrong with it
    return interpreted(*drawing, settings, registry);
  }
  Result<Value> root = parse_yaml(text, settings.file);
  if (root.ok() && is_ros_map(*root)) {
    label_paths(*root);
    Result<Value> sections = read_ros_map(*root, settings);
    if (!sections.ok()) return sections.errors();
    return ImportedMap{std::move(sections).value(), {}};
  }
  return Error{{settings.file, 0, 0, ""},
               "this is neither a drawing of diagrams.net nor a ROS map file",
               "a drawing is XML that begins with <mxfile>, a ROS map is YAML with 'image' and 'resolution'"};
}

/// A list of the scenario behind that of the map.
void prepend(Value& section, const std::string& list, const Value& first) {
  Value* own = section.find(list);
  if (own == nullptr || own->is_null()) {
    section.set(list, first);
  } else if (own->is_list()) {
    own->items().insert(own->items().begin(), first.items().begin(), first.items().end());
  }
}

/// Drawn robots without the place where they were drawn, if the scenario puts them elsewhere.
Value without_moved(Value drawn, const Value& own) {
  for (const auto& [name, robot] : own.members()) {
    Value* found = robot.find("place") != nullptr || robot.find("at") != nullptr ? drawn.find(name) : nullptr;
    if (found == nullptr) continue;
    found->erase("at");
    found->erase("heading");
  }
  return drawn;
}

void lay_under(Value& root, const Value& sections) {
  for (const char* name : {"world", "places"}) {
    const Value* drawn = sections.find(name);
    if (drawn == nullptr) continue;
    Value* own = root.find(name);
    if (own == nullptr || own->is_null()) {
      root.set(name, *drawn);
    } else if (own->is_map()) {
      for (const auto& [list, items] : drawn->members()) prepend(*own, list, items);
    }
  }
  if (const Value* robots = sections.find("robots")) {
    const Value* own = root.find("robots");
    root.set("robots", own == nullptr ? *robots : merged(without_moved(*robots, *own), *own));
  }
}

}  // namespace

Result<ImportedMap> import_drawing(std::string text, const MapSettings& settings, Registry& registry) {
  const Result<Drawing> drawing = parse_drawing(std::move(text), settings.file, settings.page);
  if (!drawing.ok()) return drawing.errors();
  return interpreted(*drawing, settings, registry);
}

Result<ImportedMap> import_map(const MapSettings& settings, Registry& registry) {
  Result<std::string> text = read_text_file(settings.file, DrawingLimits{}.bytes);
  if (!text.ok()) return text.errors();
  return import_text(std::move(text).value(), settings, registry);
}

Result<std::vector<std::string>> expand_map(Value& root, Registry& registry) {
  const Value* given = root.find("map");
  if (given == nullptr) return std::vector<std::string>{};
  // map: FILE is short for map: {file: FILE}.
  Value section = given->is_scalar() ? Value::map({{"file", *given}}, given->where()) : *given;
  const Result<Config> config = Config::check(section, map_params());
  if (!config.ok()) return config.errors();
  MapSettings settings = MapSettings::from(*config);
  const std::string& named_in = config->where("file").file;
  if (!fs::path(settings.file).is_absolute() && !named_in.starts_with("--"))
    settings.file = (fs::path(named_in).parent_path() / settings.file).string();
  const Result<ImportedMap> map = import_map(settings, registry);
  if (!map.ok()) return map.errors();
  root.erase("map");
  lay_under(root, map->sections);
  return map->notes;
}

void register_map_kinds(Registry& registry) {
  register_drawn_shapes(registry);
  register_drawn_types(registry);
}

}  // namespace strata::maps
