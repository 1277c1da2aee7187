// Structures by value, variadic functions, function pointers.
#include <stdarg.h>
#include <stdio.h>
struct pose {
  double x, y, z, roll, pitch, yaw;
};
static struct pose __attribute__((noinline)) add(struct pose a, struct pose b) {
  return (struct pose){a.x + b.x, a.y + b.y, a.z + b.z, a.roll + b.roll, a.pitch + b.pitch, a.yaw + b.yaw};
}
static int __attribute__((noinline)) total(int n, ...) {
  va_list list;
  int sum = 0;
  va_start(list, n);
  for (int i = 0; i < n; ++i) sum += va_arg(list, int);
  va_end(list);
  return sum;
}
static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int (*volatile functions[])(int) = {twice, square};
int main(void) {
  struct pose at = {0}, by = {0.5, 0.25, 0.125, 1, 2, 3};
  unsigned sum = 0;
  for (int i = 0; i < 200000; ++i) {
    at = add(at, by);
    sum += (unsigned)total(4, i, 2, 3, i & 7) + (unsigned)functions[i & 1](i & 255);
  }
  printf("%.3f %u\n", at.yaw + at.x, sum);
}
