// The coordinator's messages: the original's codes and three kinds, in one fixed layout for every transport. Whatever
// arrives is untrusted: decoding checks every length. The layout is written down byte by byte in
// docs/coordinator-protocol.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "coordinator/core/scheduler.hpp"
#include "coordinator/core/task.hpp"

namespace strata::coordinator {

/// First digit: who sends. 1 terminal input, 2 terminal, 3 planner, 4 dispatcher, 5 a task's guardian.
enum class Code : std::uint16_t {
  // Of the original.
  kExit = 100,
  kInputNewTask = 101,
  kInputLoadTasks = 102,
  kInputShowTasks = 103,
  kInputShowRunning = 104,
  kInputRequest = 110,
  kInputFinish = 120,
  kNewTask = 201,
  kRequest = 210,
  kTerminate = 220,
  kExecute = 310,
  kStarted = 311,
  kNoResources = 312,
  kEmpty = 313,
  kNoPriority = 314,
  kError = 315,
  kFinish = 320,
  kFinished = 321,
  kFinishList = 322,
  kFinishedList = 323,
  kNoSuchTask = 330,
  kExecuteOk = 411,
  kExecuteError = 412,
  kFinishOk = 421,
  kFinishListOk = 422,
  kProcessState = 500,
  kProcessFinish = 520,
  // Ours, in the original's numbering.
  kDiscard = 230,
  kDiscardGroup = 231,
  kSuspend = 240,
  kResume = 241,
  kQuery = 250,
  kSubscribe = 251,
  kResource = 260,  ///< a resource has failed or is back
  kAccepted = 301,
  kDone = 302,
  kAnswer = 303,
  kKill = 326,
  kStop = 340,
  kContinue = 341,
  kForget = 342,  ///< the planner has the result on disk
  kShutdown = 343,
  kWelcome = 344,
  kStopped = 440,
  kContinued = 441,
  kHello = 450,  ///< a dispatcher or guardian, with all it knows
  kAlive = 451,
};

/// "P2T_TaskExecutionRespOk (311)"; "unknown (999)".
[[nodiscard]] std::string to_text(Code code);
[[nodiscard]] bool is_known(std::uint16_t code);

enum class MessageKind : std::uint8_t { kTask = 1, kProtocol = 2, kSynchronisation = 3 };

struct Message {
  Code code = Code::kError;
  MessageKind kind = MessageKind::kProtocol;
  std::uint32_t number = 0;
  std::uint64_t id = 0;  ///< task or state
  std::string data{};
  bool operator==(const Message&) const = default;
};

constexpr std::size_t kHeaderBytes = 24;
constexpr std::size_t kMaxMessageBytes = 64U << 20U;

void encode(const Message& message, std::string& out);
[[nodiscard]] std::string encode(const Message& message);
/// One whole message, no byte more.
[[nodiscard]] Result<Message> decode(std::string_view bytes);
/// Length of the message that begins here; 0 if the header is not complete yet.
[[nodiscard]] Result<std::size_t> length_of(std::string_view bytes);

// What messages carry.
[[nodiscard]] std::string encode_tasks(std::span<const TaskSpec> tasks);
[[nodiscard]] Result<std::vector<TaskSpec>> decode_tasks(std::string_view bytes);
void encode_task(const TaskSpec& task, std::string& out);
[[nodiscard]] Result<TaskSpec> decode_task(std::string_view bytes);

/// How a process ended and what it used.
struct Report {
  Ending ending{};
  Duration cpu{};
  std::uint64_t peak_bytes = 0;
  bool operator==(const Report& other) const {
    return ending.exit_code == other.ending.exit_code && ending.signal == other.ending.signal &&
           ending.spawned == other.ending.spawned && ending.problem == other.ending.problem && cpu == other.cpu &&
           peak_bytes == other.peak_bytes;
  }
};
[[nodiscard]] std::string encode_report(const Report& report);
[[nodiscard]] Result<Report> decode_report(std::string_view bytes);

/// Errors as they travel: problem and remedy of each.
[[nodiscard]] std::string encode_errors(const Errors& errors);
[[nodiscard]] Errors decode_errors(std::string_view bytes);

}  // namespace strata::coordinator
