// Virtual time as strong types: a point (Time) and a span (Duration), both whole nanoseconds.
// Mixing them up does not compile: Time + Time is meaningless, Time - Time is a Duration.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace strata {

/// A span of virtual time in whole nanoseconds. May be negative.
class Duration {
 public:
  constexpr Duration() = default;
  /// Accepts any chrono span, so that `100ms` reads well at the call.
  template <class Rep, class Period>
  constexpr Duration(std::chrono::duration<Rep, Period> span)  // NOLINT(google-explicit-constructor)
      : ns_(std::chrono::duration_cast<std::chrono::nanoseconds>(span).count()) {}

  [[nodiscard]] static constexpr Duration nanoseconds(std::int64_t ns) {
    Duration d;
    d.ns_ = ns;
    return d;
  }
  /// Rounds to the nearest nanosecond; saturates instead of overflowing.
  [[nodiscard]] static constexpr Duration from_seconds(double s) {
    const double ns = s * 1e9;
    if (ns >= 9.2e18) return max();
    if (ns <= -9.2e18) return nanoseconds(-max().ns_);
    return nanoseconds(static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5));
  }
  [[nodiscard]] static constexpr Duration max() { return nanoseconds(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t ns() const { return ns_; }
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(ns_) * 1e-9; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator-() const { return nanoseconds(-ns_); }
  constexpr Duration& operator+=(Duration d) { return ns_ += d.ns_, *this; }
  constexpr Duration& operator-=(Duration d) { return ns_ -= d.ns_, *this; }
  friend constexpr Duration operator+(Duration a, Duration b) { return nanoseconds(a.ns_ + b.ns_); }
  friend constexpr Duration operator-(Duration a, Duration b) { return nanoseconds(a.ns_ - b.ns_); }
  friend constexpr Duration operator*(Duration a, std::int64_t k) { return nanoseconds(a.ns_ * k); }
  friend constexpr Duration operator*(std::int64_t k, Duration a) { return a * k; }
  friend constexpr Duration operator/(Duration a, std::int64_t k) { return nanoseconds(a.ns_ / k); }
  friend constexpr std::int64_t operator/(Duration a, Duration b) { return a.ns_ / b.ns_; }
  friend constexpr Duration operator%(Duration a, Duration b) { return nanoseconds(a.ns_ % b.ns_); }

 private:
  std::int64_t ns_ = 0;
};

/// A point in virtual time: nanoseconds since the start of the run.
class Time {
 public:
  constexpr Time() = default;
  [[nodiscard]] static constexpr Time from_ns(std::int64_t ns) {
    Time t;
    t.ns_ = ns;
    return t;
  }
  [[nodiscard]] static constexpr Time from_seconds(double s) { return from_ns(Duration::from_seconds(s).ns()); }
  /// Later than every event: "never".
  [[nodiscard]] static constexpr Time never() { return from_ns(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t ns() const { return ns_; }
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(ns_) * 1e-9; }
  [[nodiscard]] constexpr Duration since_start() const { return Duration::nanoseconds(ns_); }

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Duration d) { return *this = *this + d; }
  /// Saturates at never(), so that `now + Duration::max()` is safe.
  friend constexpr Time operator+(Time t, Duration d) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(t.ns_, d.ns(), &sum))
      return d.ns() > 0 ? never() : from_ns(std::numeric_limits<std::int64_t>::min());
    return from_ns(sum);
  }
  friend constexpr Time operator+(Duration d, Time t) { return t + d; }
  friend constexpr Time operator-(Time t, Duration d) { return from_ns(t.ns_ - d.ns()); }
  friend constexpr Duration operator-(Time a, Time b) { return Duration::nanoseconds(a.ns_ - b.ns_); }

 private:
  std::int64_t ns_ = 0;
};

/// "12.5 s", "20 ms", "1 h 2 min": short, for people.
[[nodiscard]] std::string to_text(Duration d);
[[nodiscard]] std::string to_text(Time t);

}  // namespace strata
