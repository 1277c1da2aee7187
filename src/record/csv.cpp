#include "record/csv.hpp"

#include <cmath>
#include <cstdlib>

#include "base/units.hpp"

namespace strata {

std::string csv_text(std::string_view value) {
  if (value.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(value);
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_number(double value) { return std::isfinite(value) ? format_number(value) : std::string(); }

std::string csv_seconds(Time time) {
  const std::int64_t ns = time.ns();
  const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  std::string fraction = std::to_string(1'000'000'000 + size % 1'000'000'000).substr(1);
  fraction.resize(fraction.find_last_not_of('0') + 1);
  return (ns < 0 ? "-" : "") + std::to_string(size / 1'000'000'000) + (fraction.empty() ? "" : "." + fraction);
}

Result<CsvFile> CsvFile::create(const std::filesystem::path& path, std::string_view header) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.errors();
  CsvFile out(std::move(*file));
  if (Result<void> written = out.add(header); !written) return written.errors();
  if (Result<void> written = out.flush(); !written) return written.errors();
  return out;
}

Result<void> CsvFile::add(std::string_view line) {
  constexpr std::size_t kBlock = 1U << 16U;
  block_ += line;
  block_ += '\n';
  return block_.size() >= kBlock ? flush() : Result<void>();
}

Result<void> CsvFile::flush() {
  if (block_.empty()) return {};
  Result<void> written = file_.append(block_);
  block_.clear();
  return written;
}

Result<void> CsvFile::close() {
  if (Result<void> flushed = flush(); !flushed) return flushed;
  return file_.close();
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& file_name) {
  CsvTable table;
  std::vector<std::string> row;
  std::string cell;
  bool quoted = false;
  int line = 1;
  const auto end_row = [&]() -> bool {
    row.push_back(std::move(cell));
    cell.clear();
    if (table.columns.empty())
      table.columns = std::move(row);
    else if (row.size() != table.columns.size())
      return false;
    else
      table.rows.push_back(std::move(row));
    row.clear();
    return true;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"')
        cell += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        cell += text[++i];
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      if (!end_row()) return Error{{file_name, line, 0, ""}, "a row has another number of columns than the header", ""};
      ++line;
    } else if (c != '\r') {
      cell += c;
    }
  }
  if (quoted) return Error{{file_name, line, 0, ""}, "a quote does not end", ""};
  // What follows the last line break was cut off while it was written.
  return table;
}

}  // namespace strata
