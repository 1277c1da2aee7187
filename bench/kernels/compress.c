// Dictionary compression with a hash of three bytes.
#include <stdio.h>
#include <string.h>
enum { N = 200000 };
static unsigned char text[N], packed[2 * N];
static int head[1 << 14];
static int compress(void) {
  int out = 0;
  memset(head, -1, sizeof head);
  for (int i = 0; i + 3 < N;) {
    const unsigned h = ((text[i] << 10) ^ (text[i + 1] << 5) ^ text[i + 2]) & ((1 << 14) - 1);
    const int candidate = head[h];
    head[h] = i;
    int length = 0;
    if (candidate >= 0 && i - candidate < 32768) {
      while (length < 255 && i + length < N && text[candidate + length] == text[i + length]) ++length;
    }
    if (length >= 4) {
      packed[out++] = 255, packed[out++] = (unsigned char)length;
      packed[out++] = (unsigned char)(i - candidate), packed[out++] = (unsigned char)((i - candidate) >> 8);
      i += length;
    } else {
      packed[out++] = text[i++];
    }
  }
  return out;
}
int main(void) {
  static const char* kWords[] = {"robot", "moves", "the", "wall", "sensor", "fast", "turn", "and"};
  unsigned seed = 5;
  int sum = 0;
  for (int i = 0; i < N;) {
    seed = seed * 1103515245U + 12345U;
    for (const char* c = kWords[(seed >> 16) % 8]; *c && i < N; ++c) text[i++] = (unsigned char)*c;
    if (i < N) text[i++] = ' ';
  }
  for (int i = 0; i < 10; ++i) sum += compress();
  printf("%d\n", sum);
}
