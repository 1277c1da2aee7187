#include "kernel/pacing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "base/assert.hpp"

namespace strata {

namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

void Stopwatch::restart() {
  wall_ns_ = read_clock(CLOCK_MONOTONIC);
  cpu_ns_ = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  thread_ns_ = read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double Stopwatch::wall_seconds() const { return static_cast<double>(read_clock(CLOCK_MONOTONIC) - wall_ns_) * 1e-9; }
double Stopwatch::cpu_seconds() const {
  return static_cast<double>(read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns_) * 1e-9;
}
double Stopwatch::thread_cpu_seconds() const {
  return static_cast<double>(read_clock(CLOCK_THREAD_CPUTIME_ID) - thread_ns_) * 1e-9;
}

double calendar_seconds() { return static_cast<double>(read_clock(CLOCK_REALTIME)) * 1e-9; }

std::int64_t WallClock::now_ns() { return read_clock(CLOCK_MONOTONIC); }

void WallClock::sleep(std::condition_variable& notified, std::unique_lock<std::mutex>& lock,
                      std::optional<std::int64_t> deadline_ns) {
  if (!deadline_ns.has_value()) {
    notified.wait(lock);
  } else {
    // steady_clock is CLOCK_MONOTONIC with the same origin on every system we run on.
    notified.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(*deadline_ns)));
  }
}

Pacing::Pacing(std::unique_ptr<WallClock> clock) : clock_(std::move(clock)) {}

void Pacing::set_free() {
  const std::lock_guard lock(mutex_);
  factor_.reset();
  lag_.current_s = 0;
  changed_.notify_all();
}

void Pacing::set_factor(double factor) {
  STRATA_ASSERT(std::isfinite(factor) && factor > 0, "a pace is a positive number");
  const std::lock_guard lock(mutex_);
  if (anchored_ && !paused_) last_ = virtual_now(clock_->now_ns(), asked_);
  factor_ = factor;
  anchored_ = false;
  changed_.notify_all();
}

std::optional<double> Pacing::factor() const {
  const std::lock_guard lock(mutex_);
  return factor_;
}

void Pacing::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  steps_left_.reset();
  changed_.notify_all();
}

void Pacing::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  steps_left_.reset();
  // Time that passed while paused does not count.
  anchored_ = false;
  changed_.notify_all();
}

void Pacing::step(std::uint64_t steps) {
  const std::lock_guard lock(mutex_);
  steps_left_ = steps;
  paused_ = steps == 0;
  anchored_ = false;
  changed_.notify_all();
}

bool Pacing::paused() const {
  const std::lock_guard lock(mutex_);
  return paused_;
}

void Pacing::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

Pacing::Lag Pacing::lag() const {
  const std::lock_guard lock(mutex_);
  return lag_;
}

void Pacing::anchor() {
  anchor_wall_ns_ = clock_->now_ns();
  anchor_virtual_ = last_;
  anchored_ = true;
}

std::int64_t Pacing::due_ns(Time time) const {
  const double wall_ns = static_cast<double>((time - anchor_virtual_).ns()) / *factor_;
  // "Never" and the far future: a deadline that does not overflow.
  constexpr double kFar = 4e18;
  return anchor_wall_ns_ + static_cast<std::int64_t>(wall_ns < kFar ? wall_ns : kFar);
}

Time Pacing::virtual_now(std::int64_t wall_ns, Time limit) const {
  const Time now = anchor_virtual_ +
                   Duration::from_seconds(static_cast<double>(wall_ns - anchor_wall_ns_) * 1e-9 * factor_.value_or(1));
  return now < last_ ? last_ : now < limit ? now : limit;
}

Pacing::Waited Pacing::wait_until(Time time) {
  std::unique_lock lock(mutex_);
  asked_ = time;
  while (true) {
    if (paused_) {
      // Where virtual time stands when it pauses is where it goes on.
      if (anchored_ && factor_.has_value()) last_ = virtual_now(clock_->now_ns(), time);
      anchored_ = false;
    } else if (!factor_.has_value()) {
      lag_.current_s = 0;
      break;
    } else {
      if (!anchored_) anchor();
      const std::int64_t late_ns = clock_->now_ns() - due_ns(time);
      if (late_ns >= 0) {
        lag_.current_s = static_cast<double>(late_ns) * 1e-9;
        lag_.worst_s = std::max(lag_.worst_s, lag_.current_s);
        break;
      }
    }
    if (woken_) {
      woken_ = false;
      if (anchored_) last_ = virtual_now(clock_->now_ns(), time);
      return {false, last_};
    }
    clock_->sleep(changed_, lock, paused_ ? std::nullopt : std::optional(due_ns(time)));
  }
  woken_ = false;
  last_ = time;
  if (steps_left_.has_value() && --*steps_left_ == 0) {
    steps_left_.reset();
    paused_ = true;
    anchored_ = false;
  }
  return {true, time};
}

}  // namespace strata
