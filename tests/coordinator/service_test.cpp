#include <csignal>
#include <fstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#include <gmock/gmock.h>

#include "harness.hpp"

namespace strata::coordinator {
namespace {

using ::testing::HasSubstr;

std::string problem(const Result<TaskId>& result) { return result.ok() ? "" : to_text(result.errors()); }

TEST_F(ServiceTest, RunsTasksAndKeepsWhatTheySaid) {
  serve();
  const TaskId id = submit(command({"sh", "-c", "echo out; echo err >&2; exit 3"}, {0}));
  wait_for_end(id);
  EXPECT_EQ(state(id), "failed");
  EXPECT_EQ(task(id).at("exit"), 3);
  const auto peer = client();
  EXPECT_EQ(peer->query(R"({"what": "log", "id": 0})").value(), "out\n");
  EXPECT_EQ(peer->query(R"({"what": "log", "id": 0, "stream": "err"})").value(), "err\n");
}

TEST_F(ServiceTest, PassesArgumentsUntouched) {
  serve();
  const Words words = {"printf", "%s|", "a b", "\"q\" 'r'", "new\nline", "$HOME", "", "*"};
  wait_for_end(submit(command(words)));
  EXPECT_EQ(client()->query(R"({"what": "log", "id": 0})").value(), "a b|\"q\" 'r'|new\nline|$HOME||*|");
}

TEST_F(ServiceTest, BoundsTheOutput) {
  serve({"--log-limit", "1000"});
  wait_for_end(submit(command({"sh", "-c", "yes | head -c 3000000"})));
  const std::string log = client()->query(R"({"what": "log", "id": 0})").value();
  EXPECT_LT(log.size(), 1100U);
  EXPECT_THAT(log, HasSubstr("2999000 further bytes were dropped"));
  EXPECT_EQ(state(0), "done");
}

TEST_F(ServiceTest, ReportsCommandsThatCannotRun) {
  serve();
  submit(command({"no-such-program"}));
  submit(command({"/etc/passwd"}));
  for (const TaskId id : {0U, 1U}) {
    wait_for_end(id);
    EXPECT_EQ(state(id), "failed");
    EXPECT_THAT(task(id).at("reason").get<std::string>(), HasSubstr("cannot start"));
  }
}

TEST_F(ServiceTest, KillsWhatDoesNotWantToEnd) {
  serve({"--grace", "100ms"});
  const TaskId id = submit(command({"sh", "-c", "trap '' TERM; sleep 60 & wait; sleep 60"}, {0}));
  ASSERT_TRUE(eventually([&] { return state(id) == "running"; }));
  ASSERT_TRUE(client()->ask(Code::kTerminate, id).ok());
  wait_for_end(id);
  EXPECT_EQ(state(id), "killed");
}

TEST_F(ServiceTest, SuspendsForHigherPrioritiesAndGoesOn) {
  serve({"--preempt", "suspend"});
  const TaskId low = submit(command({"sleep", "1"}, {0}, 5));
  ASSERT_TRUE(eventually([&] { return state(low) == "running"; }));
  const TaskId high = submit(command({"sleep", "1"}, {0}, 1));
  ASSERT_TRUE(eventually([&] { return state(low) == "parked"; }));
  wait_for_end(high);
  wait_for_end(low);
  EXPECT_EQ(state(low), "done");
  EXPECT_EQ(task(low).at("attempts"), 1);
}

TEST_F(ServiceTest, HoldsTasksToTheirLimits) {
  serve();
  TaskSpec greedy = command({"python3", "-c", "x = bytearray(400000000)"});
  greedy.limits.memory_bytes = 200'000'000;
  TaskSpec busy = command({"sh", "-c", "while :; do :; done"});
  busy.limits.cpu = std::chrono::seconds(1);
  TaskSpec slow = command({"sleep", "60"});
  slow.timeout = std::chrono::milliseconds(200);
  submit(greedy);
  submit(busy);
  submit(slow);
  for (const TaskId id : {0U, 1U, 2U}) wait_for_end(id);
  EXPECT_EQ(state(0), "failed");
  EXPECT_EQ(state(1), "failed");
  EXPECT_EQ(state(2), "timed_out");
}

TEST_F(ServiceTest, RefusesWithReasons) {
  serve({"--max-waiting", "3"});
  const auto peer = client();
  const auto one = [&](const TaskSpec& spec) { return problem(peer->submit(std::span(&spec, 1))); };
  EXPECT_THAT(one(command({"true"}, {99})), HasSubstr("no resource 99"));
  EXPECT_THAT(one(command({""})), HasSubstr("command is empty"));
  EXPECT_THAT(one(command({"true"}, {0}, 100)), HasSubstr("out of range"));
  const std::vector<TaskSpec> flood(10, command({"sleep", "1"}, {0}));
  EXPECT_THAT(problem(peer->submit(flood)), HasSubstr("full"));
  EXPECT_EQ(ask("stats").at("tasks"), 0);
}

TEST_F(ServiceTest, StaysAliveWhateverArrives) {
  serve();
  ZmqContext context;
  ZmqSocket socket(context, ZmqSocket::Type::kDealer);
  ASSERT_TRUE(socket.connect(address()).ok());
  const std::string good = encode({Code::kQuery, MessageKind::kProtocol, 1, 0, R"({"what": "stats"})"});
  std::string version = good;
  version[3] = 9;
  std::string code = good;
  code[4] = 1;
  for (const std::string& bytes :
       {std::string(), std::string("STC"), std::string(100, 'x'), version, code, good.substr(0, 30), good + "x"}) {
    socket.send(bytes);
    ASSERT_TRUE(socket.wait(10'000));
    EXPECT_EQ(decode(socket.receive().value())->code, Code::kError);
  }
  // A number out of sequence.
  socket.send(good);
  ASSERT_TRUE(socket.wait(10'000));
  EXPECT_EQ(decode(socket.receive().value())->code, Code::kAnswer);
  socket.send(good);
  ASSERT_TRUE(socket.wait(10'000));
  EXPECT_EQ(decode(socket.receive().value())->code, Code::kError);
  // Somebody who asks and goes.
  for (int i = 0; i < 50; ++i) {
    ZmqSocket gone(context, ZmqSocket::Type::kDealer);
    ASSERT_TRUE(gone.connect(address()).ok());
    gone.send(good);
  }
  wait_for_end(submit(command({"true"})));
  EXPECT_EQ(state(0), "done");
}

TEST_F(ServiceTest, OnlyTheOwnerMaySpeakToTheSocket) {
  serve();
  struct stat info {};
  ASSERT_EQ(::stat((folder() / "sock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 077, 0U);
}

TEST_F(ServiceTest, FindsItsTasksAfterACrash) {
  serve();
  const TaskId running = submit(command({"sh", "-c", "sleep 1; echo survived"}, {0}));
  const TaskId waiting = submit(command({"true"}, {0}));
  ASSERT_TRUE(eventually([&] { return state(running) == "running"; }));
  stop(SIGKILL);
  serve();
  wait_for_end(running);
  wait_for_end(waiting);
  EXPECT_EQ(state(running), "done");
  EXPECT_EQ(task(running).at("attempts"), 1);
  EXPECT_EQ(state(waiting), "done");
  EXPECT_EQ(client()->query(R"({"what": "log", "id": 0})").value(), "survived\n");
}

TEST_F(ServiceTest, HearsWhatEndedWhileItWasAway) {
  serve();
  const TaskId id = submit(command({"sh", "-c", "sleep 0.5; exit 7"}, {0}));
  ASSERT_TRUE(eventually([&] { return state(id) == "running"; }));
  stop(SIGKILL);
  ::sleep(1);
  serve();
  wait_for_end(id);
  EXPECT_EQ(task(id).at("exit"), 7);
  EXPECT_EQ(task(id).at("attempts"), 1);
}

TEST_F(ServiceTest, TasksOfADeadGuardianRunAgainOrFail) {
  serve();
  TaskSpec again = command({"sh", "-c", "echo x; sleep 1"}, {0});
  TaskSpec never = command({"sleep", "1"}, {1});
  never.on_interrupt = Policy::kFail;
  submit(again);
  submit(never);
  ASSERT_TRUE(eventually([&] { return state(0) == "running" && state(1) == "running"; }));
  ::kill(guardian(), SIGKILL);
  wait_for_end(0);
  wait_for_end(1);
  EXPECT_EQ(state(0), "done");
  EXPECT_EQ(task(0).at("attempts"), 2);
  EXPECT_EQ(state(1), "interrupted");
}

TEST_F(ServiceTest, SpeaksWithThePythonClient) {
  if (std::system("python3 -c 0 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  serve();
  std::ofstream(folder() / "client.py")
      << "import sys\nsys.path.insert(0, '" STRATA_SOURCE_DIR
         "/src/coordinator/client')\n"
         "import strata_task\n"
         "c = strata_task.Client(sys.argv[1])\n"
         "t = c.submit(['printf', 'a b|%s', 'x' * 1000], resources=[0, (6, 'read')], priority=3)\n"
         "assert c.wait(t)['state'] == 'done', c.task(t)\n"
         "assert c.log(t) == b'a b|' + b'x' * 1000, c.log(t)\n"
         "assert c.query('stats')['executed'] == 1\n"
         "try:\n  c.submit(['true'], resources=[77])\n"
         "except strata_task.Refused as e:\n  assert 'no resource 77' in str(e)\n"
         "else:\n  assert False\n";
  const std::string run = "python3 " + (folder() / "client.py").string() + " " + address() + " 2>&1";
  EXPECT_EQ(std::system(run.c_str()), 0);
}

TEST_F(ServiceTest, PlannerAndDispatcherApart) {
  serve({"--role", "planner"});
  const TaskId id = submit(command({"sh", "-c", "sleep 1; echo far"}, {0}));
  const Words relay = {"task",      "serve",   "--role",  "dispatcher",
                       "--planner", address(), "--state", (folder() / "state").string() + "-far"};
  pid_t dispatcher = start(relay, "dispatcher.log");
  ASSERT_TRUE(eventually([&] { return state(id) == "running"; }));
  // Either of them may go and come back.
  ::kill(dispatcher, SIGKILL);
  dispatcher = start(relay, "dispatcher.log");
  stop(SIGKILL);
  serve({"--role", "planner"});
  wait_for_end(id);
  EXPECT_EQ(state(id), "done");
  EXPECT_EQ(task(id).at("attempts"), 1);
  ::kill(dispatcher, SIGTERM);
}

TEST_F(ServiceTest, NetworkPeersNeedKeys) {
  const KeyPair own = make_keys().value();
  const KeyPair friendly = make_keys().value();
  const KeyPair stranger = make_keys().value();
  std::ofstream(folder() / "own.key") << "public: " << own.public_key << "\nsecret: " << own.secret_key << "\n";
  std::ofstream(folder() / "friend.pub") << "public: " << friendly.public_key << "\n";
  const std::string port = "tcp://127.0.0.1:" + std::to_string(20'000 + ::getpid() % 30'000);
  serve({"--at", port, "--key", (folder() / "own.key").string(), "--allow", (folder() / "friend.pub").string()});
  const auto answers = [&](const KeyPair& keys, const std::string& server) {
    const auto peer =
        Client::connect({.address = port, .keys = keys, .server_key = server, .patience = std::chrono::seconds(2)});
    return peer.ok() && (*peer)->query(R"({"what": "stats"})").ok();
  };
  EXPECT_TRUE(answers(friendly, own.public_key));
  EXPECT_FALSE(answers(stranger, own.public_key));
  EXPECT_FALSE(answers(friendly, stranger.public_key));
  // Without any keys.
  ZmqContext context;
  ZmqSocket plain(context, ZmqSocket::Type::kDealer);
  ASSERT_TRUE(plain.connect(port).ok());
  plain.send(encode({Code::kQuery, MessageKind::kProtocol, 1, 0, R"({"what": "stats"})"}));
  EXPECT_FALSE(plain.wait(1000));
}

}  // namespace
}  // namespace strata::coordinator
