// What a run of programs in virtual time came to.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "guest/spec.hpp"

namespace strata::guest {

struct ProgramOutcome {
  std::string name;
  std::string host;
  int exit_code = 0;     ///< 128 + n for signals
  bool stopped = false;  ///< by the end of the duration, or because all others ended
  double end_s = 0;      ///< virtual
};

struct Outcome {
  double virtual_s = 0;
  double wall_s = 0;
  std::uint64_t hash = 0;
  shim::Stop reason = shim::Stop::kNo;
  bool interrupted = false;
  std::string message;                               ///< if it failed
  shim::Counters counters;                           ///< of all hosts
  std::vector<std::pair<int, std::uint64_t>> traps;  ///< system call, count; most frequent first
  bool isolated = true;                              ///< own process ids
  std::vector<ProgramOutcome> programs;

  /// As `strata exec` returns it.
  [[nodiscard]] int exit_code() const;
};

/// Losses of fidelity that happened: name and how often.
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> fidelity(const Outcome& outcome);
/// "virtual 10 s, wall 0.1 s, ..." - one line.
[[nodiscard]] std::string summary_line(const Outcome& outcome);
/// Counters by cause, for people.
[[nodiscard]] std::string statistics(const Outcome& outcome);
[[nodiscard]] std::string to_json(const Outcome& outcome);

}  // namespace strata::guest
