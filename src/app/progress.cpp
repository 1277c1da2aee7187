#include "app/progress.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "app/terminal.hpp"

namespace strata::app {

namespace {

constexpr std::chrono::milliseconds kPeriod{200};

}  // namespace

ProgressLine::ProgressLine(bool shown) : shown_(shown), start_(Clock::now()), next_(start_ + kPeriod) {}

std::string ProgressLine::text(Time now, Time end, std::uint64_t events, double wall_s) {
  const double simulated_s = now.seconds();
  const double speed = wall_s > 0 ? simulated_s / wall_s : 0;
  std::string line = fmt::format("{} of {}", to_text(now), to_text(end));
  if (end > Time{} && end != Time::never()) line += fmt::format(" ({:.0f} %)", 100 * simulated_s / end.seconds());
  line += fmt::format("  {}x real time", short_number(speed));
  if (wall_s > 0) line += fmt::format("  {} events/s", short_number(static_cast<double>(events) / wall_s));
  if (speed > 0 && end != Time::never()) {
    // Whole seconds: more digits would only flicker.
    const double left_s = std::max(0.0, (end - now).seconds() / speed);
    line += fmt::format("  {} left", to_text(Duration::from_seconds(static_cast<double>(static_cast<std::int64_t>(left_s + 0.999)))));
  }
  return line;
}

void ProgressLine::update(Time now, Time end, std::uint64_t events) {
  if (!shown_) return;
  const Clock::time_point wall = Clock::now();
  if (wall < next_) return;
  next_ = wall + kPeriod;
  std::string line = text(now, end, events, std::chrono::duration<double>(wall - start_).count());
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
