// Plans by sampling: random orders biased to what must end early, scheduled one by one, then pushed right and left
// again, which closes gaps. Any order gives a feasible plan.
#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "coordinator/planners/project.hpp"

namespace strata::coordinator {

namespace {

class Sampler {
 public:
  explicit Sampler(const Project& project) : project_(project), random_(1, 0, "sampling") {
    horizon_ = std::accumulate(project.duration.begin(), project.duration.end(), 0) + 1;
    predecessors_.resize(project.size());
    for (std::size_t i = 0; i < project.size(); ++i) {
      for (const int next : project.successors[i])
        predecessors_[static_cast<std::size_t>(next)].push_back(static_cast<int>(i));
    }
    make_tails();
  }

  Plan run(int rounds) {
    Plan best;
    best.bound = bound();
    for (int round = 0; round < rounds; ++round) {
      std::vector<int> start = place(random_order(round), false);
      int length = makespan(start);
      // Right, then left; as long as it helps.
      while (true) {
        start = shifted(start, length);
        const int shorter = makespan(start);
        if (shorter >= length) break;
        length = shorter;
      }
      if (best.start.empty() || length < best.makespan) {
        best.start = start;
        best.makespan = length;
      }
      if (best.proven()) break;
    }
    return best;
  }

 private:
  // Longest way from an activity's start to the end.
  void make_tails() {
    tails_.assign(project_.size(), 0);
    std::vector<std::size_t> left(project_.size());
    std::vector<int> ready;
    for (std::size_t i = 0; i < project_.size(); ++i) {
      left[i] = project_.successors[i].size();
      if (left[i] == 0) ready.push_back(static_cast<int>(i));
    }
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const auto i = static_cast<std::size_t>(ready[k]);
      tails_[i] += project_.duration[i];
      for (const int before : predecessors_[i]) {
        const auto b = static_cast<std::size_t>(before);
        tails_[b] = std::max(tails_[b], tails_[i]);
        if (--left[b] == 0) ready.push_back(before);
      }
    }
  }

  // The longest chain, and the work of each resource over its capacity.
  [[nodiscard]] int bound() const {
    int least = project_.size() == 0 ? 0 : *std::max_element(tails_.begin(), tails_.end());
    for (std::size_t r = 0; r < project_.capacity.size(); ++r) {
      long work = 0;
      for (std::size_t i = 0; i < project_.size(); ++i)
        work += static_cast<long>(project_.demand[i][r]) * project_.duration[i];
      const long capacity = std::max(project_.capacity[r], 1);
      least = std::max(least, static_cast<int>((work + capacity - 1) / capacity));
    }
    return least;
  }

  std::vector<int> random_order(int round) {
    std::vector<double> key(project_.size());
    for (std::size_t i = 0; i < project_.size(); ++i) {
      const double noise = round == 0 ? 0 : random_.uniform() * (round % 4) * 5;
      key[i] = -static_cast<double>(tails_[i]) + noise;
    }
    std::vector<std::size_t> left(project_.size());
    std::vector<int> ready;
    std::vector<int> order;
    for (std::size_t i = 0; i < project_.size(); ++i) {
      left[i] = predecessors_[i].size();
      if (left[i] == 0) ready.push_back(static_cast<int>(i));
    }
    while (!ready.empty()) {
      const auto next = std::min_element(ready.begin(), ready.end(), [&key](int a, int b) {
        return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
      });
      const int chosen = *next;
      ready.erase(next);
      order.push_back(chosen);
      for (const int follower : project_.successors[static_cast<std::size_t>(chosen)]) {
        if (--left[static_cast<std::size_t>(follower)] == 0) ready.push_back(follower);
      }
    }
    return order;
  }

  // Each in turn as early as the order and the resources allow. Mirrored: the project runs backwards.
  std::vector<int> place(const std::vector<int>& order, bool mirrored) {
    used_.assign(project_.capacity.size(), std::vector<int>(static_cast<std::size_t>(horizon_), 0));
    std::vector<int> start(project_.size(), 0);
    const auto& before = mirrored ? project_.successors : predecessors_;
    for (const int activity : order) {
      const auto i = static_cast<std::size_t>(activity);
      int time = 0;
      for (const int other : before[i]) {
        time =
            std::max(time, start[static_cast<std::size_t>(other)] + project_.duration[static_cast<std::size_t>(other)]);
      }
      start[i] = first_fit(i, time);
      for (std::size_t r = 0; r < used_.size(); ++r) {
        for (int t = start[i]; t < start[i] + project_.duration[i]; ++t)
          used_[r][static_cast<std::size_t>(t)] += project_.demand[i][r];
      }
    }
    return start;
  }

  [[nodiscard]] int first_fit(std::size_t i, int time) const {
    for (int t = time; t < time + project_.duration[i]; ++t) {
      for (std::size_t r = 0; r < used_.size(); ++r) {
        if (used_[r][static_cast<std::size_t>(t)] + project_.demand[i][r] <= project_.capacity[r]) continue;
        time = t + 1;
        break;
      }
    }
    return time;
  }

  std::vector<int> shifted(const std::vector<int>& start, int length) {
    const auto by = [](const std::vector<int>& keys) {
      std::vector<int> order(keys.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&keys](int a, int b) {
        return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
      });
      return order;
    };
    std::vector<int> ends(start.size());
    for (std::size_t i = 0; i < start.size(); ++i) ends[i] = length - (start[i] + project_.duration[i]);
    const std::vector<int> back = place(by_order(by(ends), true), true);
    const int shorter = makespan(back);
    std::vector<int> again(start.size());
    for (std::size_t i = 0; i < start.size(); ++i) again[i] = shorter - (back[i] + project_.duration[i]);
    return place(by_order(by(again), false), false);
  }

  // Equal keys of activities without duration may break the order: puts whoever must come first first.
  std::vector<int> by_order(const std::vector<int>& wanted, bool mirrored) {
    const auto& before = mirrored ? project_.successors : predecessors_;
    const auto& behind = mirrored ? predecessors_ : project_.successors;
    std::vector<std::size_t> rank(wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) rank[static_cast<std::size_t>(wanted[k])] = k;
    std::vector<std::size_t> left(wanted.size());
    std::vector<int> ready;
    std::vector<int> order;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      left[i] = before[i].size();
      if (left[i] == 0) ready.push_back(static_cast<int>(i));
    }
    while (!ready.empty()) {
      const auto next = std::min_element(ready.begin(), ready.end(), [&rank](int a, int b) {
        return rank[static_cast<std::size_t>(a)] < rank[static_cast<std::size_t>(b)];
      });
      const int chosen = *next;
      ready.erase(next);
      order.push_back(chosen);
      for (const int follower : behind[static_cast<std::size_t>(chosen)]) {
        if (--left[static_cast<std::size_t>(follower)] == 0) ready.push_back(follower);
      }
    }
    return order;
  }

  [[nodiscard]] int makespan(const std::vector<int>& start) const {
    int end = 0;
    for (std::size_t i = 0; i < start.size(); ++i) end = std::max(end, start[i] + project_.duration[i]);
    return end;
  }

  const Project& project_;
  RandomStream random_;
  int horizon_ = 0;
  std::vector<std::vector<int>> predecessors_;
  std::vector<int> tails_;
  std::vector<std::vector<int>> used_;
};

}  // namespace

Plan sample_plan(const Project& project, int rounds) { return Sampler(project).run(rounds); }

Plan solve(const Project& project, std::chrono::nanoseconds limit) {
  const bool has_time = limit > std::chrono::milliseconds(500);
  Plan plan = sample_plan(project, has_time ? 3000 : 100);
  if (!plan.proven()) improve_by_constraints(project, plan, limit);
  return plan;
}

}  // namespace strata::coordinator
