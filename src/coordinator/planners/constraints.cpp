// The constraint program behind `solve`, with Gecode. Knows a plan already and looks for shorter ones only: each length
// that is refuted raises the bound.
#include "coordinator/planners/project.hpp"

#ifdef STRATA_HAS_GECODE

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <gecode/int.hh>
#include <gecode/minimodel.hh>
#include <gecode/search.hh>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace strata::coordinator {

namespace {

using Clock = std::chrono::steady_clock;
using Reach = std::vector<std::vector<bool>>;

// Who must come before whom, directly or not.
Reach reach_of(const Project& project) {
  const std::size_t n = project.size();
  Reach reach(n, std::vector<bool>(n, false));
  for (std::size_t i = 0; i < n; ++i) {
    for (const int next : project.successors[i]) reach[i][static_cast<std::size_t>(next)] = true;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; reach[i][k] && j < n; ++j) reach[i][j] = reach[i][j] || reach[k][j];
    }
  }
  return reach;
}

// All plans of at most a given length.
class Model final : public Gecode::Space {
 public:
  Model(const Project& project, const Reach& reach, int length)
      : start_(*this, static_cast<int>(project.size()), 0, length) {
    const std::size_t n = project.size();
    for (std::size_t i = 0; i < n; ++i) {
      const int at = static_cast<int>(i);
      Gecode::rel(*this, start_[at], Gecode::IRT_LQ, length - project.duration[i]);
      for (const int next : project.successors[i]) Gecode::rel(*this, start_[at] + project.duration[i] <= start_[next]);
    }
    for (std::size_t r = 0; r < project.capacity.size(); ++r) {
      Gecode::IntVarArgs starts;
      Gecode::IntArgs durations;
      Gecode::IntArgs uses;
      for (std::size_t i = 0; i < n; ++i) {
        if (project.demand[i][r] == 0 || project.duration[i] == 0) continue;
        starts << start_[static_cast<int>(i)];
        durations << project.duration[i];
        uses << project.demand[i][r];
      }
      if (starts.size() > 1) {
        Gecode::cumulative(*this, project.capacity[r], starts, durations, uses, Gecode::IPL_BASIC_ADVANCED);
      }
    }
    order_pairs(project, reach);
    Gecode::branch(*this, before_, Gecode::BOOL_VAR_AFC_MAX(0.99), Gecode::BOOL_VAL_MAX());
    Gecode::branch(*this, start_, Gecode::INT_VAR_MIN_MIN(), Gecode::INT_VAL_MIN());
  }
  Model(Model& other) : Space(other) {
    start_.update(*this, other.start_);
    before_.update(*this, other.before_);
  }
  Gecode::Space* copy() override { return new Model(*this); }

  [[nodiscard]] std::vector<int> starts() const {
    std::vector<int> values;
    for (int i = 0; i < start_.size(); ++i) values.push_back(start_[i].val());
    return values;
  }

 private:
  // Two that never fit together come one after the other: which one first is what the search decides.
  void order_pairs(const Project& project, const Reach& reach) {
    Gecode::BoolVarArgs before;
    for (std::size_t i = 0; i < project.size(); ++i) {
      for (std::size_t j = i + 1; j < project.size(); ++j) {
        if (reach[i][j] || reach[j][i] || project.duration[i] == 0 || project.duration[j] == 0) continue;
        bool together = true;
        for (std::size_t r = 0; r < project.capacity.size(); ++r) {
          together = together && project.demand[i][r] + project.demand[j][r] <= project.capacity[r];
        }
        if (together) continue;
        const Gecode::BoolVar first(*this, 0, 1);
        const Gecode::IntVar a = start_[static_cast<int>(i)];
        const Gecode::IntVar b = start_[static_cast<int>(j)];
        Gecode::rel(*this, first == (a + project.duration[i] <= b));
        Gecode::rel(*this, (!first) == (b + project.duration[j] <= a));
        before << first;
      }
    }
    before_ = Gecode::BoolVarArray(*this, before);
  }

  Gecode::IntVarArray start_;
  Gecode::BoolVarArray before_;
};

enum class Verdict { kFound, kRefuted, kOutOfTime };

Verdict search(const Project& project, const Reach& reach, int length, Clock::time_point end,
               std::vector<int>& starts) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  if (left <= 0) return Verdict::kOutOfTime;
  Gecode::Search::TimeStop stop(static_cast<unsigned long>(left));
  Gecode::Search::Options options;
  options.stop = &stop;
  options.threads = 1;
  const auto model = std::make_unique<Model>(project, reach, length);
  Gecode::DFS<Model> engine(model.get(), options);
  const std::unique_ptr<Model> found(engine.next());
  if (found != nullptr) {
    starts = found->starts();
    return Verdict::kFound;
  }
  return engine.stopped() ? Verdict::kOutOfTime : Verdict::kRefuted;
}

void adopt(const Project& project, const std::vector<int>& starts, Plan& plan) {
  plan.start = starts;
  plan.makespan = 0;
  for (std::size_t i = 0; i < project.size(); ++i) {
    plan.makespan = std::max(plan.makespan, starts[i] + project.duration[i]);
  }
}

// Tells of everything that got better, as it does.
void look_for_better(const Project& project, Plan plan, Clock::time_point end, int pipe) {
  const Reach reach = reach_of(project);
  std::vector<int> starts;
  const auto tell = [&] {
    std::vector<int> record = {plan.bound, plan.makespan};
    record.insert(record.end(), plan.start.begin(), plan.start.end());
    static_cast<void>(::write(pipe, record.data(), record.size() * sizeof(int)) == 0);
  };
  // By turns from above, which finds shorter plans, and from below, where lengths that are far too short are refuted
  // soonest and each raises the bound. A turn that was too short is longer the next time.
  auto turn = (end - Clock::now()) / 100;
  while (!plan.proven() && Clock::now() < end) {
    const Verdict above = search(project, reach, plan.makespan - 1, std::min(end, Clock::now() + turn), starts);
    if (above == Verdict::kFound) adopt(project, starts, plan);
    if (above == Verdict::kRefuted) plan.bound = plan.makespan;
    tell();
    if (above != Verdict::kOutOfTime) continue;
    // More for the bound: sampled plans are nearly best already.
    Verdict below = Verdict::kRefuted;
    while (below == Verdict::kRefuted && !plan.proven()) {
      below = search(project, reach, plan.bound, std::min(end, Clock::now() + 3 * turn), starts);
      if (below == Verdict::kRefuted) ++plan.bound;
      if (below == Verdict::kFound) adopt(project, starts, plan);
      tell();
    }
    turn *= 2;
  }
}

// Takes over whole records from the front of `bytes`.
void take_records(std::string& bytes, Plan& plan) {
  const std::size_t count = 2 + plan.start.size();
  while (bytes.size() >= count * sizeof(int)) {
    for (std::size_t i = 0; i < count; ++i) {
      int value = 0;
      std::memcpy(&value, bytes.data() + i * sizeof(int), sizeof(int));
      (i == 0 ? plan.bound : i == 1 ? plan.makespan : plan.start[i - 2]) = value;
    }
    bytes.erase(0, count * sizeof(int));
  }
}

}  // namespace

bool has_solver() { return true; }

// In a process of its own: Gecode looks at the clock between two steps of its search only, and a single step can last
// without end (seen with the advanced propagation of `cumulative` in 6.2). Killing is the only limit that holds.
void improve_by_constraints(const Project& project, Plan& plan, std::chrono::nanoseconds limit) {
  const auto end = Clock::now() + limit;
  int pipe[2] = {-1, -1};
  if (::pipe2(pipe, O_CLOEXEC) != 0) return;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent) look_for_better(project, plan, end, pipe[1]);
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::string bytes;
  pollfd poll{pipe[0], POLLIN, 0};
  while (child > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 || ::poll(&poll, 1, static_cast<int>(left)) <= 0) break;
    char buffer[4096];
    const ssize_t count = ::read(pipe[0], buffer, sizeof(buffer));
    if (count <= 0) break;
    bytes.append(buffer, static_cast<std::size_t>(count));
    take_records(bytes, plan);
  }
  ::close(pipe[0]);
  if (child <= 0) return;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace strata::coordinator

#else

namespace strata::coordinator {

bool has_solver() { return false; }
void improve_by_constraints(const Project&, Plan&, std::chrono::nanoseconds) {}

}  // namespace strata::coordinator

#endif
