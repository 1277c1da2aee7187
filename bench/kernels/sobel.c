// Edge detection on a VGA image.
#include <stdio.h>
#include <stdlib.h>
enum { W = 640, H = 480 };
static unsigned char in[H][W], out[H][W];
static void sobel(void) {
  for (int y = 1; y < H - 1; ++y) {
    for (int x = 1; x < W - 1; ++x) {
      const int gx = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y][x - 1] -
                     in[y + 1][x - 1];
      const int gy = in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y - 1][x] -
                     in[y - 1][x + 1];
      const int sum = abs(gx) + abs(gy);
      out[y][x] = (unsigned char)(sum > 255 ? 255 : sum);
    }
  }
}
int main(void) {
  unsigned seed = 1, sum = 0;
  for (int y = 0; y < H; ++y) {
    for (int x = 0; x < W; ++x) in[y][x] = (unsigned char)((seed = seed * 1103515245U + 12345U) >> 16);
  }
  for (int i = 0; i < 20; ++i) {
    sobel();
    sum += out[i + 1][i + 2];
    in[i][i] ^= out[i + 1][i + 1];
  }
  printf("%u\n", sum);
}
