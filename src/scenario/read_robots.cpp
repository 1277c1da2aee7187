#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "scenario/read_detail.hpp"
#include "scenario/sections.hpp"
#include "scenario/source.hpp"

namespace strata::detail {
namespace {

constexpr std::uint64_t kMostRobots = 10'000'000;

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// One robot and its resolved form.
struct ReadRobot {
  RobotSpec spec;
  Value resolved;
};

Value default_body(const Where& where) {
  return Value::map({{"shape", Value::scalar("circle", where)},
                     {"radius", Value::scalar("0.15 m", where)},
                     {"height", Value::scalar("0.3 m", where)}},
                    where);
}

class RobotsReader {
 public:
  RobotsReader(Reading& reading, const Value& override_map, const Places& places)
      : reading_(reading), override_(override_map), places_(places) {
    if (!override_.is_map() && !override_.is_null()) {
      reading_.error(override_.where(), fmt::format("expected a map of robots, found {}", override_.kind_text()),
                     "write override: {walker3: {...}}");
    }
    used_.assign(override_.members().size(), false);
  }

  std::pair<std::vector<GroupSpec>, Value> read(const Value& given) {
    Value out = Value::map({}, given.where());
    if (!given.is_map() && !given.is_null()) {
      reading_.error(given.where(), fmt::format("expected groups of robots, found {}", given.kind_text()),
                     "write robots: {walker: {...}}");
    }
    std::vector<GroupSpec> groups;
    std::uint64_t total = 0;
    for (const auto& [name, group] : given.members()) {
      GroupSpec spec;
      spec.name = name;
      spec.where = group.where();
      Value group_value;
      if (!read_group(group, spec, group_value)) continue;
      out.set(name, std::move(group_value));
      total += spec.count;
      groups.push_back(std::move(spec));
    }
    if (total > kMostRobots)
      reading_.error(given.where(), fmt::format("{} robots are too many", total),
                     fmt::format("stay below {}", kMostRobots));
    check_overrides_used(groups);
    return {std::move(groups), std::move(out)};
  }

 private:
  bool read_group(const Value& given, GroupSpec& spec, Value& out) {
    if (!given.is_map() && !given.is_null()) {
      reading_.error(given.where(), fmt::format("expected the description of a robot, found {}", given.kind_text()),
                     "write {body: ..., motion: ...}");
      return false;
    }
    const std::size_t before = reading_.errors().size();
    check_keys(given, false);
    const std::optional<Config> numbers = read_numbers(given);
    std::optional<ReadRobot> robot = read_robot(given);
    if (numbers) {
      spec.numbered = numbers->has("count");
      spec.count = spec.numbered ? static_cast<std::uint32_t>(numbers->integer("count")) : 1;
      read_place(given, *numbers, spec);
    }
    if (reading_.errors().size() > before || !robot) return false;
    if (!reading_.take_name(spec.name, spec.where, spec.numbered ? spec.count : 0)) return false;

    out = Value::map({}, given.where());
    if (spec.numbered) out.set("count", Value::scalar(std::to_string(spec.count), given.where()));
    out.set("place", Value::map({{spec.place.kind->name, spec.place.config.resolved()}}, given.where()));
    for (const auto& [key, value] : robot->resolved.members()) out.set(key, value);
    spec.variants.push_back(std::move(robot->spec));
    return read_variants(given, spec);
  }

  void check_keys(const Value& given, bool in_override) {
    const std::vector<std::string> known = sections::names(sections::robots());
    const auto& components = reading_.registry().catalog<ComponentKind>();
    for (const auto& [key, value] : given.members()) {
      if (in_override && (key == "count" || key == "place")) {
        reading_.error(value.where(), fmt::format("'{}' belongs to the whole group", key),
                       key == "place" ? "use at: [x, y] for one robot" : "change it under 'robots'");
      } else if (contains(known, key) || components.find(key) != nullptr) {
        continue;
      } else if (contains(sections::later_robot_keys(), key)) {
        reading_.error(value.where(), fmt::format("'{}' is not available in this version", key),
                       "remove it; 'strata list component' shows what robots can carry");
      } else {
        std::vector<std::string> candidates = known;
        for (const std::string& name : components.names()) candidates.push_back(name);
        reading_.error(value.where(), fmt::format("unknown key '{}'", key), suggestion(key, candidates));
      }
    }
  }

  std::optional<Config> read_numbers(const Value& given) {
    std::vector<Param> params;
    Value picked = Value::map({}, given.where());
    for (const Param& param : sections::robots()) {
      if (param.name != "count" && param.name != "heading") continue;
      params.push_back(param);
      if (const Value* value = given.find(param.name)) picked.set(param.name, *value);
    }
    Result<Config> config = Config::check(picked, params);
    if (!collect(config, reading_.errors())) return std::nullopt;
    return std::move(config).value();
  }

  void read_place(const Value& given, const Config& numbers, GroupSpec& spec) {
    const Value* place = given.find("place");
    const Value* at = given.find("at");
    if (place != nullptr && at != nullptr) {
      return reading_.error(at->where(), "both 'place' and 'at' say where they start", "keep one of them");
    }
    if (place == nullptr && numbers.has("heading") && at == nullptr) at = &origin();
    if (place != nullptr && numbers.has("heading")) {
      return reading_.error(numbers.where("heading"), "'heading' goes together with 'at'",
                            "write it inside of 'place'");
    }
    if (place == nullptr && at == nullptr) {
      if (spec.count > 1) {
        return reading_.error(given.where(), fmt::format("nothing says where the {} robots start", spec.count),
                              "add for example place: {grid: {spacing: 1 m}}");
      }
      at = &origin();
    }
    const std::optional<Use<PlacementKind>> use =
        place != nullptr ? reading_.use<PlacementKind>(*place) : use_points(*at, given);
    if (!use) return;
    const Result<std::unique_ptr<Placement>> made = use->kind->make(use->config);
    if (!collect(made, reading_.errors())) return;
    spec.place = *use;
    fit_capacity(given, (*made)->capacity(), spec);
  }

  [[nodiscard]] static const Value& origin() {
    static const Value kOrigin = Value::list({Value::scalar("0"), Value::scalar("0")});
    return kOrigin;
  }

  // at: [x, y] or at: [[x, y], ...] is short for place: {list: {points: [...]}}. A tag stands for its point.
  std::optional<Use<PlacementKind>> use_points(const Value& at, const Value& given) {
    const bool is_one = at.is_list() && !at.items().empty() && at.items().front().is_scalar() &&
                        parse_number(at.items().front().text()).ok();
    Value points = is_one || at.is_scalar() ? Value::list({at}, at.where()) : at;
    if (points.where().file.empty()) points.where() = given.where();
    bool good = true;
    for (Value& item : points.items()) {
      if (item.is_scalar()) good = point_of_tag(item) && good;
    }
    if (!good) return std::nullopt;
    const Where where = points.where();
    Value params = Value::map({{"points", std::move(points)}}, where);
    if (const Value* heading = given.find("heading")) params.set("heading", *heading);
    return reading_.use_named<PlacementKind>("list", params, where);
  }

  bool point_of_tag(Value& tag) {
    const Vec3* at = places_.find(tag.text());
    if (at == nullptr) {
      const std::string near = suggestion(tag.text(), places_.tags());
      reading_.error(
          tag.where(), fmt::format("no place has the tag '{}'", tag.text()),
          near.empty() ? "write at: [x, y] or at: [[x, y], [x, y]]; tags come from 'map' and 'places'" : near);
      return false;
    }
    const Where where = tag.where();
    tag = Value::list({}, where);
    for (const double x : {at->x, at->y, at->z}) tag.items().push_back(Value::scalar(format_number(x), where));
    return true;
  }

  void fit_capacity(const Value& given, std::size_t capacity, GroupSpec& spec) {
    if (capacity == 0) return;
    // Several points make several robots.
    if (!spec.numbered && capacity > 1) {
      spec.numbered = true;
      spec.count = static_cast<std::uint32_t>(capacity);
    }
    if (spec.count == capacity) return;
    reading_.error(given.find("count") != nullptr ? given.find("count")->where() : given.where(),
                   fmt::format("{} robots, but {} points to place them", spec.count, capacity),
                   "make them equal, or leave out 'count'");
  }

  std::optional<ReadRobot> read_robot(const Value& given) {
    const std::size_t before = reading_.errors().size();
    ReadRobot out;
    out.resolved = Value::map({}, given.where());
    out.spec.where = given.where();
    const Value* body = given.find("body");
    if (const auto read = read_body(reading_, body != nullptr ? *body : default_body(given.where()))) {
      out.spec.body = read->shapes;
      out.resolved.set("body", read->resolved);
    }
    if (const Value* motion = given.find("motion"); motion != nullptr && !motion->is_null()) {
      out.spec.motion = reading_.use<MotionKind>(*motion);
      if (out.spec.motion) out.resolved.set("motion", resolved(*out.spec.motion));
    }
    read_parts(given, out);
    if (reading_.errors().size() > before) return std::nullopt;
    return out;
  }

  void read_parts(const Value& given, ReadRobot& out) {
    if (const Value* list = given.find("behaviours")) {
      out.spec.behaviours = reading_.use_list<BehaviourKind>(*list);
      out.resolved.set("behaviours", resolved(out.spec.behaviours));
    }
    if (const Value* list = given.find("sensors")) {
      out.spec.sensors = reading_.use_list<SensorKind>(*list);
      out.resolved.set("sensors", resolved(out.spec.sensors));
    }
    const std::vector<std::string> own = sections::names(sections::robots());
    for (const auto& [key, value] : given.members()) {
      const ComponentKind* kind = reading_.registry().catalog<ComponentKind>().find(key);
      if (contains(own, key) || kind == nullptr) continue;
      const bool is_short = !kind->main_param.empty() && !value.is_map() && !value.is_null();
      const Value params = is_short ? Value::map({{kind->main_param, value}}, value.where()) : value;
      auto use = reading_.use_named<ComponentKind>(key, params, value.where());
      if (!use) continue;
      out.resolved.set(key, use->config.resolved());
      out.spec.components.push_back(std::move(*use));
    }
  }

  // Robots that the same entries of `override:` name share a variant.
  bool read_variants(const Value& given, GroupSpec& spec) {
    const std::size_t before = reading_.errors().size();
    if (override_.members().empty()) return true;
    std::map<std::vector<std::size_t>, std::uint32_t> known;
    for (std::uint32_t i = 0; i < spec.count; ++i) {
      std::vector<std::size_t> entries;
      for (std::size_t e = 0; e < override_.members().size(); ++e) {
        if (matches(override_.members()[e].first, spec.robot_name(i))) entries.push_back(e);
      }
      if (entries.empty()) continue;
      if (spec.variant_of.empty()) spec.variant_of.assign(spec.count, 0);
      const auto [it, fresh] = known.emplace(entries, static_cast<std::uint32_t>(spec.variants.size()));
      if (fresh) read_variant(given, entries, spec);
      if (reading_.errors().size() > before) return false;
      spec.variant_of[i] = it->second;
    }
    return true;
  }

  // {differential: {...}} as {kind: differential, ...}, so that changes to it merge.
  [[nodiscard]] Value with_plain_motion(Value robot) {
    Value* motion = robot.find("motion");
    if (motion == nullptr || motion->members().size() != 1) return robot;
    auto& [name, params] = motion->members().front();
    if (reading_.registry().catalog<MotionKind>().find(name) == nullptr) return robot;
    Value plain = Value::map({{"kind", Value::scalar(name, motion->where())}}, motion->where());
    for (const auto& [key, value] : params.members()) plain.set(key, value);
    *motion = std::move(plain);
    return robot;
  }

  void read_variant(const Value& given, const std::vector<std::size_t>& entries, GroupSpec& spec) {
    Value changes = Value::map();
    for (const std::size_t e : entries) {
      const Value& entry = override_.members()[e].second;
      used_[e] = true;
      if (!entry.is_map()) {
        return reading_.error(entry.where(), fmt::format("expected what is different, found {}", entry.kind_text()),
                              "write {motion: {max_speed: 1 m/s}}");
      }
      check_keys(entry, true);
      changes = merged(std::move(changes), with_plain_motion(entry));
    }
    std::optional<ReadRobot> robot = read_robot(merged(with_plain_motion(given), changes));
    if (!robot) return;
    read_fixed_pose(changes, robot->spec);
    spec.variants.push_back(std::move(robot->spec));
  }

  void read_fixed_pose(const Value& changes, RobotSpec& robot) {
    const Value* at = changes.find("at");
    const std::optional<Config> numbers = read_numbers(changes);
    if (at == nullptr) {
      if (numbers && numbers->has("heading"))
        reading_.error(numbers->where("heading"), "'heading' goes together with 'at'", "add at: [x, y]");
      return;
    }
    Value place = *at;
    if (place.is_scalar() && !point_of_tag(place)) return;
    const Result<Vec3> point = read_point(place);
    if (!collect(point, reading_.errors()) || !numbers) return;
    robot.at = *point;
    robot.where = at->where();
    if (numbers->has("heading")) robot.heading_rad = numbers->quantity("heading");
  }

  void check_overrides_used(const std::vector<GroupSpec>& groups) {
    if (!reading_.errors().empty()) return;  // a group that failed names its robots, too
    std::vector<std::string> names;
    for (const GroupSpec& group : groups) {
      for (std::uint32_t i = 0; i < std::min<std::uint32_t>(group.count, 100); ++i)
        names.push_back(group.robot_name(i));
    }
    for (std::size_t e = 0; e < used_.size(); ++e) {
      if (used_[e]) continue;
      const auto& [name, value] = override_.members()[e];
      const std::string near = nearest(name, names);
      reading_.error(
          value.where(), fmt::format("no robot is named '{}'", name),
          near.empty() ? "name a robot, or use a pattern like walker*" : fmt::format("did you mean '{}'?", near));
    }
  }

  Reading& reading_;
  const Value& override_;
  const Places& places_;
  std::vector<bool> used_;
};

}  // namespace

std::pair<std::vector<GroupSpec>, Value> read_robots(Reading& reading, const Value& given, const Value& override_map,
                                                     const Places& places) {
  return RobotsReader(reading, override_map, places).read(given);
}

}  // namespace strata::detail
