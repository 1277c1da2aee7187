// What a sweep varies: `--vary robots.nurse.count=2..20` and the variants that all of them make together.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace strata::sweep {

struct Axis {
  std::string path;
  std::vector<std::string> values;  ///< as `--set` takes them
};

/// "PATH=a,b,c", "PATH=2..20" or "PATH=2..20..3". Commas within brackets and quotes belong to the value.
[[nodiscard]] Result<Axis> parse_axis(const std::string& text);

/// One value of each axis.
struct Variant {
  std::vector<std::string> values;  ///< by axis
  [[nodiscard]] std::vector<std::string> sets(const std::vector<Axis>& axes) const;
  /// "team.strategy=greedy robots.nurse.count=2".
  [[nodiscard]] std::string name(const std::vector<Axis>& axes) const;
};

/// All combinations, the last axis varying fastest; fails for repeated paths and beyond `most`.
[[nodiscard]] Result<std::vector<Variant>> combine(const std::vector<Axis>& axes, std::size_t most);

}  // namespace strata::sweep
