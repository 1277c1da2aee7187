#include "base/hash.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Hash, EveryBitAndTheLengthCount) {
  for (const std::size_t size : {1U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 64U}) {
    std::vector<unsigned char> bytes(size, 0);
    std::set<std::uint64_t> seen{hash_bytes(1, bytes.data(), size)};
    for (std::size_t bit = 0; bit < size * 8; ++bit) {
      bytes[bit / 8] ^= static_cast<unsigned char>(1U << (bit % 8));
      EXPECT_TRUE(seen.insert(hash_bytes(1, bytes.data(), size)).second) << size << " bytes, bit " << bit;
      bytes[bit / 8] ^= static_cast<unsigned char>(1U << (bit % 8));
    }
    bytes.push_back(0);
    EXPECT_TRUE(seen.insert(hash_bytes(1, bytes.data(), size + 1)).second);
  }
}

TEST(Hash, SeedAndOrderMatter) {
  EXPECT_NE(hash_bytes(1, "abc", 3), hash_bytes(2, "abc", 3));
  EXPECT_NE(mix(1, 2), mix(2, 1));
  EXPECT_NE(hash_text("ab"), hash_text("ba"));
}

// Recorded hashes depend on this function: it must never change.
TEST(Hash, IsFixedForEver) {
  EXPECT_EQ(hex16(hash_text("")), "2e608ea90608e3e6");
  EXPECT_EQ(hex16(hash_text("strata")), "7520a56d04013f6e");
  EXPECT_EQ(hex16(mix(1, 2)), "d03d307bad50409d");
}

TEST(Hash, HexHasSixteenDigits) { EXPECT_EQ(hex16(0xABC), "0000000000000abc"); }

}  // namespace
}  // namespace strata
