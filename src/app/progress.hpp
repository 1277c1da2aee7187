// The progress line of a run on a terminal: simulated time, speed, events per second, time left. Rewritten in place on
// stderr a few times per second of wall time; on anything but a terminal there is none.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/time.hpp"

namespace strata::app {

class ProgressLine {
 public:
  /// `shown` false: never prints.
  explicit ProgressLine(bool shown);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Prints if the last time was long enough ago. Cheap otherwise.
  void update(Time now, Time end, std::uint64_t events);
  /// Removes the line, so that other text can follow.
  void clear();

  /// The text of the line.
  [[nodiscard]] static std::string text(Time now, Time end, std::uint64_t events, double wall_s);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool visible_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace strata::app
