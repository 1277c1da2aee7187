#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/kinds.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"

namespace strata::app {

namespace {

using Json = nlohmann::ordered_json;
using Categories = std::vector<const CatalogBase*>;

// The category asked for, also in the plural, or all of them.
Result<Categories> select(const Registry& registry, const std::string& wanted) {
  Categories chosen;
  std::vector<std::string> names;
  for (const auto& [name, catalog] : registry.all()) {
    names.push_back(name);
    if (wanted.empty() || wanted == name || wanted == name + "s") chosen.push_back(catalog.get());
  }
  if (!chosen.empty()) return chosen;
  return Error{{}, fmt::format("there is no category '{}'", wanted), suggestion(wanted, names)};
}

std::string origin_note(const KindInfo& info) {
  return info.origin == "strata" ? "" : fmt::format(" [{}]", info.origin);
}

void print_categories(const Categories& categories) {
  bool first = true;
  for (const CatalogBase* catalog : categories) {
    fmt::print("{}{}\n", first ? "" : "\n", toned(stdout, Tone::kBold, catalog->category()));
    first = false;
    std::vector<std::vector<std::string>> rows;
    for (const KindInfo* info : catalog->infos()) rows.push_back({info->name, info->summary + origin_note(*info)});
    fmt::print("{}", to_table(rows));
  }
  fmt::print("\n`strata describe NAME` tells more.\n");
}

std::string to_json(const Categories& categories) {
  Json out = Json::array();
  for (const CatalogBase* catalog : categories) {
    Json kinds = Json::array();
    for (const KindInfo* info : catalog->infos()) {
      kinds.push_back({{"name", info->name}, {"summary", info->summary}, {"origin", info->origin}});
    }
    out.push_back({{"category", catalog->category()}, {"kinds", kinds}});
  }
  return Json{{"categories", out}}.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

int list_verb(const Arguments& arguments) {
  CLI::App app("Lists everything a scenario can name, by category.", "strata list");
  std::string category;
  std::vector<std::string> plugins;
  JsonOutput json;
  app.add_option("KIND", category, "Only this category, e.g. system or sensor");
  add_repeatable(app, "--plugin", plugins, "FILE", "Include the kinds of this plugin (repeatable)");
  json.add_to(app);
  app.footer("example:\n  strata list\n  strata list sensor\n  strata list --plugin build/my_plugin.so --json");
  if (const auto done = parse(app, arguments)) return *done;
  if (const auto writable = json.check(); !writable.ok()) return wrong_input(writable.errors());

  const auto registry = make_registry(plugins);
  if (!registry.ok()) return wrong_input(registry.errors());
  const auto categories = select(*registry, category);
  if (!categories.ok()) return wrong_input(categories.errors());
  if (!json.on_stdout()) print_categories(*categories);
  return json.write(to_json(*categories), ExitCode::kFine);
}

}  // namespace strata::app
