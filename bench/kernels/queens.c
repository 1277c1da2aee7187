// Placing queens with bit masks.
#include <stdio.h>
static int place(unsigned columns, unsigned left, unsigned right, unsigned all) {
  int n = columns == all;
  for (unsigned free = all & ~(columns | left | right); free;) {
    const unsigned bit = free & -free;
    free ^= bit;
    n += place(columns | bit, (left | bit) << 1, (right | bit) >> 1, all);
  }
  return n;
}
int main(void) { printf("%d %d\n", place(0, 0, 0, (1 << 9) - 1), place(0, 0, 0, (1 << 10) - 1)); }
