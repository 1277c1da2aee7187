// Threads for data-parallel systems. Work is cut into chunks of a fixed number of rows that does not depend on the
// number of threads, and each chunk writes only its own rows: results are the same for any number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "kernel/callback.hpp"

namespace strata {

class ThreadPool {
 public:
  /// `threads` in all, the caller of for_each_chunk included; 1 runs everything in the caller.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls work(begin, end) for the chunks [0, grain), [grain, 2 grain), ... of [0, count), in any order and on any of
  /// the threads; returns when all are done. Rethrows the exception of the first chunk (by position) that threw; the
  /// others still run. Not re-entrant: a chunk must not call it on the same pool. One caller at a time.
  void for_each_chunk(std::size_t count, std::size_t grain, FunctionRef<void(std::size_t begin, std::size_t end)> work);

 private:
  using Work = FunctionRef<void(std::size_t begin, std::size_t end)>;
  void serve();
  /// Runs chunks until none is left to take.
  void take_chunks();
  void run_chunk(std::size_t chunk) noexcept;

  // The job of this round. Written by the caller while no chunk is taken, read only by who holds a chunk.
  const Work* work_ = nullptr;
  std::size_t count_ = 0;
  std::size_t grain_ = 1;
  std::size_t chunks_ = 0;
  std::exception_ptr failure_;
  std::size_t failed_chunk_ = 0;
  std::mutex failure_mutex_;
  bool running_ = false;

  // Each on its own cache line, as all threads write them.
  alignas(64) std::atomic<std::uint64_t> tickets_{0};     // round << 32 | chunks not yet taken
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};  // chunks not yet done
  alignas(64) std::atomic<std::uint32_t> round_{0};       // workers sleep on it
  std::atomic<bool> quit_{false};
  std::vector<std::thread> workers_;
};

}  // namespace strata
