// The original's terminal: a menu with numbers. Its choices are the codes 100 to 120 of the protocol.
#include <iostream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/arguments.hpp"
#include "app/task/connection.hpp"
#include "app/task/task_verbs.hpp"

namespace strata::app {

namespace {

using coordinator::Code;

constexpr const char* kMenu =
    "\n1. New task\n2. Load a list of tasks\n3. Remove a running task\n4. Show the history of tasks\n"
    "5. Show the running tasks\n6. Request a task\n0. Quit\nChoose: ";

// A line from the user; nothing at the end of the input.
std::optional<std::string> line_for(const char* question) {
  fmt::print("{}", question);
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

Arguments words_of(const std::string& line) {
  std::istringstream in(line);
  Arguments words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::optional<Code> code_of(const std::string& choice) {
  constexpr std::pair<const char*, Code> kChoices[] = {{"1", Code::kInputNewTask},
                                                       {"2", Code::kInputLoadTasks},
                                                       {"3", Code::kInputFinish},
                                                       {"4", Code::kInputShowTasks},
                                                       {"5", Code::kInputShowRunning},
                                                       {"6", Code::kInputRequest},
                                                       {"0", Code::kExit}};
  for (const auto& [number, code] : kChoices) {
    if (choice == number) return code;
  }
  return std::nullopt;
}

// Asks for what the choice needs and does it; errors are shown by the verb, and the menu comes again.
void carry_out(Code code, const Arguments& where) {
  Arguments arguments = where;
  const auto with = [&arguments](const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  switch (code) {
    case Code::kInputNewTask: {
      const auto resources = line_for("Resources (such as 0 1 2): ");
      const auto priority = line_for("Priority (0 to 99): ");
      const auto command = line_for("Command: ");
      if (!resources || !priority || !command) return;
      for (const std::string& id : words_of(*resources)) with({"-R", id});
      if (!priority->empty()) with({"-P", *priority});
      with({"--"});
      static_cast<void>(task_submit(with(words_of(*command))));
      return;
    }
    case Code::kInputLoadTasks:
      if (const auto file = line_for("File: ")) static_cast<void>(task_load(with({*file})));
      return;
    case Code::kInputFinish:
      if (const auto id = line_for("Task: ")) static_cast<void>(task_kill(with({*id})));
      return;
    case Code::kInputShowTasks:
      static_cast<void>(task_history(arguments));
      return;
    case Code::kInputShowRunning:
      static_cast<void>(task_running(arguments));
      return;
    case Code::kInputRequest:
      static_cast<void>(task_request(arguments));
      return;
    default:
      return;
  }
}

}  // namespace

int task_terminal(const Arguments& arguments) {
  CLI::App app("Offers the original's menu: type a number, then what it asks for.", "strata task terminal");
  TaskConnection connection;
  connection.add_to(app);
  app.footer("example:\n  strata task terminal");
  if (const auto done = parse(app, arguments)) return *done;
  while (const auto choice = line_for(kMenu)) {
    const auto code = code_of(*choice);
    if (code == Code::kExit) return ExitCode::kFine;
    if (code) {
      carry_out(*code, arguments);
    } else {
      fmt::print("'{}' is not in the menu: type a number from 0 to 6\n", *choice);
    }
  }
  return ExitCode::kFine;
}

}  // namespace strata::app
