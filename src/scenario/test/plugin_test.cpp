#include "scenario/plugin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/plugin.hpp"
#include "scenario_files.hpp"

namespace strata {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using PluginTest = ScenarioTest;

TEST_F(PluginTest, WhatIsNoPluginSaysWhy) {
  EXPECT_THAT(brief(errors_of("strata: 1\nplugins: [gone.so]\n")), StartsWith("2: there is no plugin '"));
  files_.write("text.so", "not a library");
  EXPECT_THAT(brief(errors_of("strata: 1\nplugins:\n  - text.so\n")), StartsWith("3: cannot load the plugin: "));
  files_.write("folder.so/x", "");
  EXPECT_THAT(brief(errors_of("strata: 1\nplugins: folder.so\n")), HasSubstr("no shared library"));
  EXPECT_THAT(brief(errors_of("strata: 1\nplugins: [{a: b}]\n")), HasSubstr("expected the path"));
}

// A library that every system has, and that is no plugin.
TEST_F(PluginTest, AnotherLibraryIsRefused) {
  const char* const library = "/lib/x86_64-linux-gnu/libm.so.6";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "no libm at the usual place";
  EXPECT_THAT(brief(errors_of(std::string("strata: 1\nplugins: [") + library + "]\n")),
              HasSubstr("no plugin of Strata"));
}

TEST_F(PluginTest, PathsCountFromTheFileThatNamesThem) {
  files_.write("parts/part.yaml", "plugins: [own.so]\n");
  const Errors errors = errors_of("strata: 1\ninclude: parts/part.yaml\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors.front().problem, HasSubstr(files_.path("parts/own.so")));
  EXPECT_EQ(errors.front().where.file, files_.path("parts/part.yaml"));
}

}  // namespace
}  // namespace strata
