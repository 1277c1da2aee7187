// Instructions of scripts and conditions in them: kinds in the catalog, added by whichever behaviour can do them. An
// instruction is read once, when the scenario is built, and then begun and asked until it is done or has failed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "world/world.hpp"

namespace strata {

class Simulation;

/// What stands behind the name of an instruction, as read.
struct InstructionArgs {
  Vec3 point;
  double number = 0;
  std::string word;  ///< a name
  std::string text;  ///< everything as written
};

/// Who runs an instruction, and when.
struct ScriptContext {
  World& world;
  Simulation& simulation;
  EntityId robot;
  Time begin;  ///< when the instruction began
  Time now;    ///< begin of the present step: what moves, moves from here on
};

struct InstructionOutcome {
  enum State { kDone, kBusy, kFailed };
  State state = kDone;
  Time at;            ///< done: since when; busy: asked again from then on
  std::string error;  ///< failed: name of the error, for handlers
  std::string text;   ///< failed: what happened

  [[nodiscard]] static InstructionOutcome done(Time at) { return {kDone, at, "", ""}; }
  [[nodiscard]] static InstructionOutcome busy(Time until = {}) { return {kBusy, until, "", ""}; }
  [[nodiscard]] static InstructionOutcome failed(std::string error, std::string text) {
    return {kFailed, {}, std::move(error), std::move(text)};
  }
};

/// Words as written: "go kitchen" has the word "kitchen". `where` is for errors.
struct InstructionWords {
  std::vector<std::string> words;
  Where where;
  /// All words with blanks between them.
  [[nodiscard]] std::string joined() const;
};

struct InstructionKind : KindInfo {
  static constexpr const char* kCategory = "instruction";
  std::string usage;  ///< "go PLACE"
  /// Checks the words against the world, whose places and things exist already. `robot` will run it; invalid if nobody
  /// is known yet (a team's task).
  std::function<Result<InstructionArgs>(const InstructionWords&, World&, EntityId robot)> read;
  std::function<InstructionOutcome(ScriptContext&, const InstructionArgs&)> begin;
  /// Asked every step while busy. Null: begin decides alone.
  std::function<InstructionOutcome(ScriptContext&, const InstructionArgs&)> poll;
  /// Breaks it off. Null: nothing to do.
  std::function<void(World&, EntityId)> cancel;
  std::string needs;  ///< a component without which a robot cannot do it; "" = none
  /// Where it takes the robot: lets teams estimate the way. Null: nowhere.
  std::function<bool(const World&, const InstructionArgs&, Vec3& out)> place;
};

struct ConditionKind : KindInfo {
  static constexpr const char* kCategory = "condition";
  std::string usage;
  std::function<Result<InstructionArgs>(const InstructionWords&, World&, EntityId robot)> read;
  std::function<bool(const World&, EntityId, const InstructionArgs&)> test;
};

/// An error that instructions can end with, in the catalog so that handlers for misspelt ones are noticed.
struct ErrorKind : KindInfo {
  static constexpr const char* kCategory = "error";
};
void add_error(Registry& registry, std::string name, std::string summary);

/// A tag, the name of a thing or robot, or two or three numbers. Where things may move, `word` keeps the name.
[[nodiscard]] Result<InstructionArgs> read_target(const InstructionWords& words, const World& world);
/// Where the target is now; false if it is gone.
[[nodiscard]] bool locate(const World& world, const InstructionArgs& target, Vec3& out);

/// Adds go, wait and say.
void register_basic_instructions(Registry& registry);

}  // namespace strata
