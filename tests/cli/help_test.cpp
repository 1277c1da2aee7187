// What needs no scenario: help, version, mistakes on the command line, doctor.
#include <cstdlib>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace strata::cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const Words kVerbs = {"run",    "check", "test",     "replay", "sweep", "import",
                      "report", "list",  "describe", "new",    "bench", "doctor"};

TEST_F(CliTest, HelpNamesEveryVerb) {
  for (const Words& words : {Words{"--help"}, Words{"-h"}, Words{"help"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    for (const std::string& verb : kVerbs) EXPECT_THAT(outcome.out, HasSubstr("\n  " + verb + " "));
  }
}

TEST_F(CliTest, EveryVerbHasHelpWithAnExample) {
  for (const std::string& verb : kVerbs) {
    for (const Words& words : {Words{verb, "--help"}, Words{"help", verb}}) {
      const Outcome outcome = run(words);
      EXPECT_EQ(outcome.exit_code, 0) << verb;
      EXPECT_THAT(outcome.out, AllOf(HasSubstr("Usage: strata " + verb), HasSubstr("example:\n  strata " + verb)));
      EXPECT_EQ(outcome.err, "") << verb;
    }
  }
}

TEST_F(CliTest, Version) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("strata [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(CliTest, UnknownVerbIsSuggested) {
  const Outcome outcome = run({"rnu"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("unknown verb 'rnu'"), HasSubstr("strata run")));
}

TEST_F(CliTest, AllWrongOptionsAtOnce) {
  const Outcome outcome = run({"run", "nowhere.yaml", "--durtion", "--sede=1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("'--durtion'"), HasSubstr("'--duration'?"), HasSubstr("'--sede'"),
                                 HasSubstr("'--seed'?")));
}

TEST_F(CliTest, AllWrongValuesAtOnce) {
  const Outcome outcome = run({"run", "nowhere.yaml", "--duration", "5 kg", "--seed", "x", "--threads", "0",
                               "--real-time=-1", "--json=no/such/folder/a.json"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  for (const char* part : {"--duration", "--seed", "--threads", "--real-time", "no/such/folder", "nowhere.yaml"}) {
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
}

TEST_F(CliTest, MissingArgumentPointsToTheHelp) {
  const Outcome outcome = run({"run"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("SCENARIO"), HasSubstr("strata run --help")));
}

TEST_F(CliTest, ResultThatCannotBeWrittenIsAFailure) {
  write("full.sh", "exec \"$1\" list >/dev/full\n");
  const std::string command =
      "sh " + (folder() / "full.sh").string() + " " STRATA_PROGRAM " 2>" + (folder() / "err").string();
  EXPECT_NE(std::system(command.c_str()), 0);
  EXPECT_THAT(read("err"), HasSubstr("could not be written"));
}

TEST_F(CliTest, NoColoursOffATerminal) {
  EXPECT_THAT(run({"--help"}).out, Not(HasSubstr("\033")));
  EXPECT_THAT(run({"run", "nowhere"}).err, Not(HasSubstr("\033")));
}

TEST_F(CliTest, ColoursOnATerminalUnlessUnwanted) {
  const auto on_terminal = [&](const std::string& variables) {
    const std::string out = (folder() / "terminal").string();
    const std::string command =
        "TERM=xterm " + variables + " script -qec '" STRATA_PROGRAM " --help' " + out + " >/dev/null 2>&1";
    return std::system(command.c_str()) == 0 ? read("terminal") : std::string();
  };
  const std::string coloured = on_terminal("NO_COLOR=");
  if (coloured.empty()) GTEST_SKIP() << "there is no script(1) here";
  EXPECT_THAT(coloured, HasSubstr("\033[1m"));
  EXPECT_THAT(on_terminal("NO_COLOR=1"), Not(HasSubstr("\033[1m")));
}

TEST_F(CliTest, DoctorSaysWhatIsThere) {
  const Outcome text = run({"doctor"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("processor"), HasSubstr("syscall user dispatch"), HasSubstr("user namespaces"),
                              HasSubstr("run folder")));

  const Outcome outcome = run({"doctor", "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  const json result = json::parse(outcome.out);
  EXPECT_TRUE(result.at("ok").get<bool>());
  EXPECT_GT(result.at("findings").size(), 20U);
  for (const json& finding : result.at("findings")) {
    const std::string status = finding.at("status");
    EXPECT_TRUE(status == "ok" || status == "limited" || status == "missing") << status;
    // Whoever reads that something is amiss learns what to do.
    EXPECT_EQ(status == "ok", finding.at("fix") == "") << finding.dump();
    EXPECT_NE(finding.at("needed_by"), "");
  }
}

TEST_F(CliTest, DoctorFailsWhereNothingCanBeWritten) {
  // What is no folder cannot hold runs, not even for root.
  write("runs", "in the way");
  const Outcome outcome = run({"doctor", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_FALSE(json::parse(outcome.out).at("ok").get<bool>());
}

}  // namespace
}  // namespace strata::cli
