// Four threads that share a queue of work.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> next_job;
static std::atomic<long> result;

static void work() {
  for (int job = next_job++; job < 64; job = next_job++) {
    unsigned x = static_cast<unsigned>(job) + 1;
    long sum = 0;
    for (int i = 0; i < 20000; ++i) x = x * 1664525U + 1013904223U, sum += x >> 24;
    result += sum;
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld\n", result.load());
}
