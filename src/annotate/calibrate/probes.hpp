// The library functions that get a row in the cost tables, each with code that calls it: what `strata calibrate`
// measures.
#pragma once

#include <string>
#include <vector>

#include "annotate/library_costs.hpp"

namespace strata::annotate {

struct Probe {
  std::string name;  ///< symbol; "{z}" stands for size_t in C++ names
  Measure measure = Measure::kConstant;
  unsigned argument = 0;
  std::vector<int> sizes;  ///< values of `n` to measure at
  std::string prepare;     ///< done once, before
  std::string code;        ///< calls it; `n` is the size, `i` counts rounds
  double calls = 1;        ///< made by `code`
  std::string only;        ///< count functions with this in their name; with "!" in front: without it
};

[[nodiscard]] const std::vector<Probe>& probes();
/// A program that runs one probe: PROGRAM NUMBER SIZE ROUNDS.
[[nodiscard]] std::string probe_source();
/// The symbol of a probe on a target of so many bits.
[[nodiscard]] std::string symbol_of(const Probe& probe, int bits);

}  // namespace strata::annotate
