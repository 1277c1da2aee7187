// A coordinator of its own for each test, in a folder of its own, that can be killed and started again.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "coordinator/client/client.hpp"

namespace strata::coordinator {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest();
  ~ServiceTest() override;

  /// Starts `strata task serve` with these further options and waits until it answers.
  void serve(const Words& options = {});
  /// Kills it with that signal and waits until it is gone.
  void stop(int signal);
  /// Starts any `strata` command; returns its process.
  pid_t start(const Words& words, const std::string& log);
  [[nodiscard]] pid_t service() const { return service_; }
  /// The guardian's process; 0 if there is none.
  [[nodiscard]] pid_t guardian() const;

  /// A fresh connection.
  [[nodiscard]] std::unique_ptr<Client> client() const;
  [[nodiscard]] Json ask(const std::string& what, Json more = Json::object()) const;
  [[nodiscard]] Json task(TaskId id) const;
  [[nodiscard]] std::string state(TaskId id) const { return task(id).at("state"); }
  TaskId submit(const TaskSpec& spec) const;
  void wait_for_end(TaskId id) const;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::string address() const { return "ipc://" + (folder_ / "sock").string(); }

 private:
  std::filesystem::path folder_;
  pid_t service_ = 0;
};

/// A command that uses these resources.
[[nodiscard]] TaskSpec command(const Words& words, const std::vector<int>& resources = {}, int priority = 5);
/// Waits up to a minute of wall time.
[[nodiscard]] bool eventually(const std::function<bool()>& condition);

}  // namespace strata::coordinator
