// The original's XML files, checked against their document types. Nothing outside the file is ever read, and entities
// are refused, so a file can neither fetch nor explode.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/value.hpp"

namespace strata::coordinator {

/// Reads a ResourceFile or a TaskFile into the tree that the YAML form of the same file gives: a map with `resources`
/// or `tasks`. `file` is what errors name as the place.
[[nodiscard]] Result<Value> read_xml(std::string_view text, const std::string& file);

/// Whether the text looks like XML rather than YAML.
[[nodiscard]] bool looks_like_xml(std::string_view text);

}  // namespace strata::coordinator
