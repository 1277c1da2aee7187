#include "scenario/read.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scenario/plugin.hpp"
#include "scenario/read_detail.hpp"
#include "scenario/sections.hpp"

namespace strata {
namespace detail {

Result<WrittenKind> read_kind(const Value& given, const char* category) {
  if (given.is_scalar() && !given.text().empty()) return WrittenKind{given.text(), {}};
  const Error unclear{given.where(), fmt::format("expected a {}, found {}", category, given.kind_text()),
                      fmt::format("write its name, or {{kind: NAME, ...}}; 'strata list {}' shows all", category)};
  if (!given.is_map() || given.members().empty()) return unclear;
  if (const Value* kind = given.find("kind")) {
    if (!kind->is_scalar()) return unclear;
    Value params = given;
    params.erase("kind");
    return WrittenKind{kind->text(), std::move(params)};
  }
  // {random: {...}}: the only key is the name.
  const auto& [name, params] = given.members().front();
  if (given.members().size() != 1 || (!params.is_map() && !params.is_null())) {
    Error error = unclear;
    error.problem = fmt::format("'kind' is missing: which {} is it?", category);
    return error;
  }
  return WrittenKind{name, params};
}

bool Reading::take_name(const std::string& name, const Where& where, std::uint64_t count) {
  if (!NameTable::is_plain(name)) {
    error(where, fmt::format("'{}' cannot be a name", name.substr(0, 40)),
          "use letters, digits, _ and -, beginning with a letter");
    return false;
  }
  const std::optional<Where> taken = count > 0 ? names_.take_numbered(name, count, where) : names_.take(name, where);
  if (!taken) return true;
  const std::string which =
      count > 0 ? fmt::format("a name of {}1 ... {}{}", name, name, count) : fmt::format("the name '{}'", name);
  error(where, fmt::format("{} is used already, in {}:{}", which, taken->file, taken->line), "choose another name");
  return false;
}

}  // namespace detail

bool matches(std::string_view pattern, std::string_view text) {
  // Classic two-pointer matching: on a mismatch the last * takes one character more.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

namespace {

using detail::Reading;

/// Whether this is a scenario of a language we know. If not, nothing else is worth checking.
Result<void> check_version(const Value& root) {
  Where where = root.where();
  if (root.is_null())
    return Error{where, "the file is empty", "begin with 'strata: 1'; 'strata new scenario NAME' writes a start"};
  if (!root.is_map())
    return Error{where, fmt::format("expected a scenario, found {}", root.kind_text()),
                 "a scenario is a map that begins with 'strata: 1'"};
  const Value* version = root.find("strata");
  if (version == nullptr) {
    where.line = std::max(where.line, 1);
    return Error{where, "'strata' is missing", "begin with 'strata: 1', the version of the language"};
  }
  const Result<double> number = version->is_scalar() ? parse_number(version->text()) : Result<double>(Error{});
  if (!number.ok())
    return Error{version->where(), fmt::format("expected the version of the language, found {}", version->kind_text()),
                 "write 'strata: 1'"};
  if (*number != kLanguageVersion) {
    return Error{version->where(), fmt::format("version {} of the language is not known here", version->text()),
                 fmt::format("this program understands version {}: write 'strata: {}', or use a newer program",
                             kLanguageVersion, kLanguageVersion)};
  }
  return {};
}

/// The simple values of the top level.
std::optional<Config> read_top(Reading& reading, const Value& root) {
  Value simple = root;
  for (const std::string& key : sections::later_sections()) {
    if (const Value* later = root.find(key)) {
      reading.error(later->where(), fmt::format("'{}' is not available in this version", key),
                    "remove it; the documentation lists what the language knows");
      simple.erase(key);
    }
  }
  Result<Config> config = Config::check(simple, sections::scenario());
  if (!collect(config, reading.errors())) return std::nullopt;
  return std::move(config).value();
}

const Value& member(const Value& map, const char* key) {
  static const Value kNothing;
  const Value* found = map.find(key);
  return found == nullptr ? kNothing : *found;
}

/// Sections in the order of the documentation, empty ones left out.
Value resolve_top(const Config& top, const Value& root, std::vector<std::pair<const char*, Value>> parts) {
  Value out = Value::map({}, root.where());
  for (const char* key : {"strata", "name", "description", "duration", "step", "seed"}) {
    if (const Value* value = top.resolved().find(key)) out.set(key, *value);
  }
  for (auto& [key, value] : parts) {
    if (!value.items().empty() || !value.members().empty()) out.set(key, std::move(value));
  }
  return out;
}

}  // namespace

Result<ScenarioSpec> read_scenario(const Value& root, Registry& registry) {
  if (const Result<void> known = check_version(root); !known.ok()) return known.errors();
  Reading reading(registry);
  if (const Value* map = root.find("map"))
    reading.error(map->where(), "the map was not read", "load the scenario from its file");
  const std::optional<Config> top = read_top(reading, root);

  ScenarioSpec spec;
  auto [world, world_value] = detail::read_world(reading, member(root, "world"));
  auto [places, places_value] = detail::read_places(reading, member(root, "places"));
  auto [groups, robots_value] = detail::read_robots(reading, member(root, "robots"), member(root, "override"), places);
  detail::check_routes(reading, places, groups);
  auto [systems, systems_value] = detail::read_systems(reading, member(root, "systems"));
  Value team_value;
  spec.team = detail::read_team(reading, member(root, "team"), team_value);
  spec.on_error = member(root, "on_error");
  spec.faults = detail::read_faults(reading, member(root, "faults"), groups);
  auto [record, record_value] = detail::read_record(reading, member(root, "record"));
  Result<std::vector<ExpectSpec>> expect = read_expectations(member(root, "expect"), registry);
  collect(expect, reading.errors());
  if (!reading.errors().empty()) return std::move(reading.errors());

  spec.name = top->has("name") ? top->text("name") : "";
  spec.description = top->has("description") ? top->text("description") : "";
  spec.duration = top->duration("duration");
  spec.step = top->duration("step");
  spec.seed = static_cast<std::uint64_t>(top->integer("seed"));
  spec.world = std::move(world);
  spec.places = std::move(places);
  spec.groups = std::move(groups);
  spec.systems = std::move(systems);
  spec.record = std::move(record);
  spec.expect = std::move(expect).value();
  spec.resolved = resolve_top(*top, root,
                              {{"plugins", resolved_plugins(member(root, "plugins"))},
                               {"world", std::move(world_value)},
                               {"places", std::move(places_value)},
                               {"robots", std::move(robots_value)},
                               {"override", member(root, "override")},
                               {"systems", std::move(systems_value)},
                               {"team", std::move(team_value)},
                               {"on_error", member(root, "on_error")},
                               {"faults", member(root, "faults")},
                               {"record", std::move(record_value)},
                               {"expect", member(root, "expect")}});
  return spec;
}

}  // namespace strata
