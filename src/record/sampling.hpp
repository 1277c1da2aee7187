// When to look: systems that sample look at the first step at or after each multiple of their period.
#pragma once

#include "base/assert.hpp"
#include "base/time.hpp"

namespace strata {

class SampleClock {
 public:
  explicit SampleClock(Duration period) : period_(period) {
    STRATA_ASSERT(period > Duration(), "a sampling period is above zero");
  }

  [[nodiscard]] Duration period() const { return period_; }
  /// True if a sample is due at `now`; the next one then is due at the following multiple.
  bool take(Time now) {
    if (now < next_) return false;
    next_ = Time::from_ns((now.ns() / period_.ns() + 1) * period_.ns());
    return true;
  }

 private:
  Duration period_;
  Time next_;
};

}  // namespace strata
