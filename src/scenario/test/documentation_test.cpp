// Every complete scenario in the documentation is valid, and does what it says.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "scenario_files.hpp"

namespace strata {
namespace {

using Documentation = ScenarioTest;

/// Fenced blocks of YAML that begin with "strata: 1", each with the line it begins in.
std::vector<std::pair<int, std::string>> scenarios_in(const std::filesystem::path& page) {
  std::vector<std::pair<int, std::string>> out;
  std::ifstream stream(page);
  std::string line;
  bool inside = false;
  bool keep = false;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (!inside && line == "```yaml") {
      inside = true;
      keep = std::getline(stream, line) && line.starts_with("strata: 1");
      ++number;
      if (keep) out.emplace_back(number, line + "\n");
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside && keep) {
      out.back().second += line + "\n";
    }
  }
  return out;
}

TEST_F(Documentation, ScenariosRunAndComeTrue) {
  std::size_t found = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(STRATA_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() != ".md") continue;
    for (const auto& [line, text] : scenarios_in(entry.path())) {
      ++found;
      SCOPED_TRACE(entry.path().filename().string() + ":" + std::to_string(line));
      // Plugins have to be built first: another test does that.
      if (text.find("\nplugins:") != std::string::npos) continue;
      const Result<RunOutcome> outcome = run_text(text);
      EXPECT_TRUE(outcome.ok()) << to_text(outcome.errors());
      if (outcome.ok()) {
        EXPECT_TRUE(outcome->passed()) << to_json(*outcome);
      }
    }
  }
  EXPECT_GE(found, 6U);
}

// The page that describes the language mentions every key of it.
TEST_F(Documentation, NamesEveryKey) {
  std::ifstream stream(std::filesystem::path(STRATA_SOURCE_DIR) / "docs" / "scenario-language.md");
  std::stringstream page;
  page << stream.rdbuf();
  for (const char* category : {"section", "placement", "shape"}) {
    for (const KindInfo* kind : registry_.all().find(category)->second->infos()) {
      for (const Param& param : kind->params) {
        EXPECT_NE(page.str().find(param.name), std::string::npos)
            << category << " " << kind->name << ": " << param.name;
      }
    }
  }
}

}  // namespace
}  // namespace strata
