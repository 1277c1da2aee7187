#include <fmt/format.h>

#include "app/task/task_verbs.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"

namespace strata::app {

namespace {

constexpr Verb kTaskVerbs[] = {
    {"serve", "service", "Run the coordinator", &task_serve},
    {"keygen", "service", "Make keys for the network", &task_keygen},
    {"submit", "tasks", "Hand in one task: submit [options] -- COMMAND ARGS", &task_submit},
    {"load", "tasks", "Hand in the tasks of a file, XML or YAML", &task_load},
    {"wait", "tasks", "Wait until tasks have ended", &task_wait},
    {"kill", "tasks", "End a running task", &task_kill},
    {"discard", "tasks", "Take a waiting task, or those of a group, out of the queues", &task_discard},
    {"suspend", "tasks", "Stop a running task, or hold a waiting one", &task_suspend},
    {"resume", "tasks", "Let it go on", &task_resume},
    {"request", "tasks", "Ask for the next task, in manual mode", &task_request},
    {"queue", "views", "What waits, queue by queue", &task_queue},
    {"running", "views", "What runs, with its process", &task_running},
    {"resources", "views", "Who holds which resource", &task_resources},
    {"resource", "views", "Say that a resource has failed, or is back", &task_resource},
    {"tables", "views", "The three tables of the scoreboard", &task_tables},
    {"history", "views", "Every task there was", &task_history},
    {"stats", "views", "The statistics of the coordinator", &task_stats},
    {"log", "views", "What a task has written", &task_log},
    {"watch", "views", "A live view of all that", &task_watch},
    {"terminal", "views", "The original's menu", &task_terminal},
    {"report", "views", "Gantt charts, waiting times and use of resources as a page", &task_report},
};

int help() {
  fmt::print("Coordinates tasks that compete for resources: motors, sensors, software.\n\n");
  fmt::print("usage: strata task VERB [options]      strata task VERB --help tells more, with an example\n");
  std::string group;
  std::vector<std::vector<std::string>> rows;
  const auto flush = [&] {
    if (!rows.empty()) fmt::print("\n{}\n{}", toned(stdout, Tone::kBold, group), to_table(rows));
    rows.clear();
  };
  for (const Verb& verb : kTaskVerbs) {
    if (group != verb.group) flush();
    group = verb.group;
    rows.push_back({fmt::format("{:<10}", verb.name), verb.summary});
  }
  flush();
  fmt::print(
      "\nexample:\n  strata task serve --resources examples/coordinator/hoap3.xml &\n"
      "  strata task submit -R 0 1 -P 3 -- sleep 5\n  strata task load examples/coordinator/battery4.xml\n"
      "  strata task history\n");
  return ExitCode::kFine;
}

}  // namespace

int task_verb(const Arguments& arguments) {
  if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h") return help();
  const std::string& word = arguments.front();
  const Arguments rest(arguments.begin() + 1, arguments.end());
  std::vector<std::string> names;
  for (const Verb& verb : kTaskVerbs) {
    if (word == verb.name) return verb.run(rest);
    names.emplace_back(verb.name);
  }
  // Not for people: the coordinator starts it.
  if (word == "guardian") return task_guardian(rest);
  const std::string near = nearest(word, names);
  return wrong_input(fmt::format("unknown verb 'task {}'", word),
                     near.empty() ? "see `strata task --help`" : fmt::format("did you mean `strata task {}`?", near));
}

}  // namespace strata::app
