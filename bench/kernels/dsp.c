// Finite and recursive filters on 16-bit samples.
#include <stdint.h>
#include <stdio.h>
enum { N = 48000, TAPS = 32 };
static int16_t in[N], out[N];
static void fir(const int16_t* h) {
  for (int i = TAPS; i < N; ++i) {
    int32_t sum = 0;
    for (int k = 0; k < TAPS; ++k) sum += h[k] * in[i - k];
    out[i] = (int16_t)(sum >> 15);
  }
}
static void biquad(void) {
  int32_t y1 = 0, y2 = 0;
  for (int i = 2; i < N; ++i) {
    int32_t y = (3 * in[i] + 5 * in[i - 1] + 3 * in[i - 2] + 7 * y1 - 3 * y2) >> 4;
    if (y > 32767) y = 32767;
    if (y < -32768) y = -32768;
    out[i] = (int16_t)(out[i] + y), y2 = y1, y1 = y;
  }
}
int main(void) {
  int16_t h[TAPS];
  unsigned seed = 9;
  int sum = 0;
  for (int k = 0; k < TAPS; ++k) h[k] = (int16_t)(k * 37 - 500);
  for (int i = 0; i < N; ++i) in[i] = (int16_t)((seed = seed * 1103515245U + 12345U) >> 16);
  for (int i = 0; i < 10; ++i) fir(h), biquad(), in[i] = out[i + 100];
  for (int i = 0; i < N; ++i) sum += out[i];
  printf("%d\n", sum);
}
