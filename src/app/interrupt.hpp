// Ctrl-C while a simulation runs: the first one asks it to end cleanly, with everything written; the second ends at
// once.
#pragma once

#include <atomic>

namespace strata::app {

/// Catches SIGINT, SIGTERM and, unless the caller had it ignored, SIGHUP while it lives. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Becomes true when the user wants to stop.
  [[nodiscard]] const std::atomic<bool>& interrupted() const;
};

}  // namespace strata::app
