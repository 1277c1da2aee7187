#include <algorithm>
#include <bit>
#include <cmath>

#include "board/board.hpp"
#include "board/sections.hpp"

namespace strata::board {

namespace {

constexpr double kBitsPerByte = 8;

class Reader {
 public:
  Board read(const Value& file) {
    Board board;
    const auto config = check(file, board_params());
    if (!config.ok()) return board;
    board.name = config->text("name");
    if (config->has("summary")) board.summary = config->text("summary");
    if (config->has("source")) board.source = config->text("source");
    board.static_power_w = config->quantity("static_power");
    each(config->any("processors"), "processors",
         [&](const Value& value) { board.processors.push_back(processor(value)); });
    if (board.processors.empty()) fail(config->where("processors"), "a board needs a processor", "add one");
    if (config->has("buses")) {
      each(config->any("buses"), "buses", [&](const Value& value) { board.buses.push_back(bus(value, board)); });
    }
    board.system = system(config->has("system") ? config->any("system") : Value{});
    return board;
  }

  Errors errors;

 private:
  Result<Config> check(const Value& value, const std::vector<Param>& params) {
    auto config = Config::check(value, params);
    collect(config, errors);
    return config;
  }

  void fail(const Where& where, std::string problem, std::string remedy) {
    Error error;
    error.where = where;
    error.problem = std::move(problem);
    error.remedy = std::move(remedy);
    errors.push_back(std::move(error));
  }

  template <class Use>
  void each(const Value& list, const char* what, const Use& use) {
    if (!list.is_list()) {
      fail(list.where(), std::string(what) + " is " + list.kind_text(), "write a list: - {...}");
      return;
    }
    for (const Value& item : list.items()) use(item);
  }

  Processor processor(const Value& value) {
    Processor out;
    const auto config = check(value, processor_params());
    if (!config.ok()) return out;
    out.name = config->text("name");
    out.core = config->text("core");
    out.cores = static_cast<int>(config->integer("cores"));
    out.predictor = config->text("predictor");
    out.misprediction_cycles = config->number("misprediction");
    out.misprediction_rate = config->number("misprediction_rate");
    out.memory_latency_s = config->quantity("memory_latency");
    out.memory_energy_j = config->quantity("memory_energy");
    out.cycle_energy_j = config->quantity("cycle_energy");
    out.static_power_w = config->quantity("static_power");
    each(config->any("clocks"), "clocks", [&](const Value& step) { out.clocks.push_back(clock(step)); });
    check_clocks(out, config->where("clocks"));
    if (config->has("l1i")) out.instruction = cache(config->any("l1i"));
    if (config->has("l1d")) out.data = cache(config->any("l1d"));
    if (config->has("l2")) out.second = cache(config->any("l2"));
    return out;
  }

  void check_clocks(const Processor& processor, const Where& where) {
    const auto slower = [](const ClockStep& a, const ClockStep& b) { return a.hz < b.hz; };
    if (processor.clocks.empty()) {
      fail(where, "a processor needs a clock", "write clocks: [{frequency: 1 GHz}]");
    } else if (!std::is_sorted(processor.clocks.begin(), processor.clocks.end(), slower)) {
      fail(where, "clocks do not rise", "write the lowest frequency first");
    }
  }

  ClockStep clock(const Value& value) {
    const auto config = check(value, clock_params());
    if (!config.ok()) return {};
    return {config->quantity("frequency"), config->quantity("voltage")};
  }

  Cache cache(const Value& value) {
    Cache out;
    const auto config = check(value, cache_params());
    if (!config.ok()) return out;
    out.bytes = static_cast<std::uint64_t>(std::llround(config->quantity("size") / kBitsPerByte));
    out.ways = static_cast<unsigned>(config->integer("ways"));
    out.line_bytes = static_cast<unsigned>(std::llround(config->quantity("line") / kBitsPerByte));
    out.latency_cycles = config->number("latency");
    out.energy_j = config->quantity("energy");
    out.shared = config->flag("shared");
    const std::uint64_t row = static_cast<std::uint64_t>(out.line_bytes) * out.ways;
    if (!std::has_single_bit(out.line_bytes)) {
      fail(config->where("line"), "a line must be a power of two", "write 32 B or 64 B");
    } else if (row == 0 || out.bytes % row != 0 || !std::has_single_bit(out.bytes / row)) {
      fail(config->where("size"), "size / ways / line must be a power of two", "compare with the processor's manual");
    }
    return out;
  }

  Bus bus(const Value& value, const Board& board) {
    Bus out;
    const auto config = check(value, bus_params());
    if (!config.ok()) return out;
    out.name = config->text("name");
    out.bits_per_s = config->quantity("bandwidth");
    out.latency_s = config->quantity("latency");
    out.arbitration = config->text("arbitration");
    if (config->has("processors")) out.processors = config->texts("processors");
    std::vector<std::string> names;
    for (const Processor& processor : board.processors) names.push_back(processor.name);
    for (const std::string& name : out.processors) {
      if (board.find(name) != nullptr) continue;
      fail(config->where("processors"), "there is no processor '" + name + "'", suggestion(name, names));
    }
    return out;
  }

  SystemModel system(const Value& value) {
    const auto config = check(value, system_params());
    if (!config.ok()) return {};
    return {config->text("policy"), config->quantity("slice"), config->quantity("switch"), config->quantity("tick")};
  }
};

}  // namespace

const Processor* Board::find(std::string_view processor) const {
  const auto it = std::find_if(processors.begin(), processors.end(),
                               [&](const Processor& candidate) { return candidate.name == processor; });
  return it == processors.end() ? nullptr : &*it;
}

Result<Board> read_board(const Value& file) {
  Reader reader;
  Board board = reader.read(file);
  if (!reader.errors.empty()) return reader.errors;
  return board;
}

}  // namespace strata::board
