#include "scenario/maps/packed_text.hpp"

#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <zlib.h>

#include <fmt/format.h>

namespace strata::maps {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int kRawDeflate = -15;  // window of 32 KiB, no header

std::optional<std::string> from_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '=' || std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<char>(bits >> static_cast<unsigned>(held) & 0xFFU));
  }
  return out;
}

std::string to_base64(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < count ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k])) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k)
      out.push_back(k <= count ? kDigits[bits >> static_cast<unsigned>(18 - 6 * k) & 63U] : '=');
  }
  return out;
}

std::string decoded(std::string_view text) {
  const auto hex = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex(text[i + 1]) : -1;
    const int low = high >= 0 ? hex(text[i + 2]) : -1;
    if (low < 0) {
      out.push_back(text[i]);
      continue;
    }
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
        std::string_view("-_.!~*'()").find(c) != std::string_view::npos) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

enum class Inflated { kGood, kBroken, kTooLarge };

Inflated inflate_raw(std::string_view bytes, std::size_t most, std::string& out) {
  z_stream stream{};
  if (inflateInit2(&stream, kRawDeflate) != Z_OK) return Inflated::kBroken;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<char, 1U << 16U> chunk{};
  int state = Z_OK;
  Inflated result = Inflated::kGood;
  while (state == Z_OK && result == Inflated::kGood) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = chunk.size();
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream.avail_out);
    if (out.size() > most) result = Inflated::kTooLarge;
  }
  inflateEnd(&stream);
  if (result == Inflated::kGood && state != Z_STREAM_END) result = Inflated::kBroken;
  return result;
}

std::string deflate_raw(std::string_view text) {
  z_stream stream{};
  constexpr int kMemory = 8;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kRawDeflate, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int state = deflate(&stream, Z_FINISH);
  STRATA_ASSERT(state == Z_STREAM_END, "the bound of zlib holds");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

Result<std::string> unpack_text(std::string_view packed, std::size_t most_bytes, const Where& where) {
  const char* const remedy = "save the drawing again in diagrams.net; 'File > Properties' can switch compression off";
  const std::optional<std::string> bytes = from_base64(packed);
  if (!bytes || bytes->size() > UINT32_MAX) return Error{where, "the page is neither XML nor compressed XML", remedy};
  std::string text;
  switch (inflate_raw(*bytes, most_bytes, text)) {
    case Inflated::kGood:
      return decoded(text);
    case Inflated::kBroken:
      return Error{where, "the compressed page is damaged or cut off", remedy};
    case Inflated::kTooLarge:
      break;
  }
  return Error{where, fmt::format("the compressed page grows beyond {} MB", most_bytes >> 20U),
               "split the drawing; a map that large is probably not one"};
}

std::string pack_text(std::string_view text) { return to_base64(deflate_raw(encoded(text))); }

}  // namespace strata::maps
