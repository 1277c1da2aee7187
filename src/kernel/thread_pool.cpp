#include "kernel/thread_pool.hpp"

#include <algorithm>
#include <limits>

namespace strata {

namespace {

// A few microseconds: bridges the gap between two systems of one step without holding a shared core for long.
constexpr int kSpins = 150;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  STRATA_ASSERT(threads >= 1, "a thread pool needs at least one thread");
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { serve(); });
}

ThreadPool::~ThreadPool() {
  quit_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::for_each_chunk(std::size_t count, std::size_t grain, Work work) {
  STRATA_ASSERT(grain > 0, "a chunk holds at least one row");
  STRATA_ASSERT(!running_, "for_each_chunk was called from within a chunk of the same pool");
  if (count == 0) return;
  const std::size_t chunks = (count - 1) / grain + 1;
  STRATA_ASSERT(chunks <= std::numeric_limits<std::uint32_t>::max(), "too many chunks: use a larger grain");

  running_ = true;
  work_ = &work;
  count_ = count;
  grain_ = grain;
  chunks_ = chunks;
  failure_ = nullptr;
  if (workers_.empty() || chunks == 1) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) run_chunk(chunk);
  } else {
    // Taking a ticket of this round acquires the job written above; a late worker of an older round fails to take one.
    unfinished_.store(static_cast<std::uint32_t>(chunks), std::memory_order_relaxed);
    const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
    tickets_.store(static_cast<std::uint64_t>(round) << 32 | chunks, std::memory_order_release);
    round_.store(round, std::memory_order_release);
    const std::size_t helpers = std::min(workers_.size(), chunks - 1);
    if (helpers == workers_.size()) {
      round_.notify_all();
    } else {
      for (std::size_t i = 0; i < helpers; ++i) round_.notify_one();
    }

    take_chunks();
    for (int spin = 0; spin < kSpins && unfinished_.load(std::memory_order_acquire) != 0; ++spin) relax();
    for (std::uint32_t left = 0; (left = unfinished_.load(std::memory_order_acquire)) != 0;)
      unfinished_.wait(left, std::memory_order_acquire);
  }
  running_ = false;
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::serve() {
  std::uint32_t seen = 0;
  while (true) {
    for (int spin = 0; spin < kSpins && round_.load(std::memory_order_acquire) == seen; ++spin) relax();
    round_.wait(seen, std::memory_order_acquire);
    seen = round_.load(std::memory_order_acquire);
    if (quit_.load(std::memory_order_relaxed)) return;
    take_chunks();
  }
}

void ThreadPool::take_chunks() {
  std::uint64_t tickets = tickets_.load(std::memory_order_acquire);
  while (static_cast<std::uint32_t>(tickets) != 0) {
    if (!tickets_.compare_exchange_weak(tickets, tickets - 1, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    run_chunk(chunks_ - static_cast<std::uint32_t>(tickets));
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
    tickets = tickets_.load(std::memory_order_acquire);
  }
}

void ThreadPool::run_chunk(std::size_t chunk) noexcept {
  const std::size_t begin = chunk * grain_;
  try {
    (*work_)(begin, std::min(begin + grain_, count_));
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (failure_ == nullptr || chunk < failed_chunk_) {
      failure_ = std::current_exception();
      failed_chunk_ = chunk;
    }
  }
}

}  // namespace strata
