// Scans the whole source tree, and proves on small pieces of text that each rule finds its violation.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan.hpp"

namespace strata::layering {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const Layers& layers() {
  static const Layers kLayers = parse_layers(STRATA_LAYERS);
  return kLayers;
}

// All problems in one text, a line each.
std::string problems(std::string_view path, std::string_view text) {
  std::string all;
  for (const Violation& v : scan(path, text, layers())) {
    all += v.path + ":" + std::to_string(v.line) + ": " + v.what + "\n";
  }
  return all;
}

bool is_source(const fs::path& path) { return path.extension() == ".cpp" || path.extension() == ".hpp"; }

TEST(Layering, WholeTreeKeepsTheRules) {
  const fs::path root = STRATA_SOURCE_DIR;
  std::string all;
  int files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "src")) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    all += problems(fs::relative(entry.path(), root).generic_string(), text);
    ++files;
  }
  EXPECT_EQ(all, "");
  EXPECT_GT(files, 0);
}

TEST(Layering, KnowsTheModules) {
  EXPECT_EQ(layers().at("base"), 0);
  EXPECT_LT(layers().at("kernel"), layers().at("world"));
  EXPECT_LT(layers().at("scenario"), layers().at("app"));
}

TEST(Layering, FindsIncludeOfAHigherModule) {
  EXPECT_THAT(problems("src/kernel/a.cpp", "\n#include \"world/world.hpp\"\n"),
              HasSubstr("src/kernel/a.cpp:2: module 'kernel' (layer 1) includes 'world/world.hpp' (layer 2)"));
  EXPECT_NE(problems("src/kernel/test/a_test.cpp", "#  include <world/world.hpp>\n"), "");
}

TEST(Layering, FindsIncludeOfTheSameLayer) {
  EXPECT_NE(problems("src/kernel/a.hpp", "#include \"protocol/codec.hpp\""), "");
}

TEST(Layering, AllowsLowerModulesAndItself) {
  EXPECT_EQ(problems("src/world/a.cpp", "#include \"base/time.hpp\"\n#include \"world/b.hpp\"\n#include <vector>\n"),
            "");
}

TEST(Layering, FindsWaysAroundTheIncludeRoot) {
  EXPECT_NE(problems("src/kernel/a.cpp", "#include \"../world/world.hpp\""), "");
}

TEST(Layering, FindsUnknownModules) { EXPECT_NE(problems("src/newcomer/a.cpp", "int x;"), ""); }

TEST(Layering, KeepsTheShimFree) {
  EXPECT_NE(problems("src/shim/a.cpp", "#include \"base/time.hpp\""), "");
  EXPECT_EQ(problems("src/shim/a.cpp", "#include \"shim_abi/page.hpp\""), "");
}

TEST(Layering, FindsReadersOfTheWallClock) {
  for (const char* text :
       {"auto t = std::chrono::steady_clock::now();", "clock_gettime(CLOCK_MONOTONIC, &ts);", "auto t = time(nullptr);",
        "auto t = std::time(&x);", "std::this_thread::sleep_for(1ms);", "auto c = std::clock();", "::sleep(1);"}) {
    EXPECT_NE(problems("src/world/a.cpp", text), "") << text;
    EXPECT_NE(problems("src/record/test/a_test.cpp", text), "") << text;
    EXPECT_EQ(problems("src/kernel/pacing.cpp", text), "") << text;
    EXPECT_EQ(problems("src/app/a.cpp", text), "") << text;
  }
}

TEST(Layering, IgnoresVirtualClocksCommentsAndStrings) {
  for (const char* text : {"clock.time();", "Time time(int x);", "kernel.clock().now();", "// steady_clock\nint x;",
                           "/* sleep_for\n */", "auto s = \"steady_clock\";", "auto s = R\"x(time(nullptr))x\";",
                           "char c = '\"'; int n = 1'000'000; char d = '\"';"}) {
    EXPECT_EQ(problems("src/world/a.cpp", text), "") << text;
  }
}

TEST(Layering, CountsLines) {
  EXPECT_THAT(problems("src/world/a.cpp", "/*\n\n*/ // x\nint a = 1'000;\nauto s = \"\\\"\";\nusleep(3);\n"),
              HasSubstr("a.cpp:6:"));
}

TEST(Layering, FindsMathThatDependsOnTheProcessor) {
  for (const char* text : {"double y = std::sin(x);", "double y = ::cos(x);", "return atan2(y, x);",
                           "auto l = std::hypot(x, y);", "y = 2 * exp(x);"}) {
    EXPECT_NE(problems("src/world/a.cpp", text), "") << text;
    EXPECT_EQ(problems("src/base/math.cpp", text), "") << text;
    EXPECT_EQ(problems("src/world/test/a_test.cpp", text), "") << text;
    EXPECT_EQ(problems("src/record/a.cpp", text), "") << text;
  }
}

TEST(Layering, AllowsReproducibleMath) {
  for (const char* text : {"double y = math::sin(x);", "y = std::sqrt(x);", "v.log(x);", "double pow(double);",
                           "auto a = strata::math::atan2(y, x);", "const double cos = 1;"}) {
    EXPECT_EQ(problems("src/world/a.cpp", text), "") << text;
  }
}

TEST(Layering, FindsUnnamedRandomness) {
  EXPECT_NE(problems("src/world/a.cpp", "std::mt19937 generator;"), "");
  EXPECT_NE(problems("src/scenario/a.cpp", "std::random_device d;"), "");
  EXPECT_NE(problems("src/kernel/a.cpp", "int x = rand() % 6;"), "");
  EXPECT_EQ(problems("src/kernel/test/a_test.cpp", "std::mt19937 generator(1);"), "");
}

TEST(Layering, FindsBigLibrariesInHeaders) {
  for (const char* text : {"#include <yaml-cpp/yaml.h>", "#include <nlohmann/json.hpp>", "#include <CLI/CLI.hpp>",
                           "#include <zstd.h>", "#include <boost/beast.hpp>", "#include \"nlohmann/json.hpp\""}) {
    EXPECT_NE(problems("src/app/a.hpp", text), "") << text;
    EXPECT_EQ(problems("src/app/a.cpp", text), "") << text;
  }
  EXPECT_EQ(problems("src/app/a.hpp", "#include <fmt/format.h>"), "");
}

}  // namespace
}  // namespace strata::layering
