// YAML text to and from Value trees, each node with its place in the file. A scenario comes from anybody: whatever the
// bytes are - missing, binary, endless, nested without end, a bomb of aliases - the answer is an Error, never a crash.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/value.hpp"

namespace strata {

/// What a scenario file may use. Far more than any sensible one needs.
struct YamlLimits {
  std::size_t bytes = 16U << 20U;
  std::size_t nodes = 1'000'000;  ///< after aliases are replaced by what they stand for
  std::size_t depth = 64;
};

/// Reads one document. `file` is what errors name as the place.
[[nodiscard]] Result<Value> parse_yaml(std::string_view text, const std::string& file, const YamlLimits& limits = {});

/// Reads a file that holds one document.
[[nodiscard]] Result<Value> read_yaml(const std::string& path, const YamlLimits& limits = {});

/// The bytes of a regular file that holds text; fails for anything else, or if it is larger than `bytes`.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path, std::size_t bytes);

/// Text that parse_yaml reads back to the same tree.
[[nodiscard]] std::string to_yaml(const Value& value);
/// The same in one line, without line end.
[[nodiscard]] std::string to_yaml_line(const Value& value);

}  // namespace strata
