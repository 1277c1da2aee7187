// The names of a scenario's things, each used once. A group of a million robots is one entry: prefix and count.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace strata {

class NameTable {
 public:
  /// Takes a name. If it is taken already, returns where, and the table stays as it is.
  std::optional<Where> take(const std::string& name, const Where& where);
  /// Takes prefix1 ... prefixN.
  std::optional<Where> take_numbered(const std::string& prefix, std::uint64_t count, const Where& where);

  /// Letters, digits, _ and -, beginning with a letter or _.
  [[nodiscard]] static bool is_plain(std::string_view name);

 private:
  struct Numbered {
    std::uint64_t count = 0;
    Where where;
  };
  std::map<std::string, Where> single_;
  std::map<std::string, Numbered> numbered_;
};

}  // namespace strata
