// Strings and maps of the standard library.
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
int main() {
  std::map<std::string, int> ordered;
  std::unordered_map<std::string, int> hashed;
  unsigned seed = 23;
  for (int i = 0; i < 20000; ++i) {
    seed = seed * 1664525U + 1013904223U;
    const std::string key = "key" + std::to_string((seed >> 16) % 2000);
    ++ordered[key];
    hashed[key] += i & 3;
  }
  long sum = 0;
  for (const auto& [key, n] : ordered) sum = sum * 31 + n + static_cast<long>(key.size()) + hashed[key];
  std::printf("%ld\n", sum);
}
