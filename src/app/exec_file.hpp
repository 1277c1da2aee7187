// The programs of `strata exec --file`: what the command line can say, as YAML.
#pragma once

#include <string>

#include "guest/spec.hpp"

namespace strata::app {

/// Adds the file's programs and options; all its mistakes go to `errors`.
void read_exec_file(const std::string& file, guest::ExecSpec& spec, Errors& errors);

}  // namespace strata::app
