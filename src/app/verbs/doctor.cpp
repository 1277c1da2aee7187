#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/doctor/checkup.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"

namespace strata::app {

namespace {

using Json = nlohmann::ordered_json;

Tone tone_of(const Finding& finding) {
  if (finding.health == Health::kOk) return Tone::kGood;
  return finding.required ? Tone::kBad : Tone::kCaution;
}

void print_findings(const std::vector<Finding>& findings) {
  std::string group;
  for (const Finding& finding : findings) {
    if (finding.group != group)
      fmt::print("{}{}\n", group.empty() ? "" : "\n", toned(stdout, Tone::kBold, finding.group));
    group = finding.group;
    const std::string health = toned(stdout, tone_of(finding), fmt::format("{:<7}", to_text(finding.health)));
    fmt::print("  {}  {:<22} {}\n", health, finding.name, finding.found);
    if (finding.health == Health::kOk) continue;
    fmt::print("           for: {}{}\n", finding.needed_by, finding.required ? " (required)" : "");
    if (!finding.fix.empty()) fmt::print("           fix: {}\n", finding.fix);
  }
}

std::string to_json(const std::vector<Finding>& findings, bool healthy) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"group", finding.group},
                    {"name", finding.name},
                    {"status", to_text(finding.health)},
                    {"found", finding.found},
                    {"needed_by", finding.needed_by},
                    {"fix", finding.fix},
                    {"required", finding.required}});
  }
  return Json{{"ok", healthy}, {"version", version()}, {"findings", list}}.dump(2, ' ', false,
                                                                                Json::error_handler_t::replace);
}

}  // namespace

int doctor_verb(const Arguments& arguments) {
  CLI::App app("Says what this machine can and cannot do for Strata, who needs it, and the command that fixes it.",
               "strata doctor");
  JsonOutput json;
  json.add_to(app);
  app.footer(
      "example:\n  strata doctor\n  strata doctor --json=machine.json\n\nExit code 1 if something is missing that "
      "Strata cannot run without.");
  if (const auto done = parse(app, arguments)) return *done;
  if (const auto writable = json.check(); !writable.ok()) return wrong_input(writable.errors());

  std::vector<Finding> findings;
  for (auto part : {check_machine(), check_kernel(), check_packages(), check_storage("runs")}) {
    findings.insert(findings.end(), part.begin(), part.end());
  }
  int missing = 0;
  int required = 0;
  for (const Finding& finding : findings) {
    if (finding.health == Health::kOk) continue;
    ++missing;
    if (finding.required && finding.health == Health::kMissing) ++required;
  }
  if (!json.on_stdout()) {
    print_findings(findings);
    const char* verdict = required > 0  ? "Strata cannot run here yet: fix what is marked required."
                          : missing > 0 ? "Strata runs here; what is limited or missing only matters to what it is for."
                                        : "Everything is there.";
    fmt::print("\n{}\n", verdict);
  }
  return json.write(to_json(findings, required == 0), required == 0 ? ExitCode::kFine : ExitCode::kFailed);
}

}  // namespace strata::app
