// The peer of the robots benchmark: the same crowd in Enki (Debian's libenki-dev), compiled and run on the spot.
#pragma once

#include <optional>
#include <string>

namespace strata::bench {

struct EnkiOutcome {
  std::optional<double> robot_steps_per_cpu_s;
  std::string note;  ///< why there is no figure, and what to do
};

[[nodiscard]] EnkiOutcome run_enki(long robots, double radius_m, double step_s);

}  // namespace strata::bench
