#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotate/calibrate/measure.hpp"
#include "app/arguments.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"

namespace strata::app {

namespace {

using Json = nlohmann::ordered_json;

void show(const std::string& name) {
  if (is_terminal(stderr)) fmt::print(stderr, "\r\033[Kmeasuring {}", name.substr(0, 60));
}

std::string to_file(const annotate::LibraryCosts& costs, const std::string& target) {
  std::string out = fmt::format(
      "# Cost of library functions on {0}: NAME MEASURE SIZE:INSTRUCTIONS:CYCLES...\n"
      "# Instructions counted by QEMU, cycles by the usual cycles per instruction of the processor.\n"
      "# Made by: strata calibrate library --target {0}\n",
      target);
  for (const auto& [name, cost] : costs) out += to_text(cost) + "\n";
  return out;
}

std::string to_json(const annotate::LibraryCosts& costs, const std::string& target) {
  Json functions = Json::array();
  for (const auto& [name, cost] : costs) {
    Json points = Json::array();
    for (const auto& point : cost.points) {
      points.push_back({{"size", point.size}, {"instructions", point.instructions}, {"cycles", point.cycles}});
    }
    functions.push_back(
        {{"name", name}, {"measure", annotate::measure_text(cost.measure, cost.argument)}, {"points", points}});
  }
  return Json{{"target", target}, {"functions", functions}}.dump(2);
}

}  // namespace

int calibrate_verb(const Arguments& arguments) {
  CLI::App app("Measures in QEMU what functions of the C and C++ libraries cost on a processor.", "strata calibrate");
  std::string what;
  std::string target = annotate::kDefaultTarget;
  std::string out;
  JsonOutput json;
  app.add_option("WHAT", what, "library: the functions of libc, libm and libstdc++")->required();
  app.add_option("--target", target, "Processor, as in strata perf --targets")->type_name("CPU");
  app.add_option("--out", out, "File to write instead of TARGET.txt")->type_name("FILE");
  json.add_to(app);
  app.footer(
      "example:\n  strata calibrate library --target cortex-a53 --out models/costs/cortex-a53.txt\n\nTakes a minute or "
      "two.");
  if (const auto done = parse(app, arguments)) return *done;

  Errors errors;
  if (what != "library") errors.push_back({{}, fmt::format("cannot calibrate '{}'", what), "one of: library"});
  const auto found = annotate::read_targets(target, "--target");
  collect(found, errors);
  collect(json.check(), errors);
  if (errors.empty()) collect(annotate::can_measure(*found->front()), errors);
  if (!errors.empty()) return wrong_input(errors);

  const auto costs = annotate::calibrate_library(*found->front(), &show);
  if (is_terminal(stderr)) fmt::print(stderr, "\r\033[K");
  if (!costs.ok()) return wrong_input(costs.errors());
  if (out.empty()) out = found->front()->name + ".txt";
  std::ofstream file(out, std::ios::binary);
  file << to_file(*costs, found->front()->name);
  file.close();
  if (!file) return wrong_input({Error{in_file(out), "cannot be written", "choose another file with --out"}});
  if (!json.on_stdout()) fmt::print("{} functions measured, written to {}\n", costs->size(), out);
  return json.write(to_json(*costs, found->front()->name), ExitCode::kFine);
}

}  // namespace strata::app
