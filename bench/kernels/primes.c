// A sieve, and trial division.
#include <stdio.h>
enum { N = 1000000 };
static unsigned char composite[N];
static int is_prime(unsigned n) {
  for (unsigned d = 2; d * d <= n; ++d) {
    if (n % d == 0) return 0;
  }
  return n > 1;
}
int main(void) {
  int count = 0;
  for (int i = 2; i < N; ++i) {
    if (composite[i]) continue;
    ++count;
    for (long k = (long)i * i; k < N; k += i) composite[k] = 1;
  }
  for (unsigned i = 100000; i < 104000; ++i) count += is_prime(i);
  printf("%d\n", count);
}
