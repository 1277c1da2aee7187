// A ZeroMQ socket that carries coordinator messages. Owns nothing else: the context is its maker's.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace strata::coordinator {

/// A key pair in ZeroMQ's printable form (Z85), 40 characters each. Empty: none.
struct KeyPair {
  std::string public_key{};
  std::string secret_key{};
};
[[nodiscard]] Result<KeyPair> make_keys();
/// Reads a file with lines "public: KEY" and perhaps "secret: KEY".
[[nodiscard]] Result<KeyPair> read_keys(const std::string& file);

/// "ipc://..." or "tcp://..."; a bare path is a Unix socket.
[[nodiscard]] std::string full_address(const std::string& address);
[[nodiscard]] inline bool is_network(const std::string& address) { return address.starts_with("tcp://"); }
/// A Unix socket in the user's runtime folder.
[[nodiscard]] std::string default_address();

class ZmqContext {
 public:
  ZmqContext();
  ~ZmqContext();
  ZmqContext(const ZmqContext&) = delete;
  ZmqContext& operator=(const ZmqContext&) = delete;
  [[nodiscard]] void* get() const { return context_; }

 private:
  void* context_;
};

class ZmqSocket {
 public:
  enum class Type { kRouter, kDealer, kReply };
  ZmqSocket(const ZmqContext& context, Type type);
  ~ZmqSocket();
  ZmqSocket(const ZmqSocket&) = delete;
  ZmqSocket& operator=(const ZmqSocket&) = delete;
  [[nodiscard]] void* get() const { return socket_; }

  /// For addresses bound from now on: only peers that know our public key.
  void be_curve_server(const KeyPair& own);
  /// For connections made from now on.
  void be_curve_client(const KeyPair& own, const std::string& server_key);
  [[nodiscard]] Result<void> bind(const std::string& address);
  [[nodiscard]] Result<void> connect(const std::string& address);

  /// False if it cannot be sent now.
  bool send(const std::string& bytes, bool more = false);
  /// One frame without waiting; nothing if there is none.
  [[nodiscard]] std::optional<std::string> receive();
  [[nodiscard]] bool more() const;
  /// Waits until something can be received. Negative: without end.
  [[nodiscard]] bool wait(int timeout_ms) const;

 private:
  void* socket_;
};

}  // namespace strata::coordinator
