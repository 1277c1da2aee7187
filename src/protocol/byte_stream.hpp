// Numbers and text to bytes and back, little endian, bounds checked: the ground under the codecs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace strata {

static_assert(std::endian::native == std::endian::little, "the codecs copy numbers as they are in memory");

using Bytes = std::vector<std::byte>;

/// Appends to a buffer.
class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    raw(&value, sizeof(T));
  }
  /// Length in 32 bits, then the bytes.
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    raw(value.data(), value.size());
  }
  void raw(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = out_.size();
    out_.resize(at + size);
    std::memcpy(out_.data() + at, data, size);
  }
  [[nodiscard]] std::size_t size() const { return out_.size(); }

 private:
  Bytes& out_;
};

/// Overwrites a number that was written before.
template <class T>
void patch(Bytes& bytes, std::size_t at, T value) {
  static_assert(std::is_arithmetic_v<T>);
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

/// Never reads outside its bytes: past the end everything is zero or empty, and ok() turns false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> in) : in_(in) {}

  template <class T>
  T number() {
    static_assert(std::is_arithmetic_v<T>);
    T value{};
    if (const std::byte* from = take(sizeof(T))) std::memcpy(&value, from, sizeof(T));
    return value;
  }
  std::string text() {
    const std::span<const std::byte> bytes = raw(number<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// The next `size` bytes, not copied.
  std::span<const std::byte> raw(std::uint64_t size) {
    const std::byte* from = take(size);
    return from == nullptr ? std::span<const std::byte>() : std::span(from, static_cast<std::size_t>(size));
  }
  void fail() {
    ok_ = false;
    in_ = {};
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t left() const { return in_.size(); }

 private:
  const std::byte* take(std::uint64_t size) {
    if (size > in_.size()) fail();
    if (!ok_) return nullptr;
    const std::byte* from = in_.data();
    in_ = in_.subspan(static_cast<std::size_t>(size));
    return from;
  }

  std::span<const std::byte> in_;
  bool ok_ = true;
};

}  // namespace strata
