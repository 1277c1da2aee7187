// Fast Fourier transform, with twiddle factors by recurrence.
#include <stdio.h>
enum { N = 4096 };
static double re[N], im[N];
static const double kCos[] = {-1, 0, 0.70710678118654752, 0.92387953251128674, 0.98078528040323043, 0.99518472667219693,
                              0.99879545620517241, 0.99969881869620425, 0.99992470183914450, 0.99998117528260111,
                              0.99999529380957619, 0.99999882345170188};
static const double kSin[] = {0, 1, 0.70710678118654752, 0.38268343236508977, 0.19509032201612825, 0.098017140329560604,
                              0.049067674327418015, 0.024541228522912288, 0.012271538285719925, 0.0061358846491544753,
                              0.0030679567629659761, 0.0015339801862847656};
static void fft(void) {
  for (int i = 1, j = 0; i < N; ++i) {
    int bit = N >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      double t = re[i];
      re[i] = re[j], re[j] = t;
      t = im[i], im[i] = im[j], im[j] = t;
    }
  }
  for (int len = 2, stage = 0; len <= N; len <<= 1, ++stage) {
    for (int i = 0; i < N; i += len) {
      double wr = 1, wi = 0;
      for (int k = 0; k < len / 2; ++k) {
        const int a = i + k, b = a + len / 2;
        const double xr = re[b] * wr - im[b] * wi, xi = re[b] * wi + im[b] * wr;
        re[b] = re[a] - xr, im[b] = im[a] - xi, re[a] += xr, im[a] += xi;
        const double t = wr * kCos[stage] - wi * kSin[stage];
        wi = wr * kSin[stage] + wi * kCos[stage], wr = t;
      }
    }
  }
}
int main(void) {
  for (int i = 0; i < N; ++i) re[i] = i % 17 - 8, im[i] = 0;
  for (int i = 0; i < 20; ++i) {
    fft();
    for (int k = 0; k < N; ++k) re[k] /= 64, im[k] /= 64;
  }
  printf("%.9g\n", re[5] + im[7]);
}
