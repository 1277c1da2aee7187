// One program under two names: strata-cc is a C compiler, strata-c++ a C++ compiler.
#include <cstdio>
#include <exception>
#include <string_view>

#include "annotate/driver/driver.hpp"

int main(int count, char** words) {
  try {
    const bool cpp = std::string_view(words[0]).ends_with("++");
    return strata::annotate::run_driver({words + 1, words + count}, cpp);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "strata-cc: error: %s\n", problem.what());
    return 1;
  }
}
