#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
using namespace std::chrono;
int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;
  std::mutex mutex;
  std::condition_variable changed;
  bool flag = false;
  unsigned long hash = 1;
  long loops = 0, signalled = 0, timeouts = 0, ticks = 0;
  const auto start = steady_clock::now();
  const auto end = start + duration_cast<nanoseconds>(duration<double>(seconds));
  auto mix = [&](unsigned long x) { hash = (hash ^ x) * 1099511628211UL; };
  auto loop = [&](int id, nanoseconds period) {
    auto next = start;
    while ((next += period) <= end) {
      std::this_thread::sleep_until(next);
      std::lock_guard lock(mutex);
      mix(static_cast<unsigned long>((steady_clock::now() - start).count()) ^ static_cast<unsigned long>(id) << 56);
      ++loops;
      if (id == 1 && ++ticks % 7 == 0) {
        flag = true;
        changed.notify_one();
      }
    }
  };
  std::thread a(loop, 0, 1ms), b(loop, 1, 10ms), c(loop, 2, 1s);
  std::thread d([&] {
    while (steady_clock::now() < end) {
      std::unique_lock lock(mutex);
      const bool ok = changed.wait_for(lock, 100ms, [&] { return flag; });
      flag = false;
      ++(ok ? signalled : timeouts);
      mix(static_cast<unsigned long>((steady_clock::now() - start).count()));
    }
  });
  a.join();
  b.join();
  c.join();
  d.join();
  std::printf("%016lx loops %ld signalled %ld timeouts %ld\n", hash, loops, signalled, timeouts);
}
