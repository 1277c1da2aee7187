// Images of occupancy grids: PGM (P2, P5) and PNG as grey values. From anybody's file: sizes are checked before memory
// is taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace strata::maps {

struct GreyImage {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> grey;  ///< row by row from the top; 255 is white
  std::vector<bool> transparent;   ///< by pixel; empty: none is
};

[[nodiscard]] Result<GreyImage> parse_image(const std::string& bytes, const std::string& file);
[[nodiscard]] Result<GreyImage> read_image(const std::string& file);

}  // namespace strata::maps
