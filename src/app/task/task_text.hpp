// What the coordinator says of itself, as text for people. `watch` and the verbs share it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "coordinator/client/client.hpp"

namespace strata::app {

[[nodiscard]] std::string queue_text(const nlohmann::ordered_json& queues);
[[nodiscard]] std::string running_text(const nlohmann::ordered_json& tasks);
[[nodiscard]] std::string resources_text(const nlohmann::ordered_json& resources);
[[nodiscard]] std::string tables_text(const nlohmann::ordered_json& tables);
[[nodiscard]] std::string history_text(const nlohmann::ordered_json& tasks);
[[nodiscard]] std::string stats_text(const nlohmann::ordered_json& stats);

/// The last `limit` tasks in order; 0: all.
[[nodiscard]] Result<nlohmann::ordered_json> fetch_history(coordinator::Client& client, std::size_t limit);

}  // namespace strata::app
