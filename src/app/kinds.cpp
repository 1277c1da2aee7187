#include "app/kinds.hpp"

#include <fmt/format.h>

#include "app/boards.hpp"
#include "scenario/plugin.hpp"
#include "scenario/run.hpp"

namespace strata::app {

Result<Registry> make_registry(const std::vector<std::string>& plugin_files) {
  Registry registry;
  register_all_kinds(registry);
  register_boards(registry);
  Errors errors;
  for (const std::string& file : plugin_files)
    collect(load_plugin(file, {"--plugin " + file, 0, 0, ""}, registry), errors);
  if (!errors.empty()) return errors;
  return registry;
}

Result<FoundKind> find_kind(const Registry& registry, const std::string& name) {
  std::vector<FoundKind> found;
  std::vector<std::string> names;
  for (const auto& [category, catalog] : registry.all()) {
    for (const KindInfo* info : catalog->infos()) {
      names.push_back(info->name);
      if (name == info->name || name == category + "/" + info->name) found.push_back({category, info});
    }
  }
  // A part of a robot and the system that serves it share a name; scenarios name the part.
  if (found.size() == 2 && found.back().category == "system") found.pop_back();
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    const std::string near = nearest(name, names);
    return Error{{},
                 fmt::format("there is nothing called '{}'", name),
                 near.empty() ? "`strata list` shows everything" : fmt::format("did you mean '{}'?", near)};
  }
  std::vector<std::string> choices;
  for (const FoundKind& kind : found) choices.push_back(fmt::format("{}/{}", kind.category, name));
  return Error{
      {}, fmt::format("'{}' has several meanings", name), fmt::format("say which: {}", fmt::join(choices, ", "))};
}

}  // namespace strata::app
