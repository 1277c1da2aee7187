#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/interrupt.hpp"
#include "app/task/connection.hpp"
#include "app/task/task_text.hpp"
#include "app/task/task_verbs.hpp"
#include "app/terminal.hpp"

namespace strata::app {

namespace {

using coordinator::Code;
using Json = nlohmann::ordered_json;

constexpr int kRefresh_ms = 500;

// Keys one by one and a second screen, until it goes.
class FullScreen {
 public:
  FullScreen() {
    ::tcgetattr(STDIN_FILENO, &before_);
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    fmt::print("\x1b[?1049h\x1b[?25l");
  }
  ~FullScreen() {
    fmt::print("\x1b[?25h\x1b[?1049l");
    std::fflush(stdout);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

 private:
  termios before_{};
};

Result<std::string> screen(coordinator::Client& client) {
  std::string text;
  for (const auto& [what, to_text] : {std::pair{"resources", &resources_text},
                                      {"running", &running_text},
                                      {"queue", &queue_text},
                                      {"stats", &stats_text}}) {
    const auto answer = client.query(Json{{"what", what}}.dump());
    if (!answer.ok()) return answer.errors();
    text += toned(stdout, Tone::kBold, what) + "\n" + to_text(*answer) + "\n";
  }
  return text;
}

// What a key means, applied to the number typed before it.
std::string press(char key, std::string& number, coordinator::Client& client) {
  if (key >= '0' && key <= '9') {
    number += key;
    return "task " + number;
  }
  const std::string typed = std::exchange(number, "");
  if (key == 'r') {
    const auto answer = client.ask(Code::kRequest);
    return answer.ok() ? to_text(answer->code) : answer.errors().front().problem;
  }
  const Code code = key == 'k'   ? Code::kTerminate
                    : key == 'd' ? Code::kDiscard
                    : key == 's' ? Code::kSuspend
                    : key == 'c' ? Code::kResume
                                 : Code::kExit;
  if (code == Code::kExit) return "";
  const auto id = read_task_id(typed);
  if (!id.ok()) return "type the number of a task first, then the key";
  const auto answer = client.ask(code, *id);
  return answer.ok() ? fmt::format("task {}: {}", *id, to_text(answer->code)) : answer.errors().front().problem;
}

}  // namespace

int task_watch(const Arguments& arguments) {
  CLI::App app("A live view of resources, running tasks, queues and statistics.", "strata task watch");
  bool once = false;
  TaskConnection connection;
  app.add_flag("--once", once, "Show it once, without taking the screen");
  connection.add_to(app);
  app.footer(
      "keys:\n  q quit, r request a task; after typing a task's number: k kill, d discard, s suspend, c continue");
  if (const auto done = parse(app, arguments)) return *done;
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  if (once || !is_terminal(stdout) || !is_terminal(stdin)) {
    const auto text = screen(**client);
    if (!text.ok()) return wrong_input(text.errors());
    fmt::print("{}", *text);
    return ExitCode::kFine;
  }
  const InterruptGuard guard;
  Errors errors;
  {
    const FullScreen full;
    std::string number;
    std::string said;
    while (!guard.interrupted() && errors.empty()) {
      const auto text = screen(**client);
      if (!collect(text, errors)) break;
      fmt::print("\x1b[H\x1b[2J{}\n{}  [q]uit [r]equest, NUMBER then [k]ill [d]iscard [s]uspend [c]ontinue\n", *text,
                 said);
      std::fflush(stdout);
      pollfd keys{STDIN_FILENO, POLLIN, 0};
      char key = 0;
      if (::poll(&keys, 1, kRefresh_ms) <= 0 || ::read(STDIN_FILENO, &key, 1) != 1) continue;
      if (key == 'q') return ExitCode::kFine;
      said = press(key, number, **client);
    }
  }
  return errors.empty() ? ExitCode::kInterrupted : wrong_input(errors);
}

}  // namespace strata::app
