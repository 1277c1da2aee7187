#include "behaviour/team/allocation.hpp"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

/// Rows are the side with fewer members; what is impossible costs more than everything else together.
struct Square {
  explicit Square(const CostTable& table) : source(table), turned(table.robots > table.tasks) {
    rows = turned ? table.tasks : table.robots;
    columns = turned ? table.robots : table.tasks;
    double largest = 0;
    for (const double cost : table.costs) {
      if (std::isfinite(cost)) largest = std::max(largest, std::abs(cost));
    }
    forbidden = (largest + 1) * static_cast<double>(rows + 1) * 2;
  }
  [[nodiscard]] double cost(std::size_t row, std::size_t column) const {
    const double given = turned ? source.at(column, row) : source.at(row, column);
    return std::isfinite(given) ? given : forbidden;
  }
  /// From the column of each row.
  [[nodiscard]] Allocation allocation(const std::vector<std::size_t>& column_of) const {
    Allocation out(source.robots, kNoTask);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t column = column_of[row];
      if (column == kNoTask || cost(row, column) >= forbidden) continue;
      out[turned ? column : row] = turned ? row : column;
    }
    return out;
  }

  const CostTable& source;
  bool turned;
  std::size_t rows = 0;
  std::size_t columns = 0;
  double forbidden = 0;
};

}  // namespace

Allocation allocate_greedy(const CostTable& table) {
  Allocation out(table.robots, kNoTask);
  for (std::size_t task = 0; task < table.tasks; ++task) {
    std::size_t best = kNoTask;
    for (std::size_t robot = 0; robot < table.robots; ++robot) {
      if (out[robot] != kNoTask || !std::isfinite(table.at(robot, task))) continue;
      if (best == kNoTask || table.at(robot, task) < table.at(best, task)) best = robot;
    }
    if (best != kNoTask) out[best] = task;
  }
  return out;
}

Allocation allocate_auction(const CostTable& table, double step) {
  const Square square(table);
  std::vector<double> price(square.columns, 0);
  std::vector<std::size_t> owner(square.columns, kNoTask);
  std::vector<std::size_t> column_of(square.rows, kNoTask);
  std::vector<std::size_t> bidders;
  for (std::size_t row = square.rows; row-- > 0;) bidders.push_back(row);
  while (!bidders.empty()) {
    const std::size_t row = bidders.back();
    bidders.pop_back();
    // The best offer, and how much better it is than the second.
    std::size_t best = 0;
    double best_value = -CostTable::kImpossible;
    double second_value = -CostTable::kImpossible;
    for (std::size_t column = 0; column < square.columns; ++column) {
      const double value = -square.cost(row, column) - price[column];
      if (value > best_value) {
        second_value = best_value;
        best_value = value;
        best = column;
      } else {
        second_value = std::max(second_value, value);
      }
    }
    const double lead = std::isfinite(second_value) ? best_value - second_value : 0;
    price[best] += lead + step;
    if (owner[best] != kNoTask) {
      column_of[owner[best]] = kNoTask;
      bidders.push_back(owner[best]);
    }
    owner[best] = row;
    column_of[row] = best;
  }
  return square.allocation(column_of);
}

// Shortest augmenting paths with potentials: one row after the other, O(rows^2 columns).
Allocation allocate_optimal(const CostTable& table) {
  const Square square(table);
  const std::size_t columns = square.columns;
  std::vector<double> row_potential(square.rows + 1, 0);
  std::vector<double> column_potential(columns + 1, 0);
  std::vector<std::size_t> owner(columns + 1, 0);  // rows and columns count from 1; 0 = nobody
  std::vector<std::size_t> came_from(columns + 1, 0);
  for (std::size_t row = 1; row <= square.rows; ++row) {
    std::vector<double> slack(columns + 1, CostTable::kImpossible);
    std::vector<bool> done(columns + 1, false);
    std::size_t column = 0;
    owner[0] = row;
    do {
      done[column] = true;
      const std::size_t from = owner[column];
      double least = CostTable::kImpossible;
      std::size_t next = 0;
      for (std::size_t c = 1; c <= columns; ++c) {
        if (done[c]) continue;
        const double reduced = square.cost(from - 1, c - 1) - row_potential[from] - column_potential[c];
        if (reduced < slack[c]) {
          slack[c] = reduced;
          came_from[c] = column;
        }
        if (slack[c] < least) {
          least = slack[c];
          next = c;
        }
      }
      for (std::size_t c = 0; c <= columns; ++c) {
        if (done[c]) {
          row_potential[owner[c]] += least;
          column_potential[c] -= least;
        } else {
          slack[c] -= least;
        }
      }
      column = next;
    } while (owner[column] != 0);
    while (column != 0) {
      owner[column] = owner[came_from[column]];
      column = came_from[column];
    }
  }
  std::vector<std::size_t> column_of(square.rows, kNoTask);
  for (std::size_t c = 1; c <= columns; ++c) {
    if (owner[c] != 0) column_of[owner[c] - 1] = c - 1;
  }
  return square.allocation(column_of);
}

double total_cost(const CostTable& table, const Allocation& allocation) {
  double sum = 0;
  for (std::size_t robot = 0; robot < allocation.size(); ++robot) {
    if (allocation[robot] != kNoTask) sum += table.at(robot, allocation[robot]);
  }
  return sum;
}

void register_allocations(Registry& registry) {
  AllocationKind greedy;
  greedy.name = "greedy";
  greedy.summary = "Each task, in its order, to the nearest free robot";
  greedy.make = [](const Config&) { return &allocate_greedy; };
  registry.catalog<AllocationKind>().add(std::move(greedy));
  AllocationKind auction;
  auction.name = "auction";
  auction.summary = "Robots bid for tasks: near the least total way, decided by bids";
  auction.params = {
      param::quantity("step", "m", "0.1 m", "least raise of a bid: the total is within this per task").above(0)};
  auction.make = [](const Config& config) {
    return [step = config.quantity("step")](const CostTable& table) { return allocate_auction(table, step); };
  };
  registry.catalog<AllocationKind>().add(std::move(auction));
  AllocationKind optimal;
  optimal.name = "optimal";
  optimal.summary = "The least total way (Hungarian method)";
  optimal.make = [](const Config&) { return &allocate_optimal; };
  registry.catalog<AllocationKind>().add(std::move(optimal));
}

}  // namespace strata
