// Writes recordings in the MCAP format: indexed, in compressed chunks, readable by Foxglove and others. One owner, one
// thread at a time. Each chunk with its index is one write, so that a run that is killed, or that fills the disk,
// leaves a file that can be read up to its last chunk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "protocol/byte_stream.hpp"
#include "record/compression.hpp"
#include "record/mcap_format.hpp"
#include "record/output_file.hpp"

namespace strata {

struct McapOptions {
  Compression compression = Compression::kZstd;
  int level = Compressor::kDefaultLevel;
  /// A chunk is closed when it holds this much before compression, ...
  std::size_t chunk_bytes = 1U << 20U;
  /// ... or when it covers this much time and holds at least chunk_least: bounds what a killed run loses.
  Duration chunk_span = Duration::from_seconds(5);
  std::size_t chunk_least = 4096;
  std::string profile = "ros1";
  std::string library = "strata";
};

using McapMetadata = std::map<std::string, std::string>;

class McapWriter {
 public:
  using Id = std::uint16_t;

  [[nodiscard]] static Result<std::unique_ptr<McapWriter>> create(const std::filesystem::path& path,
                                                                  McapOptions options = {});
  /// Without close() the file stays as a killed run would leave it.
  ~McapWriter();
  McapWriter(const McapWriter&) = delete;
  McapWriter& operator=(const McapWriter&) = delete;

  /// Fails when the 65535 ids of the format are used up. The same schema again gives the same id.
  [[nodiscard]] Result<Id> add_schema(const std::string& name, const std::string& encoding,
                                      std::string_view definition);
  [[nodiscard]] Result<Id> add_channel(const std::string& topic, Id schema, const std::string& encoding,
                                       const McapMetadata& metadata = {});

  /// One message. `encode` appends its serial form to the buffer it is given and must not touch what is there already.
  [[nodiscard]] Result<void> write(Id channel, Time time, const std::function<void(Bytes&)>& encode);
  [[nodiscard]] Result<void> write(Id channel, Time time, std::span<const std::byte> data);
  [[nodiscard]] Result<void> add_metadata(const std::string& name, const McapMetadata& metadata);
  [[nodiscard]] Result<void> add_attachment(const std::string& name, const std::string& media_type, Time time,
                                            std::string_view data);
  /// Writes out what is held back for the current chunk.
  [[nodiscard]] Result<void> flush();
  /// Flushes and writes the index. Afterwards nothing may be written.
  [[nodiscard]] Result<void> close();

  [[nodiscard]] std::uint64_t message_count() const { return message_count_; }
  /// In the file so far.
  [[nodiscard]] std::uint64_t file_bytes() const { return file_.size(); }
  /// Of all records, before compression.
  [[nodiscard]] std::uint64_t raw_bytes() const { return raw_bytes_; }

 private:
  struct IndexEntry {
    std::uint64_t time;
    std::uint64_t offset;
  };
  struct Channel {
    Bytes record;
    std::uint32_t sequence = 0;
    std::uint64_t count = 0;
    std::vector<IndexEntry> index;  // of the current chunk
  };
  struct ChunkIndex {
    std::uint64_t start_time, end_time, offset, length, index_length, compressed, raw;
    std::vector<std::pair<Id, std::uint64_t>> index_offsets;
  };
  struct AttachmentIndex {
    std::uint64_t offset, length, time, data_size;
    std::string name, media_type;
  };
  struct MetadataIndex {
    std::uint64_t offset, length;
    std::string name;
  };

  McapWriter(OutputFile file, McapOptions options);
  /// Once failed, everything later fails with the same error.
  Result<void> append(std::span<const std::byte> bytes);
  Result<void> close_chunk_if_due();
  void write_summary(Bytes& out) const;

  OutputFile file_;
  McapOptions options_;
  Compressor compressor_;
  Errors failure_;
  bool closed_ = false;

  std::vector<Bytes> schemas_;            // records; id = index + 1
  std::map<std::string, Id> schema_ids_;  // by content
  std::vector<Channel> channels_;         // id = index
  std::vector<ChunkIndex> chunks_;
  std::vector<AttachmentIndex> attachments_;
  std::vector<MetadataIndex> metadata_;
  std::uint64_t message_count_ = 0;
  std::uint64_t raw_bytes_ = 0;
  std::uint64_t start_time_ = 0;
  std::uint64_t end_time_ = 0;

  Bytes chunk_;                     // records of the current chunk
  Bytes out_;                       // reused for each write
  std::vector<Id> chunk_channels_;  // those with messages in the current chunk
  std::uint64_t chunk_messages_ = 0;
  std::uint64_t chunk_start_ = 0;
  std::uint64_t chunk_end_ = 0;
};

}  // namespace strata
