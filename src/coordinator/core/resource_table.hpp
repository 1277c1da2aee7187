// Who holds which resource. A holder uses it now; a booking keeps it for a task that has pushed a holder aside and
// waits for it to go. Knows the hazards: one writer, or many readers, or as many writers as the capacity allows.
#pragma once

#include <map>
#include <vector>

#include "base/result.hpp"
#include "coordinator/core/live_task.hpp"
#include "coordinator/core/settings.hpp"

namespace strata::coordinator {

/// As the original counts them.
enum class ResourceState : std::uint8_t { kFree = 0, kWorking = 1, kSleep = 2, kWait = 3 };
[[nodiscard]] std::string_view to_text(ResourceState state);

class ResourceTable {
 public:
  struct Holder {
    LiveTask* task = nullptr;
    Use use = Use::kWrite;
    int amount = 1;
  };
  struct Row {
    ResourceSpec spec;
    std::vector<Holder> holders;
    std::vector<Holder> booked;
    bool lost = false;  ///< the component behind it has failed
  };

  explicit ResourceTable(std::vector<ResourceSpec> resources);

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Index of the resource with that id; -1 if there is none.
  [[nodiscard]] int find(int id) const;
  /// The uses of a task by index, or what is wrong with them.
  [[nodiscard]] Result<std::vector<Claim>> claims_of(const TaskSpec& spec) const;

  /// Whether the claim goes with everybody who holds or has booked the resource.
  [[nodiscard]] bool fits(const Claim& claim) const;
  /// The same, looking at holders only.
  [[nodiscard]] bool fits_holders(const Claim& claim) const;
  /// What writers may still take; 0 beside readers.
  [[nodiscard]] int room(std::size_t resource) const;
  /// Who has to go so that the claim fits: as few writers as possible, of the lowest priority.
  void blockers(const Claim& claim, std::vector<LiveTask*>& into) const;

  void hold(LiveTask& task);
  void release(LiveTask& task);
  void book(LiveTask& task);
  void unbook(LiveTask& task);
  void set_lost(std::size_t resource, bool lost) { rows_[resource].lost = lost; }

 private:
  std::vector<Row> rows_;
  std::map<int, std::size_t> index_;
};

}  // namespace strata::coordinator
