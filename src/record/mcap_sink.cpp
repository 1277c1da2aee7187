#include "record/mcap_sink.hpp"

#include <algorithm>

namespace strata {

bool matches_channel(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

SinkKind McapSink::kind() {
  SinkKind kind;
  kind.name = "mcap";
  kind.summary = "Records channels into recording.mcap (MCAP, ROS 1 messages), which Foxglove opens";
  kind.details =
      "The file is indexed and compressed in chunks. A run that is killed, or that fills the disk, leaves a recording "
      "that is\n"
      "readable up to its last chunk. Writing happens in a thread of its own and never stalls the run.";
  kind.params = {
      param::choice("compression", {"zstd", "lz4", "none"}, "zstd", "how chunks are packed"),
      param::integer("level", "-7", "of the compression; lower is faster, higher is smaller")
          .at_least(-100)
          .at_most(19),
      param::integer("chunk_kib", "1024", "size of a chunk before compression, in KiB").at_least(1).at_most(65536),
      param::quantity("chunk_span", "s", "5 s", "virtual time a chunk covers at most: what a killed run may lose")
          .above(0),
      param::texts("channels", "which to record, such as [/tf, /events, '/uav1/*']; all if not given"),
  };
  kind.make = &McapSink::make;
  return kind;
}

Result<std::unique_ptr<Sink>> McapSink::make(const Config& config) {
  Options options;
  const std::string& compression = config.text("compression");
  options.mcap.compression = compression == "zstd"  ? Compression::kZstd
                             : compression == "lz4" ? Compression::kLz4
                                                    : Compression::kNone;
  options.mcap.level = static_cast<int>(config.integer("level"));
  options.mcap.chunk_bytes = static_cast<std::size_t>(config.integer("chunk_kib")) * 1024;
  options.mcap.chunk_span = config.duration("chunk_span");
  if (config.has("channels")) options.channels = config.texts("channels");
  return std::unique_ptr<Sink>(std::make_unique<McapSink>(std::move(options)));
}

McapSink::~McapSink() { queue_.stop(); }

Result<void> McapSink::open(Channels& channels, const RunFolder& folder, const RunFacts& facts) {
  Result<std::unique_ptr<McapWriter>> writer = McapWriter::create(folder.file(RunFolder::kRecording), options_.mcap);
  if (!writer) return writer.errors();
  writer_ = std::move(*writer);
  if (Result<void> written = writer_->add_metadata("strata.run", facts); !written) return written;
  const auto wanted = [this](const ChannelInfo& info) {
    const auto matches = [&](const std::string& pattern) { return matches_channel(pattern, info.name); };
    return info.schema != nullptr && info.schema->encode != nullptr &&
           (options_.channels.empty() || std::any_of(options_.channels.begin(), options_.channels.end(), matches));
  };
  queue_.start(channels, wanted,
               [this](const ChannelInfo& info, Time time, const void* message) { return record(info, time, message); });
  return {};
}

void McapSink::attach(const std::string& name, const std::string& media_type, std::string data) {
  // The writer belongs to the queue's thread while that runs.
  attachments_.push_back({name, media_type, std::move(data)});
}

bool McapSink::note(const Errors& errors) {
  if (errors_.empty()) errors_ = errors;
  failed_ = true;
  return false;
}

Result<McapWriter::Id> McapSink::channel_id(const ChannelInfo& info) {
  if (const auto known = ids_.find(&info); known != ids_.end()) return known->second;
  const Schema& schema = *info.schema;
  const auto schema_id = writer_->add_schema(schema.name, schema.schema_encoding, schema.definition);
  if (!schema_id) return schema_id.errors();
  Result<McapWriter::Id> id = writer_->add_channel(info.name, *schema_id, schema.encoding);
  if (id) ids_.emplace(&info, *id);
  return id;
}

std::size_t McapSink::record(const ChannelInfo& info, Time time, const void* message) {
  // After a failure what still comes is dropped, so that memory does not grow; close() tells.
  if (failed_) return 0;
  const auto id = channel_id(info);
  if (!id) return note(id.errors()), 0;
  std::size_t bytes = 0;
  const auto written = writer_->write(*id, time, [&](Bytes& out) {
    const std::size_t before = out.size();
    info.schema->encode(message, out);
    bytes = out.size() - before;
  });
  if (!written) note(written.errors());
  return bytes;
}

Result<SinkReport> McapSink::close(const RunFacts& facts) {
  STRATA_ASSERT(writer_ != nullptr, "close of a sink that was not opened");
  queue_.stop();
  if (!failed_) {
    for (const Attachment& a : attachments_)
      if (const auto added = writer_->add_attachment(a.name, a.media_type, Time(), a.data);
          !added && !note(added.errors()))
        break;
    if (const auto added = writer_->add_metadata("strata.result", facts); !added) note(added.errors());
    if (const auto closed = writer_->close(); !closed) note(closed.errors());
  }
  if (failed_) return errors_;
  SinkReport report;
  report.files = {RunFolder::kRecording};
  report.messages = writer_->message_count();
  report.bytes = writer_->file_bytes();
  report.high_water_bytes = queue_.high_water_bytes();
  if (report.high_water_bytes > options_.warn_bytes)
    report.warnings.push_back("the recording fell behind: up to " + std::to_string(report.high_water_bytes >> 20U) +
                              " MB waited in memory for the disk; record less often or on a faster disk");
  writer_.reset();
  return report;
}

}  // namespace strata
