// The planner `clips`: rules decide. Facts about tasks, resources and what has happened go in, `choose` facts come out.
// The rule file is read again when it changes; if it is wrong then, the rules that were there stay.
#pragma once

#include <filesystem>
#include <memory>
#include <set>

#include "base/result.hpp"
#include "coordinator/core/planner.hpp"

namespace strata::coordinator {

class ClipsPlanner final : public Planner {
 public:
  ~ClipsPlanner() override;
  /// Fails if the rules cannot be read, or if this program was built without CLIPS.
  [[nodiscard]] static Result<std::unique_ptr<ClipsPlanner>> open(const std::filesystem::path& rules);

  [[nodiscard]] std::optional<std::vector<TaskId>> choose(Time now, const Scheduler& scheduler) override;
  [[nodiscard]] std::string name() const override { return "clips"; }

 private:
  struct Engine;
  explicit ClipsPlanner(std::filesystem::path rules);
  void reload_if_changed();

  std::filesystem::path rules_;
  std::filesystem::file_time_type read_at_;
  std::unique_ptr<Engine> engine_;
  std::set<TaskId> seen_;  ///< alive the last time, to tell what is new and what is gone
};

}  // namespace strata::coordinator
