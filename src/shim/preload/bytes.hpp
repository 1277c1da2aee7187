// Bytes between a program's buffers and packets.
#pragma once

#include <cstring>
#include <sys/uio.h>

#include "shim/core/file.hpp"

namespace strata::shim {

[[nodiscard]] inline std::size_t total(const iovec* parts, int count) {
  std::size_t sum = 0;
  for (int i = 0; i < count; ++i) sum += parts[i].iov_len;
  return sum;
}

/// Copies `size` bytes from position `from` of the parts.
inline void gather(const iovec* parts, int count, std::size_t from, std::uint8_t* to, std::size_t size) {
  for (int i = 0; i < count && size > 0; ++i) {
    if (from >= parts[i].iov_len) {
      from -= parts[i].iov_len;
      continue;
    }
    const std::size_t room = parts[i].iov_len - from;
    const std::size_t now = size < room ? size : room;
    std::memcpy(to, static_cast<const std::uint8_t*>(parts[i].iov_base) + from, now);
    to += now;
    size -= now;
    from = 0;
  }
}

/// Copies up to `size` bytes to position `at` of the parts; returns how many fitted.
inline std::size_t scatter(const iovec* parts, int count, std::size_t at, const std::uint8_t* from, std::size_t size) {
  std::size_t done = 0;
  for (int i = 0; i < count && done < size; ++i) {
    if (at >= parts[i].iov_len) {
      at -= parts[i].iov_len;
      continue;
    }
    const std::size_t room = parts[i].iov_len - at;
    const std::size_t now = size - done < room ? size - done : room;
    std::memcpy(static_cast<std::uint8_t*>(parts[i].iov_base) + at, from + done, now);
    done += now;
    at = 0;
  }
  return done;
}

/// Appends to a list of bytes; fills up the last packet first.
inline void put_bytes(Host& host, PacketList& list, const iovec* parts, int count, std::size_t from, std::size_t size) {
  Packet* last = list.last;
  if (last != nullptr && last->capacity > last->size) {
    const std::size_t room = last->capacity - last->size;
    const std::size_t now = size < room ? size : room;
    gather(parts, count, from, last->data() + last->size, now);
    last->size += static_cast<std::uint32_t>(now);
    list.bytes += now;
    from += now;
    size -= now;
  }
  while (size > 0) {
    const std::size_t now = size < 16384 ? size : 16384;
    Packet* packet = new_packet(host, static_cast<std::uint32_t>(now < 256 ? 256 : now));
    packet->size = static_cast<std::uint32_t>(now);
    gather(parts, count, from, packet->data(), now);
    push(list, *packet);
    from += now;
    size -= now;
  }
}

/// Moves bytes from a list into the parts.
inline std::size_t take_bytes(Host& host, PacketList& list, const iovec* parts, int count) {
  const std::size_t want = total(parts, count);
  std::size_t done = 0;
  while (done < want && list.first != nullptr) {
    Packet& packet = *list.first;
    const std::size_t now = scatter(parts, count, done, packet.data() + packet.offset, packet.size - packet.offset);
    done += now;
    packet.offset += static_cast<std::uint32_t>(now);
    list.bytes -= now;
    if (packet.offset < packet.size) break;
    free_packet(host, *pop(list));
  }
  return done;
}

}  // namespace strata::shim
