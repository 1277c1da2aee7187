// A thread that writes the store through to the disk, so that acknowledgements wait for it and decisions do not.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "coordinator/store/store.hpp"

namespace strata::coordinator {

class Syncer {
 public:
  explicit Syncer(Store& store);
  ~Syncer();
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  /// Asks for everything committed so far; `done` reaches the returned number when it is on disk.
  std::uint64_t request();
  [[nodiscard]] std::uint64_t done();
  /// Readable when `done` has changed; `done` makes it unreadable again.
  [[nodiscard]] int fd() const { return event_; }

 private:
  void run();

  Store& store_;
  int event_ = -1;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::uint64_t wanted_ = 0;
  std::uint64_t done_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace strata::coordinator
