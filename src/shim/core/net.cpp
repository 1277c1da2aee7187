#include "shim/core/net.hpp"

#include <cerrno>
#include <cstring>

#include "shim/core/host.hpp"

namespace strata::shim {

namespace {

constexpr std::uint64_t kSecond = 1000000000;
constexpr std::uint64_t kRetransmit = 200000000;  ///< a lost segment of a stream comes this much later
constexpr std::uint64_t kFrameOverhead = 42;      ///< bytes of headers per packet, for the rate
constexpr std::uint16_t kFirstFreePort = 32768;
constexpr std::uint16_t kLastFreePort = 60999;

Link& link_between(std::uint32_t from, std::uint32_t to) {
  return here.region->links[from * here.region->host_count + to];
}

std::uint64_t draw(Link& link, std::uint32_t from, std::uint32_t to) {
  const std::uint64_t name = std::uint64_t{from} << 32 | to;
  return mix(mix(here.region->settings.seed ^ 0x5851F42D4C957F2DU, name), ++link.draws);
}

// When a packet sent now arrives; kNever if it is lost.
std::uint64_t arrival(Host& host, const Packet& packet, Link& link) {
  const bool datagram = packet.type == kDatagram;
  std::uint64_t at = host.now;
  if (link.rate_bits > 0) {
    const std::uint64_t bits = (packet.size + kFrameOverhead) * 8;
    const std::uint64_t start = link.free_at > at ? link.free_at : at;
    at = link.free_at = start + bits * kSecond / link.rate_bits;
  }
  at += link.latency_ns;
  if (link.jitter_ns > 0) at += draw(link, host.index, packet.to_host) % (link.jitter_ns + 1);
  if (link.loss_ppb > 0) {
    while (draw(link, host.index, packet.to_host) % kSecond < link.loss_ppb) {
      ++host.counters.packets_lost;
      if (datagram) return kNever;
      at += kRetransmit + 2 * link.latency_ns;
    }
  }
  return at;
}

Packet* reply_to(Host& host, const Packet& packet, std::uint32_t type) {
  Packet* reply = new_packet(host, 0);
  reply->type = type;
  reply->to_host = packet.from_host;
  reply->to_id = packet.from_id;
  reply->from_ip = packet.to_ip;
  reply->from_port = packet.to_port;
  return reply;
}

bool member(const Socket& socket, std::uint32_t group) {
  for (std::uint32_t i = 0; i < socket.group_count; ++i) {
    if (socket.groups[i] == group) return true;
  }
  return false;
}

void receive(Socket& socket, Packet& packet) {
  Host& host = *socket.host;
  cover(host, packet.size, host.now);
  if (socket.domain != 1 && socket.in.bytes + packet.size > socket.in_limit) {
    ++host.counters.overflowed;
    return free_packet(host, packet);
  }
  push(socket.in, packet);
  notify(socket);
}

// To all members of a group, or to everybody on that port.
void receive_by_many(Host& host, Packet& packet) {
  for (auto* s = static_cast<Socket*>(host.bound); s != nullptr; s = s->next_bound) {
    if (is_stream(*s) || s->domain == 1 || s->port != packet.to_port) continue;
    if (is_multicast(packet.to_ip) && !member(*s, packet.to_ip)) continue;
    if (s->keep_to_self && s->id == packet.from_id) continue;
    Packet* copy = new_packet(host, packet.size);
    const std::uint32_t capacity = copy->capacity;
    *copy = packet;
    copy->capacity = capacity;
    copy->entry = Entry{};
    std::memcpy(copy->data(), packet.data(), packet.size);
    receive(*s, *copy);
  }
  free_packet(host, packet);
}

void receive_datagram(Host& host, Packet& packet) {
  if (packet.to_id != 0) {
    File* file = find_by_id(host, packet.to_id);
    if (file == nullptr) return free_packet(host, packet);
    return receive(static_cast<Socket&>(*file), packet);
  }
  if (is_multicast(packet.to_ip) || is_broadcast(packet.to_ip)) return receive_by_many(host, packet);
  Socket* socket = find_bound(host, packet, false);
  if (socket != nullptr) return receive(*socket, packet);
  transmit(host, *reply_to(host, packet, kRefused), nullptr);
  free_packet(host, packet);
}

Socket* make_server_side(Host& host, const Socket& listener, const Packet& packet) {
  Socket* socket = make_file<Socket>(host, FileKind::kSocket, 0);
  socket->domain = listener.domain;
  socket->type = listener.type;
  socket->protocol = listener.protocol;
  socket->state = SocketState::kConnected;
  socket->ip = packet.to_ip;
  socket->port = packet.to_port;
  socket->peer_ip = packet.from_ip;
  socket->peer_port = packet.from_port;
  socket->peer_id = packet.from_id;
  socket->peer_host = packet.from_host;
  socket->name = listener.name;
  socket->pid = listener.pid;
  socket->window = socket->credit = listener.domain == 1 ? kUnixWindow : kStreamWindow;
  socket->references = 1;
  return socket;
}

void receive_connect(Host& host, Packet& packet) {
  Socket* listener =
      packet.to_id != 0 ? static_cast<Socket*>(find_by_id(host, packet.to_id)) : find_bound(host, packet, true);
  if (listener == nullptr || listener->state != SocketState::kListening || listener->accept_count > listener->backlog) {
    transmit(host, *reply_to(host, packet, kRefused), nullptr);
    return free_packet(host, packet);
  }
  Socket* socket = make_server_side(host, *listener, packet);
  socket->peer_pid = static_cast<std::int32_t>(packet.amount);
  (listener->accept_last != nullptr ? listener->accept_last->next_accept : listener->accept_first) = socket;
  listener->accept_last = socket;
  ++listener->accept_count;
  Packet* reply = reply_to(host, packet, kAccepted);
  reply->from_id = socket->id;
  reply->amount = static_cast<std::uint64_t>(listener->pid);
  transmit(host, *reply, socket);
  notify(*listener);
  free_packet(host, packet);
}

void receive_reset(Socket& socket, int error) {
  socket.error = error;
  socket.state = SocketState::kFailed;
  socket.no_more_in = socket.no_more_out = true;
  notify(socket);
}

// A packet of a conversation, at the socket it belongs to.
void converse(Socket& socket, Packet& packet) {
  Host& host = *socket.host;
  switch (packet.type) {
    case kAccepted:
      socket.state = SocketState::kConnected;
      socket.peer_id = packet.from_id;
      socket.peer_host = packet.from_host;
      socket.peer_pid = static_cast<std::int32_t>(packet.amount);
      socket.window = socket.credit = socket.domain == 1 ? kUnixWindow : kStreamWindow;
      notify(socket);
      break;
    case kRefused:
      if (is_stream(socket)) {
        receive_reset(socket, ECONNREFUSED);
      } else if (socket.peer_port != 0) {
        socket.error = ECONNREFUSED;
        notify(socket);
      }
      break;
    case kData:
      cover(host, packet.size, host.now);
      if (socket.in_shut) {
        grant(socket, packet.size);
        break;
      }
      push(socket.in, packet);
      return notify(socket);
    case kCredit:
      socket.credit += packet.amount;
      notify(socket);
      break;
    case kEnd:
      socket.no_more_in = true;
      notify(socket);
      break;
    case kReset:
      receive_reset(socket, ECONNRESET);
      break;
    default:
      break;
  }
  free_packet(host, packet);
}

}  // namespace

std::uint32_t socket_readiness(Socket& s) {
  const std::uint32_t error = s.error != 0 ? kError : 0;
  if (!is_stream(s)) return (s.in.count > 0 || s.in_shut ? kIn : 0) | kOut | error;
  switch (s.state) {
    case SocketState::kFresh:
      return kOut | kHangUp;
    case SocketState::kListening:
      return s.accept_count > 0 ? kIn : 0;
    case SocketState::kConnecting:
      return 0;
    case SocketState::kFailed:
      return kIn | kOut | kHangUp | kReadHangUp | error;
    case SocketState::kConnected:
      break;
  }
  std::uint32_t ready = error;
  const bool in_over = s.no_more_in || s.in_shut;
  if (s.in.count > 0 || in_over) ready |= kIn;
  if (in_over) ready |= kReadHangUp;
  if (in_over && s.no_more_out) ready |= kHangUp;
  if (s.no_more_out || s.credit * 3 >= s.window) ready |= kOut;
  return ready;
}

void close_socket(Socket& socket) {
  Host& host = *socket.host;
  unbind_socket(socket);
  while (Socket* waiting = socket.accept_first) {
    socket.accept_first = waiting->next_accept;
    drop(*waiting);
  }
  if (socket.state == SocketState::kConnected && is_stream(socket)) {
    // Unread data at the end is a loss, and the other side learns of it.
    const bool lost = socket.in.count > 0;
    if (lost || !socket.no_more_out) {
      Packet* packet = new_packet(host, 0);
      packet->type = lost ? kReset : kEnd;
      packet->to_host = socket.peer_host;
      packet->to_id = socket.peer_id;
      packet->from_id = socket.id;
      transmit(host, *packet, &socket);
    }
  }
  free_packets(host, socket.in);
  release(host, socket.groups);
}

int route(const Host& from, std::uint32_t ip) {
  if (is_own(from, ip)) return static_cast<int>(from.index);
  for (std::uint32_t i = 0; i < here.region->host_count; ++i) {
    if (here.region->hosts[i]->ip == ip) return static_cast<int>(i);
  }
  return -1;
}

bool is_own(const Host& host, std::uint32_t ip) { return ip == 0 || ip >> 24 == 127 || ip == host.ip; }

Socket* find_bound(Host& host, const Packet& packet, bool stream) {
  Socket* found = nullptr;
  for (auto* s = static_cast<Socket*>(host.bound); s != nullptr; s = s->next_bound) {
    if (s->domain == 1 || is_stream(*s) != stream || s->port != packet.to_port) continue;
    if (s->ip != 0 && s->ip != packet.to_ip) continue;
    if (stream) {
      if (s->state == SocketState::kListening) return s;
      continue;
    }
    if (s->peer_port != 0) {
      if (s->peer_port == packet.from_port && (s->peer_ip == packet.from_ip)) return s;
      continue;
    }
    if (found == nullptr) found = s;
  }
  return found;
}

bool port_taken(const Host& host, const Socket& socket, std::uint32_t ip, std::uint16_t port) {
  for (auto* s = static_cast<Socket*>(host.bound); s != nullptr; s = s->next_bound) {
    if (s == &socket || s->domain == 1 || is_stream(*s) != is_stream(socket) || s->port != port) continue;
    if (s->ip != 0 && ip != 0 && s->ip != ip) continue;
    if (s->reuse_port && socket.reuse_port) continue;
    if (s->reuse && socket.reuse && (!is_stream(*s) || s->state != SocketState::kListening)) continue;
    return true;
  }
  return false;
}

std::uint16_t free_port(Host& host, const Socket& socket) {
  constexpr std::uint32_t kCount = kLastFreePort - kFirstFreePort + 1;
  for (std::uint32_t tries = 0; tries < kCount; ++tries) {
    const auto port = static_cast<std::uint16_t>(kFirstFreePort + host.port_hint++ % kCount);
    bool taken = false;
    for (auto* s = static_cast<Socket*>(host.bound); s != nullptr && !taken; s = s->next_bound)
      taken = s->domain != 1 && is_stream(*s) == is_stream(socket) && s->port == port;
    if (!taken) return port;
  }
  return 0;
}

void bind_socket(Socket& socket, std::uint32_t ip, std::uint16_t port) {
  socket.ip = ip;
  socket.port = port;
  socket.bound = true;
  socket.next_bound = static_cast<Socket*>(socket.host->bound);
  socket.host->bound = &socket;
}

void unbind_socket(Socket& socket) {
  if (!socket.bound) return;
  socket.bound = false;
  auto** at = reinterpret_cast<Socket**>(&socket.host->bound);
  while (*at != &socket) at = &(*at)->next_bound;
  *at = socket.next_bound;
}

Socket* find_name(Host& host, const UnixName& name, bool stream) {
  for (auto* s = static_cast<Socket*>(host.bound); s != nullptr; s = s->next_bound) {
    if (s->domain != 1 || is_stream(*s) != stream || s->name.inode != name.inode) continue;
    if (name.inode != 0) return s;
    if (s->name.length == name.length && std::memcmp(s->name.text, name.text, name.length) == 0) return s;
  }
  return nullptr;
}

void transmit(Host& host, Packet& packet, Socket* keeps_order) {
  std::uint64_t at = host.now;
  const bool local = keeps_order != nullptr && keeps_order->domain == 1;
  if (!local) at = arrival(host, packet, link_between(host.index, packet.to_host));
  if (at == kNever) return free_packet(host, packet);
  if (keeps_order != nullptr && packet.type != kDatagram) {
    if (at < keeps_order->last_arrival) at = keeps_order->last_arrival;
    keeps_order->last_arrival = at;
  }
  if (packet.to_host != host.index) {
    packet.entry.time = at;
    return push(host.outbox, packet);
  }
  if (at <= host.now) return deliver(packet);
  schedule(host, packet.entry, at);
}

void deliver(Packet& packet) {
  Host& host = *here.region->hosts[packet.to_host];
  if (packet.type == kDatagram) return receive_datagram(host, packet);
  if (packet.type == kConnect) return receive_connect(host, packet);
  File* file = find_by_id(host, packet.to_id);
  if (file != nullptr) return converse(static_cast<Socket&>(*file), packet);
  // Nobody is there any more: a sender of data must know.
  if (packet.type == kData || packet.type == kAccepted) transmit(host, *reply_to(host, packet, kReset), nullptr);
  free_packet(host, packet);
}

void deliver_outboxes() {
  Region& region = *here.region;
  for (std::uint32_t i = 0; i < region.host_count; ++i) {
    Host& from = *region.hosts[i];
    while (Packet* packet = pop(from.outbox)) {
      // Memory stays with the host that took it.
      Host& to = *region.hosts[packet->to_host];
      Packet* copy = new_packet(to, packet->size);
      const std::uint32_t capacity = copy->capacity;
      *copy = *packet;
      copy->capacity = capacity;
      std::memcpy(copy->data(), packet->data(), packet->size);
      schedule(to, copy->entry, packet->entry.time);
      free_packet(from, *packet);
    }
  }
}

void grant(Socket& socket, std::uint64_t bytes) {
  socket.owed += bytes;
  if (socket.state != SocketState::kConnected || socket.owed == 0) return;
  if (socket.in.count > 0 && socket.owed * 4 < socket.window) return;
  Packet* packet = new_packet(*socket.host, 0);
  packet->type = kCredit;
  packet->to_host = socket.peer_host;
  packet->to_id = socket.peer_id;
  packet->amount = socket.owed;
  socket.owed = 0;
  transmit(*socket.host, *packet, &socket);
}

}  // namespace strata::shim
