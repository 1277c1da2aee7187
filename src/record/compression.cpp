#include "record/compression.hpp"

#include <algorithm>

#include <lz4frame.h>
#include <zstd.h>

namespace strata {

std::string_view mcap_name(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "";
    case Compression::kLz4:
      return "lz4";
    case Compression::kZstd:
      return "zstd";
  }
  return "";
}

std::optional<Compression> compression_from_mcap(std::string_view name) {
  for (const Compression c : {Compression::kNone, Compression::kLz4, Compression::kZstd})
    if (name == mcap_name(c)) return c;
  return std::nullopt;
}

struct Compressor::Zstd {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  Zstd() = default;
  ~Zstd() { ZSTD_freeCCtx(context); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
};

Compressor::Compressor(Compression compression, int level) : compression_(compression), level_(level) {
  if (compression != Compression::kZstd) return;
  zstd_ = std::make_unique<Zstd>();
  STRATA_ASSERT(zstd_->context != nullptr, "no memory for a zstd context");
  ZSTD_CCtx_setParameter(zstd_->context, ZSTD_c_compressionLevel,
                         std::clamp(level, ZSTD_minCLevel(), ZSTD_maxCLevel()));
}

Compressor::~Compressor() = default;

void Compressor::compress(std::span<const std::byte> bytes, std::vector<std::byte>& out) {
  if (compression_ == Compression::kNone) {
    out.insert(out.end(), bytes.begin(), bytes.end());
    return;
  }
  LZ4F_preferences_t preferences{};
  preferences.compressionLevel = level_;
  preferences.frameInfo.contentSize = bytes.size();
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.frameInfo.blockSizeID = LZ4F_max4MB;
  const bool is_zstd = compression_ == Compression::kZstd;
  const std::size_t most =
      is_zstd ? ZSTD_compressBound(bytes.size()) : LZ4F_compressFrameBound(bytes.size(), &preferences);
  if (most > room_size_) {
    room_ = std::make_unique_for_overwrite<std::byte[]>(most);
    room_size_ = most;
  }
  std::size_t size = 0;
  if (is_zstd) {
    size = ZSTD_compress2(zstd_->context, room_.get(), room_size_, bytes.data(), bytes.size());
    STRATA_ASSERT(ZSTD_isError(size) == 0, ZSTD_getErrorName(size));
  } else {
    size = LZ4F_compressFrame(room_.get(), room_size_, bytes.data(), bytes.size(), &preferences);
    STRATA_ASSERT(LZ4F_isError(size) == 0, LZ4F_getErrorName(size));
  }
  out.insert(out.end(), room_.get(), room_.get() + size);
}

namespace {

Error damaged(const std::string& how) { return Error{{}, "a compressed block is damaged: " + how, ""}; }

Result<std::vector<std::byte>> unpack_lz4(std::span<const std::byte> bytes, std::size_t size) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) != 0) return damaged("no memory for lz4");
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(raw,
                                                                                     &LZ4F_freeDecompressionContext);
  std::vector<std::byte> out(size);
  std::size_t produced = 0;
  std::size_t consumed = 0;
  std::size_t hint = 1;
  while (consumed < bytes.size() && hint != 0) {
    std::size_t room = size - produced;
    std::size_t given = bytes.size() - consumed;
    hint = LZ4F_decompress(raw, out.data() + produced, &room, bytes.data() + consumed, &given, nullptr);
    if (LZ4F_isError(hint) != 0) return damaged(LZ4F_getErrorName(hint));
    // No progress: the block wants to give more than it said.
    if (room == 0 && given == 0) return damaged("it holds more than it says");
    produced += room;
    consumed += given;
  }
  if (hint != 0 || produced != size || consumed != bytes.size()) return damaged("its size is not the one stated");
  return out;
}

}  // namespace

Result<std::vector<std::byte>> decompress(Compression compression, std::span<const std::byte> bytes, std::size_t size) {
  if (compression == Compression::kNone) {
    if (bytes.size() != size) return damaged("its size is not the one stated");
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }
  if (compression == Compression::kLz4) return unpack_lz4(bytes, size);
  // zstd never writes past the room given, and fails if that is too little.
  std::vector<std::byte> out(size);
  const std::size_t produced = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(produced) != 0) return damaged(ZSTD_getErrorName(produced));
  if (produced != size) return damaged("its size is not the one stated");
  return out;
}

}  // namespace strata
