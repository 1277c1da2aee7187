#include "record/crc32.hpp"

#include <array>
#include <cstring>

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

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t previous) {
  std::uint32_t state = ~previous;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  std::array<std::uint32_t, 4> words{};
  for (; left >= kSlices; at += kSlices, left -= kSlices) {
    std::memcpy(words.data(), at, kSlices);
    state = word(words[0] ^ state, 12) ^ word(words[1], 8) ^ word(words[2], 4) ^ word(words[3], 0);
  }
  for (; left > 0; ++at, --left) state = (state >> 8) ^ kTables[0][(state ^ static_cast<std::uint32_t>(*at)) & 0xFFU];
  return ~state;
}

}  // namespace strata
