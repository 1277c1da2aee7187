#include "scan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>

namespace strata::layering {
namespace {

using Names = std::set<std::string_view>;

// A word, or a piece of punctuation that matters here; includes are tokens of their own.
struct Token {
  enum class Kind { Word, Punctuation, Include } kind;
  std::string_view text;
  int line;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Splits a source into tokens and drops comments, strings, characters.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  void skip(std::size_t count) {
    const std::size_t end = std::min(at_ + count, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  // Moves behind the next `end`, or to the end of the text.
  void skip_behind(std::string_view end, std::size_t from) {
    const std::size_t found = text_.find(end, at_ + from);
    skip(found == std::string_view::npos ? text_.size() - at_ : found - at_ + end.size());
  }

  void add(Token::Kind kind, std::size_t length) { tokens_.push_back({kind, text_.substr(at_, length), line_}); }

  void step() {
    const char c = text_[at_];
    if (starts("//")) return skip_behind("\n", 2);
    if (starts("/*")) return skip_behind("*/", 2);
    if (starts("R\"")) return raw_string();
    if (c == '"' || c == '\'') return literal(c);
    if (c == '#') return directive();
    if (is_word(c)) return word();
    if (starts("::") || starts("->")) {
      add(Token::Kind::Punctuation, 2);
      return skip(2);
    }
    if (std::isspace(static_cast<unsigned char>(c)) == 0) add(Token::Kind::Punctuation, 1);
    skip(1);
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return skip(2);
    const std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    skip_behind(end, open - at_);
  }

  void literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    skip(end + 1 - at_);
  }

  // Digit separators (1'000) belong to the number.
  void word() {
    const bool number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    std::size_t end = at_;
    while (end < text_.size() && (is_word(text_[end]) || (number && text_[end] == '\''))) ++end;
    add(Token::Kind::Word, end - at_);
    skip(end - at_);
  }

  // Only includes are of interest; what other directives hold is code like any other.
  void directive() {
    skip(1);
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) skip(1);
    if (!starts("include")) return;
    skip(7);
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) skip(1);
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '<')) return;
    const bool angle = text_[at_] == '<';
    skip(1);
    const std::size_t end = text_.find(angle ? '>' : '"', at_);
    if (end == std::string_view::npos) return;
    add(Token::Kind::Include, end - at_);
    skip(end + 1 - at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<Token> tokens_;
};

// Where a file stands: its module, and whether it is a test.
struct Place {
  explicit Place(std::string_view path_in) : path(path_in) {
    std::string_view rest = path;
    if (!rest.starts_with("src/")) return;
    rest.remove_prefix(4);
    module = rest.substr(0, rest.find('/'));
    is_test = rest.find("/test/") != std::string_view::npos || rest.find("/fuzz/") != std::string_view::npos;
  }

  bool in(const Names& prefixes) const {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return path.starts_with(p); });
  }

  std::string_view path;
  std::string_view module;
  bool is_test = false;
};

// Who may read the wall clock. Everyone else gets time as an argument.
const Names kClockReaders = {
    "src/kernel/pacing.",           // runs the virtual clock against the real one
    "src/kernel/test/pacing",       // and its test
    "src/guest/",                   // starts and watches real processes
    "src/coordinator/dispatcher/",  // starts and watches real processes
    "src/coordinator/service/",     // runs the coordinator's clock
    "src/coordinator/client/",      // time-outs of connections
    "src/coordinator/planners/",    // time limits of the solver
    "src/coordinator/store/",       // dates its files
    "src/bridges/",                 // speaks to hardware and people
    "src/server/",                  // time-outs of connections
    "src/app/",                     // how long did the run take
    "src/shim/",                    // replaces these very functions
};
const Names kClocks = {
    "system_clock",  "steady_clock", "high_resolution_clock", "file_clock",      "utc_clock",
    "clock_gettime", "gettimeofday", "timespec_get",          "clock_nanosleep", "nanosleep",
    "usleep",        "sleep_for",    "sleep_until",           "__rdtsc",         "__builtin_ia32_rdtsc"};

// Modules on the state path: what they compute ends up in the state hash.
const Names kStatePath = {"src/base/",  "src/kernel/", "src/control/",   "src/world/",
                          "src/board/", "src/robots/", "src/behaviour/", "src/scenario/"};
const Names kMathHome = {"src/base/math."};
const Names kUnsafeMath = {"sin",   "cos",   "tan",   "asin", "acos", "atan",   "atan2",  "sinh",  "cosh",  "tanh",
                           "asinh", "acosh", "atanh", "exp",  "exp2", "expm1",  "log",    "log2",  "log10", "log1p",
                           "pow",   "cbrt",  "hypot", "erf",  "erfc", "tgamma", "lgamma", "sincos"};

// Randomness without a named stream.
const Names kUnnamedRandom = {"random_device", "mt19937", "mt19937_64", "default_random_engine", "minstd_rand",
                              "rand",          "srand",   "drand48",    "random_shuffle",        "rand_r"};

// Big libraries stay in .cpp files, so that whoever includes us does not pay for them.
constexpr std::array kCppOnly = {"yaml-cpp/", "CLI/",   "nlohmann/", "zstd",    "lz4",   "boost/", "pugixml",
                                 "llvm/",     "clang/", "ros/",      "spdlog/", "sleef", "mavlink"};

// Modules that are linked into foreign processes use nothing but these.
const std::map<std::string_view, Names> kOnly = {
    {"shim", {"shim", "shim_abi", "sched"}}, {"shim_abi", {"shim_abi"}}, {"sched", {"sched"}}};

class Scan {
 public:
  Scan(std::string_view path, std::string_view text, const Layers& layers)
      : place_(path), layers_(layers), tokens_(Lexer(text).run()) {}

  std::vector<Violation> run() {
    check_folder();
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      switch (tokens_[at_].kind) {
        case Token::Kind::Include:
          check_layer();
          check_heavy();
          break;
        case Token::Kind::Word:
          check_clock();
          check_math();
          check_random();
          break;
        case Token::Kind::Punctuation:
          break;
      }
    }
    return std::move(found_);
  }

 private:
  void report(std::string what, int line = 0) {
    found_.push_back({std::string(place_.path), line != 0 ? line : tokens_[at_].line, std::move(what)});
  }

  // Text of the token `offset` places away; empty beyond the ends.
  std::string_view near(int offset) const {
    const auto index = static_cast<std::ptrdiff_t>(at_) + offset;
    return index < 0 || index >= static_cast<std::ptrdiff_t>(tokens_.size())
               ? std::string_view{}
               : tokens_[static_cast<std::size_t>(index)].text;
  }

  bool is_call() const { return near(1) == "("; }

  // True for f(...), std::f(...) and ::f(...), but not for x.f(...), other::f(...) or a declaration.
  bool is_call_of_the_standard_library() const {
    if (!is_call()) return false;
    const std::string_view before = near(-1);
    if (before == "." || before == "->") return false;
    if (before == "::") return near(-2) == "std" || near(-2).empty() || !is_word(near(-2).back());
    const bool declaration = !before.empty() && is_word(before.back()) && before != "return" && before != "co_return" &&
                             before != "co_yield" && before != "else";
    return !declaration;
  }

  void check_folder() {
    if (!place_.module.empty() && !layers_.contains(place_.module)) {
      report("module '" + std::string(place_.module) + "' is not in cmake/StrataLayers.cmake: add it there", 1);
    }
  }

  void check_layer() {
    const std::string_view include = near(0);
    if (include.find("..") != std::string_view::npos) {
      return report("include from the root of src/ instead of '" + std::string(include) + "'");
    }
    const auto target = layers_.find(include.substr(0, include.find('/')));
    const auto own = layers_.find(place_.module);
    if (include.find('/') == std::string_view::npos || target == layers_.end() || own == layers_.end()) return;
    if (target->first == own->first) return;
    if (target->second >= own->second) {
      report("module '" + own->first + "' (layer " + std::to_string(own->second) + ") includes '" +
             std::string(include) + "' (layer " + std::to_string(target->second) +
             "): a module uses only lower layers; move the code down or pass it in");
    }
    const auto only = kOnly.find(own->first);
    if (only != kOnly.end() && !only->second.contains(target->first)) {
      report("module '" + own->first + "' runs inside foreign programs and must not include '" + std::string(include) +
             "'");
    }
  }

  void check_heavy() {
    const std::string_view include = near(0);
    if (!place_.path.ends_with(".hpp")) return;
    // The annotating tool is a program about LLVM; nobody else includes its headers.
    if (place_.path.find("src/annotate/tool/") != std::string::npos) return;
    if (layers_.contains(include.substr(0, include.find('/'))) && include.find('/') != std::string_view::npos) return;
    for (const std::string_view library : kCppOnly) {
      if (include.starts_with(library)) {
        report("header includes '" + std::string(include) + "': use that library in .cpp files only");
      }
    }
  }

  void check_clock() {
    if (place_.module.empty() || place_.in(kClockReaders)) return;
    const std::string_view word = near(0);
    const bool c_clock = (word == "time" || word == "clock" || word == "sleep") && is_call_of_the_standard_library() &&
                         (near(-1) == "::" || near(2) == "nullptr" || near(2) == "NULL" || near(2) == "0");
    if (kClocks.contains(word) || c_clock) {
      report("'" + std::string(word) + "' reads the wall clock: take virtual time as an argument");
    }
  }

  void check_math() {
    if (!place_.in(kStatePath) || place_.in(kMathHome) || place_.is_test) return;
    if (kUnsafeMath.contains(near(0)) && is_call_of_the_standard_library()) {
      report("'" + std::string(near(0)) + "' differs in the last bit between processors: use base/math");
    }
  }

  void check_random() {
    if (place_.module.empty() || place_.is_test || place_.in({"src/shim/"})) return;
    const std::string_view word = near(0);
    if (!kUnnamedRandom.contains(word)) return;
    const bool function = word == "rand" || word == "srand" || word == "drand48" || word == "rand_r";
    if (function && !is_call_of_the_standard_library()) return;
    report("'" + std::string(word) + "' draws without a named stream: use base/random");
  }

  Place place_;
  const Layers& layers_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<Violation> found_;
};

}  // namespace

Layers parse_layers(std::string_view list) {
  Layers layers;
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(','));
    const std::size_t colon = entry.find(':');
    if (colon != std::string_view::npos) {
      int layer = 0;
      std::from_chars(entry.data() + colon + 1, entry.data() + entry.size(), layer);
      layers.emplace(entry.substr(0, colon), layer);
    }
    list.remove_prefix(std::min(entry.size() + 1, list.size()));
  }
  return layers;
}

std::vector<Violation> scan(std::string_view path, std::string_view text, const Layers& layers) {
  return Scan(path, text, layers).run();
}

}  // namespace strata::layering
