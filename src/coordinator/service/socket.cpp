#include "coordinator/service/socket.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <fmt/format.h>

namespace strata::coordinator {

namespace {

constexpr std::size_t kKeyLength = 40;

Error socket_error(const std::string& address, const char* doing) {
  std::string remedy = "is the address right?";
  if (errno == EADDRINUSE) remedy = "another program uses it: choose another address";
  if (errno == EACCES) remedy = "you may not write there: choose another address";
  return {{}, fmt::format("cannot {} {}: {}", doing, address, zmq_strerror(errno)), remedy};
}

}  // namespace

Result<KeyPair> make_keys() {
  char public_key[kKeyLength + 1] = {};
  char secret_key[kKeyLength + 1] = {};
  if (zmq_curve_keypair(public_key, secret_key) != 0) {
    return Error{{}, "this ZeroMQ was built without CURVE", "install Debian's libzmq5"};
  }
  return KeyPair{public_key, secret_key};
}

Result<KeyPair> read_keys(const std::string& file) {
  std::ifstream in(file);
  const Where where{file, 0, 0, ""};
  if (!in) return Error{where, "cannot be read", "make it with `strata task keygen`"};
  KeyPair keys;
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with("public: ")) keys.public_key = line.substr(8);
    if (line.starts_with("secret: ")) keys.secret_key = line.substr(8);
  }
  const auto good = [](const std::string& key) { return key.size() == kKeyLength; };
  if (!good(keys.public_key) || (!keys.secret_key.empty() && !good(keys.secret_key))) {
    return Error{where, "holds no key of 40 characters", "make it with `strata task keygen`"};
  }
  return keys;
}

std::string full_address(const std::string& address) {
  if (address.find("://") != std::string::npos) return address;
  return "ipc://" + std::filesystem::absolute(address).string();
}

std::string default_address() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  const std::string folder = runtime != nullptr && *runtime != '\0' ? std::string(runtime) + "/strata"
                                                                    : fmt::format("/tmp/strata-{}", ::getuid());
  return "ipc://" + folder + "/task.sock";
}

ZmqContext::ZmqContext() : context_(zmq_ctx_new()) {
  if (context_ == nullptr) throw std::runtime_error("ZeroMQ cannot start");
}
ZmqContext::~ZmqContext() { zmq_ctx_term(context_); }

ZmqSocket::ZmqSocket(const ZmqContext& context, Type type) {
  const int number = type == Type::kRouter ? ZMQ_ROUTER : type == Type::kDealer ? ZMQ_DEALER : ZMQ_REP;
  socket_ = zmq_socket(context.get(), number);
  if (socket_ == nullptr) throw std::runtime_error("ZeroMQ has no sockets left");
  const int linger = 500;
  zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof(linger));
  const std::int64_t largest = 80L << 20;
  zmq_setsockopt(socket_, ZMQ_MAXMSGSIZE, &largest, sizeof(largest));
}
ZmqSocket::~ZmqSocket() { zmq_close(socket_); }

void ZmqSocket::be_curve_server(const KeyPair& own) {
  const int yes = 1;
  zmq_setsockopt(socket_, ZMQ_CURVE_SERVER, &yes, sizeof(yes));
  zmq_setsockopt(socket_, ZMQ_CURVE_SECRETKEY, own.secret_key.c_str(), kKeyLength + 1);
  zmq_setsockopt(socket_, ZMQ_ZAP_DOMAIN, "strata", 6);
}

void ZmqSocket::be_curve_client(const KeyPair& own, const std::string& server_key) {
  zmq_setsockopt(socket_, ZMQ_CURVE_SERVERKEY, server_key.c_str(), kKeyLength + 1);
  zmq_setsockopt(socket_, ZMQ_CURVE_PUBLICKEY, own.public_key.c_str(), kKeyLength + 1);
  zmq_setsockopt(socket_, ZMQ_CURVE_SECRETKEY, own.secret_key.c_str(), kKeyLength + 1);
}

Result<void> ZmqSocket::bind(const std::string& address) {
  if (address.starts_with("ipc://")) {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::path(address.substr(6)).parent_path();
    if (std::filesystem::create_directories(folder, ignored)) ::chmod(folder.c_str(), 0700);
  }
  // Who may speak to us locally is a matter of file permissions: the owner alone.
  const mode_t before = ::umask(077);
  const int result = zmq_bind(socket_, address.c_str());
  const int problem = errno;
  ::umask(before);
  errno = problem;
  if (result != 0) return socket_error(address, "listen at");
  return {};
}

Result<void> ZmqSocket::connect(const std::string& address) {
  if (zmq_connect(socket_, address.c_str()) != 0) return socket_error(address, "connect to");
  return {};
}

bool ZmqSocket::send(const std::string& bytes, bool more) {
  return zmq_send(socket_, bytes.data(), bytes.size(), ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0;
}

std::optional<std::string> ZmqSocket::receive() {
  zmq_msg_t message;
  zmq_msg_init(&message);
  std::optional<std::string> bytes;
  if (zmq_msg_recv(&message, socket_, ZMQ_DONTWAIT) >= 0) {
    bytes.emplace(static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
  }
  zmq_msg_close(&message);
  return bytes;
}

bool ZmqSocket::more() const {
  int more = 0;
  std::size_t size = sizeof(more);
  zmq_getsockopt(socket_, ZMQ_RCVMORE, &more, &size);
  return more != 0;
}

bool ZmqSocket::wait(int timeout_ms) const {
  zmq_pollitem_t item{socket_, 0, ZMQ_POLLIN, 0};
  return zmq_poll(&item, 1, timeout_ms) > 0;
}

}  // namespace strata::coordinator
