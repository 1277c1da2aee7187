#include "coordinator/messages/message.hpp"

#include <map>

#include <fmt/format.h>

#include "coordinator/messages/wire.hpp"

namespace strata::coordinator {

namespace {

constexpr std::string_view kMagic = "STC\x01";

const std::map<std::uint16_t, const char*>& names() {
  static const std::map<std::uint16_t, const char*> all = {
      {100, "TC2T_Exit"},
      {101, "TC2T_NewTask"},
      {102, "TC2T_LoadListTask"},
      {103, "TC2T_ShowTaskList"},
      {104, "TC2T_ShowExecutionTaskList"},
      {110, "TC2T_TaskExecutionRequest"},
      {120, "TC2T_FinishTask"},
      {201, "T2P_NewTask"},
      {210, "T2P_TaskExecutionRequest"},
      {220, "T2P_TaskTerminationRequest"},
      {230, "T2P_TaskDiscard"},
      {231, "T2P_GroupDiscard"},
      {240, "T2P_TaskSuspend"},
      {241, "T2P_TaskResume"},
      {250, "T2P_Query"},
      {251, "T2P_Subscribe"},
      {260, "T2P_ResourceState"},
      {301, "P2T_TaskAccepted"},
      {302, "P2T_Done"},
      {303, "P2T_Answer"},
      {310, "P2D_TaskExecuteRequest"},
      {311, "P2T_TaskExecutionRespOk"},
      {312, "P2T_TaskExecutionRespFail"},
      {313, "P2T_TaskExecutionRespEmpty"},
      {314, "P2T_TaskExecutionRespPriorityFail"},
      {315, "P2T_TaskExecutionRespError"},
      {320, "P2D_TaskFinishRequest"},
      {321, "P2T_TaskFinishOk"},
      {322, "P2D_TaskFinishListRequest"},
      {323, "P2T_TaskFinishListOK"},
      {326, "P2D_TaskKill"},
      {330, "P2T_TaskNoExist"},
      {340, "P2D_TaskStop"},
      {341, "P2D_TaskContinue"},
      {342, "P2D_TaskForget"},
      {343, "P2D_Shutdown"},
      {344, "P2D_Welcome"},
      {411, "D2P_ExecuteResponseOk"},
      {412, "D2P_ExecuteResponseError"},
      {421, "D2P_TaskFinishOk"},
      {422, "D2P_TaskFinishListOK"},
      {440, "D2P_TaskStopped"},
      {441, "D2P_TaskContinued"},
      {450, "D2P_Hello"},
      {451, "D2P_Alive"},
      {500, "DP2D_ProcessState"},
      {520, "DP2D_ProcessFinish"},
  };
  return all;
}

Error wrong(std::string problem, std::string remedy = "") { return {{}, std::move(problem), std::move(remedy)}; }

}  // namespace

bool is_known(std::uint16_t code) { return names().contains(code); }

std::string to_text(Code code) {
  const auto found = names().find(static_cast<std::uint16_t>(code));
  return fmt::format("{} ({})", found == names().end() ? "unknown" : found->second, static_cast<int>(code));
}

void encode(const Message& message, std::string& out) {
  out += kMagic;
  wire::put(out, static_cast<std::uint16_t>(message.code));
  wire::put(out, static_cast<std::uint8_t>(message.kind));
  wire::put(out, std::uint8_t{0});
  wire::put(out, message.number);
  wire::put(out, static_cast<std::uint32_t>(message.data.size()));
  wire::put(out, message.id);
  out += message.data;
}

std::string encode(const Message& message) {
  std::string out;
  out.reserve(kHeaderBytes + message.data.size());
  encode(message, out);
  return out;
}

Result<std::size_t> length_of(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, kMagic.size());
  if (start.substr(0, 3) != kMagic.substr(0, start.size() < 3 ? start.size() : 3)) {
    return wrong("not a message of a coordinator", "it must begin with STC");
  }
  if (start.size() == kMagic.size() && start.back() != kMagic.back()) {
    return wrong(fmt::format("version {} of the protocol", static_cast<int>(static_cast<unsigned char>(start.back()))),
                 "this coordinator speaks version 1");
  }
  if (bytes.size() < kHeaderBytes) return std::size_t{0};
  std::string_view rest = bytes.substr(12);
  std::uint32_t size = 0;
  static_cast<void>(wire::take(rest, size));
  if (size > kMaxMessageBytes) return wrong(fmt::format("a message of {} bytes", size), "split it");
  return kHeaderBytes + size;
}

Result<Message> decode(std::string_view bytes) {
  const Result<std::size_t> length = length_of(bytes);
  if (!length.ok()) return length.errors();
  if (*length == 0 || *length != bytes.size()) {
    return wrong(
        fmt::format("a message of {} bytes that says it has {}", bytes.size(), *length == 0 ? kHeaderBytes : *length));
  }
  std::string_view rest = bytes.substr(kMagic.size());
  std::uint16_t code = 0;
  std::uint8_t kind = 0;
  std::uint8_t spare = 0;
  std::uint32_t size = 0;
  Message message;
  const bool whole = wire::take(rest, code) && wire::take(rest, kind) && wire::take(rest, spare) &&
                     wire::take(rest, message.number) && wire::take(rest, size) && wire::take(rest, message.id);
  STRATA_ASSERT(whole, "the header was checked");
  if (!is_known(code)) return wrong(fmt::format("unknown message code {}", code));
  if (kind < 1 || kind > 3) return wrong(fmt::format("unknown kind of message {}", kind));
  message.code = static_cast<Code>(code);
  message.kind = static_cast<MessageKind>(kind);
  message.data = rest;
  return message;
}

std::string encode_report(const Report& report) {
  std::string out;
  wire::put(out, static_cast<std::int32_t>(report.ending.exit_code));
  wire::put(out, static_cast<std::int32_t>(report.ending.signal));
  wire::put(out, static_cast<std::uint8_t>(report.ending.spawned ? 1 : 0));
  wire::put(out, report.cpu.ns());
  wire::put(out, report.peak_bytes);
  wire::put_text(out, report.ending.problem);
  return out;
}

Result<Report> decode_report(std::string_view bytes) {
  Report report;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::uint8_t spawned = 0;
  std::int64_t cpu = 0;
  std::string_view problem;
  const bool whole = wire::take(bytes, exit_code) && wire::take(bytes, signal) && wire::take(bytes, spawned) &&
                     wire::take(bytes, cpu) && wire::take(bytes, report.peak_bytes) &&
                     wire::take_text(bytes, problem) && bytes.empty();
  if (!whole) return wrong("a report of wrong length");
  report.ending = {exit_code, signal, spawned != 0, std::string(problem)};
  report.cpu = Duration::nanoseconds(cpu);
  return report;
}

std::string encode_errors(const Errors& errors) {
  std::string out;
  for (const Error& error : errors) {
    wire::put_text(out, error.problem);
    wire::put_text(out, error.remedy);
  }
  return out;
}

Errors decode_errors(std::string_view bytes) {
  Errors errors;
  std::string_view problem;
  std::string_view remedy;
  while (wire::take_text(bytes, problem) && wire::take_text(bytes, remedy)) {
    errors.push_back({{}, std::string(problem), std::string(remedy)});
  }
  if (errors.empty()) errors.push_back({{}, "the coordinator refused without a reason", ""});
  return errors;
}

}  // namespace strata::coordinator
