// Open-addressing hash table.
#include <stdint.h>
#include <stdio.h>
enum { SIZE = 1 << 16 };
static uint64_t keys[SIZE];
static uint32_t counts[SIZE];
static uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}
static void add(uint64_t key) {
  uint64_t at = mix(key) % SIZE;
  while (keys[at] && keys[at] != key) at = (at + 1) % SIZE;
  keys[at] = key;
  ++counts[at];
}
int main(void) {
  uint64_t x = 88172645463325252ULL, sum = 0;
  for (int i = 0; i < 600000; ++i) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    add(1 + x % 40000);
  }
  for (int i = 0; i < SIZE; ++i) sum += counts[i] * (uint64_t)i;
  printf("%llu\n", (unsigned long long)sum);
}
