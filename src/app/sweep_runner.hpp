// Runs the variants of a sweep, each run in a program of its own, and keeps what is done in the sweep's folder: a line
// per run in done.jsonl, so that an interrupted sweep loses only what was under way.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "app/child.hpp"
#include "app/interrupt.hpp"
#include "scenario/sweep/results.hpp"

namespace strata::app {

struct SweepPlan {
  std::string scenario;
  std::vector<std::string> options;  ///< of `strata run`, for every run
  std::vector<sweep::Axis> axes;
  std::vector<sweep::Variant> variants;
  std::vector<std::uint64_t> seeds;
  int jobs = 1;
  std::filesystem::path folder;
  std::string mark;  ///< tells sweeps apart: a folder belongs to one of them
};

class SweepRunner {
 public:
  explicit SweepRunner(SweepPlan plan);

  /// Makes the folder, or finds out what is done already. Fails if it belongs to another sweep.
  [[nodiscard]] Result<void> open();
  /// Does what is left, with a progress line on a terminal.
  void run();
  /// Writes runs.csv and summary.json.
  [[nodiscard]] Result<void> write_results() const;

  [[nodiscard]] bool interrupted() const { return guard_.interrupted(); }
  [[nodiscard]] std::size_t done() const { return done_; }
  [[nodiscard]] std::size_t total() const { return plan_.variants.size() * plan_.seeds.size(); }
  /// Runs that did not come to their end, each with what it said.
  [[nodiscard]] const Errors& failures() const { return failures_; }
  [[nodiscard]] const sweep::Results& results() const { return results_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return plan_.folder; }

 private:
  struct Job {
    std::size_t variant = 0;
    std::uint64_t seed = 0;
  };
  void run_one(const Job& job, std::size_t worker);
  void keep(const Job& job, std::optional<sweep::RunRecord> record, const std::string& said, int exit_code);
  void show_progress(double elapsed_s) const;

  SweepPlan plan_;
  sweep::Results results_;
  std::vector<Job> left_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::size_t found_ = 0;  // done by an earlier call
  std::mutex mutex_;
  std::ofstream log_;
  Errors failures_;
  ScratchFolder scratch_;
  InterruptGuard guard_;
};

}  // namespace strata::app
