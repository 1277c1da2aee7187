// Compression of blocks of a recording: zstd, lz4 (frame format) or none. Keeps the libraries' headers out of ours.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace strata {

enum class Compression { kNone, kLz4, kZstd };

/// As MCAP names it: "", "lz4", "zstd".
[[nodiscard]] std::string_view mcap_name(Compression compression);
/// Unknown names give nothing.
[[nodiscard]] std::optional<Compression> compression_from_mcap(std::string_view name);

/// Holds the work memory of a library, so that one block after the other is cheap. For one thread.
class Compressor {
 public:
  /// zstd's negative levels trade size for speed: -7 brings poses to 40 % of their size at 2 GB/s, -3 to 36 % at 1.7
  /// GB/s.
  static constexpr int kDefaultLevel = -7;

  explicit Compressor(Compression compression, int level = kDefaultLevel);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  [[nodiscard]] Compression compression() const { return compression_; }
  /// Appends `bytes`, compressed, to `out`.
  void compress(std::span<const std::byte> bytes, std::vector<std::byte>& out);

 private:
  struct Zstd;
  Compression compression_;
  int level_;
  std::unique_ptr<Zstd> zstd_;
  std::unique_ptr<std::byte[]> room_;  // for the compressed block; a vector would be filled with zeros each time
  std::size_t room_size_ = 0;
};

/// Unpacks a block that must give exactly `size` bytes. The caller has bounded `size`; no more memory than that is
/// used, whatever the block claims about itself.
[[nodiscard]] Result<std::vector<std::byte>> decompress(Compression compression, std::span<const std::byte> bytes,
                                                        std::size_t size);

}  // namespace strata
