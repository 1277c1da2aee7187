// The registry of everything a scenario can name: what is built in, and what plugins add. Made once per command.
#pragma once

#include <string>
#include <vector>

#include "base/catalog.hpp"

namespace strata::app {

/// All built-in kinds and those of the plugins.
[[nodiscard]] Result<Registry> make_registry(const std::vector<std::string>& plugin_files);

/// A kind with the category it belongs to.
struct FoundKind {
  std::string category;
  const KindInfo* info = nullptr;
};
/// By "name" or "category/name"; of a part and the system of the same name, the part. The error suggests what was
/// meant, or lists the categories if there are several.
[[nodiscard]] Result<FoundKind> find_kind(const Registry& registry, const std::string& name);

}  // namespace strata::app
