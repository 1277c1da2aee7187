// Clustering of points in the plane, single precision.
#include <stdio.h>
enum { N = 20000, K = 12 };
static float x[N], y[N], cx[K], cy[K], sx[K], sy[K];
static int n[K];
static void round_of(void) {
  for (int k = 0; k < K; ++k) sx[k] = sy[k] = 0, n[k] = 0;
  for (int i = 0; i < N; ++i) {
    int best = 0;
    float least = 1e30F;
    for (int k = 0; k < K; ++k) {
      const float dx = x[i] - cx[k], dy = y[i] - cy[k], d = dx * dx + dy * dy;
      if (d < least) least = d, best = k;
    }
    sx[best] += x[i], sy[best] += y[i], ++n[best];
  }
  for (int k = 0; k < K; ++k) {
    if (n[k]) cx[k] = sx[k] / (float)n[k], cy[k] = sy[k] / (float)n[k];
  }
}
int main(void) {
  unsigned seed = 11;
  for (int i = 0; i < N; ++i) {
    x[i] = (float)((seed = seed * 1664525U + 1013904223U) >> 8) / 65536, y[i] = (float)((seed = seed * 1664525U + 1) >> 9) / 65536;
  }
  for (int k = 0; k < K; ++k) cx[k] = x[k * 7], cy[k] = y[k * 7];
  for (int i = 0; i < 12; ++i) round_of();
  printf("%.4f %.4f\n", (double)cx[3], (double)cy[5]);
}
