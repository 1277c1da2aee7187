#include <algorithm>

#include <fmt/format.h>

#include "record/sink.hpp"
#include "scenario/read_detail.hpp"
#include "scenario/sections.hpp"
#include "world/event_kind.hpp"

namespace strata::detail {
namespace {

/// A rate in hertz; 0 for none.
double read_rate(Reading& reading, const Value& given, Value& out, const std::string& key) {
  constexpr double kHighest = 1e9;
  if (given.is_scalar() && (given.text() == "none" || given.text() == "off")) {
    out.set(key, given);
    return 0;
  }
  Param rate = param::quantity(key, "Hz", "", "a rate, or none").above(0).at_most(kHighest);
  const Result<Config> config = Config::check(Value::map({{key, given}}, given.where()), {rate});
  if (!collect(config, reading.errors())) return 0;
  out.set(key, given);
  return config->quantity(key);
}

void read_events(Reading& reading, const Value& given, RecordSpec& spec) {
  if (given.is_scalar() && (given.text() == "all" || given.text() == "none")) {
    spec.all_events = given.text() == "all";
    return;
  }
  spec.all_events = false;
  if (!given.is_list()) {
    return reading.error(given.where(), fmt::format("expected events, found {}", given.kind_text()),
                         "write all, none, or a list of names like [collision]");
  }
  for (const Value& item : given.items()) {
    const std::string name = item.is_scalar() ? item.text() : "";
    if (collect(reading.registry().catalog<EventKind>().get(name, item.where()), reading.errors()))
      spec.events.push_back(name);
  }
}

}  // namespace

std::pair<RecordSpec, Value> read_record(Reading& reading, const Value& given) {
  RecordSpec spec;
  Value out = Value::map({}, given.where());
  const Result<Config> config = Config::check(given, sections::record());
  if (!collect(config, reading.errors())) return {spec, out};
  spec.poses_hz = read_rate(reading, config->any("poses"), out, "poses");
  spec.metrics_hz = read_rate(reading, config->any("metrics"), out, "metrics");
  spec.battery_hz = read_rate(reading, config->any("battery"), out, "battery");
  read_events(reading, config->any("events"), spec);
  out.set("events", config->any("events"));
  spec.sinks = reading.use_list<SinkKind>(config->any("sinks"));
  out.set("sinks", resolved(spec.sinks));
  return {std::move(spec), std::move(out)};
}

std::pair<std::vector<SystemSpec>, Value> read_systems(Reading& reading, const Value& given) {
  std::vector<SystemSpec> specs;
  Value out = Value::map({}, given.where());
  const auto add = [&](const std::string& name, const Value& item, WrittenKind written) {
    if (!NameTable::is_plain(name))
      return reading.error(item.where(), fmt::format("'{}' cannot be the name of a system", name),
                           "use letters, digits, _ and -");
    if (out.find(name) != nullptr)
      return reading.error(item.where(), fmt::format("the system '{}' is given twice", name),
                           "give one of them another 'name'");
    auto use = reading.use_named<SystemKind>(written.name, written.params, item.where());
    if (!use) return;
    out.set(name, resolved(*use));
    specs.push_back({name, std::move(*use)});
  };
  if (given.is_map()) {
    // {heartbeat: {...}} or {daily: {kind: heartbeat, ...}}
    for (const auto& [name, item] : given.members()) {
      WrittenKind written{name, item};
      if (const Value* kind = item.find("kind"); kind != nullptr && kind->is_scalar()) {
        written.name = kind->text();
        written.params.erase("kind");
      }
      add(name, item, std::move(written));
    }
  } else if (given.is_list()) {
    for (const Value& item : given.items()) {
      Value rest = item;
      const Value* name = item.find("name");
      rest.erase("name");
      Result<WrittenKind> written = read_kind(rest, SystemKind::kCategory);
      if (!collect(written, reading.errors())) continue;
      const std::string system_name = name != nullptr && name->is_scalar() ? name->text() : written->name;
      add(system_name, item, std::move(written).value());
    }
  } else if (!given.is_null()) {
    reading.error(given.where(), fmt::format("expected systems, found {}", given.kind_text()),
                  "write systems: {NAME: {...}}");
  }
  return {std::move(specs), std::move(out)};
}

std::vector<FaultSpec> read_faults(Reading& reading, const Value& given, const std::vector<GroupSpec>& groups) {
  std::vector<FaultSpec> specs;
  if (given.is_null()) return specs;
  if (!given.is_list()) {
    reading.error(given.where(), fmt::format("expected a list of faults, found {}", given.kind_text()),
                  "write '- {at: 60 s, remove: walker2.battery}'");
    return specs;
  }
  for (const Value& item : given.items()) {
    const Result<Config> config = Config::check(item, sections::fault());
    if (!collect(config, reading.errors())) continue;
    if (config->has("at") == config->has("rate")) {
      reading.error(item.where(),
                    config->has("at") ? "a fault has a time or a rate, not both" : "nothing says when it happens",
                    "write at: TIME, or rate: 1 per h");
      continue;
    }
    const std::string& target = config->text("remove");
    const std::size_t dot = target.find('.');
    FaultSpec spec;
    if (config->has("at")) spec.at = Time::from_seconds(config->quantity("at"));
    if (config->has("rate")) spec.rate_hz = config->quantity("rate");
    spec.robots = target.substr(0, dot);
    spec.component = dot == std::string::npos ? "" : target.substr(dot + 1);
    spec.where = config->where("remove");
    const bool known = std::any_of(groups.begin(), groups.end(), [&](const GroupSpec& group) {
      for (std::uint32_t i = 0; i < group.count; ++i) {
        if (matches(spec.robots, group.robot_name(i))) return true;
      }
      return false;
    });
    // A group that failed to read may well have that robot.
    if (!known && reading.errors().empty()) {
      std::vector<std::string> names;
      for (const GroupSpec& group : groups) names.push_back(group.robot_name(0));
      reading.error(spec.where, fmt::format("no robot is named '{}'", spec.robots), suggestion(spec.robots, names));
      continue;
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace strata::detail
