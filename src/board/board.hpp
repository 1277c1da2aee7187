// A robot's computer as data: processors with cores, clock steps, caches and power, the memory behind them, the buses
// between them, and the operating system's habits. Read from models/boards/*.yaml; immutable afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"
#include "base/result.hpp"
#include "base/value.hpp"

namespace strata::board {

struct Cache {
  std::uint64_t bytes = 0;  ///< 0 = there is none
  unsigned ways = 1;
  unsigned line_bytes = 64;
  double latency_cycles = 0;  ///< of a hit; for the first level already part of the instructions' cost
  double energy_j = 0;        ///< of an access
  bool shared = false;        ///< one for all cores of the processor
  [[nodiscard]] std::uint64_t sets() const { return bytes == 0 ? 0 : bytes / line_bytes / ways; }
};

/// A pair of clock and voltage that the processor can run at.
struct ClockStep {
  double hz = 0;
  double volts = 0;
};

struct Processor {
  std::string name;
  std::string core;  ///< target of the annotating compiler: "cortex-a72"
  int cores = 1;
  std::vector<ClockStep> clocks;  ///< by rising frequency, at least one; the last is what runs under load
  Cache instruction;
  Cache data;
  Cache second;
  std::string predictor;            ///< "none", "static", "bimodal", "gshare", "tage"
  double misprediction_cycles = 0;  ///< lost by each
  double misprediction_rate = 0;    ///< usual share of branches, where no predictor runs
  double memory_latency_s = 0;      ///< of an access that misses all caches
  double memory_energy_j = 0;       ///< of such an access
  double cycle_energy_j = 0;        ///< of a busy cycle at the last clock step
  double static_power_w = 0;        ///< whatever runs
  [[nodiscard]] const ClockStep& clock() const { return clocks.back(); }
};

struct Bus {
  std::string name;
  double bits_per_s = 0;
  double latency_s = 0;
  std::vector<std::string> processors;  ///< by name
  std::string arbitration;              ///< "fair" or "priority": how it is shared when several use it
};

/// How the board's operating system shares cores.
struct SystemModel {
  std::string policy;   ///< "priority", "round_robin", "edf", "none"
  double slice_s = 0;   ///< of round robin
  double switch_s = 0;  ///< cost of a context switch
  double tick_s = 0;    ///< period of the timer interrupt; 0 = none
};

struct Board {
  std::string name;
  std::string summary;
  std::string source;  ///< where the figures come from
  std::vector<Processor> processors;
  std::vector<Bus> buses;
  SystemModel system;
  double static_power_w = 0;  ///< of everything but the processors
  [[nodiscard]] const Processor* find(std::string_view processor) const;
};

/// Reads a whole file; all mistakes at once.
[[nodiscard]] Result<Board> read_board(const Value& file);

/// The parts of a board file and what each of them knows: for checking and for `strata describe`.
struct BoardSection {
  const char* name;
  const char* summary;
  const std::vector<Param>& params;
};
[[nodiscard]] const std::vector<BoardSection>& board_sections();

}  // namespace strata::board
