#include "app/bench/annotate.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotate/calibrate/measure.hpp"
#include "annotate/driver/places.hpp"
#include "annotate/targets.hpp"
#include "app/child.hpp"
#include "app/data_folders.hpp"

namespace strata::bench {

namespace {

namespace fs = std::filesystem;
using annotate::Target;

constexpr double kMostTotal = 0.05;
constexpr double kMedianTotal = 0.03;
constexpr double kMostOfPlain = 1.3;
constexpr double kMeanOfPlain = 1.1;
constexpr double kMostCompile = 2.5;

struct Accuracy {
  std::string kernel;
  double own = 0;    ///< relative error of annotated code
  double total = 0;  ///< with libraries
  bool same_output = false;
};

struct Speed {
  std::string kernel;
  double run = 0;      ///< times plain
  double compile = 0;  ///< times plain
};

std::vector<fs::path> kernels(const Options& options) {
  std::vector<fs::path> out;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(app::data_folder() / "bench/kernels", problem)) {
    out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  if (out.empty()) throw std::runtime_error("bench/kernels is not here: run from the source tree");
  if (options.quick) out.resize(std::min<std::size_t>(out.size(), 4));
  return out;
}

bool is_cpp(const fs::path& kernel) { return kernel.extension() == ".cpp"; }

double run(const std::vector<std::string>& command, const fs::path& output) {
  app::Child child(command, output);
  const app::ChildUse use = child.wait();
  if (use.exit_code != 0)
    throw std::runtime_error(fmt::format("{}\n{}", fmt::join(command, " "), app::text_of(output)));
  return use.cpu_s;
}

std::vector<std::string> compile_command(const std::string& compiler, const fs::path& kernel, const std::string& level,
                                         const fs::path& program) {
  std::vector<std::string> out{compiler, level, "-w", "-pthread", kernel.string(), "-o", program.string(), "-lm"};
  if (is_cpp(kernel)) out.insert(out.begin() + 1, "-std=c++17");
  return out;
}

std::string driver(const fs::path& kernel) {
  return (annotate::program_folder() / (is_cpp(kernel) ? "strata-c++" : "strata-cc")).string();
}

double sum(const annotate::Counts& counts) {
  double out = 0;
  for (const auto& [name, count] : counts) out += count;
  return out;
}

class Measurer {
 public:
  Measurer(const Target& target, const std::string& level) : target_(target), level_(level) {
    std::ofstream(folder_.path() / "empty.c") << "int main(void) { return 0; }\n";
    start_ = sum(reference(folder_.path() / "empty.c"));
  }

  Accuracy measure(const fs::path& kernel) {
    const fs::path program = folder_.path() / "annotated";
    std::vector<std::string> command = compile_command(driver(kernel), kernel, level_, program);
    command.push_back("-fstrata-target=" + target_.name);
    run(command, folder_.path() / "log");
    const fs::path estimate = folder_.path() / "estimate.json";
    run({"/usr/bin/env", "STRATA_PERF=" + estimate.string(), program.string()}, folder_.path() / "out");
    const auto json = nlohmann::json::parse(app::text_of(estimate));
    const annotate::Counts truth = reference(kernel);
    double own = 0;
    double own_truth = 0;
    for (const auto& function : json.at("functions")) {
      if (function.at("library").get<bool>()) continue;
      own += function.at("instructions").get<double>();
      const auto it = truth.find(function.at("name").get<std::string>());
      if (it != truth.end()) own_truth += it->second;
    }
    const double total = json.at("instructions").at("total").get<double>();
    const double total_truth = sum(truth) - start_;
    return {kernel.stem().string(), own / own_truth - 1, total / total_truth - 1,
            app::text_of(folder_.path() / "out") == app::text_of(folder_.path() / "reference.out")};
  }

 private:
  annotate::Counts reference(const fs::path& kernel) {
    const fs::path program = folder_.path() / "reference";
    std::vector<std::string> words{level_};
    words.insert(words.end(), {"-x", is_cpp(kernel) ? "c++" : "c"});
    if (is_cpp(kernel)) words.emplace_back("-std=c++17");
    words.insert(words.end(), {kernel.string(), "-x", "none"});
    if (!annotate::cross_compile(target_, words, program))
      throw std::runtime_error("cannot compile " + kernel.string());
    const auto counts = annotate::count_instructions(target_, program, {}, folder_.path() / "reference.out");
    if (!counts.ok()) throw std::runtime_error(to_text(counts.errors()));
    return *counts;
  }

  const Target& target_;
  std::string level_;
  app::ScratchFolder folder_;
  double start_ = 0;
};

// The least of several runs: what disturbs only adds.
double quickest(const fs::path& program, const fs::path& output, int runs) {
  double least = 1e9;
  for (int i = 0; i < runs; ++i) least = std::min(least, run({program.string()}, output));
  return least;
}

Speed speed_of(const fs::path& kernel, int runs) {
  const app::ScratchFolder folder;
  const fs::path log = folder.path() / "log";
  const std::string clang = annotate::find_clang(is_cpp(kernel)).string();
  Speed out{kernel.stem().string(), 0, 0};
  const double plain = run(compile_command(clang, kernel, "-O2", folder.path() / "plain"), log);
  out.compile = run(compile_command(driver(kernel), kernel, "-O2", folder.path() / "annotated"), log) / plain;
  out.run = quickest(folder.path() / "annotated", log, runs) / quickest(folder.path() / "plain", log, runs);
  return out;
}

void add_accuracy(Report& report, const Target& target, const std::string& level, std::vector<Accuracy> all) {
  const std::string name = target.name + level;
  const double limit = target.name == "cortex-a72" || target.name == "cortex-a53" ? 0.02 : 0.03;
  for (const Accuracy& one : all) {
    report.rows.push_back({.name = name + "-" + one.kernel,
                           .metric = "annotated_error",
                           .value = one.own,
                           .unit = "",
                           .target = limit,
                           .met = std::abs(one.own) <= limit,
                           .note = fmt::format("with libraries {:+.2f} %{}", 100 * one.total,
                                               one.same_output ? "" : ", OUTPUT DIFFERS")});
  }
  const auto worse_own = [](const Accuracy& a, const Accuracy& b) { return std::abs(a.own) < std::abs(b.own); };
  const Accuracy worst = *std::max_element(all.begin(), all.end(), worse_own);
  report.rows.push_back({.name = name,
                         .metric = "annotated_error_worst",
                         .value = std::abs(worst.own),
                         .target = limit,
                         .met = std::abs(worst.own) <= limit,
                         .note = worst.kernel});
  std::sort(all.begin(), all.end(),
            [](const Accuracy& a, const Accuracy& b) { return std::abs(a.total) < std::abs(b.total); });
  const double median = std::abs(all[all.size() / 2].total);
  const auto within = static_cast<double>(
      std::count_if(all.begin(), all.end(), [](const Accuracy& a) { return std::abs(a.total) <= kMostTotal; }));
  const double share = within / static_cast<double>(all.size());
  report.rows.push_back({.name = name,
                         .metric = "total_error_median",
                         .value = median,
                         .target = kMedianTotal,
                         .met = median <= kMedianTotal});
  report.rows.push_back({.name = name,
                         .metric = "total_error_within_5_percent",
                         .value = share,
                         .target = 0.9,
                         .met = share >= 0.9,
                         .note = fmt::format("worst {} {:+.1f} %", all.back().kernel, 100 * all.back().total)});
}

void add_speed(Report& report, const std::vector<Speed>& all) {
  const auto worst = [&](double Speed::*field) {
    return *std::max_element(all.begin(), all.end(),
                             [&](const Speed& a, const Speed& b) { return a.*field < b.*field; });
  };
  double logs = 0;
  for (const Speed& one : all) logs += std::log(one.run);
  const double mean = std::exp(logs / static_cast<double>(all.size()));
  const Speed slowest = worst(&Speed::run);
  const Speed longest = worst(&Speed::compile);
  report.rows.push_back({.name = "run_time",
                         .metric = "times_plain_mean",
                         .value = mean,
                         .target = kMeanOfPlain,
                         .met = mean <= kMeanOfPlain});
  report.rows.push_back({.name = "run_time",
                         .metric = "times_plain_worst",
                         .value = slowest.run,
                         .target = kMostOfPlain,
                         .met = slowest.run <= kMostOfPlain,
                         .note = slowest.kernel});
  report.rows.push_back({.name = "compile_time",
                         .metric = "times_clang_worst",
                         .value = longest.compile,
                         .target = kMostCompile,
                         .met = longest.compile <= kMostCompile,
                         .note = longest.kernel});
}

}  // namespace

Report run_annotate(const Options& options) {
  Report report{"annotate", {}};
  const std::vector<fs::path> all = kernels(options);
  if (annotate::find_tool().empty() || annotate::find_clang(true).empty()) {
    throw std::runtime_error(std::string("cannot annotate here: ") + annotate::kInstallHint);
  }
  const std::vector<std::string> levels =
      options.quick ? std::vector<std::string>{"-O2"} : std::vector<std::string>{"-O1", "-O2", "-O3", "-Os"};
  for (const char* name : {"cortex-a72", "cortex-a53", "cortex-a8", "x86-64"}) {
    const Target& target = *annotate::find_target(name);
    if (const auto possible = annotate::can_measure(target); !possible.ok()) {
      report.rows.push_back({.name = name, .metric = "annotated_error_worst", .note = to_text(possible.errors())});
      continue;
    }
    for (const std::string& level : levels) {
      Measurer measurer(target, level);
      std::vector<Accuracy> results;
      for (const fs::path& kernel : all) results.push_back(measurer.measure(kernel));
      add_accuracy(report, target, level, std::move(results));
    }
    if (options.quick) break;
  }
  std::vector<Speed> speeds;
  for (const fs::path& kernel : all) speeds.push_back(speed_of(kernel, options.quick ? 3 : 9));
  add_speed(report, speeds);
  return report;
}

}  // namespace strata::bench
