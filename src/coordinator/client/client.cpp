#include "coordinator/client/client.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

namespace strata::coordinator {

namespace {

using Clock = std::chrono::steady_clock;

Error nobody(const std::string& address, const char* why) {
  return {{},
          fmt::format("no coordinator answers at {}{}", address, why),
          "start one with `strata task serve --resources FILE`, or name another with --at"};
}

// ZeroMQ would wait without end for somebody who never comes.
bool somebody_listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  path.copy(address.sun_path, path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool listens = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  ::close(fd);
  return listens;
}

int left_ms(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left, 0, 60'000));
}

}  // namespace

Result<std::unique_ptr<Client>> Client::connect(const ClientSpec& spec) {
  ClientSpec own = spec;
  own.address = full_address(spec.address);
  if (own.address.starts_with("ipc://") && !somebody_listens(own.address.substr(6))) return nobody(own.address, "");
  if (is_network(own.address) && (own.keys.secret_key.empty() || own.server_key.empty())) {
    return Error{{},
                 fmt::format("{} is on the network, and no keys were given", own.address),
                 "give --key (your key file) and --server-key (the coordinator's public key file)"};
  }
  auto client = std::unique_ptr<Client>(new Client(own));
  if (is_network(own.address)) client->socket_.be_curve_client(own.keys, own.server_key);
  if (const Result<void> fine = client->socket_.connect(own.address); !fine.ok()) return fine.errors();
  return client;
}

Result<Message> Client::ask(Code code, std::uint64_t id, std::string data) {
  const std::uint32_t number = ++number_;
  const auto kind = code == Code::kNewTask ? MessageKind::kTask : MessageKind::kProtocol;
  if (!socket_.send(encode({code, kind, number, id, std::move(data)}))) return nobody(spec_.address, "");
  const auto end = Clock::now() + std::chrono::nanoseconds(spec_.patience.ns());
  while (socket_.wait(left_ms(end))) {
    const std::optional<std::string> bytes = socket_.receive();
    if (!bytes) continue;
    Result<Message> message = decode(*bytes);
    if (!message.ok()) return message.errors();
    if (message->number == 0 && message->code != Code::kError) {
      events_.push_back(std::move(message).value());
      continue;
    }
    if (message->number != number && message->number != 0) continue;
    if (message->code == Code::kError || message->code == Code::kNoSuchTask) return decode_errors(message->data);
    return message;
  }
  return nobody(spec_.address, ": no answer in time");
}

Result<TaskId> Client::submit(std::span<const TaskSpec> tasks) {
  const Result<Message> answer = ask(Code::kNewTask, 0, encode_tasks(tasks));
  if (!answer.ok()) return answer.errors();
  return TaskId{answer->id};
}

Result<std::string> Client::query(const std::string& question) {
  Result<Message> answer = ask(Code::kQuery, 0, question);
  if (!answer.ok()) return answer.errors();
  return std::move(answer->data);
}

Result<void> Client::subscribe() {
  const Result<Message> answer = ask(Code::kSubscribe);
  if (!answer.ok()) return answer.errors();
  return {};
}

std::optional<Message> Client::next_event(Duration patience) {
  const auto end = Clock::now() + std::chrono::nanoseconds(patience.ns());
  do {
    while (const std::optional<std::string> bytes = socket_.receive()) {
      Result<Message> message = decode(*bytes);
      if (message.ok()) events_.push_back(std::move(message).value());
    }
    if (!events_.empty()) {
      Message first = std::move(events_.front());
      events_.pop_front();
      return first;
    }
  } while (socket_.wait(left_ms(end)));
  return std::nullopt;
}

}  // namespace strata::coordinator
