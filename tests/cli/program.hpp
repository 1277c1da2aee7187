// Runs the built `strata` like a shell would, in a folder of its own per test, and keeps what it said.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include <gtest/gtest.h>

namespace strata::cli {

using Words = std::vector<std::string>;

/// How the program is started.
struct Setting {
  std::filesystem::path folder;          ///< working folder
  std::vector<std::string> environment;  ///< "NAME=value" in addition to ours
  long file_limit_bytes = -1;            ///< largest file it may write; -1: any
};

struct Outcome {
  int exit_code = -1;  ///< 128 + signal if it was killed
  std::string out;
  std::string err;
  double cpu_s = 0;
  [[nodiscard]] std::string all() const {
    return "exit code " + std::to_string(exit_code) + "\n--- stdout\n" + out + "\n--- stderr\n" + err;
  }
};

/// The program while it runs.
class Running {
 public:
  Running(const Words& words, const Setting& setting);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  void signal(int number) const;
  [[nodiscard]] Outcome wait();

 private:
  pid_t pid_ = 0;
  std::filesystem::path out_;
  std::filesystem::path err_;
};

/// Gives each test an empty folder.
class CliTest : public ::testing::Test {
 protected:
  CliTest();
  [[nodiscard]] Outcome run(const Words& words) const;
  [[nodiscard]] Outcome run(const Words& words, Setting setting) const;
  [[nodiscard]] Setting here() const { return {folder_, {}, -1}; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Writes a file below the folder; returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

[[nodiscard]] std::string text_of(const std::filesystem::path& file);
/// Waits up to a minute of wall time for `condition`.
[[nodiscard]] bool eventually(const std::function<bool()>& condition);
/// The first piece of `text` that is no well-formed XML element; "" if all is well. Knows what JUnit files use.
[[nodiscard]] std::string xml_problem(const std::string& text);

/// A small scenario: `robots` random walkers on a grid for `seconds` of virtual time.
[[nodiscard]] std::string walkers(int robots, double seconds, const std::string& more = "");

}  // namespace strata::cli
