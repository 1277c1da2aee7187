// Exceptions thrown through several frames with destructors.
#include <cstdio>
#include <stdexcept>
struct Guard {
  int& depth;
  explicit Guard(int& d) : depth(d) { ++depth; }
  ~Guard() { --depth; }
};
struct Stop : std::runtime_error {
  int code;
  explicit Stop(int c) : runtime_error("stop"), code(c) {}
};
static int work(int n, int limit, int& depth) {
  Guard guard(depth);
  int sum = 0;
  for (int i = 0; i < n * 10; ++i) sum += i ^ limit;
  if (n == limit) throw Stop(sum);
  return n == 0 ? sum : sum + work(n - 1, limit, depth);
}
int main() {
  int depth = 0;
  long total = 0;
  for (int i = 0; i < 4000; ++i) {
    try {
      total += work(12, i % 16, depth);
    } catch (const Stop& stop) {
      total += stop.code + depth;
    }
  }
  std::printf("%ld %d\n", total, depth);
}
