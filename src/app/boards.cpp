#include "app/boards.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/data_folders.hpp"
#include "scenario/yaml.hpp"

namespace strata::app {

namespace fs = std::filesystem;

namespace {

struct BoardKind : KindInfo {
  static constexpr const char* kCategory = "board";
};

fs::path boards_folder() {
  const fs::path data = data_folder();
  return data.empty() ? fs::path{} : data / "models/boards";
}

std::string cache_text(const char* name, const board::Cache& cache) {
  if (cache.bytes == 0) return "";
  return fmt::format(", {} {} KiB", name, cache.bytes / 1024);
}

std::string details_of(const board::Board& board) {
  std::string out;
  for (const board::Processor& processor : board.processors) {
    out += fmt::format("Processor {}: {} x {} at {:.4g} MHz{}{}{}. ", processor.name, processor.cores, processor.core,
                       processor.clock().hz * 1e-6, cache_text("l1i", processor.instruction),
                       cache_text("l1d", processor.data), cache_text("l2", processor.second));
  }
  if (!board.source.empty()) out += fmt::format("Figures: {}.", board.source);
  return out;
}

}  // namespace

std::vector<std::string> board_names() {
  std::vector<std::string> names;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(boards_folder(), problem)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<board::Board> load_board(const std::string& name_or_file) {
  const std::vector<std::string> names = board_names();
  fs::path file = name_or_file;
  if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
    file = boards_folder() / (name_or_file + ".yaml");
  } else if (name_or_file.find('/') == std::string::npos && file.extension() != ".yaml") {
    return Error{{}, fmt::format("there is no board '{}'", name_or_file), suggestion(name_or_file, names)};
  }
  const auto value = read_yaml(file.string());
  if (!value.ok()) return value.errors();
  return board::read_board(*value);
}

void register_boards(Registry& registry) {
  Catalog<BoardKind>& catalog = registry.catalog<BoardKind>();
  for (const board::BoardSection& section : board::board_sections()) {
    BoardKind kind;
    kind.name = section.name;
    kind.summary = section.summary;
    kind.params = section.params;
    catalog.add(std::move(kind));
  }
  for (const std::string& name : board_names()) {
    const auto board = load_board(name);
    BoardKind kind;
    kind.name = name;
    kind.summary = board.ok() ? board->summary : "cannot be read: " + board.errors().front().problem;
    if (board.ok()) kind.details = details_of(*board);
    catalog.add(std::move(kind));
  }
}

}  // namespace strata::app
