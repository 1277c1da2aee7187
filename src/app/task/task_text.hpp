// What the coordinator says of itself in JSON, as text for people. `watch` and the verbs share it.
#pragma once

#include <string>

#include "base/result.hpp"
#include "coordinator/client/client.hpp"

namespace strata::app {

[[nodiscard]] std::string queue_text(const std::string& json);
[[nodiscard]] std::string running_text(const std::string& json);
[[nodiscard]] std::string resources_text(const std::string& json);
[[nodiscard]] std::string tables_text(const std::string& json);
[[nodiscard]] std::string history_text(const std::string& json);
[[nodiscard]] std::string stats_text(const std::string& json);

/// The last `limit` tasks in order, as JSON; 0: all.
[[nodiscard]] Result<std::string> fetch_history(coordinator::Client& client, std::size_t limit);

}  // namespace strata::app
