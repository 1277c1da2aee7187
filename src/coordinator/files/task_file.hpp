// Resource and task files as trees of values, however they were written, into checked specs. All mistakes at once.
#pragma once

#include <vector>

#include "base/config.hpp"
#include "base/result.hpp"
#include "base/value.hpp"
#include "coordinator/core/settings.hpp"
#include "coordinator/core/task.hpp"

namespace strata::coordinator {

/// A dependency with this bit counts from the first task of the same file instead of from the first task ever.
constexpr TaskId kInFile = TaskId{1} << 63U;

/// `resources: [{id: 0, name: Legs, capacity: 1}, ...]`
[[nodiscard]] Result<std::vector<ResourceSpec>> resources_of(const Value& root);

/// `tasks: [{run: [walk, fast], resources: [0, {id: 1, use: read}], priority: 3, ...}, ...]`
[[nodiscard]] Result<std::vector<TaskSpec>> tasks_of(const Value& root);
/// One entry of such a list. `labels` are those of the file, in order; empty ones cannot be named.
[[nodiscard]] Result<TaskSpec> task_of(const Value& entry, const std::vector<std::string>& labels = {});

/// The parameters of a task in YAML, for help and documentation.
[[nodiscard]] const std::vector<Param>& task_params();

}  // namespace strata::coordinator
