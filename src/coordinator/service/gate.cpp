#include "coordinator/service/gate.hpp"

#include <zmq.h>

namespace strata::coordinator {

Gate::Gate(const ZmqContext& context, const std::vector<std::string>& allowed)
    : socket_(context, ZmqSocket::Type::kReply) {
  static_cast<void>(socket_.bind("inproc://zeromq.zap.01"));
  for (const std::string& key : allowed) {
    std::uint8_t bytes[32];
    if (zmq_z85_decode(bytes, key.c_str()) != nullptr) {
      allowed_.emplace(reinterpret_cast<const char*>(bytes), sizeof(bytes));
    }
  }
}

void Gate::serve() {
  while (true) {
    std::vector<std::string> frames;
    do {
      std::optional<std::string> frame = socket_.receive();
      if (!frame) break;
      frames.push_back(std::move(*frame));
    } while (socket_.more());
    if (frames.empty()) return;
    // version, request id, domain, address, identity, mechanism, credentials
    const bool curve = frames.size() == 7 && frames[5] == "CURVE";
    const bool welcome = curve && allowed_.contains(frames[6]);
    socket_.send("1.0", true);
    socket_.send(frames.size() > 1 ? frames[1] : "", true);
    socket_.send(welcome ? "200" : "400", true);
    socket_.send("", true);
    socket_.send("", true);
    socket_.send("");
  }
}

}  // namespace strata::coordinator
