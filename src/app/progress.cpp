#include "app/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "app/terminal.hpp"

namespace strata::app {

std::string ProgressLine::text(const Progress& progress) {
  std::string line = fmt::format("{} of {}", to_text(progress.now), to_text(progress.end));
  if (progress.end > Time{}) line += fmt::format(" ({:.0f} %)", 100 * progress.now.seconds() / progress.end.seconds());
  line +=
      fmt::format(", {} times real time, {} events/s", speed_text(progress.speed), short_number(progress.events_per_s));
  // Whole seconds: more digits would only flicker.
  if (std::isfinite(progress.left_s)) {
    line += fmt::format(", {} left", to_text(Duration::from_seconds(std::ceil(std::max(0.0, progress.left_s)))));
  }
  return line;
}

void ProgressLine::show(const Progress& progress) {
  std::string line = text(progress);
  // A line that wraps could not be rewritten.
  const auto width = static_cast<std::size_t>(std::max(20, terminal_width(stderr) - 1));
  if (line.size() > width) line.resize(width);
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  visible_ = true;
}

void ProgressLine::clear() {
  if (!visible_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace strata::app
