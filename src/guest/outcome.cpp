#include "guest/outcome.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"

namespace strata::guest {

using Json = nlohmann::ordered_json;

int Outcome::exit_code() const {
  if (interrupted) return 130;
  if (reason == shim::Stop::kFailed) return 2;
  for (const ProgramOutcome& program : programs) {
    if (!program.stopped && program.exit_code != 0) return program.exit_code;
  }
  return reason == shim::Stop::kBlocked ? 1 : 0;
}

std::vector<std::pair<std::string, std::uint64_t>> fidelity(const Outcome& outcome) {
  const shim::Counters& c = outcome.counters;
  std::vector<std::pair<std::string, std::uint64_t>> all = {{"spins_charged", c.spins_charged},
                                                            {"spins_broken", c.spins_broken},
                                                            {"real_waits", c.real_waits},
                                                            {"measured", c.measured},
                                                            {"overflowed", c.overflowed},
                                                            {"unknown_threads", c.unknown_threads},
                                                            {"shared_process_ids", outcome.isolated ? 0U : 1U}};
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto& entry) { return entry.second == 0; }), all.end());
  return all;
}

std::string summary_line(const Outcome& outcome) {
  std::string text =
      fmt::format("virtual {:.6f} s, wall {:.3f} s, factor {:.1f}, {} synchronisation points, hash {}",
                  outcome.virtual_s, outcome.wall_s, outcome.wall_s > 0 ? outcome.virtual_s / outcome.wall_s : 0.0,
                  outcome.counters.syncs, hex16(outcome.hash));
  for (const auto& [name, count] : fidelity(outcome)) text += fmt::format(", {} {}", name, count);
  if (outcome.counters.late_ns > 0)
    text += fmt::format(", late {:.1f} ms", static_cast<double>(outcome.counters.late_ns) * 1e-6);
  return text;
}

std::string statistics(const Outcome& outcome) {
  const shim::Counters& c = outcome.counters;
  std::string text;
  const auto line = [&](const char* name, std::uint64_t value) {
    text += fmt::format("  {:<22}{:>12}\n", name, value);
  };
  line("synchronisation points", c.syncs);
  line("switches", c.switches);
  line("sleeps", c.sleeps);
  line("futex waits", c.futex_waits);
  line("file waits", c.file_waits);
  line("clock reads", c.clock_reads);
  line("packets", c.packets);
  line("packets lost", c.packets_lost);
  line("timers", c.timers);
  line("signals", c.signals);
  line("windows", c.windows);
  line("traps", c.traps);
  for (const auto& [number, count] : outcome.traps) text += fmt::format("    call {:<17}{:>12}\n", number, count);
  return text;
}

std::string to_json(const Outcome& outcome) {
  Json losses = Json::object();
  for (const auto& [name, count] : fidelity(outcome)) losses[name] = count;
  Json programs = Json::array();
  for (const ProgramOutcome& p : outcome.programs) {
    programs.push_back(
        {{"name", p.name}, {"host", p.host}, {"exit_code", p.exit_code}, {"stopped", p.stopped}, {"end_s", p.end_s}});
  }
  const shim::Counters& c = outcome.counters;
  const Json result = {{"virtual_s", outcome.virtual_s},
                       {"wall_s", outcome.wall_s},
                       {"factor", outcome.wall_s > 0 ? outcome.virtual_s / outcome.wall_s : 0.0},
                       {"sync_points", c.syncs},
                       {"hash", hex16(outcome.hash)},
                       {"fidelity", losses},
                       {"late_s", static_cast<double>(c.late_ns) * 1e-9},
                       {"switches", c.switches},
                       {"traps", c.traps},
                       {"packets", c.packets},
                       {"packets_lost", c.packets_lost},
                       {"exit_code", outcome.exit_code()},
                       {"programs", programs}};
  return result.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace strata::guest
