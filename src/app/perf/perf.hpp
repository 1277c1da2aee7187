// Running annotated programs and showing what they would have cost: the parts of `strata perf`.
#pragma once

#include <string>
#include <vector>

#include "annotate/estimate.hpp"
#include "base/result.hpp"
#include "board/board.hpp"

namespace strata::app {

/// What one run of the program said, and what that means on the boards asked for.
struct PerfRun {
  annotate::Estimate estimate;
  std::vector<annotate::BoardEstimate> boards;
  int exit_code = 0;
};

struct PerfRequest {
  std::vector<std::string> command;  ///< program and arguments
  std::string target;                ///< empty: what the boards or the program say
  std::vector<board::Board> boards;
  bool own_stdout = false;  ///< stdout is ours: the program's goes to stderr
};

/// Runs the program once for every target the boards need.
[[nodiscard]] Result<std::vector<PerfRun>> run_for_boards(const PerfRequest& request);

/// For people.
[[nodiscard]] std::string perf_text(const std::vector<PerfRun>& runs, std::size_t most_functions);
/// Complete JSON.
[[nodiscard]] std::string perf_json(const std::vector<PerfRun>& runs);
/// A page of its own: boards side by side, functions, threads.
[[nodiscard]] std::string perf_html(const std::vector<PerfRun>& runs, const std::string& title);

}  // namespace strata::app
