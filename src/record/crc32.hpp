// CRC-32 (the polynomial of zlib and Ethernet), as recordings need it over every uncompressed byte: hence fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace strata {

/// Of `bytes`, continued from `previous` (the value of what came before; 0 at the start).
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t previous = 0);

/// The same without special instructions of the processor, which crc32 uses where it can.
[[nodiscard]] std::uint32_t crc32_portable(std::span<const std::byte> bytes, std::uint32_t previous = 0);

}  // namespace strata
