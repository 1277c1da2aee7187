// Matrix product in double precision.
#include <stdio.h>
enum { N = 160 };
static double a[N][N], b[N][N], c[N][N];
static void multiply(void) {
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < N; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  }
}
int main(void) {
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) a[i][j] = (i * j) % 7, b[i][j] = (i + j) % 5;
  }
  for (int i = 0; i < 6; ++i) {
    multiply();
    a[i][i] = c[i][i] / 1000;
  }
  printf("%.6f\n", c[3][5]);
}
