// Who may connect over the network: ZeroMQ asks here before a peer's first byte counts (ZAP, RFC 27).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "coordinator/service/socket.hpp"

namespace strata::coordinator {

class Gate {
 public:
  /// `allowed`: public keys in printable form.
  Gate(const ZmqContext& context, const std::vector<std::string>& allowed);
  [[nodiscard]] void* socket() const { return socket_.get(); }
  /// Answers what was asked.
  void serve();

 private:
  ZmqSocket socket_;
  std::set<std::string> allowed_;  ///< as 32 bytes
};

}  // namespace strata::coordinator
