#include "annotate/driver/arguments.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace strata::annotate {

namespace {

// Options whose value is the next word.
constexpr std::array kWithValue = {"-o",
                                   "-x",
                                   "-I",
                                   "-D",
                                   "-U",
                                   "-L",
                                   "-l",
                                   "-include",
                                   "-imacros",
                                   "-isystem",
                                   "-iquote",
                                   "-idirafter",
                                   "-iprefix",
                                   "-iwithprefix",
                                   "-isysroot",
                                   "-MF",
                                   "-MT",
                                   "-MQ",
                                   "-Xclang",
                                   "-Xlinker",
                                   "-Xassembler",
                                   "-Xpreprocessor",
                                   "-mllvm",
                                   "-target",
                                   "-arch",
                                   "-T",
                                   "-u",
                                   "-z",
                                   "-e",
                                   "-rpath",
                                   "--param",
                                   "-B",
                                   "-framework",
                                   "-A",
                                   "-iwithprefixbefore",
                                   "-working-directory",
                                   "-h",
                                   "-soname",
                                   "--sysroot"};
constexpr std::array kForLinker = {"-L", "-l", "-Xlinker", "-T", "-u", "-z", "-e", "-rpath", "-h", "-soname"};
constexpr std::array kLinkFlags = {
    "-static",   "-shared",        "-rdynamic",     "-s",   "-static-libgcc", "-static-libstdc++",
    "-nostdlib", "-nodefaultlibs", "-nostartfiles", "-pie", "-no-pie",        "-static-pie"};
constexpr std::array kPassThrough = {"-M",         "-MM",          "-fsyntax-only", "--version",
                                     "-###",       "-dumpversion", "-dumpmachine",  "--help",
                                     "-emit-llvm", "--analyze",    "-emit-ast",     "-V"};

bool is_one_of(const auto& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_source(const std::string& file) {
  static constexpr std::array kEndings = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".CPP", ".i", ".ii"};
  return is_one_of(kEndings, std::filesystem::path(file).extension().string());
}

bool annotates(const std::string& language) {
  static constexpr std::array kLanguages = {"c", "c++", "cpp-output", "c++-cpp-output"};
  return is_one_of(kLanguages, language);
}

// Words of a response file: separated by blanks, quoted with ' or ", escaped with a backslash.
std::vector<std::string> split_response(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  bool inside = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      inside = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inside) out.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) out.push_back(std::move(word));
  return out;
}

void open_responses(const std::vector<std::string>& words, std::vector<std::string>& out, int depth) {
  constexpr int kDeepest = 16;
  for (const std::string& word : words) {
    if (word.size() < 2 || word[0] != '@' || depth > kDeepest) {
      out.push_back(word);
      continue;
    }
    std::ifstream in(word.substr(1), std::ios::binary);
    if (!in) {
      out.push_back(word);  // clang says what is wrong with it
      continue;
    }
    open_responses(split_response({std::istreambuf_iterator<char>(in), {}}), out, depth + 1);
  }
}

class Reader {
 public:
  explicit Reader(CompilerArguments& out) : out_(out) {}

  void read(const std::vector<std::string>& words, std::string& targets) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.starts_with("-fstrata-target=")) {
        targets = word.substr(word.find('=') + 1);
      } else if (word == "-fstrata-quiet") {
        out_.quiet = true;
      } else if (is_one_of(kWithValue, word) && i + 1 < words.size()) {
        read_pair(word, words[i + 1]);
        out_.words.push_back(word);
        out_.words.push_back(words[++i]);
      } else {
        read_word(word);
        out_.words.push_back(word);
      }
    }
  }

 private:
  using Step = CompilerArguments::Step;

  void read_pair(const std::string& word, const std::string& value) {
    if (word == "-o") out_.output = value;
    if (word == "-x") language_ = value == "none" ? "" : value;
    if (word == "-MF") out_.dependency_file = true;
    if (word == "-MT" || word == "-MQ") out_.dependency_target = true;
  }

  void read_word(const std::string& word) {
    if (word.empty() || word[0] != '-' || word == "-") {
      read_input(word);
    } else if (word == "-c") {
      if (step_ < 1) step_ = 1;
    } else if (word == "-S") {
      if (step_ < 2) step_ = 2;
    } else if (word == "-E") {
      step_ = 3;
    } else if (is_one_of(kPassThrough, word) || word.starts_with("-print-")) {
      step_ = 4;
    } else if (word == "-v" || word == "-flto" || word.starts_with("-flto=")) {
      out_.has_lto = out_.has_lto || word != "-v";
    } else if (word.starts_with("-O")) {
      read_level(word.substr(2));
    } else if (word.starts_with("-x") && word.size() > 2) {
      language_ = word.substr(2) == "none" ? "" : word.substr(2);
    } else if (word.starts_with("-o") && word.size() > 2) {
      out_.output = word.substr(2);
    } else if (word == "-funsigned-char" || word == "-fsigned-char" || word == "-fno-signed-char" ||
               word == "-fno-unsigned-char") {
      out_.char_is_given = true;
    } else if (word == "-MD" || word == "-MMD") {
      out_.dependencies = true;
    } else if (word.starts_with("-MF")) {
      out_.dependency_file = true;
    } else if (word.starts_with("-MT") || word.starts_with("-MQ")) {
      out_.dependency_target = true;
    } else if (word == "-static" || word == "-static-pie") {
      out_.is_static = true;
    } else if (word == "-shared") {
      out_.is_shared = true;
    }
    static constexpr Step kSteps[] = {Step::kLink, Step::kObject, Step::kAssembly, Step::kPreprocess,
                                      Step::kPassThrough};
    out_.step = kSteps[step_];
  }

  void read_input(const std::string& word) {
    const bool source = language_.empty() ? word != "-" && is_source(word) : annotates(language_);
    if (source) out_.sources.push_back({word, language_, out_.words.size()});
  }

  void read_level(const std::string& level) {
    out_.level = level.empty() || level == "g" ? "1" : level == "fast" ? "3" : level;
    if (out_.level.size() == 1 && out_.level[0] > '3' && out_.level[0] <= '9') out_.level = "3";
  }

  CompilerArguments& out_;
  std::string language_;
  int step_ = 0;  // the earliest stage at which to stop wins
};

}  // namespace

Result<CompilerArguments> read_compiler_arguments(const std::vector<std::string>& words,
                                                  const std::string& environment) {
  CompilerArguments out;
  std::vector<std::string> opened;
  open_responses(words, opened, 0);
  std::string targets;
  Reader(out).read(opened, targets);
  const bool given = !targets.empty();
  if (!given) targets = environment.empty() ? kDefaultTarget : environment;
  const auto found = read_targets(targets, given ? "-fstrata-target" : "STRATA_TARGET");
  if (!found.ok()) return found.errors();
  out.targets = *found;
  return out;
}

std::vector<std::string> compile_words(const CompilerArguments& arguments) {
  std::vector<std::string> out;
  const std::vector<std::string>& words = arguments.words;
  const auto is_input = [&](std::size_t i) {
    return std::any_of(arguments.sources.begin(), arguments.sources.end(),
                       [&](const CompilerArguments::Source& source) { return source.position == i; });
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (is_input(i) || word == "-c" || word == "-S") continue;
    if (is_one_of(kWithValue, word) && i + 1 < words.size()) {
      const bool drop = word == "-o" || word == "-x" || is_one_of(kForLinker, word);
      if (!drop) out.insert(out.end(), {word, words[i + 1]});
      ++i;
      continue;
    }
    if (word.starts_with("-flto") || is_one_of(kLinkFlags, word) || word.starts_with("-Wl,")) continue;
    if (word.starts_with("-L") || word.starts_with("-l")) continue;
    if (word.starts_with("-o") && word.size() > 2) continue;
    if (word.starts_with("-x") && word.size() > 2) continue;
    if (word.empty() || word[0] != '-') continue;  // objects, libraries, assembly
    out.push_back(word);
  }
  return out;
}

bool is_cpp(const CompilerArguments::Source& source, bool driver_is_cpp) {
  if (!source.language.empty()) return source.language.starts_with("c++");
  const std::string ending = std::filesystem::path(source.file).extension().string();
  return driver_is_cpp || (ending != ".c" && ending != ".i");
}

}  // namespace strata::annotate
