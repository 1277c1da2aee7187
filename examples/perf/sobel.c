// Edge detection on a VGA image, ten times: the stand-in for obstacle detection on a drone.
#include <stdio.h>
#include <stdlib.h>

enum { kWidth = 640, kHeight = 480 };
static unsigned char image[kHeight][kWidth], edges[kHeight][kWidth];

static void sobel(void) {
  for (int y = 1; y < kHeight - 1; ++y) {
    for (int x = 1; x < kWidth - 1; ++x) {
      const int right = image[y - 1][x + 1] + 2 * image[y][x + 1] + image[y + 1][x + 1];
      const int left = image[y - 1][x - 1] + 2 * image[y][x - 1] + image[y + 1][x - 1];
      const int below = image[y + 1][x - 1] + 2 * image[y + 1][x] + image[y + 1][x + 1];
      const int above = image[y - 1][x - 1] + 2 * image[y - 1][x] + image[y - 1][x + 1];
      const int sum = abs(right - left) + abs(below - above);
      edges[y][x] = (unsigned char)(sum > 255 ? 255 : sum);
    }
  }
}

int main(void) {
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) image[y][x] = (unsigned char)((x * x + y * 31) >> 3);
  }
  unsigned sum = 0;
  for (int frame = 0; frame < 10; ++frame) {
    sobel();
    sum += edges[100 + frame][200];
  }
  printf("%u\n", sum);
}
