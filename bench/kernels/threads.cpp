// Four threads with a lock and an atomic.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex lock;
static long shared_sum;
static std::atomic<int> done;
static void work(int from) {
  long sum = 0;
  for (int block = 0; block < 40; ++block) {
    unsigned x = static_cast<unsigned>(from * 977 + block);
    for (int i = 0; i < 5000; ++i) x = x * 1664525U + 1013904223U, sum += x >> 20;
    const std::lock_guard<std::mutex> guard(lock);
    shared_sum += sum;
    sum = 0;
  }
  ++done;
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  std::printf("%ld %d\n", shared_sum, done.load());
}
