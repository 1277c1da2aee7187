#include "app/bench/recording.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "app/child.hpp"
#include "app/data_folders.hpp"

namespace strata::bench {

namespace fs = std::filesystem;

namespace {

constexpr double kTargetOverhead = 0.1;

// One robot per square metre in a walled square, all poses and events recorded ten times per second.
void write_scenario(const fs::path& file, long robots, int duration_s) {
  const long side = static_cast<long>(std::ceil(std::sqrt(static_cast<double>(robots))));
  std::ofstream out(file);
  out << fmt::format(
      "strata: 1\nname: recording\nduration: {} s\nstep: 100 ms\n"
      "world:\n  walls:\n"
      "    - {{from: [0, 0], to: [{s}, 0], thickness: 0.1 m, height: 1 m}}\n"
      "    - {{from: [{s}, 0], to: [{s}, {s}], thickness: 0.1 m, height: 1 m}}\n"
      "    - {{from: [{s}, {s}], to: [0, {s}], thickness: 0.1 m, height: 1 m}}\n"
      "    - {{from: [0, {s}], to: [0, 0], thickness: 0.1 m, height: 1 m}}\n"
      "robots:\n  walker:\n    count: {}\n    place: {{grid: {{from: [0.5, 0.5], spacing: 1 m, columns: {s}}}}}\n"
      "    body: {{shape: circle, radius: 0.085 m, height: 0.2 m}}\n"
      "    motion: {{kind: differential, max_speed: 0.3 m/s}}\n    behaviours: [random_walk]\n"
      "record: {{poses: 10 Hz, events: all}}\n",
      duration_s, robots, fmt::arg("s", side));
}

app::ChildUse run_once(const fs::path& folder, bool recorded) {
  const fs::path out = folder / "run";
  std::vector<std::string> command = {app::program_path().string(),
                                      "run",
                                      (folder / "crowd.yaml").string(),
                                      "--quiet",
                                      "--threads",
                                      "1",
                                      "--out",
                                      out.string()};
  if (!recorded) command.emplace_back("--no-record");
  app::Child child(command, folder / "log");
  const app::ChildUse use = child.wait();
  if (use.exit_code != 0) {
    throw std::runtime_error("strata run failed: " + app::text_of(folder / "log"));
  }
  return use;
}

double recorded_bytes(const fs::path& run) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    if (entry.path().extension() == ".mcap") bytes += entry.file_size();
  }
  return static_cast<double>(bytes);
}

}  // namespace

Report run_recording(const Options& options) {
  const long robots = options.count.value_or(options.quick ? 200 : 10'000);
  const int rounds = options.quick ? 1 : 9;
  const int duration_s = options.quick ? 5 : 60;
  const app::ScratchFolder scratch;
  write_scenario(scratch.path() / "crowd.yaml", robots, duration_s);

  // Turn about, so that a machine that slows down meanwhile does so for both; the quickest counts, since noise only
  // adds.
  app::ChildUse plain{.cpu_s = std::numeric_limits<double>::max(), .wall_s = std::numeric_limits<double>::max()};
  app::ChildUse recorded = plain;
  double bytes = 0;
  const auto keep_best = [](app::ChildUse& best, const app::ChildUse& use) {
    best.cpu_s = std::min(best.cpu_s, use.cpu_s);
    best.wall_s = std::min(best.wall_s, use.wall_s);
  };
  for (int round = 0; round < rounds; ++round) {
    fs::remove_all(scratch.path() / "run");
    keep_best(plain, run_once(scratch.path(), false));
    fs::remove_all(scratch.path() / "run");
    keep_best(recorded, run_once(scratch.path(), true));
    bytes = recorded_bytes(scratch.path() / "run");
  }

  const double overhead = recorded.wall_s / plain.wall_s - 1;
  const std::string name = fmt::format("poses10hz-{}", robots);
  Report report{"recording", {}};
  report.rows.push_back({.name = name,
                         .metric = "overhead",
                         .value = overhead,
                         .unit = "1",
                         .target = kTargetOverhead,
                         .met = overhead <= kTargetOverhead});
  report.rows.push_back({.name = name, .metric = "wall_recorded", .value = recorded.wall_s, .unit = "s"});
  report.rows.push_back({.name = name, .metric = "wall_plain", .value = plain.wall_s, .unit = "s"});
  report.rows.push_back({.name = name, .metric = "cpu_recorded", .value = recorded.cpu_s, .unit = "s"});
  report.rows.push_back({.name = name, .metric = "cpu_plain", .value = plain.cpu_s, .unit = "s"});
  report.rows.push_back({.name = name, .metric = "recording_size", .value = bytes, .unit = "B"});
  return report;
}

}  // namespace strata::bench
