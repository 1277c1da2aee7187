// Helps the tests: files in a folder of their own, a registry with everything, scenarios from text.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "scenario/run.hpp"

namespace strata {

/// A folder for one test, emptied at its start.
class TestFiles {
 public:
  TestFiles();
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

class ScenarioTest : public ::testing::Test {
 protected:
  ScenarioTest() { register_all_kinds(registry_); }

  /// Writes scenario.yaml and loads it.
  Result<Scenario> load(const std::string& text, const LoadOptions& options = {});
  /// The errors of loading, or of building what loads; empty if all is well.
  Errors errors_of(const std::string& text, const LoadOptions& options = {});
  /// Loads, runs without a run folder.
  Result<RunOutcome> run_text(const std::string& text, int threads = 1);

  TestFiles files_;
  Registry registry_;
};

/// "line: problem | remedy" of each error, one per line.
[[nodiscard]] std::string brief(const Errors& errors);

}  // namespace strata
