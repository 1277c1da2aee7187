#include "record/mcap_writer.hpp"

#include <algorithm>
#include <limits>

#include "record/crc32.hpp"

namespace strata {

using mcap::Op;

namespace {

// Writes a record's head now and its length when it is complete.
class Record {
 public:
  Record(Bytes& out, Op op) : out_(out) {
    ByteWriter writer(out_);
    writer.number(static_cast<std::uint8_t>(op));
    length_at_ = out_.size();
    writer.number(std::uint64_t{0});
  }
  ~Record() { patch<std::uint64_t>(out_, length_at_, out_.size() - length_at_ - 8); }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

 private:
  Bytes& out_;
  std::size_t length_at_ = 0;
};

// A map or array is preceded by its length in bytes.
class Sized {
 public:
  explicit Sized(Bytes& out) : out_(out), at_(out.size()) { ByteWriter(out_).number(std::uint32_t{0}); }
  ~Sized() { patch(out_, at_, static_cast<std::uint32_t>(out_.size() - at_ - 4)); }
  Sized(const Sized&) = delete;
  Sized& operator=(const Sized&) = delete;

 private:
  Bytes& out_;
  std::size_t at_;
};

void put_map(Bytes& out, const McapMetadata& map) {
  const Sized sized(out);
  ByteWriter writer(out);
  for (const auto& [key, value] : map) {
    writer.text(key);
    writer.text(value);
  }
}

void put_magic(Bytes& out) { ByteWriter(out).raw(mcap::kMagic.data(), mcap::kMagic.size()); }

std::uint64_t stamp(Time time) { return time.ns() < 0 ? 0 : static_cast<std::uint64_t>(time.ns()); }

}  // namespace

Result<std::unique_ptr<McapWriter>> McapWriter::create(const std::filesystem::path& path, McapOptions options) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.errors();
  std::unique_ptr<McapWriter> writer(new McapWriter(std::move(*file), std::move(options)));
  Bytes head;
  put_magic(head);
  {
    const Record record(head, Op::kHeader);
    ByteWriter out(head);
    out.text(writer->options_.profile);
    out.text(writer->options_.library);
  }
  if (Result<void> written = writer->append(head); !written) return written.errors();
  return writer;
}

McapWriter::McapWriter(OutputFile file, McapOptions options)
    : file_(std::move(file)), options_(std::move(options)), compressor_(options_.compression, options_.level) {}

McapWriter::~McapWriter() = default;

Result<void> McapWriter::append(std::span<const std::byte> bytes) {
  if (!failure_.empty()) return failure_;
  if (Result<void> written = file_.append(bytes); !written) failure_ = written.errors();
  return failure_;
}

Result<McapWriter::Id> McapWriter::add_schema(const std::string& name, const std::string& encoding,
                                              std::string_view definition) {
  std::string key = name + '\0' + encoding + '\0' + std::string(definition);
  if (const auto known = schema_ids_.find(key); known != schema_ids_.end()) return known->second;
  if (schemas_.size() >= std::numeric_limits<Id>::max())
    return Error{{}, "a recording cannot hold more than 65535 schemas", ""};
  const auto id = static_cast<Id>(schemas_.size() + 1);
  Bytes bytes;
  {
    const Record record(bytes, Op::kSchema);
    ByteWriter writer(bytes);
    writer.number(id);
    writer.text(name);
    writer.text(encoding);
    writer.text(definition);
  }
  chunk_.insert(chunk_.end(), bytes.begin(), bytes.end());
  schemas_.push_back(std::move(bytes));
  schema_ids_.emplace(std::move(key), id);
  return id;
}

Result<McapWriter::Id> McapWriter::add_channel(const std::string& topic, Id schema, const std::string& encoding,
                                               const McapMetadata& metadata) {
  STRATA_ASSERT(schema <= schemas_.size(), "a channel needs a schema that was added");
  if (channels_.size() > std::numeric_limits<Id>::max())
    return Error{{}, "a recording cannot hold more than 65536 channels", "record fewer channels"};
  const auto id = static_cast<Id>(channels_.size());
  Channel channel;
  {
    const Record record(channel.record, Op::kChannel);
    ByteWriter out(channel.record);
    out.number(id);
    out.number(schema);
    out.text(topic);
    out.text(encoding);
    put_map(channel.record, metadata);
  }
  chunk_.insert(chunk_.end(), channel.record.begin(), channel.record.end());
  channels_.push_back(std::move(channel));
  return id;
}

Result<void> McapWriter::write(Id id, Time time, const std::function<void(Bytes&)>& encode) {
  STRATA_ASSERT(id < channels_.size() && !closed_, "write to an unknown channel or a closed recording");
  if (!failure_.empty()) return failure_;
  Channel& channel = channels_[id];
  const std::uint64_t now = stamp(time);
  if (channel.index.empty()) chunk_channels_.push_back(id);
  channel.index.push_back({now, chunk_.size()});
  {
    const Record record(chunk_, Op::kMessage);
    ByteWriter out(chunk_);
    out.number(id);
    out.number(channel.sequence++);
    out.number(now);
    out.number(now);
    encode(chunk_);
  }
  ++channel.count;
  start_time_ = message_count_ == 0 ? now : std::min(start_time_, now);
  end_time_ = std::max(end_time_, now);
  chunk_start_ = chunk_messages_ == 0 ? now : std::min(chunk_start_, now);
  chunk_end_ = std::max(chunk_end_, now);
  ++message_count_;
  ++chunk_messages_;
  return close_chunk_if_due();
}

Result<void> McapWriter::write(Id channel, Time time, std::span<const std::byte> data) {
  return write(channel, time, [&](Bytes& out) { out.insert(out.end(), data.begin(), data.end()); });
}

Result<void> McapWriter::close_chunk_if_due() {
  const auto span = static_cast<std::uint64_t>(std::max<std::int64_t>(options_.chunk_span.ns(), 0));
  const bool full = chunk_.size() >= options_.chunk_bytes;
  const bool old = chunk_end_ - chunk_start_ >= span && chunk_.size() >= options_.chunk_least;
  return full || old ? flush() : Result<void>();
}

Result<void> McapWriter::flush() {
  if (chunk_.empty()) return failure_;
  ChunkIndex index{};
  index.start_time = chunk_start_;
  index.end_time = chunk_end_;
  index.offset = file_.size();
  index.raw = chunk_.size();
  out_.clear();
  {
    const Record record(out_, Op::kChunk);
    ByteWriter out(out_);
    out.number(chunk_start_);
    out.number(chunk_end_);
    out.number(index.raw);
    out.number(crc32(chunk_));
    out.text(mcap_name(options_.compression));
    const std::size_t length_at = out_.size();
    out.number(std::uint64_t{0});
    compressor_.compress(chunk_, out_);
    index.compressed = out_.size() - length_at - 8;
    patch(out_, length_at, index.compressed);
  }
  index.length = out_.size();
  for (const Id id : chunk_channels_) {
    index.index_offsets.emplace_back(id, index.offset + out_.size());
    const Record record(out_, Op::kMessageIndex);
    ByteWriter out(out_);
    out.number(id);
    const Sized sized(out_);
    out.raw(channels_[id].index.data(), channels_[id].index.size() * sizeof(IndexEntry));
  }
  index.index_length = out_.size() - index.length;
  raw_bytes_ += chunk_.size();

  for (const Id id : chunk_channels_) channels_[id].index.clear();
  chunk_channels_.clear();
  chunk_.clear();
  chunk_messages_ = chunk_start_ = chunk_end_ = 0;
  Result<void> written = append(out_);
  if (written) chunks_.push_back(std::move(index));
  return written;
}

Result<void> McapWriter::add_metadata(const std::string& name, const McapMetadata& metadata) {
  // Outside of chunks; flushing first keeps the file in the order of the calls.
  if (Result<void> flushed = flush(); !flushed) return flushed;
  out_.clear();
  {
    const Record record(out_, Op::kMetadata);
    ByteWriter(out_).text(name);
    put_map(out_, metadata);
  }
  const std::uint64_t offset = file_.size();
  Result<void> written = append(out_);
  if (written) metadata_.push_back({offset, out_.size(), name});
  return written;
}

Result<void> McapWriter::add_attachment(const std::string& name, const std::string& media_type, Time time,
                                        std::string_view data) {
  if (Result<void> flushed = flush(); !flushed) return flushed;
  out_.clear();
  {
    const Record record(out_, Op::kAttachment);
    ByteWriter out(out_);
    out.number(stamp(time));
    out.number(std::uint64_t{0});
    out.text(name);
    out.text(media_type);
    out.number(static_cast<std::uint64_t>(data.size()));
    out.raw(data.data(), data.size());
    out.number(crc32(std::span(out_).subspan(mcap::kRecordHead)));
  }
  const std::uint64_t offset = file_.size();
  Result<void> written = append(out_);
  if (written) attachments_.push_back({offset, out_.size(), stamp(time), data.size(), name, media_type});
  return written;
}

void McapWriter::write_summary(Bytes& bytes) const {
  struct Group {
    Op op;
    std::size_t start, end;
  };
  std::vector<Group> groups;
  const std::uint64_t base = file_.size();
  const std::size_t summary_at = bytes.size();
  ByteWriter out(bytes);
  const auto group = [&](Op op, const auto& items, const auto& put) {
    if (items.empty()) return;
    const std::size_t start = bytes.size();
    for (const auto& item : items) put(item);
    groups.push_back({op, start, bytes.size()});
  };

  group(Op::kSchema, schemas_, [&](const Bytes& record) { out.raw(record.data(), record.size()); });
  group(Op::kChannel, channels_,
        [&](const Channel& channel) { out.raw(channel.record.data(), channel.record.size()); });
  group(Op::kStatistics, std::span(this, 1), [&](const McapWriter&) {
    const Record record(bytes, Op::kStatistics);
    out.number(message_count_);
    out.number(static_cast<std::uint16_t>(schemas_.size()));
    out.number(static_cast<std::uint32_t>(channels_.size()));
    out.number(static_cast<std::uint32_t>(attachments_.size()));
    out.number(static_cast<std::uint32_t>(metadata_.size()));
    out.number(static_cast<std::uint32_t>(chunks_.size()));
    out.number(start_time_);
    out.number(end_time_);
    const Sized sized(bytes);
    for (std::size_t id = 0; id < channels_.size(); ++id) {
      out.number(static_cast<Id>(id));
      out.number(channels_[id].count);
    }
  });
  group(Op::kChunkIndex, chunks_, [&](const ChunkIndex& chunk) {
    const Record record(bytes, Op::kChunkIndex);
    out.number(chunk.start_time);
    out.number(chunk.end_time);
    out.number(chunk.offset);
    out.number(chunk.length);
    {
      const Sized sized(bytes);
      for (const auto& [id, offset] : chunk.index_offsets) {
        out.number(id);
        out.number(offset);
      }
    }
    out.number(chunk.index_length);
    out.text(mcap_name(options_.compression));
    out.number(chunk.compressed);
    out.number(chunk.raw);
  });
  group(Op::kAttachmentIndex, attachments_, [&](const AttachmentIndex& attachment) {
    const Record record(bytes, Op::kAttachmentIndex);
    out.number(attachment.offset);
    out.number(attachment.length);
    out.number(attachment.time);
    out.number(std::uint64_t{0});
    out.number(attachment.data_size);
    out.text(attachment.name);
    out.text(attachment.media_type);
  });
  group(Op::kMetadataIndex, metadata_, [&](const MetadataIndex& metadata) {
    const Record record(bytes, Op::kMetadataIndex);
    out.number(metadata.offset);
    out.number(metadata.length);
    out.text(metadata.name);
  });

  const std::uint64_t offsets_at = base + bytes.size();
  for (const Group& g : groups) {
    const Record record(bytes, Op::kSummaryOffset);
    out.number(static_cast<std::uint8_t>(g.op));
    out.number(static_cast<std::uint64_t>(base + g.start));
    out.number(static_cast<std::uint64_t>(g.end - g.start));
  }
  // The checksum covers the footer up to itself, its length included: hence written by hand.
  out.number(static_cast<std::uint8_t>(Op::kFooter));
  out.number(static_cast<std::uint64_t>(mcap::kFooterContent));
  out.number(static_cast<std::uint64_t>(base + summary_at));
  out.number(offsets_at);
  out.number(crc32(std::span(bytes).subspan(summary_at)));
}

Result<void> McapWriter::close() {
  if (closed_) return failure_;
  if (Result<void> flushed = flush(); !flushed) return flushed;
  Bytes end;
  {
    const Record record(end, Op::kDataEnd);
    ByteWriter(end).number(std::uint32_t{0});
  }
  write_summary(end);
  put_magic(end);
  Result<void> written = append(end);
  if (!written) return written;
  closed_ = true;
  return file_.close();
}

}  // namespace strata
