// Functions that call themselves.
#include <stdio.h>
static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static int hanoi(int n, int from, int to, int by) {
  return n == 0 ? 0 : hanoi(n - 1, from, by, to) + from * to + hanoi(n - 1, by, to, from);
}
int main(void) { printf("%u %u %d\n", fib(27), ackermann(2, 300), hanoi(17, 1, 2, 3)); }
