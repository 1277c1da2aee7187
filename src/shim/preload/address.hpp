// Socket addresses. Inside there is IPv4 only; ::1 is 127.0.0.1, and IPv6 sockets see mapped addresses.
#pragma once

#include <sys/socket.h>

#include "shim/core/net.hpp"

namespace strata::shim {

[[nodiscard]] Socket* socket_of(int descriptor);
/// 0 or a negative error number. Addresses in host byte order.
[[nodiscard]] long read_address(const sockaddr* address, socklen_t length, std::uint32_t& ip, std::uint16_t& port);
/// `find`: the file must exist, and its inode number becomes the name.
[[nodiscard]] long read_unix_name(const sockaddr* address, socklen_t length, UnixName& name, bool find);
long write_local(const Socket& socket, sockaddr* address, socklen_t* length);
long write_peer(const Socket& socket, sockaddr* address, socklen_t* length);
void write_address(int domain, std::uint32_t ip, std::uint16_t port, sockaddr* address, socklen_t* length);
void write_unix_name(const UnixName& name, sockaddr* address, socklen_t* length);
/// A socket that came over the network gets its place-holder.
void set_inode(Socket& socket, std::uint64_t inode);

}  // namespace strata::shim
