// Little-endian numbers and length-prefixed texts in a byte string.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace strata::coordinator::wire {

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

inline void put_text(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

/// Takes from the front; false if there is not enough, and then nothing is taken.
template <class T>
[[nodiscard]] bool take(std::string_view& in, T& value) {
  if (in.size() < sizeof(T)) return false;
  std::memcpy(&value, in.data(), sizeof(T));
  in.remove_prefix(sizeof(T));
  return true;
}

[[nodiscard]] inline bool take_text(std::string_view& in, std::string_view& text) {
  std::string_view rest = in;
  std::uint32_t size = 0;
  if (!take(rest, size) || rest.size() < size) return false;
  text = rest.substr(0, size);
  in = rest.substr(size);
  return true;
}

}  // namespace strata::coordinator::wire
