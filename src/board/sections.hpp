// What every part of a board file knows.
#pragma once

#include <vector>

#include "base/config.hpp"

namespace strata::board {

[[nodiscard]] const std::vector<Param>& board_params();
[[nodiscard]] const std::vector<Param>& processor_params();
[[nodiscard]] const std::vector<Param>& clock_params();
[[nodiscard]] const std::vector<Param>& cache_params();
[[nodiscard]] const std::vector<Param>& bus_params();
[[nodiscard]] const std::vector<Param>& system_params();

}  // namespace strata::board
