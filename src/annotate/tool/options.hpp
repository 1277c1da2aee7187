// What the annotating tool is asked to do, read from its arguments. The drivers are the only callers.
#pragma once

#include <string>
#include <vector>

#include "annotate/targets.hpp"

namespace strata::annotate {

struct ToolOptions {
  std::string input;        ///< bitcode of one source, not optimised, for the host
  std::string output;       ///< object file, or assembly
  std::string source;       ///< as the user named it, for messages
  std::string level = "0";  ///< 0, 1, 2, 3, s, z
  std::string costs;        ///< file with the cost of library functions; may be empty
  std::string map;          ///< file to write block costs to, for tests; may be empty
  std::vector<const Target*> targets;
  bool assembly = false;
  bool exceptions = false;  ///< the language can throw
  bool quiet = false;       ///< no warnings
};

[[nodiscard]] Result<ToolOptions> read_tool_options(int count, char** words);

}  // namespace strata::annotate
