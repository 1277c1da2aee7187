#include "app/bench/enki.hpp"

#include <filesystem>
#include <fstream>

#include "app/child.hpp"
#include "base/units.hpp"

namespace strata::bench {
namespace {

// Enki measures in centimetres and seconds. Wheels of both sides are set so that robots go straight between turns, as
// ours do.
constexpr const char* kProgram = R"(
#include <enki/PhysicalEngine.h>
#include <enki/robots/DifferentialWheeled.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

struct Walker : Enki::DifferentialWheeled {
  explicit Walker(double radius) : Enki::DifferentialWheeled(10, 100, 0) { setCylindric(radius, 20, 500); }
};

int main(int, char** argv) {
  const long robots = std::atol(argv[1]);
  const double radius = std::atof(argv[2]) * 100, dt = std::atof(argv[3]);
  const long side = static_cast<long>(std::ceil(std::sqrt(static_cast<double>(robots))));
  Enki::World world(side * 100.0, side * 100.0);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(20, 80), speed(10, 30), turn(-20, 20), unit(0, 1);
  std::vector<Walker*> all;
  for (long i = 0; i < robots; ++i) {
    auto* walker = new Walker(radius);
    walker->pos = Enki::Point((i % side) * 100.0 + place(random), (i / side) * 100.0 + place(random));
    walker->angle = unit(random) * 6.283;
    walker->leftSpeed = walker->rightSpeed = speed(random);
    world.addObject(walker);
    all.push_back(walker);
  }
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    const std::clock_t begin = std::clock();
    long steps = 0;
    do {
      for (Walker* walker : all) {
        if (unit(random) > dt / 10) continue;
        walker->leftSpeed = speed(random);
        walker->rightSpeed = walker->leftSpeed + turn(random);
      }
      world.step(dt);
      ++steps;
    } while (std::clock() - begin < CLOCKS_PER_SEC);
    best = std::max(best, double(steps) * double(robots) * CLOCKS_PER_SEC / double(std::clock() - begin));
  }
  std::printf("%.6g\n", best);
}
)";

}  // namespace

EnkiOutcome run_enki(long robots, double radius_m, double step_s) {
  if (!std::filesystem::exists("/usr/include/enki/PhysicalEngine.h"))
    return {std::nullopt, "for the peer: apt-get install libenki-dev"};
  const app::ScratchFolder folder;
  const auto source = folder.path() / "crowd.cpp";
  const auto program = folder.path() / "crowd";
  const auto output = folder.path() / "output";
  std::ofstream(source) << kProgram;
  app::Child compiler({"g++", "-O3", "-w", source.string(), "-o", program.string(), "-lenki"}, output);
  if (compiler.wait().exit_code != 0)
    return {std::nullopt, "the peer does not compile: " + app::text_of(output).substr(0, 200)};
  app::Child crowd({program.string(), std::to_string(robots), format_number(radius_m), format_number(step_s)}, output);
  if (crowd.wait().exit_code != 0)
    return {std::nullopt, "the peer does not run: " + app::text_of(output).substr(0, 200)};
  std::string text = app::text_of(output);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const Result<double> figure = parse_number(text);
  if (!figure.ok()) return {std::nullopt, "the peer printed no figure"};
  return {*figure, ""};
}

}  // namespace strata::bench
