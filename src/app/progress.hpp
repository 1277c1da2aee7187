// The progress line of a run on a terminal: simulated time, speed, events per second, time left. Rewritten in place on
// stderr; on anything but a terminal there is none.
#pragma once

#include <string>

#include "scenario/run.hpp"

namespace strata::app {

class ProgressLine {
 public:
  ProgressLine() = default;
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  /// Removes the line, so that other text can follow.
  void clear();

  [[nodiscard]] static std::string text(const Progress& progress);

 private:
  bool visible_ = false;
};

}  // namespace strata::app
