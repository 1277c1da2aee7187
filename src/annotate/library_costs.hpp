// What functions of the C, C++ and mathematics libraries cost on a target: measured once by `strata calibrate`, kept in
// models/costs/TARGET.txt, looked up while compiling. A cost depends on one figure of the call, such as the number of
// bytes copied, and is linear between measured points.
//
//   # comment
//   memcpy arg2 0:8:5 16:12:6 4096:210:260        NAME MEASURE SIZE:INSTRUCTIONS:CYCLES...
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace strata::annotate {

/// The figure of a call that its cost depends on.
enum class Measure {
  kConstant,  ///< "const": none
  kArgument,  ///< "argN": an argument
  kResult,    ///< "result": what it returns
  kText,      ///< "textN": length of the text an argument points to
  kSame,      ///< "sameN": bytes in which arguments 0 and 1 agree, at most argument N; texts if N is 0
  kDistance,  ///< "distance": how far behind argument 0 the result points
};

struct CostPoint {
  double size = 0;
  double instructions = 0;
  double cycles = 0;
};

struct LibraryCost {
  std::string name;
  Measure measure = Measure::kConstant;
  unsigned argument = 0;
  std::vector<CostPoint> points;  ///< by rising size, at least one
};

using LibraryCosts = std::map<std::string, LibraryCost, std::less<>>;

/// Reads the text of a table; `file` is for messages.
[[nodiscard]] Result<LibraryCosts> parse_library_costs(std::string_view text, const std::string& file);
/// One line of a table, without line end.
[[nodiscard]] std::string to_text(const LibraryCost& cost);
/// "const", "arg2", ...
[[nodiscard]] std::string measure_text(Measure measure, unsigned argument);
/// Cost of a call of that size.
[[nodiscard]] CostPoint cost_at(const LibraryCost& cost, double size);

}  // namespace strata::annotate
