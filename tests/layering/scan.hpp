// Finds what the house rules forbid in the text of one source file: includes of modules that are not below, readers of
// the wall clock, functions whose last bit depends on the processor, unnamed randomness, headers of big libraries.
// Pure functions over text, so that the rules themselves can be tested.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace strata::layering {

/// Layer of each module by name.
using Layers = std::map<std::string, int, std::less<>>;

/// Reads "base:0,kernel:1,...".
Layers parse_layers(std::string_view list);

struct Violation {
  std::string path;  ///< as given to `scan`
  int line = 0;      ///< from 1
  std::string what;  ///< the problem and the remedy
};

/// `path` is relative to the source folder: "src/kernel/clock.cpp".
std::vector<Violation> scan(std::string_view path, std::string_view text, const Layers& layers);

}  // namespace strata::layering
