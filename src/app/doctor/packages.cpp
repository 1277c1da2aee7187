// Looks for what a package brings rather than for the package, so that it also works where Debian's did not bring it.
#include <unistd.h>

#include <fmt/format.h>

#include "app/doctor/checkup.hpp"

namespace strata::app {

namespace {

struct Wanted {
  const char* name;
  std::vector<const char*> programs;  ///< all of them on the PATH
  std::vector<const char*> files;     ///< all of them
  const char* packages;
  const char* needed_by;
};

const std::vector<Wanted>& wanted() {
  static const std::vector<Wanted> list = {
      {"clang and tools",
       {"clang++", "clang-format", "clang-tidy"},
       {},
       "clang libclang-rt-dev lld llvm clang-format clang-tidy",
       "./check --all"},
      {"LLVM for annotation",
       {"clang-14"},
       {"/usr/lib/llvm-14/include/llvm/IR/Module.h"},
       "clang-14 llvm-14-dev",
       "strata-c++: cost of code on a target (build again afterwards)"},
      {"32-bit programs",
       {},
       {"/usr/lib32/libc.so", "/usr/lib/gcc/x86_64-linux-gnu/12/32/libstdc++.so"},
       "libc6-dev-i386 lib32stdc++-12-dev",
       "strata-c++ for 32-bit targets (build again afterwards)"},
      {"ROS 1 for C++",
       {},
       {"/usr/include/ros/ros.h", "/usr/include/sensor_msgs/LaserScan.h", "/usr/include/nav_msgs/Odometry.h",
        "/usr/include/tf2_msgs/TFMessage.h"},
       "libroscpp-dev libros-rosgraph-msgs-dev libstd-msgs-dev libgeometry-msgs-dev libnav-msgs-dev libsensor-msgs-dev "
       "libtf2-dev "
       "libtf2-ros-dev libtf2-msgs-dev libstd-srvs-dev",
       "ROS bridge, roscpp nodes"},
      {"ROS 1 for Python",
       {"rosmaster"},
       {"/usr/lib/python3/dist-packages/rospy/__init__.py"},
       "python3-rosmaster python3-roslaunch python3-rospy python3-rostopic python3-rosbag python3-rosnode "
       "python3-rosservice "
       "python3-rosparam python3-rosmsg python3-std-msgs python3-geometry-msgs python3-nav-msgs python3-sensor-msgs",
       "rosmaster and rospy nodes in virtual time"},
      {"QEMU user mode", {"qemu-aarch64"}, {}, "qemu-user", "checking and calibrating the cost of code on a target"},
      {"cross compilers",
       {"aarch64-linux-gnu-g++", "arm-linux-gnueabihf-g++"},
       {},
       "g++-aarch64-linux-gnu g++-arm-linux-gnueabihf",
       "calibrating the cost of code on a target"},
      {"Python", {"python3"}, {}, "python3", "Python programs in virtual time, benchmarks"},
      {"SimPy",
       {"python3"},
       {"/usr/lib/python3/dist-packages/simpy/__init__.py"},
       "python3-simpy3",
       "the peer of strata bench events"},
      {"Enki",
       {},
       {"/usr/include/enki/PhysicalEngine.h"},
       "libenki-dev",
       "the peer of strata bench robots (build again afterwards)"},
      {"Chromium", {"chromium"}, {}, "chromium", "tests of the viewer"},
      {"Node.js", {"node"}, {}, "nodejs npm", "tests of recordings and the viewer against public clients"},
      {"Java", {"java"}, {}, "default-jre-headless", "comparison with programs written in Java"},
      {"drawings", {}, {"/usr/include/pugixml.hpp"}, "libpugixml-dev", "maps drawn in draw.io"},
  };
  return list;
}

}  // namespace

std::vector<Finding> check_packages() {
  std::vector<Finding> findings;
  for (const Wanted& entry : wanted()) {
    std::vector<std::string> absent;
    for (const char* program : entry.programs) {
      if (find_program(program).empty()) absent.emplace_back(program);
    }
    for (const char* file : entry.files) {
      if (::access(file, R_OK) != 0) absent.emplace_back(file);
    }
    const std::size_t total = entry.programs.size() + entry.files.size();
    Finding finding{"packages", entry.name, Health::kOk, "found", entry.needed_by, "", false};
    if (!absent.empty()) {
      finding.health = absent.size() == total ? Health::kMissing : Health::kLimited;
      finding.found = absent.size() == total ? "not found" : fmt::format("no {}", fmt::join(absent, ", "));
      finding.fix = fmt::format("sudo apt-get install {}", entry.packages);
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace strata::app
