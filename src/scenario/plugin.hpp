// Loads plugins: shared libraries that add kinds (base/plugin.hpp). Scenarios name them under `plugins:`, relative to
// the file that names them.
#pragma once

#include <string>

#include "base/catalog.hpp"
#include "base/value.hpp"

namespace strata {

/// A loaded plugin, in the catalog so that `strata list plugin` shows it and it is loaded once.
struct PluginKind : KindInfo {
  static constexpr const char* kCategory = "plugin";
  std::string path;  ///< canonical
};

/// Loads a library and lets it add its kinds. Loading it again has no effect.
[[nodiscard]] Result<void> load_plugin(const std::string& path, const Where& where, Registry& registry);

/// Loads what `plugins:` lists; all errors at once. Null: nothing.
[[nodiscard]] Result<void> load_plugins(const Value& list, Registry& registry);

/// `plugins:` with whole paths, so that the scenario works from another folder.
[[nodiscard]] Value resolved_plugins(const Value& list);

}  // namespace strata
