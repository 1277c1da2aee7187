// 64-bit mixing for state hashes, stable ids and stream names. Not for secrets. Fixed for ever: run folders and
// recorded hashes depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace strata {

/// Product of two words folded to one: the building block of all that follows.
[[nodiscard]] inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Mixes two words; not symmetric.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return fold(fold(a ^ 0x9E3779B97F4A7C15U, b ^ 0xD6E8FEB86659FD93U) ^ 0xA0761D6478BD642FU,
              (a + b * 0xE7037ED1A0B428DBU) | 1);
}

/// Hash of `size` bytes; every bit and the length count.
[[nodiscard]] inline std::uint64_t hash_bytes(std::uint64_t seed, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t state = seed ^ (size * 0x9E3779B97F4A7C15U);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  while (size >= 16) {
    std::memcpy(&first, bytes, 8);
    std::memcpy(&second, bytes + 8, 8);
    state = fold(state ^ first ^ 0xA0761D6478BD642FU, second ^ 0xE7037ED1A0B428DBU);
    bytes += 16;
    size -= 16;
  }
  if (size > 0) {
    first = second = 0;
    std::memcpy(&first, bytes, size < 8 ? size : 8);
    if (size > 8) std::memcpy(&second, bytes + 8, size - 8);
    state = fold(state ^ first ^ 0x8EBC6AF09C88C6E3U, second ^ 0x589965CC75374CC3U);
  }
  return fold(state ^ 0x1D8E4E27C47D124FU, seed ^ 0xEB44ACCAB455D165U);
}

[[nodiscard]] inline std::uint64_t hash_text(std::string_view text) { return hash_bytes(0, text.data(), text.size()); }

/// 16 hexadecimal digits, as shown to users.
[[nodiscard]] std::string hex16(std::uint64_t hash);

}  // namespace strata
