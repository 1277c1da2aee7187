// Sending and receiving over sockets, and their options.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <netinet/in.h>
#include <sys/time.h>

#include "shim/core/raw.hpp"
#include "shim/preload/address.hpp"
#include "shim/preload/bytes.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

constexpr std::size_t kSegment = 65536;
constexpr std::size_t kLargestDatagram = 65507;

// Descriptors that travel along: those Strata holds. Others stay behind, and the sender is told.
long pack_rights(const msghdr& message, Packet& packet) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(const_cast<msghdr*>(&message), c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    if (count == 0) continue;
    packet.carried = static_cast<File**>(allocate(*here.host, count * sizeof(void*)));
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(c) + i * sizeof(int), sizeof descriptor);
      File* file = file_of(descriptor);
      if (file == nullptr) return -EINVAL;
      hold(*file);
      packet.carried[packet.rights++] = file;
    }
  }
  return 0;
}

// A new place-holder for a file that came along.
int adopt(File& file, bool close_on_exec) {
  const int type = SOCK_DGRAM | (close_on_exec ? SOCK_CLOEXEC : 0);
  const long descriptor = raw(SYS_socket, AF_UNIX, type, 0);
  if (descriptor < 0) return -1;
  forget_descriptor(static_cast<int>(descriptor));
  set_file(*here.process, static_cast<int>(descriptor), &file);
  return static_cast<int>(descriptor);
}

void unpack_rights(msghdr& message, Packet& packet, bool close_on_exec, std::size_t room) {
  if (packet.rights == 0) return;
  std::size_t fits = room > CMSG_LEN(0) ? (room - CMSG_LEN(0)) / sizeof(int) : 0;
  if (fits > packet.rights) fits = packet.rights;
  if (fits < packet.rights) message.msg_flags |= MSG_CTRUNC;
  if (fits > 0) {
    auto* header = static_cast<cmsghdr*>(message.msg_control);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fits * sizeof(int));
    for (std::size_t i = 0; i < fits; ++i) {
      const int descriptor = adopt(*packet.carried[i], close_on_exec);
      std::memcpy(CMSG_DATA(header) + i * sizeof(int), &descriptor, sizeof descriptor);
    }
    message.msg_controllen = CMSG_SPACE(fits * sizeof(int));
  }
  for (std::uint32_t i = 0; i < packet.rights; ++i) drop(*packet.carried[i]);
  packet.rights = 0;
}

long send_stream(Socket& socket, int descriptor, const msghdr& message, int flags) {
  const iovec* parts = message.msg_iov;
  const auto count = static_cast<int>(message.msg_iovlen);
  const std::size_t size = total(parts, count);
  std::size_t done = 0;
  if (socket.state == SocketState::kFresh || socket.state == SocketState::kConnecting) return -ENOTCONN;
  do {
    if (socket.state == SocketState::kFailed && socket.error != 0 && socket.error != ECONNRESET) {
      const int error = socket.error;
      socket.error = 0;
      return -error;
    }
    if (socket.no_more_out || socket.state != SocketState::kConnected) {
      if (done > 0) break;
      if (socket.error != 0) {
        const int error = socket.error;
        socket.error = 0;
        return -error;
      }
      if ((flags & MSG_NOSIGNAL) == 0) raise_here(SIGPIPE);
      return -EPIPE;
    }
    if (size == 0) return 0;
    const std::size_t least = socket.type == SOCK_SEQPACKET ? size : 1;
    if (socket.credit < least) {
      const bool nonblocking = (flags & MSG_DONTWAIT) != 0 || is_nonblocking(descriptor);
      if (least > socket.window) return -EMSGSIZE;
      const long problem = wait_ready(socket, kOut | kError | kHangUp, nonblocking, socket.send_timeout);
      if (problem != 0) return done > 0 ? static_cast<long>(done) : problem;
      continue;
    }
    std::size_t now = size - done;
    if (now > kSegment && socket.type != SOCK_SEQPACKET) now = kSegment;
    if (now > socket.credit) now = socket.credit;
    Packet* packet = new_packet(*here.host, static_cast<std::uint32_t>(now));
    if (done == 0) {
      if (const long problem = pack_rights(message, *packet); problem != 0) {
        free_packet(*here.host, *packet);
        return problem;
      }
    }
    packet->type = kData;
    packet->to_host = socket.peer_host;
    packet->to_id = socket.peer_id;
    packet->from_id = socket.id;
    packet->size = static_cast<std::uint32_t>(now);
    gather(parts, count, done, packet->data(), now);
    socket.credit -= now;
    done += now;
    transmit(*here.host, *packet, &socket);
  } while (done < size);
  return static_cast<long>(done);
}

long find_unix_target(const Socket& socket, const msghdr& message, std::uint64_t& id) {
  id = socket.peer_id;
  if (message.msg_name == nullptr) return id != 0 ? 0 : -ENOTCONN;
  UnixName name;
  const long problem = read_unix_name(static_cast<const sockaddr*>(message.msg_name), message.msg_namelen, name, true);
  if (problem != 0) return problem;
  const Socket* target = find_name(*here.host, name, false);
  if (target == nullptr) return -ECONNREFUSED;
  id = target->id;
  return 0;
}

long send_unix_datagram(Socket& socket, const msghdr& message) {
  std::uint64_t id = 0;
  if (const long problem = find_unix_target(socket, message, id); problem != 0) return problem;
  if (find_by_id(*here.host, id) == nullptr) return -ECONNREFUSED;
  const auto count = static_cast<int>(message.msg_iovlen);
  const std::size_t size = total(message.msg_iov, count);
  Packet* packet = new_packet(*here.host, static_cast<std::uint32_t>(size));
  if (const long problem = pack_rights(message, *packet); problem != 0) {
    free_packet(*here.host, *packet);
    return problem;
  }
  packet->type = kDatagram;
  packet->to_id = id;
  packet->from_id = socket.id;
  packet->size = static_cast<std::uint32_t>(size);
  gather(message.msg_iov, count, 0, packet->data(), size);
  transmit(*here.host, *packet, &socket);
  return static_cast<long>(size);
}

void send_one(Socket& socket, const msghdr& message, std::size_t size, std::uint32_t ip, std::uint16_t port,
              std::uint32_t to) {
  Packet* packet = new_packet(*here.host, static_cast<std::uint32_t>(size));
  packet->type = kDatagram;
  packet->to_host = to;
  packet->from_id = socket.id;
  packet->to_ip = ip;
  packet->to_port = port;
  const bool own = to == here.host->index && (ip >> 24 == 127 || ip == 0);
  packet->from_ip = socket.ip != 0 && !is_multicast(socket.ip) ? socket.ip : (own ? kLoopback : here.host->ip);
  packet->from_port = socket.port;
  packet->size = static_cast<std::uint32_t>(size);
  gather(message.msg_iov, static_cast<int>(message.msg_iovlen), 0, packet->data(), size);
  transmit(*here.host, *packet, nullptr);
}

long send_datagram(Socket& socket, const msghdr& message) {
  if (socket.error != 0) {
    const int error = socket.error;
    socket.error = 0;
    return -error;
  }
  std::uint32_t ip = socket.peer_ip;
  std::uint16_t port = socket.peer_port;
  if (message.msg_name != nullptr && message.msg_namelen > 0) {
    const auto* address = static_cast<const sockaddr*>(message.msg_name);
    if (const long problem = read_address(address, message.msg_namelen, ip, port); problem != 0) return problem;
  } else if (port == 0) {
    return -EDESTADDRREQ;
  }
  if (port == 0) return -EINVAL;
  const std::size_t size = total(message.msg_iov, static_cast<int>(message.msg_iovlen));
  if (size > kLargestDatagram) return -EMSGSIZE;
  if (!socket.bound) {
    const std::uint16_t free = free_port(*here.host, socket);
    if (free == 0) return -EAGAIN;
    bind_socket(socket, 0, free);
  }
  if (ip == 0) ip = kLoopback;
  if (is_multicast(ip) || is_broadcast(ip)) {
    if (is_broadcast(ip) && !socket.broadcast) return -EACCES;
    for (std::uint32_t i = 0; i < here.region->host_count; ++i) send_one(socket, message, size, ip, port, i);
    return static_cast<long>(size);
  }
  const int to = route(*here.host, ip);
  if (to < 0) return -ENETUNREACH;
  send_one(socket, message, size, ip, port, static_cast<std::uint32_t>(to));
  return static_cast<long>(size);
}

long receive_stream(Socket& socket, int descriptor, msghdr& message, int flags, std::size_t control) {
  const iovec* parts = message.msg_iov;
  const auto count = static_cast<int>(message.msg_iovlen);
  const std::size_t want = total(parts, count);
  std::size_t done = 0;
  if (socket.state == SocketState::kFresh || socket.state == SocketState::kListening) return -ENOTCONN;
  for (;;) {
    if (socket.in.count == 0) {
      if (done > 0 && (flags & MSG_WAITALL) == 0) break;
      if (socket.error != 0 && done == 0) {
        const int error = socket.error;
        socket.error = 0;
        return -error;
      }
      if (socket.no_more_in || socket.in_shut) break;
      const bool nonblocking = (flags & MSG_DONTWAIT) != 0 || is_nonblocking(descriptor);
      const long problem = wait_ready(socket, kIn | kError | kHangUp, nonblocking, socket.receive_timeout);
      if (problem != 0) return done > 0 ? static_cast<long>(done) : problem;
      continue;
    }
    if (want == 0) return 0;
    Packet& first = *socket.in.first;
    if ((flags & MSG_PEEK) != 0) {
      std::size_t at = 0;
      for (Packet* p = socket.in.first; p != nullptr && at < want; p = p->next)
        at += scatter(parts, count, at, p->data() + p->offset, p->size - p->offset);
      return static_cast<long>(at);
    }
    if (socket.type == SOCK_SEQPACKET) {
      const std::size_t size = first.size;
      done = scatter(parts, count, 0, first.data(), size);
      if (done < size) message.msg_flags |= MSG_TRUNC;
      unpack_rights(message, first, (flags & MSG_CMSG_CLOEXEC) != 0, control);
      free_packet(*here.host, *pop(socket.in));
      grant(socket, size);
      break;
    }
    // Bytes with descriptors are not mixed with others.
    if (first.rights > 0 && done > 0) break;
    const bool rights = first.rights > 0;
    unpack_rights(message, first, (flags & MSG_CMSG_CLOEXEC) != 0, control);
    const std::size_t now = scatter(parts, count, done, first.data() + first.offset, first.size - first.offset);
    done += now;
    first.offset += static_cast<std::uint32_t>(now);
    socket.in.bytes -= now;
    if (first.offset == first.size) free_packet(*here.host, *pop(socket.in));
    grant(socket, now);
    if (done == want || rights) break;
    if (socket.in.count == 0 && (flags & MSG_WAITALL) == 0) break;
  }
  return static_cast<long>(done);
}

long receive_datagram(Socket& socket, int descriptor, msghdr& message, int flags, std::size_t control) {
  while (socket.in.count == 0) {
    if (socket.error != 0) {
      const int error = socket.error;
      socket.error = 0;
      return -error;
    }
    if (socket.in_shut) return 0;
    const bool nonblocking = (flags & MSG_DONTWAIT) != 0 || is_nonblocking(descriptor);
    const long problem = wait_ready(socket, kIn | kError, nonblocking, socket.receive_timeout);
    if (problem != 0) return problem;
  }
  Packet& packet = *socket.in.first;
  const std::size_t done =
      scatter(message.msg_iov, static_cast<int>(message.msg_iovlen), 0, packet.data(), packet.size);
  if (done < packet.size) message.msg_flags |= MSG_TRUNC;
  if (message.msg_name != nullptr) {
    auto* name = static_cast<sockaddr*>(message.msg_name);
    if (socket.domain == AF_UNIX) {
      File* sender = find_by_id(*here.host, packet.from_id);
      write_unix_name(sender != nullptr ? static_cast<Socket*>(sender)->name : UnixName{}, name, &message.msg_namelen);
    } else {
      write_address(socket.domain, packet.from_ip, packet.from_port, name, &message.msg_namelen);
    }
  }
  const long result = (flags & MSG_TRUNC) != 0 ? static_cast<long>(packet.size) : static_cast<long>(done);
  if ((flags & MSG_PEEK) != 0) return result;
  unpack_rights(message, packet, (flags & MSG_CMSG_CLOEXEC) != 0, control);
  free_packet(*here.host, *pop(socket.in));
  return result;
}

}  // namespace

long call_sendmsg(int descriptor, const msghdr* message, int flags) {
  Socket* socket = socket_of(descriptor);
  if (socket == nullptr) {
    if (File* file = file_of(descriptor); file != nullptr) return -ENOTSOCK;
    return raw(SYS_sendmsg, descriptor, message, flags);
  }
  settle();
  count_unblocked();
  if (is_stream(*socket)) return send_stream(*socket, descriptor, *message, flags);
  return socket->domain == AF_UNIX ? send_unix_datagram(*socket, *message) : send_datagram(*socket, *message);
}

long call_recvmsg(int descriptor, msghdr* message, int flags) {
  Socket* socket = socket_of(descriptor);
  if (socket == nullptr) {
    if (File* file = file_of(descriptor); file != nullptr) return -ENOTSOCK;
    return raw(SYS_recvmsg, descriptor, message, flags);
  }
  settle();
  count_unblocked();
  const std::size_t control = message->msg_control != nullptr ? message->msg_controllen : 0;
  message->msg_controllen = 0;
  message->msg_flags = 0;
  if (is_stream(*socket)) {
    message->msg_namelen = 0;
    return receive_stream(*socket, descriptor, *message, flags, control);
  }
  return receive_datagram(*socket, descriptor, *message, flags, control);
}

long call_sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags) {
  for (unsigned i = 0; i < count; ++i) {
    const long result = call_sendmsg(descriptor, &messages[i].msg_hdr, flags);
    if (result < 0) return i > 0 ? static_cast<long>(i) : result;
    messages[i].msg_len = static_cast<unsigned>(result);
  }
  return count;
}

long call_recvmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags, const timespec* timeout) {
  settle();
  const std::uint64_t end = timeout != nullptr ? later(here.host->now, to_ns(*timeout)) : kNever;
  for (unsigned i = 0; i < count; ++i) {
    const bool one = (flags & MSG_WAITFORONE) != 0 && i > 0;
    const int how = (flags & ~MSG_WAITFORONE) | (one || (i > 0 && here.host->now >= end) ? MSG_DONTWAIT : 0);
    const long result = call_recvmsg(descriptor, &messages[i].msg_hdr, how);
    if (result < 0) return i > 0 ? static_cast<long>(i) : result;
    messages[i].msg_len = static_cast<unsigned>(result);
  }
  return count;
}

}  // namespace strata::shim
