#include "record/crc32.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace strata {

namespace {

// Sixteen bytes at a time: table k holds the effect of a byte followed by k zero bytes.
constexpr std::size_t kSlices = 16;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
    tables[0][byte] = value;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t previous = tables[slice - 1][byte];
      tables[slice][byte] = (previous >> 8) ^ tables[0][previous & 0xFFU];
    }
  return tables;
}

constexpr Tables kTables = make_tables();

// The contribution of four bytes that are followed by `after` more of the same block.
std::uint32_t word(std::uint32_t value, std::size_t after) {
  return kTables[after + 3][value & 0xFFU] ^ kTables[after + 2][(value >> 8) & 0xFFU] ^
         kTables[after + 1][(value >> 16) & 0xFFU] ^ kTables[after][value >> 24];
}

std::uint32_t by_tables(std::uint32_t state, const std::byte* at, std::size_t left) {
  std::array<std::uint32_t, 4> words{};
  for (; left >= kSlices; at += kSlices, left -= kSlices) {
    std::memcpy(words.data(), at, kSlices);
    state = word(words[0] ^ state, 12) ^ word(words[1], 8) ^ word(words[2], 4) ^ word(words[3], 0);
  }
  for (; left > 0; ++at, --left) state = (state >> 8) ^ kTables[0][(state ^ static_cast<std::uint32_t>(*at)) & 0xFFU];
  return state;
}

#if defined(__x86_64__)
// Processors that multiply polynomials reduce 64 bytes per round, several times as fast as the tables. The constants
// are powers of x modulo the polynomial, bit-reflected: x^(512+-32) and x^(128+-32).
constexpr std::size_t kFoldLeast = 64;

__attribute__((target("pclmul,sse4.1"))) __m128i fold_into(__m128i value, __m128i keys, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(value, keys, 0x00);
  const __m128i high = _mm_clmulepi64_si128(value, keys, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

__attribute__((target("pclmul,sse4.1"))) std::uint32_t by_folding(std::uint32_t state, const std::byte* at,
                                                                  std::size_t left) {
  const auto load = [&](std::size_t offset) __attribute__((target("pclmul,sse4.1"))) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + offset));
  };
  const __m128i by_64 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by_16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m128i a = _mm_xor_si128(load(0), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i b = load(16);
  __m128i c = load(32);
  __m128i d = load(48);
  for (at += 64, left -= 64; left >= 64; at += 64, left -= 64) {
    a = fold_into(a, by_64, load(0));
    b = fold_into(b, by_64, load(16));
    c = fold_into(c, by_64, load(32));
    d = fold_into(d, by_64, load(48));
  }
  a = fold_into(a, by_16, b);
  a = fold_into(a, by_16, c);
  a = fold_into(a, by_16, d);
  for (; left >= 16; at += 16, left -= 16) a = fold_into(a, by_16, load(0));
  // What is left stands for the sixteen bytes in `a` followed by the rest: the tables finish both.
  std::array<std::byte, 16> reduced;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(reduced.data()), a);
  return by_tables(by_tables(0, reduced.data(), reduced.size()), at, left);
}

bool can_fold() {
  static const bool can = __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  return can;
}
#endif

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t previous) {
#if defined(__x86_64__)
  if (bytes.size() >= kFoldLeast && can_fold()) return ~by_folding(~previous, bytes.data(), bytes.size());
#endif
  return ~by_tables(~previous, bytes.data(), bytes.size());
}

std::uint32_t crc32_portable(std::span<const std::byte> bytes, std::uint32_t previous) {
  return ~by_tables(~previous, bytes.data(), bytes.size());
}

}  // namespace strata
