// What an annotated program has told about itself, and what that means on a board: time and energy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "board/board.hpp"

namespace strata::annotate {

struct FunctionEstimate {
  std::string name;   ///< readable
  std::string place;  ///< FILE:LINE; empty if unknown
  bool library = false;
  double instructions = 0;
  double cycles = 0;
};

struct ThreadEstimate {
  std::int64_t process = 0;
  int number = 0;     ///< in its process, by order of start; 0 is the first
  std::string start;  ///< function it was started with
  double instructions = 0;
  double library_instructions = 0;
  double cycles = 0;
};

/// Code whose cost is not known.
struct Unaccounted {
  std::string name;
  double host_share = 0;  ///< of the program's time on this machine
};

/// One run of a program, all its processes together.
struct Estimate {
  std::string target;
  bool mixed_targets = false;  ///< parts of it count for another target
  double hz = 0;               ///< clock of the usual board
  double annotated = 0;        ///< instructions
  double library = 0;          ///< instructions
  double cycles = 0;
  double host_s = 0;
  int processes = 0;
  std::vector<FunctionEstimate> functions;  ///< costliest first
  std::vector<ThreadEstimate> threads;
  std::vector<Unaccounted> unaccounted;  ///< largest share first
  [[nodiscard]] double instructions() const { return annotated + library; }
};

/// Reads the JSON files that the processes of a run have left; `files` are path and text of each.
[[nodiscard]] Result<Estimate> read_estimate(const std::vector<std::pair<std::string, std::string>>& files);

/// A run on one processor of a board at its highest clock.
struct BoardEstimate {
  std::string board;
  std::string processor;
  double hz = 0;
  double cycles = 0;
  double most_cycles = 0;  ///< with the usual share of mispredicted branches added
  double time_s = 0;       ///< of one core for everything
  double elapsed_s = 0;    ///< at least, with threads on as many cores as there are
  double dynamic_j = 0;
  double static_j = 0;  ///< while it runs
  std::string bound;    ///< what limits it: "instructions", "latency", "branches"
  [[nodiscard]] double energy_j() const { return dynamic_j + static_j; }
};

/// Each processor of the board that runs the estimate's target.
[[nodiscard]] std::vector<BoardEstimate> on_board(const Estimate& estimate, const board::Board& board);

}  // namespace strata::annotate
