#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "annotate/targets.hpp"
#include "app/child.hpp"
#include "app/doctor/checkup.hpp"
#include "app/perf/perf.hpp"

namespace strata::app {

namespace fs = std::filesystem;

namespace {

// Runs the program with our stdin and stderr; its exit code, 128 + signal if it was killed.
Result<int> run(const PerfRequest& request, const std::string& program) {
  std::vector<char*> words;
  for (const std::string& word : request.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (request.own_stdout) posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int problem = ::posix_spawn(&child, program.c_str(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) {
    return Error{{program, 0, 0, ""}, "cannot be started", "name a program that strata-cc or strata-c++ has linked"};
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<PerfRun> run_once(const PerfRequest& request, const std::string& program, const std::string& target) {
  const ScratchFolder folder;
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread
  ::setenv("STRATA_PERF", (folder.path().string() + "/").c_str(), 1);
  if (!target.empty()) ::setenv("STRATA_PERF_TARGET", target.c_str(), 1);
  const auto code = run(request, program);
  ::unsetenv("STRATA_PERF");
  ::unsetenv("STRATA_PERF_TARGET");
  // NOLINTEND(concurrency-mt-unsafe)
  if (!code.ok()) return code.errors();
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::path& file : found) files.emplace_back(file.string(), text_of(file));
  if (files.empty()) {
    const std::string problem = *code >= 128 ? fmt::format("ended by signal {} before it could tell", *code - 128)
                                             : std::string("is not an annotated program");
    return Error{{program, 0, 0, ""}, problem, "compile and link it with strata-cc or strata-c++"};
  }
  auto estimate = annotate::read_estimate(files);
  if (!estimate.ok()) return estimate.errors();
  return PerfRun{std::move(*estimate), {}, *code};
}

// Targets to run for, each once, in the order in which they are first needed.
std::vector<std::string> wanted_targets(const PerfRequest& request) {
  if (!request.target.empty() || request.boards.empty()) return {request.target};
  std::vector<std::string> out;
  for (const board::Board& board : request.boards) {
    for (const board::Processor& processor : board.processors) {
      if (std::find(out.begin(), out.end(), processor.core) == out.end()) out.push_back(processor.core);
    }
  }
  return out;
}

}  // namespace

Result<std::vector<PerfRun>> run_for_boards(const PerfRequest& request) {
  const std::string& name = request.command.front();
  const fs::path program = name.find('/') == std::string::npos ? find_program(name) : fs::path(name);
  if (program.empty() || ::access(program.c_str(), X_OK) != 0) {
    return Error{{name, 0, 0, ""}, "there is no such program", "name it by its path, as in ./program"};
  }
  std::vector<PerfRun> runs;
  std::vector<std::string> missing;
  for (const std::string& target : wanted_targets(request)) {
    // What is not carried is known after the first run.
    const bool known_missing =
        !runs.empty() && std::find(runs.front().estimate.carried.begin(), runs.front().estimate.carried.end(),
                                   target) == runs.front().estimate.carried.end();
    if (known_missing) {
      missing.push_back(target);
      continue;
    }
    auto done = run_once(request, program.string(), target);
    if (!done.ok()) return done.errors();
    if (!target.empty() && done->estimate.target != target) missing.push_back(target);
    const bool again = std::any_of(runs.begin(), runs.end(),
                                   [&](const PerfRun& run) { return run.estimate.target == done->estimate.target; });
    if (again) continue;
    for (const board::Board& board : request.boards) {
      for (auto& on : annotate::on_board(done->estimate, board)) done->boards.push_back(std::move(on));
    }
    runs.push_back(std::move(*done));
  }
  // Every board needs one of its processors; a big.LITTLE board may do with one of the two.
  Errors errors;
  for (const board::Board& board : request.boards) {
    const bool shown = std::any_of(runs.begin(), runs.end(), [&](const PerfRun& run) {
      return std::any_of(run.boards.begin(), run.boards.end(), [&](const auto& on) { return on.board == board.name; });
    });
    if (shown) continue;
    const std::string core = board.processors.front().core;
    errors.push_back(Error{
        {},
        fmt::format("board '{}' has a {}, and the program is annotated for {}", board.name, core,
                    fmt::join(runs.front().estimate.carried, ", ")),
        fmt::format("compile it with -fstrata-target={},{}", fmt::join(runs.front().estimate.carried, ","), core)});
  }
  if (request.boards.empty() && !missing.empty()) {
    errors.push_back(Error{{},
                           fmt::format("the program is annotated for {}, not for {}",
                                       fmt::join(runs.front().estimate.carried, ", "), missing.front()),
                           fmt::format("compile it with -fstrata-target={}", missing.front())});
  }
  if (!errors.empty()) return errors;
  return runs;
}

}  // namespace strata::app
