// A piece of YAML that shows how a scenario uses a kind, with its parameters at their defaults.
#pragma once

#include <string>

#include "base/catalog.hpp"

namespace strata::app {

/// Indented YAML with a final line break; empty for a category that scenarios do not name directly.
[[nodiscard]] std::string snippet(const std::string& category, const KindInfo& info);

}  // namespace strata::app
