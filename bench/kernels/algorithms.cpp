// Standard algorithms on vectors.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>
int main() {
  std::vector<int> v(60000);
  unsigned seed = 29;
  long sum = 0;
  for (int round = 0; round < 4; ++round) {
    for (int& x : v) x = static_cast<int>((seed = seed * 1664525U + 1013904223U) >> 10);
    std::sort(v.begin(), v.end());
    v.erase(std::unique(v.begin(), v.end()), v.end());
    std::partial_sum(v.begin(), v.end(), v.begin(), [](int a, int b) { return (a + b) & 0xffffff; });
    std::nth_element(v.begin(), v.begin() + 1000, v.end());
    sum += v[1000] + std::count_if(v.begin(), v.end(), [](int x) { return x % 3 == 0; });
    v.resize(60000);
  }
  std::printf("%ld\n", sum);
}
