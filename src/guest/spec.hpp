// What `strata exec` and scenarios ask for: programs on hosts, links between them, and how time passes. Plain data that
// has been checked.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "shim_abi/layout.hpp"

namespace strata::guest {

struct TimeFunctionSpec {
  shim::TimeFunction kind = shim::TimeFunction::kNone;
  Duration constant;  ///< per wake-up
  double factor = 1;  ///< of measured time
};

/// "none", "const:20us", "cpu:1.5", "wall:1".
[[nodiscard]] Result<TimeFunctionSpec> parse_time_function(const std::string& text);

struct ProgramSpec {
  std::string name;
  std::string host;
  std::vector<std::string> words;  ///< program and arguments
  std::vector<std::pair<std::string, std::string>> environment;
  std::string folder;  ///< working folder; empty = the caller's
  TimeFunctionSpec function;
};

struct LinkSpec {
  Duration latency;
  Duration jitter;
  double loss = 0;       ///< 0 .. 1
  double rate_bits = 0;  ///< bits per second; 0 = unlimited
  [[nodiscard]] bool plain() const { return latency.ns() == 0 && jitter.ns() == 0 && loss == 0 && rate_bits == 0; }
};

struct ExecSpec {
  std::vector<ProgramSpec> programs;
  LinkSpec link;  ///< between hosts; on the loopback if there is one host only
  std::optional<Duration> duration;
  double pace = 0;  ///< times real time; 0 = as fast as possible
  std::uint64_t seed = 1;
  std::int64_t epoch_s = 1767225600;  ///< 2026-01-01
  Duration timer_slack = Duration::nanoseconds(50000);
  bool host_network = false;
  bool prefix = false;
  bool pin = true;
  int cores = 0;  ///< to use; 0 = all that are allowed
  std::string trace;
  std::string library;  ///< the shim
};

}  // namespace strata::guest
