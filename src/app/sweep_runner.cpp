#include "app/sweep_runner.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command_line.hpp"
#include "app/data_folders.hpp"
#include "app/terminal.hpp"
#include "base/time.hpp"

namespace strata::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPlanFile = "sweep.json";
constexpr const char* kDoneFile = "done.jsonl";

using Json = nlohmann::ordered_json;

// Complete or not at all, whatever happens meanwhile.
Result<void> write_whole(const fs::path& path, const std::string& text) {
  const fs::path fresh = path.string() + ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  std::error_code code;
  if (out) fs::rename(fresh, path, code);
  if (out && !code) return {};
  return Error{in_file(path), "cannot be written", "check the disk, or choose another folder with --out"};
}

}  // namespace

SweepRunner::SweepRunner(SweepPlan plan) : plan_(std::move(plan)), results_(plan_.axes, plan_.variants) {}

Result<void> SweepRunner::open() {
  std::error_code code;
  fs::create_directories(plan_.folder, code);
  if (code) return Error{in_file(plan_.folder), "cannot be made: " + code.message(), "choose another with --out"};
  const fs::path plan_file = plan_.folder / kPlanFile;
  if (fs::exists(plan_file, code)) {
    const Json stored = Json::parse(text_of(plan_file), nullptr, false);
    if (!stored.is_object() || stored.value("mark", "") != plan_.mark)
      return Error{in_file(plan_.folder), "holds another sweep, or another version of the scenario",
                   "choose another folder with --out, or remove this one"};
  } else {
    if (!fs::is_empty(plan_.folder, code))
      return Error{in_file(plan_.folder), "is not empty", "choose another folder with --out"};
    const Json fresh{{"mark", plan_.mark}, {"scenario", plan_.scenario}};
    if (const Result<void> written = write_whole(plan_file, fresh.dump(2) + "\n"); !written.ok()) return written;
  }

  const fs::path done_file = plan_.folder / kDoneFile;
  std::string text = text_of(done_file);
  // A line that was cut off must not spoil the next one.
  text.resize(text.find_last_of('\n') == std::string::npos ? 0 : text.find_last_of('\n') + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (auto record = sweep::from_line(text.substr(at, end - at))) results_.add(std::move(*record));
    at = end + 1;
  }
  if (!text.empty()) fs::resize_file(done_file, text.size(), code);
  log_.open(done_file, std::ios::binary | std::ios::app);
  if (!log_) return Error{in_file(done_file), "cannot be written", "choose another folder with --out"};

  for (std::size_t v = 0; v < plan_.variants.size(); ++v) {
    const std::string name = plan_.variants[v].name(plan_.axes);
    for (const std::uint64_t seed : plan_.seeds) {
      if (!results_.has(name, seed)) left_.push_back({v, seed});
    }
  }
  found_ = total() - left_.size();
  done_ = found_;
  return {};
}

void SweepRunner::run() {
  if (left_.empty()) return;
  if (found_ > 0) fmt::print(stderr, "{} of {} runs are done already\n", found_, total());
  const auto workers = std::min<std::size_t>(static_cast<std::size_t>(plan_.jobs), left_.size());
  std::atomic<std::size_t> working{workers};
  const auto work = [&](std::size_t worker) {
    for (std::size_t i = next_++; i < left_.size() && !interrupted(); i = next_++) run_one(left_[i], worker);
    --working;
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back(work, i);
  const auto start = std::chrono::steady_clock::now();
  while (is_terminal(stderr) && working > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    show_progress(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  for (std::thread& thread : threads) thread.join();
  if (is_terminal(stderr)) fmt::print(stderr, "\r\033[K");
}

void SweepRunner::show_progress(double elapsed_s) const {
  const std::size_t fresh = done_ - found_;
  std::string left;
  if (fresh > 0) {
    const double seconds = elapsed_s / static_cast<double>(fresh) * static_cast<double>(total() - done_);
    left = fmt::format(", {} left", to_text(Duration::from_seconds(std::ceil(seconds))));
  }
  fmt::print(stderr, "\r\033[K{} of {} runs{}", done_.load(), total(), left);
  std::fflush(stderr);
}

void SweepRunner::run_one(const Job& job, std::size_t worker) {
  const fs::path json = scratch_.path() / fmt::format("{}.json", worker);
  const fs::path log = scratch_.path() / fmt::format("{}.log", worker);
  const fs::path folder = scratch_.path() / fmt::format("{}.run", worker);
  std::error_code ignored;
  fs::remove(json, ignored);
  fs::remove_all(folder, ignored);
  std::vector<std::string> command = {
      program_path().string(),   "run",   plan_.scenario,  "--quiet", "--no-record",
      "--json=" + json.string(), "--out", folder.string(), "--seed",  std::to_string(job.seed)};
  for (const std::string& set : plan_.variants[job.variant].sets(plan_.axes))
    command.insert(command.end(), {"--set", set});
  command.insert(command.end(), plan_.options.begin(), plan_.options.end());
  Child child(command, log);
  std::optional<ChildUse> use;
  while (!(use = child.wait_for(std::chrono::milliseconds(100)))) {
    if (interrupted()) child.signal(SIGTERM);
  }
  if (interrupted()) return;
  const std::string name = plan_.variants[job.variant].name(plan_.axes);
  keep(job, sweep::record_of(text_of(json), name, job.seed), text_of(log), use->exit_code);
}

void SweepRunner::keep(const Job& job, std::optional<sweep::RunRecord> record, const std::string& said, int exit_code) {
  constexpr std::size_t kMostFailures = 20;
  const std::lock_guard lock(mutex_);
  ++done_;
  if (record) {
    log_ << sweep::to_line(*record) << '\n' << std::flush;
    results_.add(std::move(*record));
    return;
  }
  if (failures_.size() >= kMostFailures) return;
  const std::string how = exit_code > 128 ? fmt::format("was killed by signal {}", exit_code - 128)
                                          : fmt::format("ended with code {}", exit_code);
  failures_.push_back({{},
                       fmt::format("the run {} with seed {} {}{}{}", plan_.variants[job.variant].name(plan_.axes),
                                   job.seed, how, said.empty() ? "" : ":\n", said),
                       "it is tried again by the same command"});
}

Result<void> SweepRunner::write_results() const {
  Errors errors;
  collect(write_whole(plan_.folder / "runs.csv", results_.to_csv()), errors);
  collect(write_whole(plan_.folder / "summary.json", results_.to_json()), errors);
  if (!errors.empty()) return errors;
  return {};
}

}  // namespace strata::app
