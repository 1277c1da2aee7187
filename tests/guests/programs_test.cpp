// Real programs: every run the same, and natively the same but for time.
#include <gmock/gmock.h>

#include "guests.hpp"

namespace strata::guests {
namespace {

struct Case {
  const char* name;
  const char* line;
  const char* program = "";  ///< needed beside what every machine has
  const char* module = "";   ///< of Python
};

const Case kCases[] = {
    {"Periodic", "$exec -- $bin/guest_periodic 20"},
    {"Primitives", "$exec -- $bin/guest_primitives"},
    {"PythonThreads", "$exec -- $python $examples/threads.py"},
    {"Shells", "$exec -- bash $programs/shells.sh"},
    {"UdpWithLoss",
     "$exec --latency 3ms --jitter 1ms --loss 5% -- $python $examples/udp_loop.py plant 20 --- "
     "$python $examples/udp_loop.py controller 20"},
    {"Tcp", "$exec --latency 3ms -- $python $programs/tcp.py s --- $python $programs/tcp.py c"},
    {"TwoHosts",
     "$exec --latency 2ms -- --host robot1 $python $programs/tcp.py s --- --host robot2 $python $programs/tcp.py c "
     "robot1 2>/dev/null"},
    {"Sqlite", "$exec -- $python $programs/sqlite_writers.py"},
    {"Mosquitto",
     "$exec --duration 10s -- mosquitto -p 1883 --- mosquitto_sub -h 127.0.0.1 -t a/b -C 5 -v --- sh -c 'sleep 1; for "
     "i "
     "in 1 2 3 4 5; do mosquitto_pub -h 127.0.0.1 -t a/b -m \"$i $(date +%s.%N)\"; sleep 0.5; done'",
     "/usr/sbin/mosquitto"},
    {"ZeroMq", "$exec -- $python $programs/zmq_loop.py s --- $python $programs/zmq_loop.py c", "", "zmq"},
    {"Node",
     "$exec -- node -e 'let t=Date.now(),n=0;const h=setInterval(()=>{if(++n==20){clearInterval(h);console.log("
     "Date.now()-t)}},100)'",
     "/usr/bin/node"},
    {"Ros",
     "export ROS_MASTER_URI=http://127.0.0.1:11311 ROS_IP=127.0.0.1 ROS_HOME=$PWD/ros; $exec --duration 20s -- $python "
     "/usr/bin/rosmaster --core -p 11311 --- $bin/guest_ros_talker 1000 --- $bin/guest_ros_listener 1000",
     STRATA_BIN_DIR "/guest_ros_listener"},
};

// Too slow for every day.
const Case kHeavyCases[] = {
    {"Java", "javac -d . $programs/Timers.java && $exec -- java -cp . -Xint Timers", "/usr/bin/javac"},
    {"RosTools",
     "export ROS_MASTER_URI=http://127.0.0.1:11311 ROS_IP=127.0.0.1 ROS_HOME=$PWD/ros; rm -f t.bag; $exec --duration "
     "12s "
     "-- $python /usr/bin/rosmaster --core -p 11311 --- $python $programs/ros_subscriber.py --- sh -c \"sleep 1; exec "
     "$python $programs/ros_publisher.py\" --- sh -c 'sleep 2; timeout -s INT 2 rostopic hz /words; true' --- rosbag "
     "record "
     "-O "
     "t.bag --duration=8 /words >log; code=$?; md5sum t.bag; grep -v INFO log; exit $code",
     "/usr/bin/rosbag", "rospy"},
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Programs : public Guests, public ::testing::WithParamInterface<Case> {
 protected:
  void repeat(int runs) const {
    const Case& c = GetParam();
    if (*c.program != 0 && !has_program(c.program)) GTEST_SKIP() << c.program << " is not installed";
    if (*c.module != 0 && !has_python_module(c.module)) GTEST_SKIP() << "Python's " << c.module << " is not installed";
    const Load load;
    expect_same(c.line, runs);
  }
};
class SlowPrograms : public Programs {};
class SlowHeavyPrograms : public Programs {};  // some ten seconds each

std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

TEST_P(Programs, SameThreeTimesUnderLoad) { repeat(3); }
TEST_P(SlowPrograms, SameTwentyTimesUnderLoad) { repeat(20); }
TEST_P(SlowHeavyPrograms, SameThreeTimesUnderLoad) { repeat(3); }
INSTANTIATE_TEST_SUITE_P(All, Programs, ::testing::ValuesIn(kCases), name_of);
INSTANTIATE_TEST_SUITE_P(All, SlowPrograms, ::testing::ValuesIn(kCases), name_of);
INSTANTIATE_TEST_SUITE_P(All, SlowHeavyPrograms, ::testing::ValuesIn(kHeavyCases), name_of);

TEST_F(Guests, PrimitivesBehaveAsNatively) {
  const Outcome native = shell("$bin/guest_primitives");
  const Outcome guest = shell("$exec -- $bin/guest_primitives");
  EXPECT_EQ(native.out, guest.out);
}

TEST_F(Guests, SqliteKeepsEveryRow) {
  EXPECT_EQ(shell("$python $programs/sqlite_writers.py | cut -d' ' -f1").out, "90\n");
  EXPECT_EQ(shell("$exec -- $python $programs/sqlite_writers.py | cut -d' ' -f1").out, "90\n");
}

TEST_F(Guests, StreamTakesTheLinksTime) {
  const Outcome outcome = shell("$exec --latency 3ms -- $python $programs/tcp.py s --- $python $programs/tcp.py c");
  EXPECT_THAT(outcome.out, ::testing::HasSubstr("rtt min 0.006000000 max 0.006000000")) << outcome.all();
}

TEST_F(Guests, HostsGiveTheSameOnOneCoreAndOnMany) {
  const std::string line =
      "--latency 2ms -- --host robot1 $python $programs/tcp.py s --- --host robot2 $python $programs/tcp.py c robot1";
  const Outcome one = shell("$exec --cores 1 " + line);
  const Outcome many = shell("$exec " + line);
  EXPECT_EQ(one.exit_code, 0) << one.all();
  EXPECT_EQ(one.result["hash"], many.result["hash"]) << many.all();
}

TEST_F(Guests, SeedDecidesLosses) {
  const std::string line =
      "--latency 1ms --loss 20% -- $python $examples/udp_loop.py plant 2 --- $python $examples/udp_loop.py controller "
      "2";
  const Outcome first = shell("$exec --seed 1 " + line);
  const Outcome second = shell("$exec --seed 2 " + line);
  EXPECT_NE(first.out, second.out);
  EXPECT_GT(first.result["packets_lost"].get<int>(), 0);
}

TEST_F(Guests, SpinningThreadIsBrokenUpAndReported) {
  const Outcome outcome = shell(
      "cat >a.cpp <<'END'\n#include <atomic>\n#include <thread>\n#include <unistd.h>\nint main() { std::atomic<bool> "
      "f{false}; "
      "std::thread t([&] { usleep(1000); f = true; }); while (!f) {} t.join(); }\nEND\n"
      "c++ -O2 -pthread a.cpp -o a && $exec -- ./a");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_TRUE(outcome.result["fidelity"].contains("spins_broken"));
}

TEST_F(Guests, ManyProcessesRunTogether) {
  const Outcome outcome =
      shell("$exec -- sh -c 'for i in $(seq 200); do $0 2 >/dev/null & done; wait; echo all' $bin/guest_periodic");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.out, "all\n");
}

}  // namespace
}  // namespace strata::guests
