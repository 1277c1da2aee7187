#include "base/random.hpp"

#include <cmath>

#include "base/hash.hpp"
#include "base/math.hpp"

namespace strata {

StreamKey stream_key(std::uint64_t seed, std::uint64_t entity, std::string_view purpose) {
  return {mix(mix(seed, entity), hash_text(purpose))};
}

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011); checked against their known answers.
std::array<std::uint32_t, 4> random_block(StreamKey key, std::uint64_t counter) {
  std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0};
  auto k0 = static_cast<std::uint32_t>(key.value);
  auto k1 = static_cast<std::uint32_t>(key.value >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Rejects the incomplete last run of multiples, so that every value is equally likely.
  const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % bound;
  std::uint64_t draw = bits();
  while (draw >= limit) draw = bits();
  return draw % bound;
}

double RandomStream::normal() {
  const auto block = random_block(key_, counter_++);
  const double radius = std::sqrt(-2 * math::log(1 - to_unit(block[0], block[1])));
  return radius * math::cos(math::kTau * to_unit(block[2], block[3]));
}

double RandomStream::exponential(double mean) { return -mean * math::log(1 - uniform()); }

}  // namespace strata
