#include "record/csv_sink.hpp"
#include "record/mcap_sink.hpp"
#include "record/sink.hpp"

namespace strata {

void register_record_kinds(Registry& registry) {
  registry.catalog<SinkKind>().add(McapSink::kind());
  registry.catalog<SinkKind>().add(CsvSink::kind());
}

}  // namespace strata
