// The command line of `strata exec`: exit codes, results, wrong input, and that nothing is ever left behind.
#include <gmock/gmock.h>

#include "guests.hpp"

namespace strata::guests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Guests, SleepingTakesNoTime) {
  const Outcome outcome = shell("$exec -- sleep 100000");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_NEAR(outcome.result["virtual_s"].get<double>(), 100000, 0.01);
  EXPECT_THAT(outcome.err, HasSubstr("synchronisation points, hash "));
}

TEST_F(Guests, ResultHoldsWhatWasPromised) {
  const Outcome outcome = shell("$exec -- sh -c 'sleep 1; exit 3' --- true");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.all();
  for (const char* member : {"virtual_s", "wall_s", "factor", "sync_points", "hash", "fidelity", "programs"})
    EXPECT_TRUE(outcome.result.contains(member)) << member;
  EXPECT_EQ(outcome.result["programs"][0]["exit_code"], 3);
  EXPECT_EQ(outcome.result["programs"][1]["exit_code"], 0);
  EXPECT_EQ(outcome.result["hash"].get<std::string>().size(), 16U);
}

TEST_F(Guests, FirstFailureInTheOrderGivenCounts) {
  EXPECT_EQ(shell("$exec -- sh -c 'sleep 2; exit 4' --- sh -c 'exit 5'").exit_code, 4);
  EXPECT_EQ(shell("$exec -- sh -c 'kill -KILL $$'").exit_code, 137);
  EXPECT_EQ(shell("$exec -- sh -c 'kill -SEGV $$'").exit_code, 139);
}

TEST_F(Guests, DurationEndsProgramsWithoutBlame) {
  const Outcome outcome =
      shell("$exec --duration 10s -- sleep 1000 --- sh -c 'trap \"\" TERM; while :; do sleep 1; done'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_NEAR(outcome.result["virtual_s"].get<double>(), 12, 0.01);
}

TEST_F(Guests, WaitingForEverIsNoticed) {
  const Outcome outcome = shell("$exec -- $python -c 'import threading; threading.Event().wait()'");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("wait for ever"));
}

TEST_F(Guests, WrongInputIsToldAllAtOnce) {
  const Outcome outcome =
      shell("$exec --latency 3 --loss 200% --rate fast --duration x --time-function y --network z -- true");
  EXPECT_EQ(outcome.exit_code, 2);
  for (const char* option : {"--latency", "--loss", "--rate", "--duration", "time function", "--network"})
    EXPECT_THAT(outcome.err, HasSubstr(option));
  const Outcome missing = shell("$exec -- ./nothing --- no-such-program");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("./nothing"));
  EXPECT_THAT(missing.err, HasSubstr("no-such-program"));
  EXPECT_EQ(shell("$exec").exit_code, 2);
  EXPECT_EQ(shell("$exec -- true ---").exit_code, 2);
  EXPECT_EQ(shell("$exec -- --host a true --- --host b true").exit_code, 2);
}

TEST_F(Guests, StaticProgramsAreRefused) {
  const Outcome outcome = shell("printf 'int main(void){return 0;}' >a.c && cc -static a.c -o a && $exec -- ./a");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
  EXPECT_THAT(outcome.err, HasSubstr("linked statically"));
  EXPECT_THAT(shell("$exec -- sh -c './a; true'").err, HasSubstr("linked statically"));
}

TEST_F(Guests, FilesSayWhatTheCommandLineSays) {
  const Outcome outcome = shell(
      "cat >p.yaml <<'END'\nduration: 5 s\nlatency: 1 ms\nprograms:\n"
      "  - run: [sh, -c, 'sleep 1; echo $WHO at $(hostname)']\n    host: robot1\n    environment: {WHO: first}\n"
      "  - run: [sleep, '100']\n    host: robot2\nEND\n$exec --file p.yaml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_THAT(outcome.out, HasSubstr("first at robot1"));
  const Outcome wrong = shell("printf 'programs: [{run: 3, hots: a}]\\nlatency: 5 m\\n' >p.yaml; $exec --file p.yaml");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("p.yaml:"));
}

TEST_F(Guests, NothingIsLeftBehind) {
  // Killed outright, in the middle of a run with children and daemons; what would be left carries a mark.
  const Outcome outcome = shell(
      "$exec --real-time -- sh -c 'sleep 4711 & setsid sleep 4712 & sleep 4713' & strata=$!\n"
      "for i in $(seq 100); do pgrep -f 'sleep 471[3]' >/dev/null && break; sleep 0.1; done\n"
      "pgrep -f 'sleep 471[123]' | wc -l; kill -KILL $strata; wait $strata 2>/dev/null\n"
      "for i in $(seq 100); do pgrep -f 'sleep 471[123]' >/dev/null || break; sleep 0.1; done\n"
      "pgrep -f 'sleep 471[123]' | wc -l");
  EXPECT_THAT(outcome.out, ::testing::EndsWith("\n0\n")) << outcome.all();
  EXPECT_THAT(outcome.out, Not(::testing::StartsWith("0"))) << outcome.all();
}

TEST_F(Guests, InterruptEndsAll) {
  const Outcome outcome = shell(
      "$exec --real-time -- sleep 4721 & strata=$!\n"
      "for i in $(seq 100); do pgrep -fx 'sleep 4721' >/dev/null && break; sleep 0.1; done\n"
      "kill -INT $strata; wait $strata; echo $?; pgrep -fx 'sleep 4721' | wc -l");
  EXPECT_EQ(outcome.out, "130\n0\n") << outcome.all();
}

TEST_F(Guests, RealTimeKeepsPace) {
  const Outcome outcome = shell("$exec --real-time=10 -- sleep 5");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_GE(outcome.result["wall_s"].get<double>(), 0.5);
}

TEST_F(Guests, TimeFunctionsCharge) {
  const std::string line =
      "-- $python -c 'import time\nfor i in range(100): time.sleep(0.001)\nprint(time.monotonic())'";
  const Outcome none = shell("$exec " + line);
  const Outcome constant = shell("$exec --time-function const:2ms " + line);
  EXPECT_NEAR(constant.result["virtual_s"].get<double>() - none.result["virtual_s"].get<double>(), 0.2, 0.01);
  const Outcome cpu = shell("$exec --time-function cpu:2 " + line);
  EXPECT_GT(cpu.result["virtual_s"].get<double>(), none.result["virtual_s"].get<double>());
  EXPECT_TRUE(cpu.result["fidelity"].contains("measured"));
}

TEST_F(Guests, OutputCanCarryProgramAndTime) {
  const Outcome outcome = shell("$exec --prefix -- sh -c 'echo a; sleep 1.5; echo b'");
  EXPECT_EQ(outcome.out, "[sh 0.000000] a\n[sh 1.500050] b\n");
}

TEST_F(Guests, TraceIsReadable) {
  const Outcome outcome = shell(
      "$exec --trace t.json -- $bin/guest_periodic 1 && $python -c '\nimport json\n"
      "events = json.load(open(\"t.json\"))[\"traceEvents\"]\n"
      "print(len({e[\"tid\"] for e in events if e[\"ph\"] == \"X\"}) >= 5)'");
  EXPECT_THAT(outcome.out, HasSubstr("True")) << outcome.all();
}

TEST_F(Guests, RealNetworkIsOutOfReach) {
  const Outcome outcome = shell(
      "$exec -- $python -c 'import socket\ntry: socket.create_connection((\"192.0.2.1\", 80), 1)\n"
      "except OSError as e: print(e.errno)'");
  EXPECT_EQ(outcome.out, "101\n") << outcome.all();
}

}  // namespace
}  // namespace strata::guests
