// strata-cc and strata-c++: clang, with the annotating tool between its front end and the object file.
#pragma once

#include <string>
#include <vector>

namespace strata::annotate {

/// Does what `cc WORDS` does. Returns the exit code.
[[nodiscard]] int run_driver(const std::vector<std::string>& words, bool cpp);

}  // namespace strata::annotate
