// What all `strata task` verbs share: how they find the coordinator.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "coordinator/client/client.hpp"
#include "coordinator/core/settings.hpp"
#include "coordinator/core/task.hpp"

namespace CLI {
class App;
}

namespace strata::app {

/// `--at`, `--key`, `--server-key`, or STRATA_TASK_ADDRESS, or the usual socket.
class TaskConnection {
 public:
  void add_to(CLI::App& app);
  [[nodiscard]] Result<std::unique_ptr<coordinator::Client>> connect() const;
  [[nodiscard]] Result<coordinator::ClientSpec> spec() const;

 private:
  std::string address_;
  std::string key_;
  std::string server_key_;
};

/// --at as given, else the environment's, else the usual.
[[nodiscard]] std::string task_address(const std::string& given);

/// XML or YAML, whatever the file holds.
[[nodiscard]] Result<std::vector<coordinator::TaskSpec>> read_task_file(const std::string& path);
[[nodiscard]] Result<std::vector<coordinator::ResourceSpec>> read_resource_file(const std::string& path);

/// A whole number from 0; an error that names `what` otherwise.
[[nodiscard]] Result<coordinator::TaskId> read_task_id(const std::string& text, const char* what = "a task id");

}  // namespace strata::app
