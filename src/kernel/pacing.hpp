// Pacing: how fast virtual time passes for people and hardware. The only reader of the wall clock; everybody who wants
// to know how long something took uses the Stopwatch here. Virtual time and results never depend on it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/time.hpp"

namespace strata {

/// Measures from its making or the last restart().
class Stopwatch {
 public:
  Stopwatch() { restart(); }
  void restart();
  [[nodiscard]] double wall_seconds() const;
  /// Of all threads of this program.
  [[nodiscard]] double cpu_seconds() const;
  /// Of the calling thread, which must be the one that started the watch.
  [[nodiscard]] double thread_cpu_seconds() const;

 private:
  std::int64_t wall_ns_ = 0;
  std::int64_t cpu_ns_ = 0;
  std::int64_t thread_ns_ = 0;
};

/// Seconds since 1970, for names and headers of files; never for results.
[[nodiscard]] double calendar_seconds();

/// The wall clock as pacing sees it. Tests put their own in its place.
class WallClock {
 public:
  WallClock() = default;
  WallClock(const WallClock&) = delete;
  WallClock& operator=(const WallClock&) = delete;
  virtual ~WallClock() = default;
  /// Steady, from an arbitrary start.
  [[nodiscard]] virtual std::int64_t now_ns();
  /// Sleeps until notified or until the deadline, if there is one.
  virtual void sleep(std::condition_variable& notified, std::unique_lock<std::mutex>& lock,
                     std::optional<std::int64_t> deadline_ns);
};

/// Controls from any thread; wait_until() from the thread that runs the simulation.
class Pacing {
 public:
  /// As fast as possible, unless told otherwise.
  explicit Pacing(std::unique_ptr<WallClock> clock = std::make_unique<WallClock>());

  void set_free();
  /// `factor` virtual seconds per wall second, > 0; 1 = real time.
  void set_factor(double factor);
  /// The factor; none when as fast as possible.
  [[nodiscard]] std::optional<double> factor() const;
  void pause();
  void resume();
  /// Lets `steps` further calls of wait_until() be reached, then pauses.
  void step(std::uint64_t steps);
  [[nodiscard]] bool paused() const;
  /// Ends the current or the next sleep early: something arrived from outside, or the run is to end.
  void wake();

  struct Waited {
    bool reached = false;  ///< false: woken early, or paused
    Time now;              ///< where virtual time stands: at most the time asked for
  };
  /// Sleeps until virtual time `time` is due. Times do not decrease from call to call.
  Waited wait_until(Time time);

  struct Lag {
    double current_s = 0;  ///< wall seconds behind, at the last time reached
    double worst_s = 0;
  };
  /// How far the simulation is behind its pace; zero when as fast as possible.
  [[nodiscard]] Lag lag() const;

 private:
  void anchor();
  [[nodiscard]] std::int64_t due_ns(Time time) const;
  [[nodiscard]] Time virtual_now(std::int64_t wall_ns, Time limit) const;

  std::unique_ptr<WallClock> clock_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<double> factor_;
  bool paused_ = false;
  bool woken_ = false;
  std::optional<std::uint64_t> steps_left_;
  bool anchored_ = false;  // wall and virtual time were tied together
  std::int64_t anchor_wall_ns_ = 0;
  Time anchor_virtual_;
  Time last_;   // where virtual time stood last
  Time asked_;  // the time waited for last
  Lag lag_;
};

}  // namespace strata
