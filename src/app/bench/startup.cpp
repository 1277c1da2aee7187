#include "app/bench/startup.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "app/child.hpp"
#include "app/data_folders.hpp"

namespace strata::bench {

namespace {

constexpr double kTargetCpu_s = 0.05;

void write_scenario(const std::filesystem::path& file, long robots) {
  std::ofstream out(file);
  out << fmt::format(
      "strata: 1\nname: startup\nduration: 1 s\nstep: 50 ms\n"
      "robots:\n  walker:\n    count: {}\n    place: {{grid: {{from: [1, 1], spacing: 1 m}}}}\n"
      "    body: {{shape: circle, radius: 0.15 m, height: 0.3 m}}\n"
      "    motion: {{kind: differential, max_speed: 0.5 m/s}}\n    behaviours: [random_walk]\n",
      robots);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

app::ChildUse run_once(const std::filesystem::path& folder, const std::filesystem::path& log) {
  app::Child child({app::program_path().string(), "run", (folder / "small.yaml").string(), "--quiet", "--out",
                    (folder / "run").string()},
                   log);
  return child.wait();
}

}  // namespace

Report run_startup(const Options& options) {
  const long robots = options.count.value_or(10);
  const int runs = options.quick ? 3 : 21;
  const app::ScratchFolder scratch;
  write_scenario(scratch.path() / "small.yaml", robots);
  std::vector<double> cpu;
  std::vector<double> wall;
  for (int i = 0; i < runs; ++i) {
    const auto log = scratch.path() / "log";
    const app::ChildUse use = run_once(scratch.path(), log);
    if (use.exit_code != 0) {
      throw std::runtime_error("strata run failed: " + app::text_of(log));
    }
    cpu.push_back(use.cpu_s);
    wall.push_back(use.wall_s);
  }
  const std::string name = fmt::format("small-{}", robots);
  Report report{"startup", {}};
  report.rows.push_back({.name = name,
                         .metric = "cpu",
                         .value = median(cpu),
                         .unit = "s",
                         .target = kTargetCpu_s,
                         .met = median(cpu) < kTargetCpu_s});
  report.rows.push_back({.name = name, .metric = "wall", .value = median(wall), .unit = "s"});
  return report;
}

}  // namespace strata::bench
