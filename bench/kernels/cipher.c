// ChaCha20 over a buffer.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }
#define QUARTER(a, b, c, d)                   \
  a += b, d = rotate(d ^ a, 16), c += d, b = rotate(b ^ c, 12); \
  a += b, d = rotate(d ^ a, 8), c += d, b = rotate(b ^ c, 7)
static void block(const uint32_t in[16], uint32_t out[16]) {
  uint32_t x[16];
  memcpy(x, in, sizeof x);
  for (int i = 0; i < 10; ++i) {
    QUARTER(x[0], x[4], x[8], x[12]);
    QUARTER(x[1], x[5], x[9], x[13]);
    QUARTER(x[2], x[6], x[10], x[14]);
    QUARTER(x[3], x[7], x[11], x[15]);
    QUARTER(x[0], x[5], x[10], x[15]);
    QUARTER(x[1], x[6], x[11], x[12]);
    QUARTER(x[2], x[7], x[8], x[13]);
    QUARTER(x[3], x[4], x[9], x[14]);
  }
  for (int i = 0; i < 16; ++i) out[i] = x[i] + in[i];
}
int main(void) {
  uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 1, 2, 3, 4, 5, 6, 7, 8}, out[16], sum = 0;
  for (uint32_t i = 0; i < 60000; ++i) {
    state[12] = i;
    block(state, out);
    for (int k = 0; k < 16; ++k) sum = rotate(sum, 1) ^ out[k];
  }
  printf("%08x\n", sum);
}
