#include "coordinator/core/resource_table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace strata::coordinator {

namespace {

using Holder = ResourceTable::Holder;

// Adds up writers; readers make `beside_readers` true.
struct Load {
  int written = 0;
  bool beside_readers = false;
  void add(const std::vector<Holder>& holders) {
    for (const Holder& holder : holders) {
      if (holder.use == Use::kRead) {
        beside_readers = true;
      } else {
        written += holder.amount;
      }
    }
  }
  [[nodiscard]] bool takes(const Claim& claim, int capacity) const {
    if (claim.use == Use::kRead) return written == 0;
    return !beside_readers && written + claim.amount <= capacity;
  }
};

void drop(std::vector<Holder>& holders, const LiveTask& task) {
  holders.erase(
      std::remove_if(holders.begin(), holders.end(), [&task](const Holder& holder) { return holder.task == &task; }),
      holders.end());
}

}  // namespace

std::string_view to_text(ResourceState state) {
  constexpr std::string_view kNames[] = {"free", "working", "sleep", "wait"};
  return kNames[static_cast<std::size_t>(state)];
}

ResourceTable::ResourceTable(std::vector<ResourceSpec> resources) {
  for (ResourceSpec& spec : resources) {
    index_.emplace(spec.id, rows_.size());
    rows_.push_back({std::move(spec), {}, {}, false});
  }
}

int ResourceTable::find(int id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? -1 : static_cast<int>(found->second);
}

Result<std::vector<Claim>> ResourceTable::claims_of(const TaskSpec& spec) const {
  Errors errors;
  std::vector<Claim> claims;
  for (const ResourceUse& use : spec.uses) {
    const int index = find(use.resource);
    if (index < 0) {
      errors.push_back({{},
                        fmt::format("there is no resource {}", use.resource),
                        fmt::format("the coordinator has {} resources, {} to {}: see `strata task resources`",
                                    rows_.size(), index_.begin()->first, index_.rbegin()->first)});
      continue;
    }
    const ResourceSpec& resource = rows_[static_cast<std::size_t>(index)].spec;
    if (use.use == Use::kWrite && use.amount > resource.capacity) {
      errors.push_back({{},
                        fmt::format("{} units of resource {} ('{}'), which has {}", use.amount, resource.id,
                                    resource.name, resource.capacity),
                        "ask for less"});
    }
    claims.push_back({static_cast<std::size_t>(index), use.use, use.amount});
  }
  if (!errors.empty()) return errors;
  return claims;
}

bool ResourceTable::fits(const Claim& claim) const {
  const Row& row = rows_[claim.resource];
  if (row.lost) return false;
  Load load;
  load.add(row.holders);
  load.add(row.booked);
  return load.takes(claim, row.spec.capacity);
}

bool ResourceTable::fits_holders(const Claim& claim) const {
  const Row& row = rows_[claim.resource];
  Load load;
  load.add(row.holders);
  return !row.lost && load.takes(claim, row.spec.capacity);
}

int ResourceTable::room(std::size_t resource) const {
  const Row& row = rows_[resource];
  Load load;
  load.add(row.holders);
  load.add(row.booked);
  return load.beside_readers ? 0 : row.spec.capacity - load.written;
}

void ResourceTable::blockers(const Claim& claim, std::vector<LiveTask*>& into) const {
  const Row& row = rows_[claim.resource];
  std::vector<Holder> writers;
  for (const std::vector<Holder>* list : {&row.holders, &row.booked}) {
    for (const Holder& holder : *list) {
      if (holder.use == Use::kWrite) {
        writers.push_back(holder);
      } else if (claim.use == Use::kWrite) {
        into.push_back(holder.task);
      }
    }
  }
  // The lowest priority goes first, and of those the youngest.
  std::sort(writers.begin(), writers.end(), [](const Holder& a, const Holder& b) {
    if (a.task->spec.priority != b.task->spec.priority) return a.task->spec.priority > b.task->spec.priority;
    return a.task->id > b.task->id;
  });
  int written = 0;
  for (const Holder& writer : writers) written += writer.amount;
  for (const Holder& writer : writers) {
    if (claim.use == Use::kWrite && written + claim.amount <= row.spec.capacity) break;
    into.push_back(writer.task);
    written -= writer.amount;
  }
}

void ResourceTable::hold(LiveTask& task) {
  for (const Claim& claim : task.claims) rows_[claim.resource].holders.push_back({&task, claim.use, claim.amount});
}

void ResourceTable::release(LiveTask& task) {
  for (const Claim& claim : task.claims) drop(rows_[claim.resource].holders, task);
}

void ResourceTable::book(LiveTask& task) {
  for (const Claim& claim : task.claims) rows_[claim.resource].booked.push_back({&task, claim.use, claim.amount});
}

void ResourceTable::unbook(LiveTask& task) {
  for (const Claim& claim : task.claims) drop(rows_[claim.resource].booked, task);
}

}  // namespace strata::coordinator
