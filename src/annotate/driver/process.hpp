// Programs run one after the other, as a compiler driver does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::annotate {

/// Runs a program with our own stdin, stdout and stderr. Returns its exit code, 128 + signal if it was killed, 127 if
/// it could not be started.
[[nodiscard]] int run_program(const std::vector<std::string>& command);

/// The same with stdout going to a file, which is made or emptied.
[[nodiscard]] int run_program_into(const std::vector<std::string>& command, const std::filesystem::path& output);

/// A folder for temporary files, removed with all it holds.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace strata::annotate
