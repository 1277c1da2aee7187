#include "annotate/driver/driver.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "annotate/driver/arguments.hpp"
#include "annotate/driver/places.hpp"
#include "annotate/driver/process.hpp"

namespace strata::annotate {

namespace {

namespace fs = std::filesystem;
using Step = CompilerArguments::Step;
using Words = std::vector<std::string>;

constexpr int kWrongUse = 2;

int fail(const Errors& errors) {
  std::fprintf(stderr, "%s\n", to_text(errors).c_str());
  return kWrongUse;
}

class Driver {
 public:
  Driver(const CompilerArguments& arguments, bool cpp)
      : arguments_(arguments), cpp_(cpp), clang_(find_clang(cpp).string()), tool_(find_tool().string()) {}

  int run() {
    if (clang_.empty()) return fail({Error{{}, "clang 14 is not installed", kInstallHint}});
    if (arguments_.step == Step::kPassThrough || arguments_.step == Step::kPreprocess) {
      return run_clang(arguments_.words);
    }
    if (tool_.empty()) return fail({Error{{}, "Strata was built without LLVM", kInstallHint}});
    for (const Target* target : arguments_.targets) {
      target_ = target;
      const int code = run_for_target();
      if (code != 0) return code;
    }
    return 0;
  }

 private:
  int run_for_target() {
    if (find_runtime(bits()).empty()) {
      return fail({Error{{},
                         "programs for " + target_->name + " run as 32-bit programs, and this machine cannot make them",
                         kInstallHint32}});
    }
    std::vector<std::string> objects;
    for (const CompilerArguments::Source& source : arguments_.sources) {
      const std::string object = object_of(source, objects.size());
      if (const int code = compile(source, object); code != 0) return code;
      objects.push_back(object);
    }
    if (arguments_.step == Step::kLink) return link(objects);
    // Assembly and other inputs beside the sources.
    return arguments_.sources.empty() && is_first() ? run_clang(arguments_.words) : 0;
  }

  [[nodiscard]] int bits() const { return target_->bits; }
  [[nodiscard]] bool is_first() const { return target_ == arguments_.targets.front(); }
  // Files for the first target have the name the user asked for; the others stand beside them.
  [[nodiscard]] std::string named(const std::string& file) const {
    return is_first() ? file : file + "." + target_->name;
  }

  // 32-bit targets need a 32-bit program; with SSE2, because x87 rounds differently.
  void add_machine(Words& words) const {
    if (bits() == 32)
      words.insert(words.end(), {"-m32", "-msse2", "-mfpmath=sse", "-idirafter", "/usr/include/x86_64-linux-gnu"});
  }

  int run_clang(const Words& words) const {
    Words command{clang_};
    command.insert(command.end(), words.begin(), words.end());
    return run_program(command);
  }

  [[nodiscard]] std::string object_of(const CompilerArguments::Source& source, std::size_t number) const {
    if (arguments_.step == Step::kLink) return (folder_.path() / (std::to_string(number) + ".o")).string();
    if (!arguments_.output.empty()) return named(arguments_.output);
    const char* ending = arguments_.step == Step::kAssembly ? ".s" : ".o";
    return named(fs::path(source.file).filename().replace_extension(ending).string());
  }

  // What clang would have derived from the name of the object.
  void add_dependencies(Words& words, const std::string& object) const {
    if (!arguments_.dependencies || !is_first()) return;
    const fs::path shown = arguments_.output.empty() ? fs::path(object).filename() : fs::path(arguments_.output);
    if (!arguments_.dependency_file) {
      words.insert(words.end(), {"-MF", fs::path(shown).replace_extension(".d").string()});
    }
    if (!arguments_.dependency_target) words.insert(words.end(), {"-MQ", shown.string()});
  }

  int compile(const CompilerArguments::Source& source, const std::string& object) const {
    const std::string bitcode = (folder_.path() / "source.bc").string();
    Words words = compile_words(arguments_);
    add_machine(words);
    if (target_->unsigned_char && !arguments_.char_is_given) words.emplace_back("-funsigned-char");
    Words plain = words;
    add_dependencies(words, object);
    words.insert(words.end(), {"-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o", bitcode});
    if (!source.language.empty()) words.insert(words.end(), {"-x", source.language});
    words.push_back(source.file);
    if (const int code = run_clang(words); code != 0) return code;
    const int code = annotate(source, bitcode, object);
    if (code == 0) return 0;
    std::fprintf(stderr,
                 "%s: warning: left plain, because it cannot be annotated for %s (%d); its time shows as "
                 "unaccounted\n",
                 source.file.c_str(), target_->name.c_str(), code);
    plain.insert(plain.end(), {arguments_.step == Step::kAssembly ? "-S" : "-c", "-o", object});
    if (!source.language.empty()) plain.insert(plain.end(), {"-x", source.language});
    plain.push_back(source.file);
    return run_clang(plain);
  }

  [[nodiscard]] int annotate(const CompilerArguments::Source& source, const std::string& bitcode,
                             const std::string& object) const {
    const std::string& target = target_->name;
    Words command{tool_,
                  bitcode,
                  "--output=" + object,
                  "--source=" + source.file,
                  "--level=" + arguments_.level,
                  "--targets=" + target};
    if (const fs::path costs = find_costs(target_->library.empty() ? target : target_->library); !costs.empty())
      command.push_back("--costs=" + costs.string());
    if (arguments_.step == Step::kAssembly) command.emplace_back("--assembly");
    if (is_cpp(source, cpp_)) command.emplace_back("--exceptions");
    if (arguments_.quiet) command.emplace_back("--quiet");
    if (const char* map = std::getenv("STRATA_ANNOTATE_MAP")) {  // NOLINT(concurrency-mt-unsafe)
      command.push_back(std::string("--map=") + map);
    }
    return run_program(command);
  }

  // The output, or an object or library that has a twin for this target.
  [[nodiscard]] std::string input_for_target(const std::string& word, bool is_output) const {
    if (is_output) return named(word);
    const bool is_file = !word.empty() && word[0] != '-';
    return is_file && fs::exists(named(word)) ? named(word) : word;
  }

  int link(const std::vector<std::string>& objects) const {
    if (arguments_.is_static) {
      return fail({Error{{}, "annotated programs cannot be linked statically", "link without -static"}});
    }
    Words words;
    std::size_t next = 0;
    for (std::size_t i = 0; i < arguments_.words.size(); ++i) {
      const bool is_source = next < objects.size() && arguments_.sources[next].position == i;
      if (!is_source) {
        words.push_back(input_for_target(arguments_.words[i], i > 0 && arguments_.words[i - 1] == "-o"));
        continue;
      }
      const std::string& language = arguments_.sources[next].language;
      if (!language.empty()) words.insert(words.end(), {"-x", "none"});
      words.push_back(objects[next++]);
      if (!language.empty()) words.insert(words.end(), {"-x", language});
    }
    if (arguments_.output.empty() && !is_first()) words.insert(words.end(), {"-o", named("a.out")});
    add_machine(words);
    const std::string folder = find_runtime(bits()).string();
    words.insert(words.end(), {"-Wl,--push-state,--no-as-needed", "-L" + folder, "-lstrata_perf", "-Wl,--pop-state",
                               "-Wl,-rpath," + folder, "-Qunused-arguments"});
    return run_clang(words);
  }

  const CompilerArguments& arguments_;
  const Target* target_ = nullptr;  // that is worked for now
  bool cpp_;
  std::string clang_;
  std::string tool_;
  WorkFolder folder_;
};

}  // namespace

int run_driver(const Words& words, bool cpp) {
  const char* environment = std::getenv("STRATA_TARGET");  // NOLINT(concurrency-mt-unsafe): no other thread yet
  const auto arguments = read_compiler_arguments(words, environment == nullptr ? "" : environment);
  if (!arguments.ok()) return fail(arguments.errors());
  return Driver(*arguments, cpp).run();
}

}  // namespace strata::annotate
