// A fresh folder per test below the build's folder for tests.
#pragma once

#include <filesystem>

#include <gtest/gtest.h>

namespace strata {

inline std::filesystem::path fresh_folder() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path path =
      std::filesystem::path(STRATA_TEST_TMP) / (std::string(info->test_suite_name()) + "." + info->name());
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

}  // namespace strata
