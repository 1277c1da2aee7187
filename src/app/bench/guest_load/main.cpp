// What `strata bench guests` runs in virtual time: an ordinary program that knows nothing of Strata.
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

void sleep_often(long count) {
  for (long i = 0; i < count; ++i) std::this_thread::sleep_for(microseconds(100));
}

// Threads in turn: whoever blocks always hands over.
void take_turns(int threads, long rounds) {
  const auto start = Clock::now();
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([=] {
      auto next = start + microseconds(10 * i);
      for (long k = 0; k < rounds; ++k) std::this_thread::sleep_until(next += milliseconds(1));
    });
  }
  for (std::thread& thread : all) thread.join();
}

// 1000, 100, 10 and 1 Hz, with a lock and a condition that one of them waits for with a time-out.
void run_periodic(long duration_s) {
  std::mutex mutex;
  std::condition_variable changed;
  bool flag = false;
  long loops = 0;
  const auto start = Clock::now();
  const auto end = start + seconds(duration_s);
  const auto loop = [&](nanoseconds period, bool signals) {
    for (auto next = start + period; next <= end; next += period) {
      std::this_thread::sleep_until(next);
      const std::lock_guard lock(mutex);
      ++loops;
      if (signals) {
        flag = true;
        changed.notify_one();
      }
    }
  };
  std::thread fast(loop, milliseconds(1), false);
  std::thread medium(loop, milliseconds(10), false);
  std::thread slow(loop, seconds(1), true);
  while (Clock::now() < end) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, milliseconds(100), [&] { return flag; });
    flag = false;
  }
  fast.join();
  medium.join();
  slow.join();
}

// 1 ms of work every 10 ms.
void compute(long duration_s) {
  volatile double sink = 1;
  const auto start = Clock::now();
  for (auto next = start; next < start + seconds(duration_s); next += milliseconds(10)) {
    std::this_thread::sleep_until(next);
    for (int i = 0; i < 400000; ++i) sink = sink * 0.999 + 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string what = argv[1];
  const long amount = std::atol(argv[2]);
  if (what == "sleep") sleep_often(amount);
  if (what == "turns") take_turns(2, amount);
  if (what == "periodic") run_periodic(amount);
  if (what == "compute") compute(amount);
  return 0;
}
