// Writes poses, events and batteries as text tables: poses.csv, events.csv, battery.csv. For spreadsheets and scripts;
// for large fleets the MCAP recording is smaller and faster.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocol/byte_stream.hpp"
#include "record/channel_queue.hpp"
#include "record/csv.hpp"
#include "record/sink.hpp"

namespace strata {

class CsvSink final : public Sink {
 public:
  CsvSink() = default;
  ~CsvSink() override;
  [[nodiscard]] static SinkKind kind();

  Result<void> open(Channels& channels, const RunFolder& folder, const RunFacts& facts) override;
  [[nodiscard]] bool failed() const override { return failed_; }
  Result<SinkReport> close(const RunFacts& facts) override;

 private:
  using Rows = std::vector<std::string>;
  struct Table {
    const char* file;
    const char* header;
    Rows (*rows)(std::span<const std::byte> message);
  };
  /// By the name of the schema.
  static const std::map<std::string, Table>& tables();

  std::size_t record(const ChannelInfo& info, const void* message);
  void note(const Errors& errors);

  std::map<std::string, CsvFile> files_;  // by file name; the queue's thread only
  Bytes buffer_;
  std::uint64_t messages_ = 0;
  Errors errors_;
  std::atomic<bool> failed_{false};
  ChannelQueue queue_;  // last: its thread ends before the rest goes
};

}  // namespace strata
