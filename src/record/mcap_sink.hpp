// Records every channel that has a schema into recording.mcap, in a thread of its own.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "record/channel_queue.hpp"
#include "record/mcap_writer.hpp"
#include "record/sink.hpp"

namespace strata {

class McapSink final : public Sink {
 public:
  struct Options {
    McapOptions mcap;
    /// Channels to record, '*' at the end matches the rest; none: all.
    std::vector<std::string> channels;
    /// More than this waiting for the writer is worth a warning.
    std::uint64_t warn_bytes = 512U << 20U;
  };

  explicit McapSink(Options options) : options_(std::move(options)) {}
  ~McapSink() override;
  [[nodiscard]] static Result<std::unique_ptr<Sink>> make(const Config& config);
  /// For the catalog.
  [[nodiscard]] static SinkKind kind();

  Result<void> open(Channels& channels, const RunFolder& folder, const RunFacts& facts) override;
  void attach(const std::string& name, const std::string& media_type, std::string data) override;
  [[nodiscard]] bool failed() const override { return failed_; }
  Result<SinkReport> close(const RunFacts& facts) override;

 private:
  struct Attachment {
    std::string name;
    std::string media_type;
    std::string data;
  };
  /// In the queue's thread.
  std::size_t record(const ChannelInfo& info, Time time, const void* message);
  Result<McapWriter::Id> channel_id(const ChannelInfo& info);
  bool note(const Errors& errors);

  Options options_;
  std::unique_ptr<McapWriter> writer_;
  std::map<const ChannelInfo*, McapWriter::Id> ids_;
  std::vector<Attachment> attachments_;
  Errors errors_;  // the first failure; written by the queue's thread, read after it ended
  std::atomic<bool> failed_{false};
  ChannelQueue queue_;  // last: its thread ends before the rest goes
};

/// `name` equals `pattern`, or `pattern` ends in '*' and `name` begins with what is before it.
[[nodiscard]] bool matches_channel(std::string_view pattern, std::string_view name);

}  // namespace strata
