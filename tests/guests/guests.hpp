// Runs shell lines in a folder of their own per test, with `strata exec` at hand as $exec.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata::guests {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
  nlohmann::json result;  ///< what `strata exec` wrote to result.json
  [[nodiscard]] std::string all() const;
  /// What must be the same in every run.
  [[nodiscard]] std::string identity() const;
};

class Guests : public ::testing::Test {
 protected:
  Guests();
  /// In the line, $exec is `strata exec` with its result in result.json, $programs, $examples and $bin are folders.
  [[nodiscard]] Outcome shell(const std::string& line) const;
  /// Runs the line several times; every run must say the same.
  void expect_same(const std::string& line, int runs) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// Keeps all cores busy while it lives.
class Load {
 public:
  Load();
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::vector<int> children_;
};

[[nodiscard]] bool has_program(const std::string& path);
[[nodiscard]] bool has_python_module(const std::string& module);

}  // namespace strata::guests
