// Options of sockets: what matters here is kept, the rest stays with the place-holder.
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/time.h>

#include "shim/core/raw.hpp"
#include "shim/preload/address.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

void join_group(Socket& socket, std::uint32_t group) {
  auto* groups =
      static_cast<std::uint32_t*>(allocate(*here.host, (socket.group_count + std::size_t{1}) * sizeof(std::uint32_t)));
  if (socket.group_count > 0) std::memcpy(groups, socket.groups, socket.group_count * sizeof(std::uint32_t));
  groups[socket.group_count++] = group;
  release(*here.host, socket.groups);
  socket.groups = groups;
}

void leave_group(Socket& socket, std::uint32_t group) {
  for (std::uint32_t i = 0; i < socket.group_count; ++i) {
    if (socket.groups[i] == group) socket.groups[i] = socket.groups[--socket.group_count];
  }
}

// Whether the option is settled here.
bool set_multicast(Socket& socket, int option, const void* value, socklen_t length) {
  std::uint32_t word = 0;
  std::memcpy(&word, value, length < sizeof word ? length : sizeof word);
  switch (option) {
    case IP_ADD_MEMBERSHIP:
      join_group(socket, ntohl(word));
      return true;
    case IP_DROP_MEMBERSHIP:
      leave_group(socket, ntohl(word));
      return true;
    case IP_MULTICAST_LOOP:
      socket.keep_to_self = word == 0;
      return true;
    case IP_MULTICAST_IF:
      return true;
    default:
      return false;
  }
}

std::uint64_t read_timeout(const void* value, socklen_t length) {
  timeval time{};
  if (length < sizeof time) return 0;
  std::memcpy(&time, value, sizeof time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000U + static_cast<std::uint64_t>(time.tv_usec) * 1000U;
}

}  // namespace

long call_setsockopt(int descriptor, int level, int option, const void* value, socklen_t length) {
  Socket* socket = socket_of(descriptor);
  if (socket != nullptr && value != nullptr) {
    if (level == IPPROTO_IP && socket->domain != AF_UNIX && set_multicast(*socket, option, value, length)) return 0;
    int number = 0;
    std::memcpy(&number, value, length < sizeof number ? length : sizeof number);
    if (level == SOL_SOCKET) {
      if (option == SO_REUSEADDR) socket->reuse = number != 0;
      if (option == SO_REUSEPORT) socket->reuse_port = number != 0;
      if (option == SO_BROADCAST) socket->broadcast = number != 0;
      if (option == SO_RCVTIMEO) socket->receive_timeout = read_timeout(value, length);
      if (option == SO_SNDTIMEO) socket->send_timeout = read_timeout(value, length);
      if (option == SO_RCVBUF && number > 0) socket->in_limit = static_cast<std::uint64_t>(number) * 2;
    }
  }
  return raw(SYS_setsockopt, descriptor, level, option, value, length);
}

long call_getsockopt(int descriptor, int level, int option, void* value, socklen_t* length) {
  Socket* socket = socket_of(descriptor);
  if (socket == nullptr || level != SOL_SOCKET) return raw(SYS_getsockopt, descriptor, level, option, value, length);
  const auto answer = [&](int number) {
    const socklen_t size = *length < sizeof number ? *length : sizeof number;
    std::memcpy(value, &number, size);
    *length = size;
    return 0L;
  };
  switch (option) {
    case SO_ERROR: {
      settle();
      const int error = socket->error;
      socket->error = 0;
      return answer(error);
    }
    case SO_ACCEPTCONN:
      return answer(socket->state == SocketState::kListening ? 1 : 0);
    case SO_TYPE:
      return answer(socket->type);
    case SO_DOMAIN:
      return answer(socket->domain);
    case SO_PEERCRED: {
      if (socket->domain != AF_UNIX) break;
      const ucred who{socket->peer_pid, static_cast<uid_t>(raw(SYS_getuid)), static_cast<gid_t>(raw(SYS_getgid))};
      const socklen_t size = *length < sizeof who ? *length : sizeof who;
      std::memcpy(value, &who, size);
      *length = size;
      return 0;
    }
    default:
      break;
  }
  return raw(SYS_getsockopt, descriptor, level, option, value, length);
}

}  // namespace strata::shim
