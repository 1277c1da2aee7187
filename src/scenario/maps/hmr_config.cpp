#include "scenario/maps/hmr_config.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "scenario/maps/drawing.hpp"
#include "scenario/maps/drawn_parts.hpp"
#include "scenario/maps/map_content.hpp"
#include "scenario/name_table.hpp"
#include "world/system.hpp"

namespace strata::maps {
namespace {

namespace fs = std::filesystem;

constexpr double kNoEnd_s = 3600;

const std::vector<Param>& config_params() {
  static const std::vector<Param> params{
      param::text("context", "", "folder of the project"),
      param::text("map", "", "the drawing, from that folder"),
      param::number("FPS", "60", "steps per second").above(0).at_most(1e6),
      param::number("DLW", "10", "width of lines, in drawing units").above(0).at_most(1e5),
      param::number("duration", "", "seconds to simulate"),
      param::any("verbose", "how much to print"),
      param::any("simulationComponents", "parts of the world: {name: arguments}"),
      param::any("extraEntities", "what is not in the drawing"),
  };
  return params;
}

const std::vector<Param>& entity_params() {
  static const std::vector<Param> params{
      param::text("entId", "", "id, as if it were drawn"),
      param::any("components", "{name: arguments}"),
      param::flag("isObject", false, "a thing rather than a robot"),
      param::flag("isInteractive", false, "a thing that can be picked up"),
      param::text("name", "", "of the entity"),
      param::text("type", "", "robot, drone, ..."),
  };
  return params;
}

class Converter {
 public:
  Converter(const Value& config, Registry& registry) : given_(config), registry_(registry) {}

  Result<HmrScenario> convert() {
    Result<Config> config = Config::check(given_, config_params());
    if (!config.ok()) return config.errors();
    Value& root = out_.root = Value::map({{"strata", Value::scalar("1", given_.where())}}, given_.where());
    const double duration = config->has("duration") ? config->number("duration") : 0;
    if (duration <= 0) out_.notes.push_back("the configuration sets no end: it runs for an hour of simulated time");
    root.set("duration", Value::scalar(format_quantity(duration > 0 ? duration : kNoEnd_s, "s"), given_.where()));
    root.set("step", Value::scalar(format_quantity(1 / config->number("FPS"), "s"), given_.where()));
    if (config->has("map")) add_map(*config);
    if (config->has("simulationComponents")) add_global(config->any("simulationComponents"));
    if (config->has("extraEntities")) add_entities(config->any("extraEntities"));
    if (!errors_.empty()) return std::move(errors_);
    return std::move(out_);
  }

 private:
  // HMR Sim looks below its context, which counts from where it was started.
  void add_map(const Config& config) {
    const fs::path folder = fs::path(given_.where().file).parent_path();
    const fs::path context(config.has("context") ? config.text("context") : "");
    const fs::path map(config.text("map"));
    for (const fs::path& file : {folder / context / map, folder / map, context / map, map}) {
      std::error_code ignored;
      if (!fs::is_regular_file(file, ignored)) continue;
      const std::string path = fs::absolute(file, ignored).lexically_normal().string();
      Value section = Value::map({{"file", Value::scalar(path, config.where("map"), true)}}, config.where("map"));
      section.set("line", length_value(config.number("DLW") * units_.scale_m, given_.where()));
      // HMR Sim takes what it does not know as a box.
      section.set("unknown_shapes", Value::scalar("box", given_.where()));
      out_.root.set("map", std::move(section));
      if (const Result<Drawing> drawing = read_drawing(path); drawing.ok()) units_.page_height = drawing->page_size.y;
      return;
    }
    errors_.push_back({config.where("map"), fmt::format("there is no drawing '{}'", config.text("map")),
                       "'map' counts from 'context', or from the folder of this file"});
  }

  void add_global(const Value& parts) {
    for (const auto& [name, arguments] : parts.members()) {
      if (is_implied_part(name)) continue;  // the route map, which every world has
      out_.notes.push_back(fmt::format("the global component '{}' has no meaning here and is left out", name));
    }
    if (!parts.is_map() && !parts.is_null())
      errors_.push_back(
          {parts.where(), fmt::format("expected components, found {}", parts.kind_text()), "write {\"Map\": []}"});
  }

  void add_entities(const Value& list) {
    if (!list.is_list() && !list.is_null())
      errors_.push_back({list.where(), fmt::format("expected a list of entities, found {}", list.kind_text()),
                         "write [{\"name\": ..., \"components\": {...}}]"});
    for (std::size_t i = 0; i < list.items().size(); ++i) add_entity(list.items()[i], i + 1);
  }

  void add_entity(const Value& given, std::size_t number) {
    const Result<Config> config = Config::check(given, entity_params());
    if (!collect(config, errors_)) return;
    std::string name = config->has("name")    ? config->text("name")
                       : config->has("entId") ? "entity_" + config->text("entId")
                                              : fmt::format("entity_{}", number);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !NameTable::is_plain(std::string("a") + c); }, '_');
    const Value parts = config->has("components") ? config->any("components") : Value();
    if (config->flag("isObject")) return add_object(name, parts, config->flag("isInteractive"), given.where());
    Value robot = Value::map({{"at", place_of(parts, given.where())}}, given.where());
    // Without a drawn shape it occupies nothing.
    robot.set("body", Value::scalar("none", given.where()));
    robot.set("motion", Value::map({{"kind", Value::scalar("point", given.where())}}, given.where()));
    for (const auto& [part, arguments] : parts.members()) {
      if (is_implied_part(part)) continue;
      collect(add_part(robot, part, arguments, units_, registry_, given.where()), errors_);
    }
    section("robots", Value::map()).set(name, std::move(robot));
  }

  void add_object(const std::string& name, const Value& parts, bool is_item, const Where& where) {
    Value entry = Value::map({{"name", Value::scalar(name, where)}, {"at", place_of(parts, where)}}, where);
    if (!is_item) {
      out_.notes.push_back(fmt::format("the object '{}' is not drawn, so it has no shape: left out", name));
      return;
    }
    Value& places = section("places", Value::map());
    if (places.find("items") == nullptr) places.set("items", Value::list({}, where));
    places.find("items")->items().push_back(std::move(entry));
  }

  /// The first two arguments of Position; the lower left corner of the page if there is none.
  [[nodiscard]] Value place_of(const Value& parts, const Where& where) const {
    const Value* position = parts.find("Position");
    if (position == nullptr || position->items().size() < 2) return point_value({}, where);
    const Result<double> x = parse_number(position->items()[0].text());
    const Result<double> y = parse_number(position->items()[1].text());
    if (!x.ok() || !y.ok()) return *position;  // an error that the scenario's check explains
    return point_value({*x * units_.scale_m, (units_.page_height - *y) * units_.scale_m}, where);
  }

  Value& section(const char* name, Value fresh) {
    Value* found = out_.root.find(name);
    return found != nullptr ? *found : out_.root.set(name, std::move(fresh));
  }

  const Value& given_;
  Registry& registry_;
  DrawnUnits units_{MapSettings{}.scale_m, Drawing{}.page_size.y};
  HmrScenario out_;
  Errors errors_;
};

}  // namespace

bool is_hmr_config(const Value& root) {
  if (!root.is_map() || root.find("strata") != nullptr) return false;
  const auto has = [&](const char* key) { return root.find(key) != nullptr; };
  const Value* map = root.find("map");
  return has("FPS") || has("DLW") || has("simulationComponents") || has("extraEntities") || has("context") ||
         (map != nullptr && map->is_scalar() && has("duration"));
}

Result<HmrScenario> from_hmr_config(const Value& config, Registry& registry) {
  return Converter(config, registry).convert();
}

}  // namespace strata::maps
