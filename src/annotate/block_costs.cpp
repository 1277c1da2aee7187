#include "annotate/block_costs.hpp"

#include <algorithm>
#include <set>

namespace strata::annotate {

namespace {

constexpr int kExit = -7;  // the end of the function as a destination
constexpr int kNone = -1;
constexpr std::size_t kLongestWay = 12;  // edge blocks in a row; longer ways are copies of loops
constexpr double kLeastProbability = 1e-6;
constexpr std::size_t kManySuccessors = 32;  // of a block: all ways are found at once

// Probability of reaching a destination, and the expected cost of the way there, weighted by it.
struct Way {
  double probability = 0;
  Cost cost;
  void add(double weight, const Way& way) {
    probability += weight * way.probability;
    cost.instructions += weight * way.cost.instructions;
    cost.cycles += weight * way.cost.cycles;
  }
  [[nodiscard]] Cost mean() const { return {cost.instructions / probability, cost.cycles / probability}; }
};

class Attribution {
 public:
  explicit Attribution(const FunctionGraph& graph) : graph_(graph), heads_(graph.successors.size(), kNone) {
    for (std::size_t i = 0; i < graph.machine.size(); ++i) {
      const MachineBlock& block = graph.machine[i];
      if (block.is_head) heads_[static_cast<std::size_t>(block.owner)] = static_cast<int>(i);
    }
    costs_.block.resize(graph.successors.size());
  }

  BlockCosts run() {
    for (int block = 0; block < size(); ++block) {
      if (has_head(block)) attribute(block);
    }
    settle_vanished();
    for (const auto& edge : open_) look_ahead(edge);
    return std::move(costs_);
  }

 private:
  using Edge = std::pair<int, int>;

  [[nodiscard]] int size() const { return static_cast<int>(heads_.size()); }
  [[nodiscard]] int head(int block) const { return heads_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] bool has_head(int block) const { return head(block) != kNone; }
  [[nodiscard]] const std::vector<int>& next(int block) const {
    return graph_.successors[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] const MachineBlock& machine(int index) const { return graph_.machine[static_cast<std::size_t>(index)]; }

  // A block without machine code that leads to one place only stands for that place.
  [[nodiscard]] int resolved(int block) const {
    std::set<int> seen;
    while (!has_head(block) && next(block).size() == 1 && seen.insert(block).second) block = next(block).front();
    return block;
  }

  void attribute(int block) {
    const MachineBlock& start = machine(head(block));
    Cost& cost = costs_.block[static_cast<std::size_t>(block)];
    cost = start.cost;
    if (next(block).empty()) {
      const Way way = ways(block, kExit);
      if (way.probability > 0) {
        cost.instructions += way.mean().instructions;
        cost.cycles += way.mean().cycles;
      }
    }
    std::map<int, Way> all;
    const bool many = next(block).size() > kManySuccessors;
    if (many) {
      std::set<int> visited;
      spread(head(block), 1, {}, visited, all);
    }
    for (const int to : next(block)) {
      const Way way = many ? all[resolved(to)] : ways(block, resolved(to));
      if (way.probability > 0) {
        costs_.edge[{block, to}] = way.mean();
      } else {
        open_.emplace_back(block, to);
      }
    }
  }

  // All ways from the head of `from` to the head of `to` that pass edge blocks only.
  [[nodiscard]] Way ways(int from, int to) {
    from_ = from;
    siblings_.clear();
    for (const int sibling : next(from)) siblings_.insert(resolved(sibling));
    std::set<int> visited;
    return walk(head(from), to, visited);
  }

  Way walk(int at, int to, std::set<int>& visited) {
    Way sum;
    const MachineBlock& block = machine(at);
    if (block.exits.empty()) {
      if (to == kExit) sum.probability = 1;
      return sum;
    }
    for (const MachineBlock::Exit& exit : block.exits) {
      const MachineBlock& target = machine(exit.to);
      const double probability = std::max(kLeastProbability, exit.probability);
      if (target.is_head && target.owner == to) {
        sum.add(probability, {1, {exit.tail, 0}});
        continue;
      }
      if (target.is_head && !may_pass(target.owner, to)) continue;
      if (visited.size() > kLongestWay || !visited.insert(exit.to).second) continue;
      Way rest = walk(exit.to, to, visited);
      visited.erase(exit.to);
      rest.cost.instructions += rest.probability * (exit.tail + target.cost.instructions);
      rest.cost.cycles += rest.probability * target.cost.cycles;
      sum.add(probability, rest);
    }
    return sum;
  }

  // Ways to every head that is reached over edge blocks alone; for a large switch, where one by one takes too long.
  void spread(int at, double probability, Cost so_far, std::set<int>& visited, std::map<int, Way>& found) {
    for (const MachineBlock::Exit& exit : machine(at).exits) {
      const MachineBlock& target = machine(exit.to);
      const double p = probability * std::max(kLeastProbability, exit.probability);
      const Cost cost{so_far.instructions + exit.tail, so_far.cycles};
      if (target.is_head) {
        found[target.owner].add(p, {1, cost});
      } else if (visited.size() <= kLongestWay && visited.insert(exit.to).second) {
        spread(exit.to, p, {cost.instructions + target.cost.instructions, cost.cycles + target.cost.cycles}, visited,
               found);
        visited.erase(exit.to);
      }
    }
  }

  // Blocks with equal ends are merged into one of them: the way of one may lead through the other's head.
  [[nodiscard]] bool may_pass(int through, int to) const {
    if (siblings_.contains(through) || through == from_ || to == kExit) return false;
    const std::vector<int>& onward = next(through);
    return std::any_of(onward.begin(), onward.end(), [&](int block) { return resolved(block) == to; });
  }

  // A block with several successors whose machine code was copied into its predecessors: what lies between a
  // predecessor and a successor is divided between the edge into the block and the edge out of it.
  void settle_vanished() {
    std::map<int, std::vector<Passage>> passages;
    std::vector<Edge> still_open;
    for (const Edge& edge : open_) {
      const int vanished = resolved(edge.second);
      if (has_head(vanished) || next(vanished).size() < 2) {
        still_open.push_back(edge);
        continue;
      }
      for (const int onward : next(vanished)) {
        const Way way = ways(edge.first, resolved(onward));
        if (way.probability <= 0) continue;
        const double weight = machine(head(edge.first)).frequency * way.probability;
        passages[vanished].push_back({edge, {vanished, onward}, weight, way.mean()});
      }
    }
    for (const auto& [block, list] : passages) divide(list);
    open_ = std::move(still_open);
  }

  struct Passage {
    Edge in;
    Edge out;
    double weight;
    Cost cost;
  };

  // Least squares by turns: the edges out take the mean of what the edges in leave, and the other way round. Exact
  // whenever the costs are a sum of two parts.
  void divide(const std::vector<Passage>& passages) {
    constexpr int kTurns = 12;
    std::map<Edge, Cost> in;
    std::map<Edge, Cost> out;
    for (const Passage& passage : passages) in[passage.in], out[passage.out];
    const auto refit = [&](std::map<Edge, Cost>& fitted, std::map<Edge, Cost>& other, Edge Passage::*own,
                           Edge Passage::*opposite) {
      std::map<Edge, std::pair<double, Cost>> sums;
      for (const Passage& passage : passages) {
        auto& [weight, sum] = sums[passage.*own];
        const Cost& rest = other[passage.*opposite];
        weight += passage.weight;
        sum.instructions += passage.weight * (passage.cost.instructions - rest.instructions);
        sum.cycles += passage.weight * (passage.cost.cycles - rest.cycles);
      }
      for (const auto& [edge, sum] : sums) {
        fitted[edge] = {sum.second.instructions / sum.first, sum.second.cycles / sum.first};
      }
    };
    for (int turn = 0; turn < kTurns; ++turn) {
      refit(out, in, &Passage::out, &Passage::in);
      refit(in, out, &Passage::in, &Passage::out);
    }
    for (const auto& [edge, cost] : in) costs_.edge[edge] = cost;
    for (const auto& [edge, cost] : out) costs_.edge[edge] = cost;
  }

  // The machine code of this edge by-passes its target, which was merged into it: charge the way to what follows, less
  // what the target and its out-edges will be charged anyway.
  void look_ahead(const Edge& edge) {
    const int target = resolved(edge.second);
    Way sum;
    Cost known;
    if (next(target).empty()) sum = ways(edge.first, kExit);
    for (const int onward : next(target)) {
      const std::vector<int>& direct = next(edge.first);
      if (std::find(direct.begin(), direct.end(), onward) != direct.end()) continue;
      const Way way = ways(edge.first, resolved(onward));
      sum.add(1, way);
      const auto it = costs_.edge.find({target, onward});
      if (it == costs_.edge.end()) continue;
      known.instructions += way.probability * it->second.instructions;
      known.cycles += way.probability * it->second.cycles;
    }
    if (sum.probability <= 0) {
      costs_.ambiguous.push_back(edge);
      return;
    }
    const Cost& block = costs_.block[static_cast<std::size_t>(target)];
    costs_.edge[edge] = {(sum.cost.instructions - known.instructions) / sum.probability - block.instructions,
                         (sum.cost.cycles - known.cycles) / sum.probability - block.cycles};
  }

  const FunctionGraph& graph_;
  std::vector<int> heads_;
  BlockCosts costs_;
  std::vector<Edge> open_;
  int from_ = 0;
  std::set<int> siblings_;
};

}  // namespace

BlockCosts block_costs(const FunctionGraph& graph) { return Attribution(graph).run(); }

}  // namespace strata::annotate
