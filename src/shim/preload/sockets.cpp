// Making, naming and connecting sockets.
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include "shim/core/raw.hpp"
#include "shim/preload/address.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

constexpr int kTypeMask = 0xF;

bool is_ours(int domain, int type) {
  if (domain == AF_UNIX) return type != SOCK_RAW;
  if (here.region->settings.host_network != 0) return false;
  return (domain == AF_INET || domain == AF_INET6) && (type == SOCK_STREAM || type == SOCK_DGRAM);
}

Socket* attach(int descriptor, int domain, int type, int protocol) {
  forget_descriptor(descriptor);
  auto* socket = make_file<Socket>(*here.host, FileKind::kSocket, inode_of(descriptor));
  socket->domain = domain;
  socket->type = type;
  socket->protocol = protocol;
  socket->pid = here.process->pid;
  set_file(*here.process, descriptor, socket);
  return socket;
}

void pair_up(Socket& a, Socket& b) {
  a.state = SocketState::kConnected;
  a.peer_id = b.id;
  a.peer_host = here.host->index;
  a.window = a.credit = kUnixWindow;
  a.peer_pid = b.pid;
}

long bind_unix(Socket& socket, int descriptor, const sockaddr* address, socklen_t length) {
  if (socket.bound) return -EINVAL;
  UnixName name;
  if (const long problem = read_unix_name(address, length, name, false); problem != 0) return problem;
  if (name.text[0] != 0) {
    // The file is real, so that programs see it; its inode number is the name.
    const long result = raw(SYS_bind, descriptor, address, length);
    if (result < 0) return result;
    if (const long problem = read_unix_name(address, length, name, true); problem != 0) return problem;
  } else {
    if (name.length == 0) {
      const std::uint64_t number = random_bits(*here.host);
      name.length = 6;
      for (int i = 0; i < 5; ++i) name.text[i + 1] = "0123456789abcdef"[number >> (4 * i) & 15];
    }
    if (find_name(*here.host, name, is_stream(socket)) != nullptr) return -EADDRINUSE;
  }
  socket.name = name;
  bind_socket(socket, 0, 0);
  return 0;
}

bool bind_freely(Socket& socket, std::uint32_t ip) {
  if (socket.bound) return true;
  const std::uint16_t port = free_port(*here.host, socket);
  if (port == 0) return false;
  bind_socket(socket, ip, port);
  return true;
}

long connect_datagram(Socket& socket, std::uint32_t ip, std::uint16_t port) {
  socket.peer_ip = ip == 0 ? kLoopback : ip;
  socket.peer_port = port;
  if (!bind_freely(socket, 0)) return -EADDRNOTAVAIL;
  if (socket.ip == 0) socket.ip = is_own(*here.host, ip) ? socket.peer_ip : here.host->ip;
  return 0;
}

long wait_connected(Socket& socket, int descriptor) {
  const bool nonblocking = is_nonblocking(descriptor);
  if (socket.state == SocketState::kConnecting) {
    const long problem = wait_ready(socket, kOut | kError, nonblocking);
    if (problem == -EAGAIN) return -EINPROGRESS;
    if (problem != 0) return -EINTR;
  }
  if (socket.state == SocketState::kConnected) return 0;
  const long error = socket.error != 0 ? -socket.error : -ECONNREFUSED;
  socket.error = 0;
  socket.state = SocketState::kFresh;
  socket.no_more_in = socket.no_more_out = false;
  return error;
}

long connect_unix(Socket& socket, int descriptor, const sockaddr* address, socklen_t length) {
  UnixName name;
  if (const long problem = read_unix_name(address, length, name, true); problem != 0) return problem;
  Socket* target = find_name(*here.host, name, is_stream(socket));
  if (target == nullptr) {
    if (name.inode != 0 && here.region->settings.host_network != 0) {
      // A server of the real world: from here on the kernel holds this socket.
      forget_descriptor(descriptor);
      return raw(SYS_connect, descriptor, address, length);
    }
    return -ECONNREFUSED;
  }
  socket.peer_name = name;
  if (!is_stream(socket)) {
    socket.peer_id = target->id;
    socket.state = SocketState::kConnected;
    return 0;
  }
  if (target->state != SocketState::kListening) return -ECONNREFUSED;
  Packet* packet = new_packet(*here.host, 0);
  packet->type = kConnect;
  packet->to_id = target->id;
  packet->from_id = socket.id;
  packet->amount = static_cast<std::uint64_t>(here.process->pid);
  socket.state = SocketState::kConnecting;
  transmit(*here.host, *packet, &socket);
  return wait_connected(socket, descriptor);
}

long connect_stream(Socket& socket, int descriptor, std::uint32_t ip, std::uint16_t port) {
  const int to = route(*here.host, ip);
  if (to < 0) return -ENETUNREACH;
  const bool own = is_own(*here.host, ip);
  if (!bind_freely(socket, 0)) return -EADDRNOTAVAIL;
  socket.peer_ip = ip == 0 ? kLoopback : ip;
  socket.peer_port = port;
  if (socket.ip == 0) socket.ip = own ? socket.peer_ip : here.host->ip;
  Packet* packet = new_packet(*here.host, 0);
  packet->type = kConnect;
  packet->to_host = static_cast<std::uint32_t>(to);
  packet->to_ip = socket.peer_ip;
  packet->to_port = port;
  packet->from_id = socket.id;
  packet->from_ip = socket.ip;
  packet->from_port = socket.port;
  socket.state = SocketState::kConnecting;
  transmit(*here.host, *packet, &socket);
  return wait_connected(socket, descriptor);
}

}  // namespace

Socket* socket_of(int descriptor) {
  File* file = file_of(descriptor);
  return file != nullptr && file->kind == FileKind::kSocket ? static_cast<Socket*>(file) : nullptr;
}

long call_socket(int domain, int type, int protocol) {
  const long descriptor = raw(SYS_socket, domain, type, protocol);
  if (descriptor < 0) return descriptor;
  forget_descriptor(static_cast<int>(descriptor));
  if (is_ours(domain, type & kTypeMask)) attach(static_cast<int>(descriptor), domain, type & kTypeMask, protocol);
  return descriptor;
}

long call_socketpair(int domain, int type, int protocol, int* ends) {
  const long result = raw(SYS_socketpair, domain, type, protocol, ends);
  if (result < 0 || domain != AF_UNIX) return result;
  Socket* a = attach(ends[0], domain, type & kTypeMask, protocol);
  Socket* b = attach(ends[1], domain, type & kTypeMask, protocol);
  pair_up(*a, *b);
  pair_up(*b, *a);
  return 0;
}

long call_bind(int descriptor, const sockaddr* address, socklen_t length) {
  Socket* socket = socket_of(descriptor);
  if (socket == nullptr) return raw(SYS_bind, descriptor, address, length);
  settle();
  if (socket->domain == AF_UNIX) return bind_unix(*socket, descriptor, address, length);
  std::uint32_t ip = 0;
  std::uint16_t port = 0;
  if (const long problem = read_address(address, length, ip, port); problem != 0) return problem;
  if (socket->bound) return -EINVAL;
  if (!is_own(*here.host, ip) && !is_multicast(ip) && !is_broadcast(ip)) return -EADDRNOTAVAIL;
  if (port == 0) {
    port = free_port(*here.host, *socket);
    if (port == 0) return -EADDRINUSE;
  } else if (port_taken(*here.host, *socket, ip, port)) {
    return -EADDRINUSE;
  }
  bind_socket(*socket, ip, port);
  return 0;
}

long call_listen(int descriptor, int backlog) {
  Socket* socket = socket_of(descriptor);
  if (socket == nullptr) return raw(SYS_listen, descriptor, backlog);
  settle();
  if (!is_stream(*socket)) return -EOPNOTSUPP;
  if (socket->domain != AF_UNIX && !bind_freely(*socket, 0)) return -EADDRINUSE;
  if (socket->domain == AF_UNIX && !socket->bound) return -EINVAL;
  socket->state = SocketState::kListening;
  socket->backlog = backlog < 1 ? 1 : (backlog > 4096 ? 4096 : static_cast<std::uint32_t>(backlog));
  return 0;
}

long call_accept(int descriptor, sockaddr* address, socklen_t* length, int flags) {
  Socket* listener = socket_of(descriptor);
  if (listener == nullptr) return raw(SYS_accept4, descriptor, address, length, flags);
  settle();
  if (listener->state != SocketState::kListening) return -EINVAL;
  while (listener->accept_first == nullptr) {
    const long problem = wait_ready(*listener, kIn, is_nonblocking(descriptor), listener->receive_timeout);
    if (problem != 0) return problem;
  }
  Socket* socket = listener->accept_first;
  listener->accept_first = socket->next_accept;
  if (listener->accept_first == nullptr) listener->accept_last = nullptr;
  --listener->accept_count;
  const long fresh = raw(SYS_socket, listener->domain, listener->type | flags, listener->protocol);
  if (fresh < 0) {
    drop(*socket);
    return fresh;
  }
  forget_descriptor(static_cast<int>(fresh));
  set_inode(*socket, inode_of(static_cast<int>(fresh)));
  set_file(*here.process, static_cast<int>(fresh), socket);
  drop(*socket);  // the queue's hold
  if (address != nullptr) write_peer(*socket, address, length);
  return fresh;
}

long call_connect(int descriptor, const sockaddr* address, socklen_t length) {
  Socket* socket = socket_of(descriptor);
  if (socket == nullptr) return raw(SYS_connect, descriptor, address, length);
  settle();
  if (address->sa_family == AF_UNSPEC) {
    socket->peer_port = 0;
    socket->peer_ip = 0;
    return 0;
  }
  if (is_stream(*socket)) {
    if (socket->state == SocketState::kConnected) return -EISCONN;
    if (socket->state == SocketState::kConnecting)
      return is_nonblocking(descriptor) ? -EALREADY : wait_connected(*socket, descriptor);
    if (socket->state == SocketState::kFailed) return wait_connected(*socket, descriptor);
    if (socket->state == SocketState::kListening) return -EINVAL;
  }
  if (socket->domain == AF_UNIX) return connect_unix(*socket, descriptor, address, length);
  std::uint32_t ip = 0;
  std::uint16_t port = 0;
  if (const long problem = read_address(address, length, ip, port); problem != 0) return problem;
  if (is_stream(*socket)) return connect_stream(*socket, descriptor, ip, port);
  if (route(*here.host, ip) < 0 && !is_multicast(ip) && !is_broadcast(ip)) return -ENETUNREACH;
  return connect_datagram(*socket, ip, port);
}

long call_shutdown(int descriptor, int how) {
  Socket* socket = socket_of(descriptor);
  if (socket == nullptr) return raw(SYS_shutdown, descriptor, how);
  settle();
  if (is_stream(*socket) && socket->state != SocketState::kConnected) {
    if (socket->state != SocketState::kListening) return -ENOTCONN;
    // A listener that is shut down stops to listen, and whoever waits in accept is told.
    socket->state = SocketState::kFailed;
    notify(*socket);
    return 0;
  }
  if (how != SHUT_WR) socket->in_shut = true;
  if (how != SHUT_RD && !socket->no_more_out) {
    socket->no_more_out = true;
    if (is_stream(*socket)) {
      Packet* packet = new_packet(*here.host, 0);
      packet->type = kEnd;
      packet->to_host = socket->peer_host;
      packet->to_id = socket->peer_id;
      transmit(*here.host, *packet, socket);
    }
  }
  notify(*socket);
  return 0;
}

long call_name(bool peer, int descriptor, sockaddr* address, socklen_t* length) {
  Socket* socket = socket_of(descriptor);
  if (socket == nullptr) return raw(peer ? SYS_getpeername : SYS_getsockname, descriptor, address, length);
  if (!peer) return write_local(*socket, address, length);
  const bool connected = socket->state == SocketState::kConnected || socket->peer_port != 0;
  if (!connected || (is_stream(*socket) && socket->state != SocketState::kConnected)) return -ENOTCONN;
  return write_peer(*socket, address, length);
}

}  // namespace strata::shim
