// The boards that come with Strata, and boards in files of the user.
#pragma once

#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "board/board.hpp"

namespace strata::app {

/// Names of the boards below models/boards.
[[nodiscard]] std::vector<std::string> board_names();
/// By name, or by the path of a file.
[[nodiscard]] Result<board::Board> load_board(const std::string& name_or_file);
/// Adds the parts of board files, and the boards that come with Strata, for listing and describing.
void register_boards(Registry& registry);

}  // namespace strata::app
