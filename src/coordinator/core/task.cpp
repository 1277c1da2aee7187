#include "coordinator/core/task.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace strata::coordinator {

namespace {

constexpr std::array<std::string_view, 18> kStateNames = {
    "held",   "waiting", "claiming", "starting", "running",   "stopping",  "suspended", "parked",    "resuming",
    "ending", "done",    "failed",   "killed",   "preempted", "timed_out", "expired",   "discarded", "interrupted"};

std::size_t size_of(const TaskSpec& spec) {
  std::size_t bytes = spec.command.size();
  for (const std::string& argument : spec.arguments) bytes += argument.size() + 1;
  for (const std::string& variable : spec.environment) bytes += variable.size() + 1;
  return bytes;
}

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

void check_texts(const TaskSpec& spec, const TaskLimits& limits, Errors& errors) {
  if (spec.command.empty()) errors.push_back({{}, "the command is empty", "name a program to run"});
  const bool nul = has_nul(spec.command) || has_nul(spec.folder) || has_nul(spec.group) ||
                   std::any_of(spec.arguments.begin(), spec.arguments.end(), has_nul) ||
                   std::any_of(spec.environment.begin(), spec.environment.end(), has_nul);
  if (nul) errors.push_back({{}, "the command, an argument or a name holds a NUL byte", "no program can receive one"});
  for (const std::string& variable : spec.environment) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos || equals == 0) {
      errors.push_back({{}, fmt::format("'{}' is not an environment variable", variable), "write NAME=value"});
    }
  }
  if (size_of(spec) > limits.argument_bytes) {
    errors.push_back({{},
                      fmt::format("command, arguments and environment take {} bytes; {} are allowed", size_of(spec),
                                  limits.argument_bytes),
                      "pass large data in a file"});
  }
}

void check_uses(const TaskSpec& spec, const TaskLimits& limits, Errors& errors) {
  if (spec.uses.size() > limits.uses) {
    errors.push_back({{}, fmt::format("{} resources; {} are allowed", spec.uses.size(), limits.uses), ""});
    return;
  }
  std::vector<int> ids;
  for (const ResourceUse& use : spec.uses) {
    ids.push_back(use.resource);
    if (use.amount < 1) {
      errors.push_back({{}, fmt::format("resource {}: an amount of {}", use.resource, use.amount), "use at least 1"});
    }
  }
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    errors.push_back({{}, fmt::format("resource {} is named twice", *twice), "name each resource once"});
  }
}

}  // namespace

std::string_view to_text(TaskState state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::string_view to_text(Use use) { return use == Use::kRead ? "read" : "write"; }

std::string to_text(const TaskSpec& spec) {
  std::string text = spec.command + " -A";
  for (const std::string& argument : spec.arguments) text += " " + argument;
  text += " -R";
  for (const ResourceUse& use : spec.uses) text += fmt::format(" {}", use.resource);
  return text + fmt::format(" -P {}", spec.priority);
}

Result<void> check(const TaskSpec& spec, const TaskLimits& limits) {
  Errors errors;
  check_texts(spec, limits, errors);
  check_uses(spec, limits, errors);
  if (spec.priority < 0 || spec.priority > kLowestPriority) {
    errors.push_back({{},
                      fmt::format("priority {} is out of range", spec.priority),
                      fmt::format("use 0 (highest) to {} (lowest)", kLowestPriority)});
  }
  if (spec.retries < 0 || spec.retries > 1000) {
    errors.push_back({{}, fmt::format("{} retries", spec.retries), "use 0 to 1000"});
  }
  if (spec.limits.nice < -20 || spec.limits.nice > 19) {
    errors.push_back({{}, fmt::format("a nice value of {}", spec.limits.nice), "use -20 to 19"});
  }
  for (const Duration span : {spec.timeout, spec.deadline, spec.duration, spec.retry_delay, spec.limits.cpu}) {
    if (span < Duration{}) errors.push_back({{}, "a negative time", "use a positive duration"});
  }
  if (spec.after.size() + spec.after_success.size() > limits.dependencies) {
    errors.push_back({{}, "too many dependencies", fmt::format("at most {} are allowed", limits.dependencies)});
  }
  return errors;
}

}  // namespace strata::coordinator
