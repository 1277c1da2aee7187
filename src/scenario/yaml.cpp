#include "scenario/yaml.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace strata {
namespace {

constexpr std::size_t kMostErrorsOfFile = 100;  // of one file; beyond that nobody reads on

/// Leaves the parser, which knows no other way to stop early.
struct Stop {
  Error error;
};

/// Index of the first byte that is not UTF-8, or npos.
std::size_t first_bad_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    std::size_t more = 0;
    std::uint32_t code = lead;
    if (lead >= 0xF0 && lead <= 0xF4) {
      more = 3;
      code = lead & 0x07U;
    } else if (lead >= 0xE0 && lead < 0xF0) {
      more = 2;
      code = lead & 0x0FU;
    } else if (lead >= 0xC2 && lead < 0xE0) {
      more = 1;
      code = lead & 0x1FU;
    } else if (lead >= 0x80) {
      return at;
    }
    if (text.size() - at <= more) return at;
    for (std::size_t i = 1; i <= more; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if ((next & 0xC0U) != 0x80) return at;
      code = code << 6U | (next & 0x3FU);
    }
    const bool overlong = (more == 2 && code < 0x800) || (more == 3 && (code < 0x10000 || code > 0x10FFFF));
    if (overlong || (code >= 0xD800 && code < 0xE000)) return at;
    at += more + 1;
  }
  return std::string_view::npos;
}

/// Builds the tree from the parser's events. Aliases are expanded here, under the limit.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string file, const YamlLimits& limits) : file_(std::move(file)), limits_(limits) {}

  [[nodiscard]] Value& root() { return root_; }
  [[nodiscard]] Errors& errors() { return errors_; }
  /// Of the latest key or value.
  [[nodiscard]] const Where& latest() const { return latest_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) stop(mark, "a second document begins here", "keep one document per file: remove the '---'");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count(mark, 1);
    Value value;
    value.where() = where(mark);
    finish_node(std::move(value), anchor, 1);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    count(mark, 1);
    const bool is_text = tag == "tag:yaml.org,2002:str";
    if (!is_text) refuse_tag(mark, tag);
    // The parser writes \\N and \\_ as single bytes.
    if (first_bad_utf8(text) != std::string_view::npos) {
      stop(mark, "the text has an escape that is not supported", "write the character itself, or \\x and its code");
    }
    finish_node(Value::scalar(text, where(mark), is_text || tag == "!"), anchor, 1);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) stop(mark, "an alias stands inside what it stands for", "remove the '*...'");
    count(mark, it->second.nodes);
    Value copy = it->second.value;
    finish_node(std::move(copy), 0, it->second.nodes);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    refuse_tag(mark, tag);
    open(mark, Value::list({}, where(mark)), anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    refuse_tag(mark, tag);
    open(mark, Value::map({}, where(mark)), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Value value;
    YAML::anchor_t anchor = 0;
    std::size_t first_node = 0;
    bool has_key = false;
    std::string key;
    Where key_where;
    std::unordered_map<std::string, int> key_lines;
  };
  struct Anchored {
    Value value;
    std::size_t nodes = 0;
  };

  [[nodiscard]] Where where(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1, ""}; }

  [[noreturn]] void stop(const YAML::Mark& mark, std::string problem, std::string remedy) const {
    throw Stop{{where(mark), std::move(problem), std::move(remedy)}};
  }

  void count(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > limits_.nodes) {
      stop(mark, fmt::format("the file holds more than {} values", limits_.nodes),
           "aliases ('*name') count with all they stand for: write less, or split the experiment");
    }
  }

  // Plain scalars carry "?", quoted ones "!".
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    stop(mark, fmt::format("the tag '{}' is not part of the language", tag.substr(0, 40)), "remove the '!...'");
  }

  void open(const YAML::Mark& mark, Value value, YAML::anchor_t anchor) {
    count(mark, 1);
    if (frames_.size() >= limits_.depth) {
      stop(mark, fmt::format("nested more than {} deep", limits_.depth), "is a bracket not closed?");
    }
    if (!frames_.empty() && frames_.back().value.is_map() && !frames_.back().has_key) {
      stop(mark, "a list or a map stands where a key is expected",
           "is a bracket not closed? Text that begins with { or [ needs quotes");
    }
    Frame frame;
    frame.value = std::move(value);
    frame.anchor = anchor;
    frame.first_node = nodes_;
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    finish_node(std::move(frame.value), frame.anchor, nodes_ - frame.first_node + 1);
  }

  void finish_node(Value value, YAML::anchor_t anchor, std::size_t nodes) {
    latest_ = value.where();
    if (anchor != 0) {
      // The copy is kept beside the tree, so it counts too.
      nodes_ += nodes;
      anchors_[anchor] = {value, nodes};
    }
    if (frames_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.value.is_list()) {
      frame.value.items().push_back(std::move(value));
    } else if (!frame.has_key) {
      take_key(frame, value);
    } else {
      take_member(frame, std::move(value));
    }
  }

  void take_key(Frame& frame, const Value& key) {
    if (!key.is_scalar()) throw Stop{{key.where(), "a key is missing before the ':'", "write 'name: value'"}};
    frame.has_key = true;
    frame.key = key.text();
    frame.key_where = key.where();
  }

  void take_member(Frame& frame, Value value) {
    frame.has_key = false;
    // A nested block begins on its own line; the key says better where it is.
    if (!value.is_scalar()) value.where() = frame.key_where;
    const auto [it, fresh] = frame.key_lines.emplace(frame.key, frame.key_where.line);
    if (fresh) {
      frame.value.members().emplace_back(std::move(frame.key), std::move(value));
    } else if (errors_.size() < kMostErrorsOfFile) {
      errors_.push_back({frame.key_where, fmt::format("'{}' is given twice, first in line {}", frame.key, it->second),
                         "keep one of them"});
    }
  }

  std::string file_;
  YamlLimits limits_;
  Value root_;
  Errors errors_;
  Where latest_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

// The parser's messages name its rules; the remedy names ours.
std::string remedy_for(const std::string& message) {
  const auto mentions = [&](const char* word) { return message.find(word) != std::string::npos; };
  if (mentions("end of map flow")) return "a '{' is not closed: is the file complete?";
  if (mentions("end of sequence flow")) return "a '[' is not closed: is the file complete?";
  if (mentions("EOF") || mentions("end of")) return "is the file complete? A quote or a bracket may be open";
  if (mentions("anchor")) return "define it with '&name' before using '*name'";
  return "check the indentation, and that every ':' and ',' has a space behind it";
}

int line_of(std::string_view text, std::size_t at) {
  int line = 1;
  for (const char c : text.substr(0, at)) line += c == '\n' ? 1 : 0;
  return line;
}

std::string_view line_at(std::string_view text, int line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// What the parser complains about, with its place.
Error parse_error(const YAML::Exception& e, const Where& latest, std::string_view text, const std::string& file) {
  if (e.msg.find("document indicator in scalar") != std::string::npos) {
    return {{file, std::max(latest.line, 1), 0, ""},
            "a quote is not closed",
            "the text behind this has an opening quote, but no closing one"};
  }
  Error error{{file, e.mark.line + 1, e.mark.column + 1, ""}, "not valid YAML: " + e.msg, remedy_for(e.msg)};
  // What is open at the end is found behind it.
  const int last = line_of(text, text.find_last_not_of(" \n") + 1);
  if (e.mark.is_null() || error.where.line > last) error.where = {file, last, 0, ""};
  const std::string_view line = line_at(text, error.where.line);
  if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos)
    error.remedy = "indent with spaces, not with tabs";
  return error;
}

// The parser keeps what stands on one line until it knows whether it is a key: lines must not be endless.
std::size_t first_endless_line(std::string_view text) {
  constexpr std::size_t kLongest = 1U << 20U;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > kLongest) return begin;
    begin = end + 1;
  }
  return std::string_view::npos;
}

/// Text, or the error that says what it is instead.
Result<void> check_text(std::string_view text, const std::string& file) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return Error{{file, 0, 0, ""}, "the file is UTF-16 text", "save it as UTF-8"};
  }
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    return Error{{file, line_of(text, at), 0, ""},
                 "this is a binary file, not YAML",
                 "name a scenario file, or a folder that holds scenario.yaml"};
  }
  if (const std::size_t at = first_bad_utf8(text); at != std::string_view::npos) {
    return Error{
        {file, line_of(text, at), 0, ""}, "the text is not UTF-8", "save it as UTF-8, or name a scenario file"};
  }
  if (const std::size_t at = first_endless_line(text); at != std::string_view::npos) {
    return Error{{file, line_of(text, at), 0, ""}, "the line is longer than a mebibyte", "break it into several lines"};
  }
  return {};
}

}  // namespace

Result<Value> parse_yaml(std::string_view text, const std::string& file, const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    return Error{{file, 0, 0, ""},
                 fmt::format("the file is larger than {} MiB", limits.bytes >> 20U),
                 "a scenario describes an experiment in a few lines: is this the right file?"};
  }
  if (const Result<void> good = check_text(text, file); !good.ok()) return good.errors();
  Builder builder(file, limits);
  try {
    // The parser lets a quote run to the end of the file; the end of the document inside of it does not pass.
    std::istringstream stream(std::string(text) + (text.ends_with('\n') ? "...\n" : "\n...\n"));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    builder.errors().push_back(stop.error);
  } catch (const YAML::Exception& e) {
    builder.errors().push_back(parse_error(e, builder.latest(), text, file));
  }
  if (!builder.errors().empty()) return std::move(builder.errors());
  if (builder.root().is_null()) builder.root().where() = {file, 0, 0, ""};
  return std::move(builder.root());
}

Result<std::string> read_text_file(const std::string& path, std::size_t bytes) {
  const Where where{path, 0, 0, ""};
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (status.type() == std::filesystem::file_type::not_found) {
    return Error{where, "there is no such file", "check the name; paths count from the current folder"};
  }
  if (status.type() == std::filesystem::file_type::directory) {
    return Error{where, "this is a folder, not a file", "name the file in it"};
  }
  if (code)
    return Error{where, "cannot be read: " + code.message(), "check the permissions of the file and its folders"};
  // Reading a pipe or a device may never end.
  if (status.type() != std::filesystem::file_type::regular)
    return Error{where, "this is not a regular file", "name a file with text"};
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return Error{where, fmt::format("cannot be read: {}", std::generic_category().message(errno)),
                 "check the permissions of the file"};
  std::string text;
  std::vector<char> chunk(64U << 10U);
  while (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || stream.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > bytes) break;  // the size is judged by who knows what the file is for
  }
  if (stream.bad()) return Error{where, "reading failed", "check the disk"};
  return text;
}

Result<Value> read_yaml(const std::string& path, const YamlLimits& limits) {
  const Result<std::string> text = read_text_file(path, limits.bytes);
  if (!text.ok()) return text.errors();
  return parse_yaml(*text, path, limits);
}

}  // namespace strata
