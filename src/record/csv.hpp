// Text tables: one header line, one line per row, commas, quotes where a value needs them (RFC 4180, with plain \n).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "record/output_file.hpp"

namespace strata {

/// A value as it stands in a line: quoted if it holds a comma, a quote or a line break.
[[nodiscard]] std::string csv_text(std::string_view value);
/// Shortest text that reads back exactly; "" for what is not a number.
[[nodiscard]] std::string csv_number(double value);
/// Seconds, exact to the nanosecond, without trailing zeros: "0.3".
[[nodiscard]] std::string csv_seconds(Time time);

/// Appends whole lines to a file in blocks: a killed program leaves no half line.
class CsvFile {
 public:
  [[nodiscard]] static Result<CsvFile> create(const std::filesystem::path& path, std::string_view header);
  /// `line` without its end.
  [[nodiscard]] Result<void> add(std::string_view line);
  [[nodiscard]] Result<void> flush();
  [[nodiscard]] Result<void> close();
  [[nodiscard]] std::uint64_t size() const { return file_.size() + block_.size(); }

 private:
  explicit CsvFile(OutputFile file) : file_(std::move(file)) {}
  OutputFile file_;
  std::string block_;
};

/// A table read back: the header and the cells as text. Fails on quotes that do not end and on rows of another length.
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
[[nodiscard]] Result<CsvTable> parse_csv(std::string_view text, const std::string& file_name);

}  // namespace strata
