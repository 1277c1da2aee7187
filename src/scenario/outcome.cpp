#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "scenario/run.hpp"

namespace strata {
namespace {

using Json = nlohmann::ordered_json;

Json expectation_json(const ExpectationResult& result) {
  Json out{{"text", result.text},
           {"passed", result.passed},
           {"detail", result.detail},
           {"file", result.where.file},
           {"line", result.where.line}};
  out["time_s"] = result.time ? Json(result.time->seconds()) : Json();
  out["value"] = result.value ? Json(*result.value) : Json();
  return out;
}

}  // namespace

const char* to_text(RunEnd end) {
  switch (end) {
    case RunEnd::kComplete:
      return "complete";
    case RunEnd::kStopped:
      return "stopped";
    case RunEnd::kInterrupted:
      return "interrupted";
    case RunEnd::kFailed:
      return "failed";
  }
  return "";
}

bool RunOutcome::passed() const {
  return end != RunEnd::kFailed &&
         std::all_of(expectations.begin(), expectations.end(), [](const ExpectationResult& r) { return r.passed; });
}

std::string to_json(const RunOutcome& outcome) {
  Json expectations = Json::array();
  for (const ExpectationResult& result : outcome.expectations) expectations.push_back(expectation_json(result));
  const Json json{{"scenario", outcome.scenario},
                  {"description", outcome.description},
                  {"file", outcome.scenario_file},
                  {"command", outcome.command},
                  {"seed", outcome.seed},
                  {"threads", outcome.threads},
                  {"end", to_text(outcome.end)},
                  {"reason", outcome.reason},
                  {"passed", outcome.passed()},
                  {"hash", hex16(outcome.hash)},
                  {"simulated_s", outcome.simulated.seconds()},
                  {"simulated_ns", outcome.simulated.ns()},
                  {"wall_s", outcome.wall_s},
                  {"cpu_s", outcome.cpu_s},
                  {"speed", outcome.speed},
                  {"behind_s", outcome.behind_s},
                  {"robots", outcome.robots},
                  {"entities", outcome.entities},
                  {"steps", outcome.steps},
                  {"events", outcome.events},
                  {"event_counts", outcome.event_counts},
                  {"metrics", outcome.metrics},
                  {"expectations", std::move(expectations)},
                  {"warnings", outcome.warnings},
                  {"recording", {{"messages", outcome.recorded_messages}, {"bytes", outcome.recorded_bytes}}},
                  {"folder", outcome.folder},
                  {"files", outcome.files}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata
