#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

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

Result<PerfRun> run_once(const PerfRequest& request, const std::string& program) {
  const ScratchFolder folder;
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread
  ::setenv("STRATA_PERF", (folder.path().string() + "/").c_str(), 1);
  const auto code = run(request, program);
  ::unsetenv("STRATA_PERF");
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

// The program for a target: itself, or its twin beside it, as strata-cc -fstrata-target=A,B has linked them.
fs::path twin_for(const fs::path& program, const std::string& target) {
  const fs::path twin = program.string() + "." + target;
  return !target.empty() && ::access(twin.c_str(), X_OK) == 0 ? twin : program;
}

bool is_shown(const std::vector<PerfRun>& runs, const board::Board& board) {
  return std::any_of(runs.begin(), runs.end(), [&](const PerfRun& run) {
    return std::any_of(run.boards.begin(), run.boards.end(), [&](const auto& on) { return on.board == board.name; });
  });
}

}  // namespace

Result<std::vector<PerfRun>> run_for_boards(const PerfRequest& request) {
  const std::string& name = request.command.front();
  const fs::path program = name.find('/') == std::string::npos ? find_program(name) : fs::path(name);
  if (program.empty() || ::access(program.c_str(), X_OK) != 0) {
    return Error{{name, 0, 0, ""}, "there is no such program", "name it by its path, as in ./program"};
  }
  std::vector<PerfRun> runs;
  std::set<fs::path> done;
  for (const std::string& target : wanted_targets(request)) {
    const fs::path twin = twin_for(program, target);
    if (!done.insert(twin).second) continue;
    auto run = run_once(request, twin.string());
    if (!run.ok()) return run.errors();
    for (const board::Board& board : request.boards) {
      for (auto& on : annotate::on_board(run->estimate, board)) run->boards.push_back(std::move(on));
    }
    // The program itself ran in place of a twin that is not there: of use only if a board has its processor.
    if (!request.boards.empty() && run->boards.empty() && !runs.empty()) continue;
    runs.push_back(std::move(*run));
  }
  Errors errors;
  const std::string& own = runs.front().estimate.target;
  for (const board::Board& board : request.boards) {
    if (is_shown(runs, board)) continue;
    const std::string& core = board.processors.front().core;
    errors.push_back(
        Error{{},
              fmt::format("board '{}' has a {}, and the program is annotated for {}", board.name, core, own),
              fmt::format("compile and link it with -fstrata-target={},{}", own, core)});
  }
  if (!request.target.empty() && own != request.target) {
    errors.push_back(Error{{},
                           fmt::format("the program is annotated for {}, not for {}", own, request.target),
                           fmt::format("compile and link it with -fstrata-target={}", request.target)});
  }
  if (!errors.empty()) return errors;
  return runs;
}

}  // namespace strata::app
