// Tasks as bytes: fields of (tag, length, value). Fields that hold their default are left out; an unknown tag is an
// error, because a task with half of its rules must not run.
#include <fmt/format.h>

#include "coordinator/messages/message.hpp"
#include "coordinator/messages/wire.hpp"

namespace strata::coordinator {

namespace {

enum Tag : std::uint8_t {
  kCommand = 1,
  kArgument = 2,
  kEnvironment = 3,
  kFolder = 4,
  kUse = 5,
  kPriority = 6,
  kGroup = 7,
  kAfter = 8,
  kAfterSuccess = 9,
  kTimeout = 10,
  kDeadline = 11,
  kDuration = 12,
  kRetries = 13,
  kRetryDelay = 14,
  kOnInterrupt = 15,
  kOnPreempt = 16,
  kLimitCpu = 17,
  kLimitMemory = 18,
  kLimitNice = 19,
  kLimitCores = 20,
  kLimitUser = 21,
};

void put_text(std::string& out, Tag tag, std::string_view text) {
  wire::put(out, static_cast<std::uint8_t>(tag));
  wire::put_text(out, text);
}

void put_number(std::string& out, Tag tag, std::int64_t number, std::int64_t usual = 0) {
  if (number == usual) return;
  wire::put(out, static_cast<std::uint8_t>(tag));
  wire::put(out, std::uint32_t{8});
  wire::put(out, number);
}

struct NumberError {};

std::int64_t number_of(std::string_view value) {
  std::int64_t number = 0;
  if (!wire::take(value, number) || !value.empty()) throw NumberError{};
  return number;
}

int small_number_of(std::string_view value) {
  const std::int64_t number = number_of(value);
  if (number < -2'000'000'000 || number > 2'000'000'000) throw NumberError{};
  return static_cast<int>(number);
}

ResourceUse use_of(std::string_view value) {
  std::int32_t resource = 0;
  std::uint8_t use = 0;
  std::int32_t amount = 0;
  const bool whole =
      wire::take(value, resource) && wire::take(value, use) && wire::take(value, amount) && value.empty() && use <= 1;
  if (!whole) throw NumberError{};
  return {resource, static_cast<Use>(use), amount};
}

Policy policy_of(std::string_view value) { return number_of(value) == 0 ? Policy::kFail : Policy::kRequeue; }
Duration span_of(std::string_view value) { return Duration::nanoseconds(number_of(value)); }

// False: unknown tag.
bool read_field(TaskSpec& task, std::uint8_t tag, std::string_view value) {
  switch (tag) {
    case kCommand:
      return task.command = value, true;
    case kArgument:
      return task.arguments.emplace_back(value), true;
    case kEnvironment:
      return task.environment.emplace_back(value), true;
    case kFolder:
      return task.folder = value, true;
    case kUse:
      return task.uses.push_back(use_of(value)), true;
    case kPriority:
      return task.priority = small_number_of(value), true;
    case kGroup:
      return task.group = value, true;
    case kAfter:
      return task.after.push_back(static_cast<TaskId>(number_of(value))), true;
    case kAfterSuccess:
      return task.after_success.push_back(static_cast<TaskId>(number_of(value))), true;
    case kTimeout:
      return task.timeout = span_of(value), true;
    case kDeadline:
      return task.deadline = span_of(value), true;
    case kDuration:
      return task.duration = span_of(value), true;
    case kRetries:
      return task.retries = small_number_of(value), true;
    case kRetryDelay:
      return task.retry_delay = span_of(value), true;
    case kOnInterrupt:
      return task.on_interrupt = policy_of(value), true;
    case kOnPreempt:
      return task.on_preempt = policy_of(value), true;
    case kLimitCpu:
      return task.limits.cpu = span_of(value), true;
    case kLimitMemory:
      return task.limits.memory_bytes = static_cast<std::uint64_t>(number_of(value)), true;
    case kLimitNice:
      return task.limits.nice = small_number_of(value), true;
    case kLimitCores:
      return task.limits.cores = value, true;
    case kLimitUser:
      return task.limits.user = value, true;
    default:
      return false;
  }
}

void encode_limits(const Limits& limits, std::string& out) {
  put_number(out, kLimitCpu, limits.cpu.ns());
  put_number(out, kLimitMemory, static_cast<std::int64_t>(limits.memory_bytes));
  put_number(out, kLimitNice, limits.nice);
  if (!limits.cores.empty()) put_text(out, kLimitCores, limits.cores);
  if (!limits.user.empty()) put_text(out, kLimitUser, limits.user);
}

}  // namespace

void encode_task(const TaskSpec& task, std::string& out) {
  put_text(out, kCommand, task.command);
  for (const std::string& argument : task.arguments) put_text(out, kArgument, argument);
  for (const std::string& variable : task.environment) put_text(out, kEnvironment, variable);
  if (!task.folder.empty()) put_text(out, kFolder, task.folder);
  for (const ResourceUse& use : task.uses) {
    wire::put(out, static_cast<std::uint8_t>(kUse));
    wire::put(out, std::uint32_t{9});
    wire::put(out, static_cast<std::int32_t>(use.resource));
    wire::put(out, static_cast<std::uint8_t>(use.use));
    wire::put(out, static_cast<std::int32_t>(use.amount));
  }
  put_number(out, kPriority, task.priority, kLowestPriority);
  if (!task.group.empty()) put_text(out, kGroup, task.group);
  // 0 is a task like any other, hence no usual value.
  for (const TaskId id : task.after) put_number(out, kAfter, static_cast<std::int64_t>(id), -1);
  for (const TaskId id : task.after_success) put_number(out, kAfterSuccess, static_cast<std::int64_t>(id), -1);
  put_number(out, kTimeout, task.timeout.ns());
  put_number(out, kDeadline, task.deadline.ns());
  put_number(out, kDuration, task.duration.ns());
  put_number(out, kRetries, task.retries);
  put_number(out, kRetryDelay, task.retry_delay.ns());
  put_number(out, kOnInterrupt, static_cast<int>(task.on_interrupt), static_cast<int>(Policy::kRequeue));
  put_number(out, kOnPreempt, static_cast<int>(task.on_preempt), static_cast<int>(Policy::kFail));
  encode_limits(task.limits, out);
}

Result<TaskSpec> decode_task(std::string_view bytes) {
  TaskSpec task;
  while (!bytes.empty()) {
    std::uint8_t tag = 0;
    std::string_view value;
    if (!wire::take(bytes, tag) || !wire::take_text(bytes, value)) return Error{{}, "a task that is cut off", ""};
    try {
      if (!read_field(task, tag, value)) {
        return Error{{}, fmt::format("a task with the unknown field {}", tag), "is the other side newer?"};
      }
    } catch (const NumberError&) {
      return Error{{}, fmt::format("field {} of a task has the wrong length or value", tag), ""};
    }
  }
  return task;
}

std::string encode_tasks(std::span<const TaskSpec> tasks) {
  std::string out;
  for (const TaskSpec& task : tasks) {
    std::string one;
    encode_task(task, one);
    wire::put_text(out, one);
  }
  return out;
}

Result<std::vector<TaskSpec>> decode_tasks(std::string_view bytes) {
  std::vector<TaskSpec> tasks;
  std::string_view one;
  while (!bytes.empty()) {
    if (!wire::take_text(bytes, one)) return Error{{}, "a list of tasks that is cut off", ""};
    Result<TaskSpec> task = decode_task(one);
    if (!task.ok()) return task.errors();
    tasks.push_back(std::move(task).value());
  }
  if (tasks.empty()) return Error{{}, "an empty list of tasks", ""};
  return tasks;
}

}  // namespace strata::coordinator
