// Shared by the readers of the sections: how a kind is written, how errors are gathered. Not for use outside.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/catalog.hpp"
#include "scenario/name_table.hpp"
#include "scenario/read.hpp"
#include "scenario/shape_kinds.hpp"
#include "scenario/spec.hpp"

namespace strata::detail {

/// A kind as written: `name`, `{kind: name, param: ...}` or `{name: {param: ...}}`.
struct WrittenKind {
  std::string name;
  Value params;  ///< a map without `kind`, or null
};

[[nodiscard]] Result<WrittenKind> read_kind(const Value& given, const char* category);

/// What the readers share while one scenario is read.
class Reading {
 public:
  explicit Reading(Registry& registry) : registry_(registry) {}

  [[nodiscard]] Registry& registry() { return registry_; }
  [[nodiscard]] Errors& errors() { return errors_; }
  void error(const Where& where, std::string problem, std::string remedy = "") {
    errors_.push_back({where, std::move(problem), std::move(remedy)});
  }

  /// Finds the kind and checks its parameters; reports what is wrong.
  template <class Kind>
  std::optional<Use<Kind>> use(const Value& given) {
    const Result<WrittenKind> written = read_kind(given, Kind::kCategory);
    if (!collect(written, errors_)) return std::nullopt;
    return use_named<Kind>(written->name, written->params, given.where());
  }
  template <class Kind>
  std::optional<Use<Kind>> use_named(const std::string& name, const Value& params, const Where& where) {
    const Result<const Kind*> kind = registry_.catalog<Kind>().get(name, where);
    if (!collect(kind, errors_)) return std::nullopt;
    Value given = params;
    if (given.is_null()) given.where() = where;
    Result<Config> config = Config::check(given, (*kind)->params);
    if (!collect(config, errors_)) return std::nullopt;
    return Use<Kind>{*kind, std::move(config).value()};
  }
  /// A list of kinds; one alone may stand without brackets.
  template <class Kind>
  std::vector<Use<Kind>> use_list(const Value& given) {
    std::vector<Use<Kind>> out;
    if (given.is_null()) return out;
    for (const Value& item : as_list(given)) {
      if (std::optional<Use<Kind>> one = use<Kind>(item)) out.push_back(std::move(*one));
    }
    return out;
  }

  /// Names of things in the world are plain and used once. `count` > 0: name1 ... nameN.
  bool take_name(const std::string& name, const Where& where, std::uint64_t count = 0);

  [[nodiscard]] static std::vector<Value> as_list(const Value& given) {
    return given.is_list() ? given.items() : std::vector<Value>{given};
  }

 private:
  Registry& registry_;
  Errors errors_;
  NameTable names_;
};

/// `{kind: name, ...}` with every default: for the resolved scenario.
template <class Kind>
[[nodiscard]] Value resolved(const Use<Kind>& use) {
  Value out = Value::map({}, use.config.where());
  out.set("kind", Value::scalar(use.kind->name, use.config.where()));
  for (const auto& [key, value] : use.config.resolved().members()) out.set(key, value);
  return out;
}
template <class Kind>
[[nodiscard]] Value resolved(const std::vector<Use<Kind>>& uses) {
  Value out = Value::list();
  for (const Use<Kind>& use : uses) out.items().push_back(resolved(use));
  return out;
}

/// A body and what it looks like resolved.
struct ReadBody {
  std::vector<Shape> shapes;
  Value resolved;
};
/// Reads `{shape: circle, ...}`, a list of such, or `none`.
[[nodiscard]] std::optional<ReadBody> read_body(Reading& reading, const Value& given);
/// Reads one shape; `own` are keys of the map that belong to somebody else.
[[nodiscard]] std::optional<ReadBody> read_shape(Reading& reading, const Value& given,
                                                 const std::vector<std::string>& own);

// The sections. Each reports its mistakes to `reading` and returns what is good, with its resolved form.

[[nodiscard]] std::pair<WorldSpec, Value> read_world(Reading& reading, const Value& given);
[[nodiscard]] std::pair<Places, Value> read_places(Reading& reading, const Value& given);
/// Routes are followed by robots that exist.
void check_routes(Reading& reading, const Places& places, const std::vector<GroupSpec>& groups);
/// The groups, `override:` applied; resolved is the `robots:` map.
[[nodiscard]] std::pair<std::vector<GroupSpec>, Value> read_robots(Reading& reading, const Value& given,
                                                                   const Value& override_map, const Places& places);
[[nodiscard]] std::pair<std::vector<SystemSpec>, Value> read_systems(Reading& reading, const Value& given);
[[nodiscard]] std::vector<FaultSpec> read_faults(Reading& reading, const Value& given,
                                                 const std::vector<GroupSpec>& groups);
[[nodiscard]] std::optional<TeamSetup> read_team(Reading& reading, const Value& given, Value& out);
[[nodiscard]] std::pair<RecordSpec, Value> read_record(Reading& reading, const Value& given);

}  // namespace strata::detail
