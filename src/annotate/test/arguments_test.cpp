#include "annotate/driver/arguments.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::annotate {
namespace {

using testing::ElementsAre;
using Step = CompilerArguments::Step;

CompilerArguments read(const std::vector<std::string>& words, const std::string& environment = "") {
  auto arguments = read_compiler_arguments(words, environment);
  EXPECT_TRUE(arguments.ok());
  return std::move(*arguments);
}

TEST(CompilerArguments, CompileStep) {
  const auto a = read({"-O2", "-c", "-I", "include", "a.cpp", "-o", "a.o", "-fstrata-target=cortex-a53,x86-64", "-MD"});
  EXPECT_EQ(a.step, Step::kObject);
  EXPECT_EQ(a.level, "2");
  EXPECT_EQ(a.output, "a.o");
  EXPECT_TRUE(a.dependencies);
  ASSERT_EQ(a.sources.size(), 1U);
  EXPECT_EQ(a.sources[0].file, "a.cpp");
  ASSERT_EQ(a.targets.size(), 2U);
  EXPECT_EQ(a.targets[1]->name, "x86-64");
  EXPECT_THAT(compile_words(a), ElementsAre("-O2", "-I", "include", "-MD"));
}

TEST(CompilerArguments, LinkStepWithMixedInputs) {
  const auto a = read({"a.c", "b.o", "c.S", "libx.a", "-lm", "-L/lib", "-Wl,-z,now", "-shared", "-O3", "-o", "x"});
  EXPECT_EQ(a.step, Step::kLink);
  ASSERT_EQ(a.sources.size(), 1U);
  EXPECT_TRUE(a.is_shared);
  EXPECT_THAT(compile_words(a), ElementsAre("-O3"));
  EXPECT_STREQ(a.targets.at(0)->name.c_str(), kDefaultTarget);
}

TEST(CompilerArguments, TheEarliestStageWins) {
  EXPECT_EQ(read({"-c", "-E", "a.c"}).step, Step::kPreprocess);
  EXPECT_EQ(read({"-S", "-c", "a.c"}).step, Step::kAssembly);
  EXPECT_EQ(read({"--version"}).step, Step::kPassThrough);
  EXPECT_EQ(read({"-M", "a.c"}).step, Step::kPassThrough);
}

TEST(CompilerArguments, LanguageOption) {
  const auto a = read({"-x", "c++", "-", "-x", "assembler", "b.c", "-xnone", "c.c"});
  ASSERT_EQ(a.sources.size(), 2U);
  EXPECT_EQ(a.sources[0].file, "-");
  EXPECT_TRUE(is_cpp(a.sources[0], false));
  EXPECT_EQ(a.sources[1].file, "c.c");
  EXPECT_FALSE(is_cpp(a.sources[1], false));
}

TEST(CompilerArguments, Levels) {
  EXPECT_EQ(read({"-O", "a.c"}).level, "1");
  EXPECT_EQ(read({"-Og", "a.c"}).level, "1");
  EXPECT_EQ(read({"-Ofast", "a.c"}).level, "3");
  EXPECT_EQ(read({"-O9", "a.c"}).level, "3");
  EXPECT_EQ(read({"-O2", "-Os", "a.c"}).level, "s");
  EXPECT_EQ(read({"a.c"}).level, "0");
}

TEST(CompilerArguments, ResponseFiles) {
  std::filesystem::create_directories(STRATA_TEST_TMP);
  const std::string file = std::string(STRATA_TEST_TMP) + "/words.rsp";
  std::ofstream(file) << "-O2 'a b.c' \"-DX=\\\"y\\\"\"\n -c\n";
  const auto a = read({"@" + file});
  EXPECT_THAT(a.words, ElementsAre("-O2", "a b.c", "-DX=\"y\"", "-c"));
  ASSERT_EQ(a.sources.size(), 1U);
}

TEST(CompilerArguments, UnknownTargetsAreNamed) {
  const auto a = read_compiler_arguments({"-fstrata-target=cortex-a27,pdp11", "a.c"}, "");
  ASSERT_FALSE(a.ok());
  EXPECT_EQ(a.errors().size(), 2U);
  EXPECT_FALSE(read_compiler_arguments({"a.c"}, "nothing").ok());
  EXPECT_EQ(read({"a.c"}, "cortex-a8").targets.at(0)->bits, 32);
}

}  // namespace
}  // namespace strata::annotate
