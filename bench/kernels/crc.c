// Checksums: by table, by bits, and Adler's.
#include <stdint.h>
#include <stdio.h>
static uint32_t table[256];
static unsigned char data[65536];
static uint32_t by_bits(const unsigned char* p, int n) {
  uint32_t c = ~0U;
  for (int i = 0; i < n; ++i) {
    c ^= p[i];
    for (int k = 0; k < 8; ++k) c = c & 1 ? c >> 1 ^ 0xedb88320U : c >> 1;
  }
  return ~c;
}
static uint32_t by_table(const unsigned char* p, int n) {
  uint32_t c = ~0U;
  for (int i = 0; i < n; ++i) c = table[(c ^ p[i]) & 255] ^ c >> 8;
  return ~c;
}
static uint32_t adler(const unsigned char* p, int n) {
  uint32_t a = 1, b = 0;
  for (int i = 0; i < n; ++i) a = (a + p[i]) % 65521, b = (b + a) % 65521;
  return b << 16 | a;
}
int main(void) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? c >> 1 ^ 0xedb88320U : c >> 1;
    table[i] = c;
  }
  for (int i = 0; i < 65536; ++i) data[i] = (unsigned char)(i * 31 >> 3);
  uint32_t sum = by_bits(data, 65536);
  for (int i = 0; i < 16; ++i) sum ^= by_table(data, 65536 - i), sum += adler(data, 60000 + i);
  printf("%08x\n", sum);
}
