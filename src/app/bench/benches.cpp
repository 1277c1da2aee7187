#include "app/bench/annotate.hpp"
#include "app/bench/coordinator.hpp"
#include "app/bench/events.hpp"
#include "app/bench/guests.hpp"
#include "app/bench/navigation.hpp"
#include "app/bench/recording.hpp"
#include "app/bench/report.hpp"
#include "app/bench/robots.hpp"
#include "app/bench/startup.hpp"
#include "app/bench/swarm.hpp"

namespace strata::bench {

namespace {

constexpr Bench kBenches[] = {
    {"events", "Process time-outs per CPU-second, next to SimPy", true, &run_events},
    {"robots", "Robot-steps per CPU-second of random-walking crowds, next to Enki", true, &run_robots},
    {"recording", "Run time with and without recording: 10 000 robots, poses at 10 Hz", true, &run_recording},
    {"coordinator", "CPU and latency of a coordinated task, next to posix_spawn", false, &run_coordinator},
    {"guests", "Programs in virtual time: synchronisation points, hand-overs, periodic threads, ROS, two hosts", false,
     &run_guests},
    {"navigation", "Shortest ways on a 1024 x 1024 grid, lengths next to Boost.Graph", true, &run_navigation},
    {"swarm", "CPU time per simulated second of a formation swarm, 24 Hz, avoidance on", true, &run_swarm},
    {"startup", "CPU time of a whole `strata run` on a small scenario", true, &run_startup},
    {"annotate", "Estimates of annotated programs against QEMU's count; what annotation costs", false, &run_annotate},
};

}  // namespace

std::span<const Bench> benches() { return kBenches; }

}  // namespace strata::bench
