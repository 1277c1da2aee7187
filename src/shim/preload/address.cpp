#include "shim/preload/address.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "shim/core/raw.hpp"

namespace strata::shim {

namespace {

void copy_out(const void* from, socklen_t size, sockaddr* address, socklen_t* length) {
  std::memcpy(address, from, size < *length ? size : *length);
  *length = size;
}

}  // namespace

long read_address(const sockaddr* address, socklen_t length, std::uint32_t& ip, std::uint16_t& port) {
  if (length >= sizeof(sockaddr_in) && address->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof in);
    ip = ntohl(in.sin_addr.s_addr);
    port = ntohs(in.sin_port);
    return 0;
  }
  if (length < sizeof(sockaddr_in6) - 4 || address->sa_family != AF_INET6) return length < 2 ? -EINVAL : -EAFNOSUPPORT;
  sockaddr_in6 in{};
  std::memcpy(&in, address, length < sizeof in ? length : sizeof in);
  port = ntohs(in.sin6_port);
  const std::uint8_t* b = in.sin6_addr.s6_addr;
  ip = static_cast<std::uint32_t>(b[12]) << 24 | static_cast<std::uint32_t>(b[13]) << 16 |
       static_cast<std::uint32_t>(b[14]) << 8 | b[15];
  bool zero = true;
  for (int i = 0; i < 10; ++i) zero = zero && b[i] == 0;
  if (zero && b[10] == 0xFF && b[11] == 0xFF) return 0;
  if (zero && b[10] == 0 && b[11] == 0 && ip <= 1) {
    ip = ip == 1 ? kLoopback : 0;
    return 0;
  }
  return -ENETUNREACH;
}

long read_unix_name(const sockaddr* address, socklen_t length, UnixName& name, bool find) {
  if (address->sa_family != AF_UNIX) return -EINVAL;
  constexpr socklen_t kStart = offsetof(sockaddr_un, sun_path);
  if (length < kStart || length > sizeof(sockaddr_un)) return -EINVAL;
  name = UnixName{};
  name.length = length - kStart;
  std::memcpy(name.text, reinterpret_cast<const char*>(address) + kStart, name.length);
  if (name.length == 0 || name.text[0] == 0 || !find) return 0;
  char path[sizeof name.text + 1] = {};
  std::memcpy(path, name.text, name.length);
  struct stat status {};
  const long result = raw(SYS_stat, path, &status);
  if (result < 0) return result;
  if (!S_ISSOCK(status.st_mode)) return -ECONNREFUSED;
  name.inode = status.st_ino ^ static_cast<std::uint64_t>(status.st_dev) << 48;
  if (name.inode == 0) name.inode = 1;
  return 0;
}

void write_address(int domain, std::uint32_t ip, std::uint16_t port, sockaddr* address, socklen_t* length) {
  if (domain == AF_INET) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    in.sin_addr.s_addr = htonl(ip);
    return copy_out(&in, sizeof in, address, length);
  }
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_port = htons(port);
  std::uint8_t* b = in.sin6_addr.s6_addr;
  if (ip == kLoopback) {
    b[15] = 1;
  } else if (ip != 0) {
    b[10] = b[11] = 0xFF;
    for (int i = 0; i < 4; ++i) b[12 + i] = static_cast<std::uint8_t>(ip >> (24 - 8 * i));
  }
  copy_out(&in, sizeof in, address, length);
}

void write_unix_name(const UnixName& name, sockaddr* address, socklen_t* length) {
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, name.text, name.length);
  copy_out(&un, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path)) + name.length, address, length);
}

long write_local(const Socket& socket, sockaddr* address, socklen_t* length) {
  if (socket.domain == AF_UNIX) {
    write_unix_name(socket.name, address, length);
  } else {
    write_address(socket.domain, socket.ip, socket.port, address, length);
  }
  return 0;
}

long write_peer(const Socket& socket, sockaddr* address, socklen_t* length) {
  if (socket.domain == AF_UNIX) {
    write_unix_name(socket.peer_name, address, length);
  } else {
    write_address(socket.domain, socket.peer_ip, socket.peer_port, address, length);
  }
  return 0;
}

void set_inode(Socket& socket, std::uint64_t inode) {
  Host& host = *socket.host;
  for (File** at = &host.by_inode[socket.inode % kFileBuckets]; *at != nullptr; at = &(*at)->next_by_inode) {
    if (*at != &socket) continue;
    *at = socket.next_by_inode;
    break;
  }
  socket.inode = inode;
  socket.next_by_inode = host.by_inode[inode % kFileBuckets];
  host.by_inode[inode % kFileBuckets] = &socket;
}

}  // namespace strata::shim
