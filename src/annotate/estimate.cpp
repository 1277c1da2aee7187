#include "annotate/estimate.hpp"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <map>

#include <nlohmann/json.hpp>

namespace strata::annotate {

namespace {

using Json = nlohmann::json;

// Share of branches among instructions of usual programs: for the range where no predictor runs.
constexpr double kBranchShare = 0.15;
// Beyond this many cycles per instruction, waiting for results is what takes the time.
constexpr double kBusyCyclesPerInstruction = 0.8;

std::string readable(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 ? text : name;
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): how __cxa_demangle returns it
  return out;
}

class Merger {
 public:
  void add(const Json& process) {
    ++out_.processes;
    if (out_.target.empty()) out_.target = process.at("target");
    if (out_.hz == 0) out_.hz = process.at("hz");
    out_.annotated += process.at("instructions").at("annotated").get<double>();
    out_.library += process.at("instructions").at("library").get<double>();
    out_.cycles += process.at("cycles").get<double>();
    const double host_s = process.at("host_s");
    out_.host_s += host_s;
    out_.mixed_targets = out_.mixed_targets || process.value("mixed_targets", false);
    for (const Json& function : process.at("functions")) add_function(function);
    for (const Json& thread : process.at("threads")) {
      out_.threads.push_back({process.at("process"), thread.at("number"), readable(thread.at("start")),
                              thread.at("instructions"), thread.at("library_instructions"),
                              thread.at("cycles").get<double>() + thread.at("library_cycles").get<double>()});
    }
    for (const Json& unknown : process.at("unaccounted")) {
      unknown_s_[readable(unknown.at("name"))] += unknown.at("host_share").get<double>() * host_s;
    }
  }

  Estimate finish() {
    for (auto& [key, function] : functions_) out_.functions.push_back(std::move(function));
    std::stable_sort(out_.functions.begin(), out_.functions.end(),
                     [](const auto& a, const auto& b) { return a.instructions > b.instructions; });
    for (const auto& [name, seconds] : unknown_s_) {
      out_.unaccounted.push_back({name, out_.host_s > 0 ? seconds / out_.host_s : 0});
    }
    std::stable_sort(out_.unaccounted.begin(), out_.unaccounted.end(),
                     [](const auto& a, const auto& b) { return a.host_share > b.host_share; });
    return std::move(out_);
  }

 private:
  void add_function(const Json& json) {
    const bool library = json.at("library");
    const std::string name = json.at("name");
    FunctionEstimate& function = functions_[(library ? "l" : "f") + name];
    function.name = readable(name);
    function.library = library;
    if (json.contains("place")) function.place = json.at("place");
    function.instructions += json.at("instructions").get<double>();
    function.cycles += json.at("cycles").get<double>();
  }

  Estimate out_;
  std::map<std::string, FunctionEstimate> functions_;
  std::map<std::string, double> unknown_s_;
};

}  // namespace

Result<Estimate> read_estimate(const std::vector<std::pair<std::string, std::string>>& files) {
  Merger merger;
  Errors errors;
  for (const auto& [file, text] : files) {
    const Where where{file, 0, 0, ""};
    try {
      merger.add(Json::parse(text));
    } catch (const Json::exception& problem) {
      errors.push_back(Error{where, problem.what(), "run the program again: the estimate is damaged"});
    }
  }
  if (!errors.empty()) return errors;
  return merger.finish();
}

std::vector<BoardEstimate> on_board(const Estimate& estimate, const board::Board& board) {
  std::vector<BoardEstimate> out;
  double longest = 0;
  for (const ThreadEstimate& thread : estimate.threads) longest = std::max(longest, thread.cycles);
  for (const board::Processor& processor : board.processors) {
    if (processor.core != estimate.target) continue;
    BoardEstimate on;
    on.board = board.name;
    on.processor = processor.name;
    on.hz = processor.clock().hz;
    on.cycles = estimate.cycles;
    const double lost =
        estimate.instructions() * kBranchShare * processor.misprediction_rate * processor.misprediction_cycles;
    on.most_cycles = on.cycles + lost;
    on.time_s = on.cycles / on.hz;
    on.elapsed_s = std::max(longest, on.cycles / processor.cores) / on.hz;
    on.dynamic_j = on.cycles * processor.cycle_energy_j;
    on.static_j = on.elapsed_s * (processor.static_power_w + board.static_power_w);
    const double per_instruction = on.cycles / std::max(1.0, estimate.instructions());
    on.bound = lost > 0.2 * on.cycles                        ? "branches"
               : per_instruction > kBusyCyclesPerInstruction ? "latency"
                                                             : "instructions";
    out.push_back(std::move(on));
  }
  return out;
}

}  // namespace strata::annotate
