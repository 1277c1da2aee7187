// The virtual network: sockets of all hosts, the links between them, and what travels. A stream is a conversation of
// packets - connect, accepted, data, credit, end, reset - between two sockets that know each other by id; datagrams
// find theirs by address. Between hosts every packet takes the link's time; inside a host none, unless the loopback has
// a link.
#pragma once

#include "shim/core/file.hpp"

namespace strata::shim {

enum class SocketState : std::uint32_t { kFresh, kListening, kConnecting, kConnected, kFailed };

/// Packet::type.
enum : std::uint32_t { kDatagram, kConnect, kAccepted, kRefused, kData, kCredit, kEnd, kReset };

struct UnixName {
  std::uint64_t inode = 0;  ///< of the socket's file; 0 = abstract
  std::uint32_t length = 0;
  char text[108] = {};
};

struct Socket : File {
  std::int32_t domain = 0;
  std::int32_t type = 0;
  std::int32_t protocol = 0;
  SocketState state = SocketState::kFresh;
  std::uint32_t ip = 0;  ///< local address in host byte order; 0 = any
  std::uint32_t peer_ip = 0;
  std::uint16_t port = 0;
  std::uint16_t peer_port = 0;
  bool bound = false;
  bool reuse = false;
  bool reuse_port = false;
  bool broadcast = false;
  bool keep_to_self = false;  ///< IP_MULTICAST_LOOP is off
  bool no_more_out = false;   ///< we ended our direction
  bool no_more_in = false;    ///< the other side ended its own
  bool in_shut = false;       ///< shutdown(SHUT_RD)
  bool closed = false;        ///< no descriptor left; lingers for what is on its way
  std::int32_t error = 0;
  UnixName name;
  UnixName peer_name;
  std::uint64_t peer_id = 0;
  std::uint32_t peer_host = 0;
  PacketList in;  ///< received, not read
  std::uint64_t in_limit = 212992;
  std::uint64_t credit = 0;        ///< bytes we may send
  std::uint64_t window = 0;        ///< all of them
  std::uint64_t owed = 0;          ///< bytes read, not yet told to the sender
  std::uint64_t last_arrival = 0;  ///< a stream keeps its order
  std::uint32_t backlog = 0;
  Socket* next_bound = nullptr;
  Socket* accept_first = nullptr;  ///< of a listener
  Socket* accept_last = nullptr;
  Socket* next_accept = nullptr;
  std::uint32_t accept_count = 0;
  std::uint32_t* groups = nullptr;  ///< multicast memberships
  std::uint32_t group_count = 0;
  std::int32_t pid = 0;  ///< for SO_PEERCRED
  std::int32_t peer_pid = 0;
  std::uint64_t receive_timeout = 0;
  std::uint64_t send_timeout = 0;
};

inline constexpr std::uint32_t kLoopback = 0x7F000001;
inline constexpr std::uint32_t kBroadcast = 0xFFFFFFFF;
inline constexpr std::uint32_t kNetwork = 0x0A000000;  ///< host n is 10.0.x.y with n + 1
inline constexpr std::uint64_t kStreamWindow = 1 << 20;
inline constexpr std::uint64_t kUnixWindow = 212992;

[[nodiscard]] inline bool is_stream(const Socket& socket) { return socket.type != 2; }
[[nodiscard]] inline bool is_multicast(std::uint32_t ip) { return ip >> 28 == 14; }
[[nodiscard]] inline bool is_broadcast(std::uint32_t ip) { return ip == kBroadcast || ip == (kNetwork | 0xFFFFFF); }

[[nodiscard]] std::uint32_t socket_readiness(Socket& socket);
void close_socket(Socket& socket);
void free_socket(Socket& socket);

/// The host that `ip` means for `from`; -1 if there is none.
[[nodiscard]] int route(const Host& from, std::uint32_t ip);
/// Whether `ip` is an address of this host.
[[nodiscard]] bool is_own(const Host& host, std::uint32_t ip);
/// Whoever is bound there; for datagrams the connected one first.
[[nodiscard]] Socket* find_bound(Host& host, const Packet& packet, bool stream);
[[nodiscard]] bool port_taken(const Host& host, const Socket& socket, std::uint32_t ip, std::uint16_t port);
/// A port nobody uses, or 0 if all are taken.
[[nodiscard]] std::uint16_t free_port(Host& host, const Socket& socket);
void bind_socket(Socket& socket, std::uint32_t ip, std::uint16_t port);
void unbind_socket(Socket& socket);
[[nodiscard]] Socket* find_name(Host& host, const UnixName& name, bool stream);

/// Sends over the link to `packet.to_host`; datagrams may be lost on it.
void transmit(Host& host, Packet& packet, Socket* keeps_order);
/// Arrived.
void deliver(Packet& packet);
/// Between two windows: everything sent to other hosts goes into their queues, in the order (time, host, sequence).
void deliver_outboxes();
/// Tells the sender of a stream that `bytes` were read.
void grant(Socket& socket, std::uint64_t bytes);

}  // namespace strata::shim
