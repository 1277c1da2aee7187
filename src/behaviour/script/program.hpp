// Programs of scripts: lists of instructions with loops and branches as jumps, and handlers for errors. Read once from
// what the user wrote; immutable; a table of the world that scripts name by index.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/value.hpp"
#include "behaviour/script/instruction.hpp"

namespace strata {

struct ScriptOp {
  enum Code : std::uint8_t {
    kDo,      ///< runs the instruction
    kRepeat,  ///< enters a loop: counter `depth` becomes `count`; 0 counts = for ever
    kLoop,    ///< jumps back if the counter has turns left
    kIf,      ///< jumps on unless the condition holds
    kJump,
    kRetry,  ///< handlers: the failed instruction again, at most `count` times (0 = no limit)
    kSkip,   ///< handlers: on with the instruction after
    kStop,   ///< handlers: the script has failed
  };
  Code code = kDo;
  std::shared_ptr<const InstructionKind> instruction;
  std::shared_ptr<const ConditionKind> condition;
  InstructionArgs args;
  std::uint32_t jump = 0;
  std::uint32_t depth = 0;
  std::uint64_t count = 0;
  std::string text;  ///< as written
};

struct Program {
  std::vector<ScriptOp> ops;
};

/// Program by name of the error; "default" for all others.
using ErrorHandlers = std::map<std::string, std::uint32_t>;

/// What scripts are read with. The catalogs stay where they are while a registry moves.
struct ScriptCatalogs {
  explicit ScriptCatalogs(Registry& registry)
      : instructions(&registry.catalog<InstructionKind>()),
        conditions(&registry.catalog<ConditionKind>()),
        errors(&registry.catalog<ErrorKind>()) {}
  const Catalog<InstructionKind>* instructions;
  const Catalog<ConditionKind>* conditions;
  const Catalog<ErrorKind>* errors;
};

/// A table of the world.
struct ProgramTable {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<Program> programs;
  std::map<std::string, std::uint32_t> by_text;  ///< equal scripts share a program
  std::vector<ErrorHandlers> handlers{1};        ///< sets of them; the first is for scripts without any of their own
};

/// Depth of loops within loops.
inline constexpr std::uint32_t kMostLoops = 4;

/// Reads a list of instructions: "go kitchen", {repeat: 3, do: [...]}, {if: sees door, do: [...], else: [...]}. All
/// mistakes at once. Returns its index in the table.
[[nodiscard]] Result<std::uint32_t> read_program(World& world, EntityId robot, const Value& list,
                                                 const ScriptCatalogs& catalogs);
/// Reads `{path_not_found: [wait 5 s, retry], default: stop}` into handlers.
[[nodiscard]] Result<ErrorHandlers> read_handlers(World& world, const Value& map, const ScriptCatalogs& catalogs);
/// Equal text for equal values.
[[nodiscard]] std::string plain_text(const Value& value);

}  // namespace strata
