#include "board/sections.hpp"

#include "board/board.hpp"

namespace strata::board {

using namespace param;

const std::vector<Param>& board_params() {
  static const std::vector<Param> list = {
      integer("strata_board", "", "Version of the format: 1").required().at_least(1).at_most(1),
      text("name", "", "What it is called").required(),
      text("summary", "", "One line about it"),
      text("source", "", "Where the figures come from"),
      any("processors", "A list of processors").required(),
      any("buses", "A list of buses between processors"),
      any("system", "The operating system"),
      quantity("static_power", "W", "0 W", "Power of everything but the processors").at_least(0),
  };
  return list;
}

const std::vector<Param>& processor_params() {
  static const std::vector<Param> list = {
      text("name", "main", "What it is called on this board"),
      text("core", "", "Target of strata-c++, such as cortex-a72").required(),
      integer("cores", "1", "How many cores").at_least(1).at_most(1024),
      any("clocks", "A list of {frequency, voltage}, lowest first").required(),
      any("l1i", "First cache for instructions"),
      any("l1d", "First cache for data"),
      any("l2", "Second cache"),
      choice("predictor", {"none", "static", "bimodal", "gshare", "tage"}, "tage", "Class of the branch predictor"),
      number("misprediction", "0", "Cycles lost by a mispredicted branch").at_least(0),
      number("misprediction_rate", "0", "Usual share of mispredicted branches").at_least(0).at_most(1),
      quantity("memory_latency", "s", "0 s", "Time of an access that misses all caches").at_least(0),
      quantity("memory_energy", "J", "0 J", "Energy of such an access").at_least(0),
      quantity("cycle_energy", "J", "0 J", "Energy of a busy cycle of a core at the highest clock").at_least(0),
      quantity("static_power", "W", "0 W", "Power of the processor when nothing runs").at_least(0),
  };
  return list;
}

const std::vector<Param>& clock_params() {
  static const std::vector<Param> list = {
      quantity("frequency", "Hz", "", "Of the clock").required().above(0),
      quantity("voltage", "V", "1 V", "Of the core").above(0),
  };
  return list;
}

const std::vector<Param>& cache_params() {
  static const std::vector<Param> list = {
      quantity("size", "B", "", "Bytes it holds").required().above(0),
      integer("ways", "1", "Lines that share a place").at_least(1),
      quantity("line", "B", "64 B", "Bytes fetched at once").above(0),
      number("latency", "0", "Cycles of a hit").at_least(0),
      quantity("energy", "J", "0 J", "Of an access").at_least(0),
      flag("shared", false, "One for all cores of the processor"),
  };
  return list;
}

const std::vector<Param>& bus_params() {
  static const std::vector<Param> list = {
      text("name", "bus", "What it is called"),
      quantity("bandwidth", "B/s", "", "Bytes per second for all users together").required().above(0),
      quantity("latency", "s", "0 s", "Until the first byte arrives").at_least(0),
      texts("processors", "Names of the processors on it"),
      choice("arbitration", {"fair", "priority"}, "fair", "Who goes first when several use it"),
  };
  return list;
}

const std::vector<Param>& system_params() {
  static const std::vector<Param> list = {
      choice("policy", {"priority", "round_robin", "edf", "none"}, "priority", "Who runs"),
      quantity("slice", "s", "10 ms", "Of round robin").above(0),
      quantity("switch", "s", "2 us", "Cost of a context switch").at_least(0),
      quantity("tick", "s", "4 ms", "Period of the timer interrupt; 0 s for none").at_least(0),
  };
  return list;
}

const std::vector<BoardSection>& board_sections() {
  static const std::vector<BoardSection> list = {
      {"board", "A robot's computer, a file of its own", board_params()},
      {"board.processors", "Processors of a board, a list", processor_params()},
      {"board.processors.clocks", "Clock steps of a processor, a list", clock_params()},
      {"board.processors.cache", "A cache: l1i, l1d or l2 of a processor", cache_params()},
      {"board.buses", "Buses of a board, a list", bus_params()},
      {"board.system", "The operating system of a board", system_params()},
  };
  return list;
}

}  // namespace strata::board
