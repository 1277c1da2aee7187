#include "behaviour/script/program.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

namespace strata {
namespace {

constexpr const char* kHandlerWords[] = {"retry", "skip", "stop"};

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

class Compiler {
 public:
  Compiler(World& world, EntityId robot, const ScriptCatalogs& catalogs, bool is_handler)
      : world_(world), robot_(robot), catalogs_(catalogs), is_handler_(is_handler) {}

  void read_list(const Value& list) {
    if (list.is_scalar()) return read_one(list);
    if (!list.is_list()) {
      return error(list.where(), fmt::format("expected a list of instructions, found {}", list.kind_text()),
                   "write [go PLACE, wait 5 s]");
    }
    for (const Value& item : list.items()) read_one(item);
  }
  [[nodiscard]] Errors& errors() { return errors_; }
  [[nodiscard]] std::vector<ScriptOp>& ops() { return ops_; }

 private:
  void error(const Where& where, std::string problem, std::string remedy) {
    errors_.push_back({where, std::move(problem), std::move(remedy)});
  }

  void read_one(const Value& item) {
    if (item.is_scalar()) return read_words(item);
    if (item.find("repeat") != nullptr) return read_repeat(item);
    if (item.find("if") != nullptr) return read_if(item);
    // {wait: 5 s} is "wait 5 s".
    if (item.is_map() && item.members().size() == 1 && item.members().front().second.is_scalar()) {
      const auto& [name, rest] = item.members().front();
      return read_words(Value::scalar(name + " " + rest.text(), item.where()));
    }
    error(item.where(), fmt::format("expected an instruction, found {}", item.kind_text()),
          "write 'go PLACE', {repeat: 3, do: [...]} or {if: sees NAME, do: [...]}");
  }

  void read_words(const Value& item) {
    std::vector<std::string> words = split_words(item.text());
    if (words.empty()) return error(item.where(), "the instruction is empty", "remove it");
    const std::string name = lower(words.front());
    words.erase(words.begin());
    if (std::find(std::begin(kHandlerWords), std::end(kHandlerWords), name) != std::end(kHandlerWords))
      return read_handler_word(name, words, item);
    const auto& catalog = *catalogs_.instructions;
    const InstructionKind* kind = catalog.find(name);
    if (kind == nullptr) {
      std::vector<std::string> known = catalog.names();
      known.insert(known.end(), {"repeat", "if"});
      return error(item.where(), fmt::format("unknown instruction '{}'", name), suggestion(name, known));
    }
    Result<InstructionArgs> args = kind->read({std::move(words), item.where()}, world_, robot_);
    if (!collect(args, errors_)) return;
    ScriptOp op;
    op.instruction = std::make_shared<InstructionKind>(*kind);
    op.args = std::move(args).value();
    op.text = item.text();
    ops_.push_back(std::move(op));
  }

  void read_handler_word(const std::string& name, const std::vector<std::string>& words, const Value& item) {
    if (!is_handler_)
      return error(item.where(), fmt::format("'{}' belongs to a handler", name), "write it below 'on_error'");
    ScriptOp op;
    op.code = name == "retry" ? ScriptOp::kRetry : name == "skip" ? ScriptOp::kSkip : ScriptOp::kStop;
    op.text = item.text();
    if (!words.empty()) {
      const Result<double> count = parse_number(words.front());
      if (name != "retry" || !count.ok() || *count < 1 || *count > 1e9 || words.size() > 2)
        return error(item.where(), fmt::format("'{}' is not clear", item.text()), "write 'retry' or 'retry 3 times'");
      op.count = static_cast<std::uint64_t>(*count);
    }
    ops_.push_back(std::move(op));
  }

  bool check_keys(const Value& item, const std::vector<std::string>& known) {
    bool good = true;
    for (const auto& [key, value] : item.members()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      error(value.where(), fmt::format("unknown key '{}'", key), suggestion(key, known));
      good = false;
    }
    if (item.find("do") == nullptr) {
      error(item.where(), "'do' is missing", "add do: [...]");
      good = false;
    }
    return good;
  }

  void read_repeat(const Value& item) {
    if (!check_keys(item, {"repeat", "do"})) return;
    const Value& times = *item.find("repeat");
    ScriptOp enter;
    enter.code = ScriptOp::kRepeat;
    enter.depth = depth_;
    enter.text = "repeat " + times.text();
    const Result<double> count = parse_number(times.text());
    if (count.ok() && *count >= 1 && *count <= 1e9) {
      enter.count = static_cast<std::uint64_t>(*count);
    } else if (times.text() != "forever") {
      return error(times.where(), fmt::format("'{}' is not a number of times", times.text()),
                   "write a number or forever");
    }
    if (is_handler_ || depth_ == kMostLoops)
      return error(item.where(), is_handler_ ? "a handler cannot repeat" : "loops are nested too deeply",
                   is_handler_ ? "use 'retry'" : fmt::format("at most {} within each other", kMostLoops));
    ops_.push_back(enter);
    const auto body = static_cast<std::uint32_t>(ops_.size());
    ++depth_;
    read_list(*item.find("do"));
    --depth_;
    if (ops_.size() == body) return error(item.where(), "there is nothing to repeat", "add instructions to 'do'");
    ScriptOp loop;
    loop.code = ScriptOp::kLoop;
    loop.depth = depth_;
    loop.count = enter.count;
    loop.jump = body;
    loop.text = enter.text;
    ops_.push_back(std::move(loop));
  }

  void read_if(const Value& item) {
    if (!check_keys(item, {"if", "do", "else"})) return;
    const Value& given = *item.find("if");
    std::vector<std::string> words = split_words(given.text());
    if (words.empty()) return error(given.where(), "the condition is empty", "write for example {if: sees NAME, ...}");
    const std::string name = lower(words.front());
    words.erase(words.begin());
    const auto kind = catalogs_.conditions->get(name, given.where());
    if (!collect(kind, errors_)) return;
    Result<InstructionArgs> args = (*kind)->read({std::move(words), given.where()}, world_, robot_);
    if (!collect(args, errors_)) return;
    ScriptOp branch;
    branch.code = ScriptOp::kIf;
    branch.condition = std::make_shared<ConditionKind>(**kind);
    branch.args = std::move(args).value();
    branch.text = "if " + given.text();
    const std::size_t at = ops_.size();
    ops_.push_back(std::move(branch));
    read_list(*item.find("do"));
    if (const Value* otherwise = item.find("else")) {
      const std::size_t over = ops_.size();
      ScriptOp jump;
      jump.code = ScriptOp::kJump;
      ops_.push_back(jump);
      ops_[at].jump = static_cast<std::uint32_t>(ops_.size());
      read_list(*otherwise);
      ops_[over].jump = static_cast<std::uint32_t>(ops_.size());
    } else {
      ops_[at].jump = static_cast<std::uint32_t>(ops_.size());
    }
  }

  World& world_;
  EntityId robot_;
  const ScriptCatalogs& catalogs_;
  bool is_handler_;
  std::uint32_t depth_ = 0;
  std::vector<ScriptOp> ops_;
  Errors errors_;
};

Result<std::uint32_t> compile(World& world, EntityId robot, const Value& list, const ScriptCatalogs& catalogs,
                              bool is_handler) {
  ProgramTable& table = world.table<ProgramTable>();
  const std::string text = (is_handler ? "handler" : "script") + plain_text(list);
  if (const auto known = table.by_text.find(text); known != table.by_text.end()) return known->second;
  Compiler compiler(world, robot, catalogs, is_handler);
  compiler.read_list(list);
  if (!compiler.errors().empty()) return std::move(compiler.errors());
  const auto index = static_cast<std::uint32_t>(table.programs.size());
  table.programs.push_back({std::move(compiler.ops())});
  table.by_text.emplace(text, index);
  return index;
}

}  // namespace

std::string plain_text(const Value& value) {
  std::string out = value.text();
  for (const Value& item : value.items()) out += "[" + plain_text(item) + "]";
  for (const auto& [key, member] : value.members()) out += "{" + key + ":" + plain_text(member) + "}";
  return out;
}

Result<std::uint32_t> read_program(World& world, EntityId robot, const Value& list, const ScriptCatalogs& catalogs) {
  return compile(world, robot, list, catalogs, false);
}

Result<ErrorHandlers> read_handlers(World& world, const Value& map, const ScriptCatalogs& catalogs) {
  ErrorHandlers out;
  Errors errors;
  if (map.is_null()) return out;
  if (!map.is_map())
    return Error{map.where(), fmt::format("expected handlers of errors, found {}", map.kind_text()),
                 "write {path_not_found: [wait 5 s, retry], default: stop}"};
  for (const auto& [name, list] : map.members()) {
    std::vector<std::string> known = catalogs.errors->names();
    known.emplace_back("default");
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      errors.push_back({list.where(), fmt::format("unknown error '{}'", name), suggestion(name, known)});
      continue;
    }
    Result<std::uint32_t> program = compile(world, {}, list, catalogs, true);
    if (collect(program, errors)) out.emplace(name, *program);
  }
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace strata
