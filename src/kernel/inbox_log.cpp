#include "kernel/inbox_log.hpp"

#include <charconv>
#include <optional>

namespace strata {

namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Length of the UTF-8 sequence at the front of `text`; 0 if it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond Unicode.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) || (first == 0xF0 && byte(1) < 0x90) ||
      (first == 0xF4 && byte(1) > 0x8F)) {
    return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string to_base64(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kBase64[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    std::size_t padding = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t digit = kBase64.find(text[i + k]);
      const bool pad = text[i + k] == '=' && k >= 2 && i + 4 == text.size();
      if (digit == std::string_view::npos ? !pad : padding != 0) return std::nullopt;
      padding += pad ? 1 : 0;
      group = group << 6 | (pad ? 0U : static_cast<std::uint32_t>(digit));
    }
    for (std::size_t k = 0; k + padding < 3; ++k) out += static_cast<char>(group >> (16 - 8 * k) & 255);
  }
  return out;
}

/// Reads one line. Every function returns false after the first problem, which stays in `problem`.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  bool read(InboxMessage& message) {
    if (!expect('{')) return false;
    do {
      std::string name;
      if (!read_text(name) || !expect(':') || !read_member(name, message)) return false;
    } while (accept(','));
    if (!expect('}')) return false;
    skip_space();
    if (position_ != text_.size()) return fail("there is more text after the object");
    if (seen_ != kAll)
      return fail("a member is missing; it needs time_ns, phase, sequence, topic, and payload or payload_base64");
    return true;
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] int column() const { return static_cast<int>(position_) + 1; }

 private:
  enum Seen : unsigned { kTime = 1, kPhase = 2, kSequence = 4, kTopic = 8, kPayload = 16, kAll = 31 };

  bool read_member(const std::string& name, InboxMessage& message) {
    if (name == "time_ns") {
      std::uint64_t time = 0;
      if (!read_number(time)) return false;
      if (time >= static_cast<std::uint64_t>(Time::never().ns())) return fail("time_ns is out of range");
      message.time = Time::from_ns(static_cast<std::int64_t>(time));
      return see(kTime);
    }
    if (name == "sequence") return read_number(message.sequence) && see(kSequence);
    if (name == "topic") return read_text(message.topic) && see(kTopic);
    if (name == "payload") return read_text(message.payload) && see(kPayload);
    if (name == "phase") return read_phase(message.phase) && see(kPhase);
    if (name == "payload_base64") {
      std::string encoded;
      if (!read_text(encoded)) return false;
      std::optional<std::string> bytes = from_base64(encoded);
      if (!bytes.has_value()) return fail("payload_base64 is not base64");
      message.payload = std::move(*bytes);
      return see(kPayload);
    }
    return fail("unknown member '" + name + "'");
  }
  bool read_phase(Phase& phase) {
    std::string name;
    if (!read_text(name)) return false;
    for (std::size_t i = 0; i < kPhaseCount; ++i) {
      phase = static_cast<Phase>(i);
      if (to_text(phase) == name) return true;
    }
    return fail("unknown phase '" + name + "'");
  }
  bool read_number(std::uint64_t& number) {
    skip_space();
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc{}) return fail("expected a whole number, not negative");
    position_ += static_cast<std::size_t>(end - begin);
    return true;
  }
  bool read_text(std::string& out) {
    out.clear();
    if (!expect('"')) return false;
    while (position_ < text_.size() && text_[position_] != '"') {
      if (text_[position_] == '\\') {
        if (!read_escape(out)) return false;
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(position_));
      if (length == 0 || static_cast<unsigned char>(text_[position_]) < 0x20)
        return fail("a text holds a byte that is not UTF-8");
      out.append(text_.substr(position_, length));
      position_ += length;
    }
    return expect('"');
  }
  bool read_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++position_;
    if (position_ >= text_.size()) return fail("the text does not end");
    const char letter = text_[position_++];
    if (const std::size_t i = kLetters.find(letter); i != std::string_view::npos) {
      out += kMeanings[i];
      return true;
    }
    std::uint32_t code = 0;
    if (letter != 'u' || !read_hex(code)) return fail("unknown escape in a text");
    if (code >= 0xD800 && code < 0xDC00) {
      std::uint32_t low = 0;
      if (text_.substr(position_, 2) != "\\u") return fail("half a surrogate pair in a text");
      position_ += 2;
      if (!read_hex(low) || low < 0xDC00 || low > 0xDFFF) return fail("half a surrogate pair in a text");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
      return fail("half a surrogate pair in a text");
    }
    append_utf8(out, code);
    return true;
  }
  bool read_hex(std::uint32_t& code) {
    if (position_ + 4 > text_.size()) return false;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, begin + 4, code, 16);
    if (error != std::errc{} || end != begin + 4) return false;
    position_ += 4;
    return true;
  }
  static void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | code >> 6);
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | code >> 12);
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xF0 | code >> 18);
      tail(12);
      tail(6);
      tail(0);
    }
  }

  void skip_space() {
    while (position_ < text_.size() &&
           (text_[position_] == ' ' || text_[position_] == '\t' || text_[position_] == '\r'))
      ++position_;
  }
  bool accept(char c) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  bool expect(char c) { return accept(c) || fail(std::string("expected '") + c + "'"); }
  bool see(Seen member) {
    if ((seen_ & member) != 0) return fail("a member appears twice");
    seen_ |= member;
    return true;
  }
  bool fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  unsigned seen_ = 0;
  std::string problem_;
};

}  // namespace

std::string InboxLog::line(const InboxMessage& message) {
  std::string out = "{\"time_ns\":" + std::to_string(message.time.ns()) + ",\"phase\":\"" +
                    std::string(to_text(message.phase)) + "\",\"sequence\":" + std::to_string(message.sequence) +
                    ",\"topic\":";
  append_quoted(out, message.topic);
  if (is_utf8(message.payload)) {
    out += ",\"payload\":";
    append_quoted(out, message.payload);
  } else {
    out += ",\"payload_base64\":\"" + to_base64(message.payload) + "\"";
  }
  out += "}\n";
  return out;
}

Result<InboxLog> InboxLog::parse(std::string_view text, const std::string& file) {
  InboxLog log;
  Errors errors;
  const auto complain = [&](int line, int column, std::string problem) {
    Error error;
    error.where.file = file;
    error.where.line = line;
    error.where.column = column;
    error.problem = std::move(problem);
    error.remedy = "use the input log as a run wrote it";
    errors.push_back(std::move(error));
  };
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const bool complete = end != std::string_view::npos;
    const std::string_view content = text.substr(0, end);
    text.remove_prefix(complete ? end + 1 : text.size());
    if (content.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    InboxMessage message;
    LineReader reader(content);
    if (!reader.read(message)) {
      if (!complete) {
        log.truncated = true;
      } else {
        complain(line, reader.column(), reader.problem());
      }
    } else if (!log.messages.empty() && message.time < log.messages.back().time) {
      complain(line, 0, "the message is earlier than the one before it");
    } else {
      log.messages.push_back(std::move(message));
    }
  }
  if (!errors.empty()) return errors;
  return log;
}

}  // namespace strata
