#include "app/bench/events.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "app/child.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "kernel/kernel.hpp"
#include "kernel/pacing.hpp"

namespace strata::bench {
namespace {

// Both sides do the same: each process waits over and over, for times from one table (0.5 .. 1.5 s, mean 1 s) that it
// walks through from a place of its own, and counts. So n processes give n time-outs per simulated second.
constexpr std::size_t kTable = 4096;
constexpr double kWarmUp_s = 3;

constexpr const char* kPython = "/usr/bin/python3";
constexpr const char* kSimpyProgram = R"(
import random, sys, time
try:
    import simpy
except ImportError:
    sys.exit(3)
processes, seconds, rounds = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
random.seed(1)
table = [0.5 + random.random() for _ in range(4096)]
env = simpy.Environment()
count = [0]
def process(at):
    timeout = env.timeout
    while True:
        at = (at + 1) & 4095
        yield timeout(table[at])
        count[0] += 1
for i in range(processes):
    env.process(process(i * 97))
env.run(until=3)
best = 0
for _ in range(rounds):
    count[0] = 0
    end = env.now + seconds
    begin = time.process_time()
    env.run(until=end)
    best = max(best, count[0] / (time.process_time() - begin))
print(repr(best))
)";

Process waiter(Kernel& kernel, const std::vector<Duration>& table, std::size_t at, std::uint64_t& count) {
  while (true) {
    at = (at + 1) % kTable;
    co_await kernel.delay(table[at]);
    ++count;
  }
}

double timeouts_per_cpu_s(long processes, double seconds, int rounds) {
  std::vector<Duration> table(kTable);
  RandomStream random(1, 1, "bench_events");
  for (Duration& delay : table) delay = Duration::from_seconds(random.uniform(0.5, 1.5));
  Kernel kernel;
  std::uint64_t count = 0;
  for (long i = 0; i < processes; ++i)
    kernel.spawn("waiter", waiter(kernel, table, static_cast<std::size_t>(i) * 97, count));
  kernel.run_until(Time::from_seconds(kWarmUp_s));
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    count = 0;
    const Stopwatch watch;
    kernel.run_until(kernel.now() + Duration::from_seconds(seconds));
    best = std::max(best, static_cast<double>(count) / watch.thread_cpu_seconds());
  }
  return best;
}

struct Peer {
  std::optional<double> timeouts_per_cpu_s;
  std::string note;
};

Peer run_simpy(long processes, double seconds, int rounds) {
  constexpr const char* kInstall = "for the peer: apt-get install python3-simpy3";
  if (!std::filesystem::exists(kPython)) return {std::nullopt, kInstall};
  const app::ScratchFolder folder;
  const auto output = folder.path() / "output";
  app::Child child(
      {kPython, "-c", kSimpyProgram, std::to_string(processes), format_number(seconds), std::to_string(rounds)},
      output);
  const int exit_code = child.wait().exit_code;
  if (exit_code == 3) return {std::nullopt, kInstall};
  std::string text = app::text_of(output);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (exit_code != 0) return {std::nullopt, "the peer does not run: " + text.substr(0, 200)};
  const Result<double> figure = parse_number(text);
  if (!figure.ok()) return {std::nullopt, "the peer printed no figure"};
  return {*figure, ""};
}

std::optional<double> wanted_ratio(long processes) {
  if (processes == 1'000) return 6;
  if (processes == 100'000) return 10;
  return std::nullopt;
}

Row measure(long processes, bool quick) {
  // Enough time-outs for a tenth of a second and more, on both sides.
  const double per_process = 1.0 / static_cast<double>(processes);
  const int rounds = quick ? 1 : 3;
  const double ours = timeouts_per_cpu_s(processes, std::max(2.0, (quick ? 2e5 : 3e6) * per_process), rounds);
  const Peer peer = run_simpy(processes, std::max(1.0, (quick ? 5e4 : 3e5) * per_process), rounds);

  Row row{.name = fmt::format("timeouts-{}", processes), .metric = "timeouts_per_cpu_s", .value = ours, .unit = "1/s"};
  row.peer = "simpy";
  row.note = peer.note;
  if (!peer.timeouts_per_cpu_s) return row;
  row.peer_value = peer.timeouts_per_cpu_s;
  row.ratio = ours / *peer.timeouts_per_cpu_s;
  if (const std::optional<double> wanted = wanted_ratio(processes)) {
    row.target = wanted;
    row.met = *row.ratio >= *wanted;
    row.target_is_ratio = true;
  }
  return row;
}

}  // namespace

Report run_events(const Options& options) {
  std::vector<long> sizes = {1, 1'000, 100'000};
  if (options.count) sizes = {std::max(1L, *options.count)};
  Report report{"events", {}};
  for (const long processes : sizes) report.rows.push_back(measure(processes, options.quick));
  return report;
}

}  // namespace strata::bench
