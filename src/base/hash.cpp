#include "base/hash.hpp"

#include <fmt/format.h>

namespace strata {

std::string hex16(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace strata
