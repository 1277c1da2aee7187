// Runs programs in virtual time: makes their hosts, waits for the end, leaves nothing behind.
#pragma once

#include <atomic>

#include "guest/outcome.hpp"

namespace strata::guest {

/// What is wrong with the programs before anything is started: all of it.
[[nodiscard]] Errors check(const ExecSpec& spec);

/// Ends early, with everything killed, when `interrupted` becomes true. One run at a time per process.
[[nodiscard]] Outcome execute(const ExecSpec& spec, const std::atomic<bool>& interrupted);

}  // namespace strata::guest
