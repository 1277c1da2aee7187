// Scripts: what a robot does, one instruction after the other. The program is a table of the world; the state is this
// component. A script is READY to begin its next instruction, BLOCKED in one, DONE, or FAILED: an error that nobody
// handles ends it with an event, never with silence.
#pragma once

#include <array>
#include <cstdint>

#include "behaviour/script/program.hpp"
#include "world/system.hpp"

namespace strata {

struct Script {
  enum State : std::uint32_t { kReady, kBlocked, kDone, kFailed };
  std::int64_t since_ns = 0;                      ///< when the present instruction began, or may begin
  std::int64_t ask_ns = 0;                        ///< blocked: not to be asked before
  std::array<std::uint32_t, kMostLoops> turns{};  ///< left in each loop
  std::uint32_t program = 0;
  std::uint32_t at = 0;  ///< next or present instruction
  std::uint32_t state = kReady;
  std::uint32_t handlers = 0;                   ///< set of handlers
  std::uint32_t handler = ProgramTable::kNone;  ///< program that handles an error now
  std::uint32_t handler_at = 0;
  std::uint32_t retries = 0;  ///< of the failed instruction
  std::uint32_t runs = 0;     ///< programs ended, well or not
  [[nodiscard]] bool ended() const { return state == kDone || state == kFailed; }
};

/// Lets a robot begin a program at `now`, whatever it did before.
void begin_script(World& world, EntityId robot, std::uint32_t program, Time now);
/// Breaks off what it does.
void stop_script(World& world, EntityId robot);

/// Components that a robot needs to run a program and does not have; empty if it can.
[[nodiscard]] std::string missing_for(const World& world, EntityId robot, const Program& program);

void declare_script(World& world);
void register_scripts(Registry& registry);

}  // namespace strata
