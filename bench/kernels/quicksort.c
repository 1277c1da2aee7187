// Sorting by hand: partitions and recursion.
#include <stdio.h>
enum { N = 100000 };
static int v[N];
static void sort(int* from, int* to) {
  while (to - from > 1) {
    const int pivot = from[(to - from) / 2];
    int *l = from, *r = to - 1;
    while (l <= r) {
      while (*l < pivot) ++l;
      while (*r > pivot) --r;
      if (l <= r) {
        const int t = *l;
        *l++ = *r;
        *r-- = t;
      }
    }
    sort(from, r + 1);
    from = l;
  }
}
int main(void) {
  unsigned seed = 7;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < N; ++i) v[i] = (int)((seed = seed * 1664525U + 1013904223U) >> 8);
    sort(v, v + N);
  }
  printf("%d %d %d\n", v[0], v[N / 2], v[N - 1]);
}
