#include "guest/trace.hpp"

#include <fstream>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace strata::guest {

namespace {

const char* state_name(std::uint32_t what) {
  constexpr const char* kWaits[] = {"computing", "sleeping", "futex", "file", "child", "signal", "yielded"};
  if (what == 0) return "running";
  return what >= 16 && what - 16 < std::size(kWaits) ? kWaits[what - 16] : "waiting";
}

void write_names(std::ofstream& out, const shim::Region& region, const shim::Host& host) {
  std::map<std::uint32_t, const shim::ThreadName*> names;
  for (const shim::ThreadName* n = host.names; n != nullptr; n = n->next) names[n->number] = n;
  for (const auto& [number, name] : names) {
    const std::string text =
        nlohmann::json(fmt::format("{} {}.{}", region.programs[name->program].name, name->process, number))
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out << fmt::format(R"(,{{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", host.index + 1,
                       number, text)
        << '\n';
  }
}

}  // namespace

void write_trace(const shim::Region& region, const std::string& file) {
  std::ofstream out(file);
  out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      << R"({"ph":"M","name":"process_name","pid":0,"args":{"name":"strata exec"}})" << '\n';
  for (std::uint32_t i = 0; i < region.host_count; ++i) {
    const shim::Host& host = *region.hosts[i];
    out << fmt::format(R"(,{{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", i + 1,
                       nlohmann::json(std::string(host.name)).dump())
        << '\n';
    write_names(out, region, host);
    // A state lasts until the thread's next one.
    std::map<std::uint32_t, shim::TraceRecord> open;
    const auto close = [&](const shim::TraceRecord& record, std::uint64_t end) {
      out << fmt::format(R"(,{{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})",
                         state_name(record.what), i + 1, record.thread, static_cast<double>(record.time) * 1e-3,
                         static_cast<double>(end - record.time) * 1e-3)
          << '\n';
    };
    for (const shim::TraceBlock* block = host.trace_first; block != nullptr; block = block->next) {
      for (std::uint32_t k = 0; k < block->used; ++k) {
        const shim::TraceRecord& record = block->records[k];
        if (const auto found = open.find(record.thread); found != open.end()) close(found->second, record.time);
        open[record.thread] = record;
      }
    }
    for (const auto& [thread, record] : open) close(record, host.now);
  }
  out << "]}\n";
  if (!out.flush()) throw std::runtime_error("the trace cannot be written to " + file);
}

}  // namespace strata::guest
