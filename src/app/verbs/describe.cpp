#include <algorithm>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/kinds.hpp"
#include "app/snippet.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"

namespace strata::app {

namespace {

using Json = nlohmann::ordered_json;

std::string default_of(const Param& param) {
  if (param.is_required) return "required";
  return param.default_text.empty() ? "unset" : param.default_text;
}

void print_params(const std::vector<Param>& params) {
  if (params.empty()) {
    fmt::print("\nno parameters\n");
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Param& param : params) {
    std::string summary = param.summary;
    if (const std::string range = param.range_text(); !range.empty()) summary += fmt::format(" ({})", range);
    rows.push_back({param.name, param.type_text(), default_of(param), summary});
  }
  rows.insert(rows.begin(), {"", "", "default", ""});
  fmt::print("\n{}\n{}", toned(stdout, Tone::kBold, "parameters"), to_table(rows));
}

void print_kind(const FoundKind& kind) {
  const KindInfo& info = *kind.info;
  const std::string origin = info.origin == "strata" ? "" : fmt::format(", from {}", info.origin);
  fmt::print("{} ({}{})\n", toned(stdout, Tone::kBold, info.name), kind.category, origin);
  const int width = std::min(terminal_width(stdout), 100);
  fmt::print("{}", wrapped(info.summary, width, 2));
  if (!info.details.empty()) fmt::print("\n{}", wrapped(info.details, width, 2));
  print_params(info.params);
  if (const std::string example = snippet(kind.category, info); !example.empty()) {
    fmt::print("\n{}\n{}", toned(stdout, Tone::kBold, "in a scenario"), example);
  }
}

Json bound(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_object(const Param& param) {
  return {{"name", param.name},
          {"type", param.type_text()},
          {"unit", param.unit},
          {"default", param.default_text},
          {"required", param.is_required},
          {"minimum", bound(param.minimum)},
          {"minimum_excluded", param.minimum_excluded},
          {"maximum", bound(param.maximum)},
          {"choices", param.choices},
          {"summary", param.summary}};
}

std::string to_json(const FoundKind& kind) {
  Json params = Json::array();
  for (const Param& param : kind.info->params) params.push_back(to_object(param));
  const Json out = {{"category", kind.category},
                    {"name", kind.info->name},
                    {"summary", kind.info->summary},
                    {"details", kind.info->details},
                    {"origin", kind.info->origin},
                    {"params", params},
                    {"example", snippet(kind.category, *kind.info)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

int describe_verb(const Arguments& arguments) {
  CLI::App app("Explains something a scenario can name: summary, parameters with unit, default and range, an example.",
               "strata describe");
  std::string name;
  std::vector<std::string> plugins;
  JsonOutput json;
  app.add_option("NAME", name, "Its name, or CATEGORY/NAME where several categories have it")->required();
  add_repeatable(app, "--plugin", plugins, "FILE", "Include the kinds of this plugin (repeatable)");
  json.add_to(app);
  app.footer("example:\n  strata describe differential\n  strata describe motion/differential --json");
  if (const auto done = parse(app, arguments)) return *done;
  if (const auto writable = json.check(); !writable.ok()) return wrong_input(writable.errors());

  const auto registry = make_registry(plugins);
  if (!registry.ok()) return wrong_input(registry.errors());
  const auto kind = find_kind(*registry, name);
  if (!kind.ok()) return wrong_input(kind.errors());
  if (!json.on_stdout()) print_kind(*kind);
  return json.write(to_json(*kind), ExitCode::kFine);
}

}  // namespace strata::app
