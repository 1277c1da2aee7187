#include "scenario_files.hpp"

#include <fstream>

#include <fmt/format.h>

namespace strata {

TestFiles::TestFiles() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  folder_ =
      std::filesystem::path(STRATA_TEST_TMP) / "scenario" / fmt::format("{}.{}", info->test_suite_name(), info->name());
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
}

std::string TestFiles::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = folder_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

Result<Scenario> ScenarioTest::load(const std::string& text, const LoadOptions& options) {
  return load_scenario(files_.write("scenario.yaml", text), options, registry_);
}

Errors ScenarioTest::errors_of(const std::string& text, const LoadOptions& options) {
  const Result<Scenario> scenario = load(text, options);
  if (!scenario.ok()) return scenario.errors();
  const auto built = build(*scenario, registry_);
  return built.ok() ? Errors{} : built.errors();
}

Result<RunOutcome> ScenarioTest::run_text(const std::string& text, int threads) {
  const Result<Scenario> scenario = load(text);
  if (!scenario.ok()) return scenario.errors();
  RunOptions options;
  options.threads = threads;
  options.write_folder = false;
  return run(*scenario, options, registry_);
}

std::string brief(const Errors& errors) {
  std::string out;
  for (const Error& error : errors)
    out += fmt::format("{}{}: {} | {}", out.empty() ? "" : "\n", error.where.line, error.problem, error.remedy);
  return out;
}

}  // namespace strata
