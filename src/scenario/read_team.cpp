#include <fmt/format.h>

#include "scenario/read_detail.hpp"
#include "scenario/sections.hpp"

namespace strata::detail {
namespace {

void read_arrivals(Reading& reading, const Value& given, TeamSetup& team) {
  const Result<Config> config = Config::check(given, sections::task_arrivals());
  if (!collect(config, reading.errors())) return;
  team.every = config->duration("every");
  team.random = config->text("random") == "poisson";
  team.first = Time::from_seconds(config->quantity("first"));
  team.count = static_cast<std::uint64_t>(config->integer("count"));
}

void read_tasks(Reading& reading, const Value& given, TeamSetup& team) {
  if (given.is_list()) {
    for (const Value& item : given.items()) {
      const Value* list = item.find("do");
      if (list == nullptr || item.members().size() != 1) {
        reading.error(item.where(), fmt::format("expected a task, found {}", item.kind_text()),
                      "write '- {do: [...]}'");
        continue;
      }
      team.tasks.push_back(*list);
    }
    team.count = team.tasks.size();
    if (team.tasks.empty()) reading.error(given.where(), "there are no tasks", "add '- {do: [...]}'");
    return;
  }
  const Result<Config> config = Config::check(given, sections::team_tasks());
  if (!collect(config, reading.errors())) return;
  if (config->has("do") == config->has("each"))
    return reading.error(given.where(), "a task needs either 'do' or 'each'", "write do: [...]");
  if (config->has("do")) team.tasks.push_back(config->any("do"));
  if (config->has("each")) team.tasks = Reading::as_list(config->any("each"));
  if (team.tasks.empty()) return reading.error(given.where(), "there are no tasks", "add instructions");
  team.count = team.tasks.size();
  if (config->has("arrive")) read_arrivals(reading, config->any("arrive"), team);
}

}  // namespace

std::optional<TeamSetup> read_team(Reading& reading, const Value& given, Value& out) {
  out = Value::map({}, given.where());
  if (given.is_null()) return std::nullopt;
  const std::size_t before = reading.errors().size();
  const Result<Config> config = Config::check(given, sections::team());
  if (!collect(config, reading.errors())) return std::nullopt;
  TeamSetup team;
  team.where = config->where("members");
  team.members = config->texts("members");
  team.attempts = static_cast<std::uint32_t>(config->integer("attempts"));
  team.by_way = config->text("estimate") == "way";
  if (auto strategy = reading.use<AllocationKind>(config->any("strategy"))) team.strategy = std::move(*strategy);
  read_tasks(reading, config->any("tasks"), team);
  out = config->resolved();
  if (reading.errors().size() > before) return std::nullopt;
  out.set("strategy", resolved(team.strategy));
  return team;
}

}  // namespace strata::detail
