// Plain data to bytes and back, for snapshots: little endian as on every machine we support, reading checked for
// bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace strata {

template <class T>
void put(std::vector<std::byte>& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(&out[at], &value, sizeof(T));
}
inline void put_bytes(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  put(out, static_cast<std::uint64_t>(bytes.size()));
  const std::size_t at = out.size();
  out.resize(at + bytes.size());
  if (!bytes.empty()) std::memcpy(&out[at], bytes.data(), bytes.size());
}
inline void put_text(std::vector<std::byte>& out, std::string_view text) {
  put_bytes(out, std::as_bytes(std::span(text)));
}
template <class T>
void put_rows(std::vector<std::byte>& out, std::span<const T> rows) {
  put_bytes(out, std::as_bytes(rows));
}

/// Takes values from the front of `in`. False if it is too short; then nothing is taken.
template <class T>
[[nodiscard]] bool take(std::span<const std::byte>& in, T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (in.size() < sizeof(T)) return false;
  std::memcpy(&value, in.data(), sizeof(T));
  in = in.subspan(sizeof(T));
  return true;
}
[[nodiscard]] inline bool take_bytes(std::span<const std::byte>& in, std::span<const std::byte>& bytes) {
  std::uint64_t size = 0;
  std::span<const std::byte> rest = in;
  if (!take(rest, size) || rest.size() < size) return false;
  bytes = rest.first(size);
  in = rest.subspan(size);
  return true;
}
[[nodiscard]] inline bool take_text(std::span<const std::byte>& in, std::string& text) {
  std::span<const std::byte> bytes;
  if (!take_bytes(in, bytes)) return false;
  text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return true;
}
template <class T>
[[nodiscard]] bool take_rows(std::span<const std::byte>& in, std::vector<T>& rows) {
  std::span<const std::byte> bytes;
  if (!take_bytes(in, bytes) || bytes.size() % sizeof(T) != 0) return false;
  rows.resize(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(rows.data(), bytes.data(), bytes.size());
  return true;
}

}  // namespace strata
