// Sweeps and imports as a user meets them.
#include <csignal>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class SweepCli : public CliTest {
 protected:
  SweepCli() { write("a.yaml", walkers(4, 2)); }
  [[nodiscard]] static Words sweep(const std::string& out, const std::string& jobs, const std::string& seeds) {
    return {"sweep", "a.yaml", "--vary", "robots.walker.count=2,3", "--seeds", seeds, "--jobs", jobs, "--out", out};
  }
};

TEST_F(SweepCli, TheSameForAnyNumberOfJobs) {
  const Outcome one = run(sweep("one", "1", "3"));
  EXPECT_EQ(one.exit_code, 0) << one.all();
  EXPECT_THAT(one.out, AllOf(HasSubstr("distance.mean"), HasSubstr("robots.walker.count=3"), HasSubstr("results")));
  EXPECT_EQ(run(sweep("four", "4", "3")).exit_code, 0);
  EXPECT_EQ(read("one/runs.csv"), read("four/runs.csv"));
  EXPECT_EQ(read("one/summary.json"), read("four/summary.json"));
  const json summary = json::parse(read("one/summary.json"));
  EXPECT_EQ(summary.at("variants").size(), 2U);
  EXPECT_EQ(summary["variants"][0].at("runs"), 3);
  EXPECT_FALSE(summary.at("comparisons").empty());
}

TEST_F(SweepCli, GoesOnWhereItWas) {
  ASSERT_EQ(run(sweep("s", "2", "2")).exit_code, 0);
  const std::string before = read("s/done.jsonl");
  // As if it had been cut off while writing the last line.
  write("s/done.jsonl", before.substr(0, before.size() - 10));
  const Outcome outcome = run(sweep("s", "2", "3"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_THAT(outcome.err, HasSubstr("3 of 6 runs are done already"));
  ASSERT_EQ(run(sweep("fresh", "2", "3")).exit_code, 0);
  EXPECT_EQ(read("s/runs.csv"), read("fresh/runs.csv"));
}

TEST_F(SweepCli, AnInterruptKeepsWhatIsDone) {
  write("a.yaml", walkers(300, 20));
  Running running(sweep("s", "1", "200"), here());
  ASSERT_TRUE(eventually([&] { return fs::exists(folder() / "s/done.jsonl") && !read("s/done.jsonl").empty(); }));
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.all();
  EXPECT_THAT(outcome.err, HasSubstr("the same command goes on from here"));
}

TEST_F(SweepCli, AFolderBelongsToOneSweep) {
  ASSERT_EQ(run(sweep("s", "2", "1")).exit_code, 0);
  write("a.yaml", walkers(4, 3));
  const Outcome outcome = run(sweep("s", "2", "1"));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("another sweep"));
  write("full/notes.txt", "mine");
  EXPECT_EQ(run(sweep("full", "2", "1")).exit_code, 2);
}

TEST_F(SweepCli, AllMistakesBeforeTheFirstRun) {
  const Outcome words = run({"sweep", "nowhere.yaml", "--vary", "a", "--seeds", "0", "--jobs", "x"});
  EXPECT_EQ(words.exit_code, 2);
  EXPECT_THAT(words.err,
              AllOf(HasSubstr("--vary a"), HasSubstr("--seeds"), HasSubstr("--jobs"), HasSubstr("no such scenario")));
  const Outcome paths = run({"sweep", "a.yaml", "--vary", "robots.walker.cuont=1,2", "--out", "s"});
  EXPECT_EQ(paths.exit_code, 2);
  EXPECT_THAT(paths.err, HasSubstr("cuont"));
  EXPECT_FALSE(fs::exists(folder() / "s"));
}

TEST_F(SweepCli, RunsThatFailAreNamed) {
  // Two variants fit into the area, one does not.
  write("b.yaml", "strata: 1\nduration: 1 s\nrobots: {a: {count: 1, place: {random: {area: [[0, 0], [1, 1]]}}}}\n");
  const Outcome outcome = run({"sweep", "b.yaml", "--vary", "robots.a.count=1,2,5000", "--seeds", "2", "--out", "s"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.all();
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("robots.a.count=5000"), HasSubstr("ended with code 2")));
}

constexpr const char* kDrawing =
    "<mxGraphModel pageWidth=\"100\" pageHeight=\"100\"><root><mxCell id=\"0\"/><mxCell id=\"1\" parent=\"0\"/>"
    "<mxCell id=\"2\" style=\"ellipse\" vertex=\"1\" parent=\"1\">"
    "<mxGeometry x=\"10\" y=\"10\" width=\"20\" height=\"20\" as=\"geometry\"/></mxCell>"
    "<object label=\"\" type=\"robot\" name=\"r\" extra=\"1\" id=\"3\"><mxCell style=\"ellipse\" vertex=\"1\" "
    "parent=\"1\">"
    "<mxGeometry x=\"60\" y=\"60\" width=\"20\" height=\"20\" "
    "as=\"geometry\"/></mxCell></object></root></mxGraphModel>";

TEST_F(SweepCli, ImportWritesAScenarioThatRunsTheSame) {
  write("m.drawio", kDrawing);
  const Outcome outcome = run({"import", "m.drawio", "--scale", "0.1 m", "--out", "m.yaml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("cell 3"), HasSubstr("'extra'")));
  write("n.yaml", "strata: 1\nname: m\nmap: {file: m.drawio, scale: 0.1 m}\n");
  ASSERT_EQ(run({"run", "m.yaml", "--quiet", "--no-record", "--json=a.json"}).exit_code, 0);
  ASSERT_EQ(run({"run", "n.yaml", "--quiet", "--no-record", "--json=b.json"}).exit_code, 0);
  EXPECT_EQ(json::parse(read("a.json")).at("hash"), json::parse(read("b.json")).at("hash"));
}

TEST_F(SweepCli, ImportMistakes) {
  write("m.drawio", kDrawing);
  EXPECT_EQ(run({"import", "m.drawio", "--scale", "5"}).exit_code, 2);
  EXPECT_EQ(run({"import", "nowhere.drawio"}).exit_code, 2);
  EXPECT_EQ(run({"import", "m.drawio", "--out", "no/such/folder.yaml"}).exit_code, 1);
  write("c.json", "{\"a\": 1}");
  EXPECT_EQ(run({"import", "c.json"}).exit_code, 2);
}

}  // namespace
}  // namespace strata::cli
