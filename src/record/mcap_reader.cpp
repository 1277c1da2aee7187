#include "record/mcap_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol/byte_stream.hpp"
#include "record/crc32.hpp"
#include "record/output_file.hpp"

namespace strata {

using mcap::Op;

namespace {

class FileSource final : public McapSource {
 public:
  FileSource(std::filesystem::path path, int descriptor, std::uint64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}
  ~FileSource() override { ::close(descriptor_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size) const override {
    if (offset > size_ || size > size_ - offset) return Error{{path_.string(), 0, 0, ""}, "the file ends early", ""};
    std::vector<std::byte> out(size);
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::pread(descriptor_, out.data() + done, size - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return file_error(path_, "cannot read the file", errno);
      if (got == 0) return Error{{path_.string(), 0, 0, ""}, "the file became shorter while it was read", ""};
      done += static_cast<std::size_t>(got);
    }
    return out;
  }

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_;
};

class MemorySource final : public McapSource {
 public:
  explicit MemorySource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size) const override {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return Error{{}, "the data ends early", ""};
    const auto part = std::span(bytes_).subspan(offset, size);
    return std::vector<std::byte>(part.begin(), part.end());
  }

 private:
  std::vector<std::byte> bytes_;
};

// Times beyond the range of Time become the last one.
Time to_time(std::uint64_t ns) {
  return Time::from_ns(
      static_cast<std::int64_t>(std::min<std::uint64_t>(ns, std::numeric_limits<std::int64_t>::max())));
}

bool read_map(ByteReader& in, std::map<std::string, std::string>& map) {
  ByteReader items(in.raw(in.number<std::uint32_t>()));
  while (items.left() > 0 && items.ok()) {
    std::string key = items.text();
    map[std::move(key)] = items.text();
  }
  return in.ok() && items.ok();
}

// Calls visit(op, content) for each record in `bytes`; false if one is damaged or visit returns false.
template <class F>
bool each_record(std::span<const std::byte> bytes, const F& visit) {
  ByteReader in(bytes);
  while (in.left() > 0) {
    const auto op = static_cast<Op>(in.number<std::uint8_t>());
    const std::span<const std::byte> content = in.raw(in.number<std::uint64_t>());
    if (!in.ok() || !visit(op, content)) return false;
  }
  return true;
}

}  // namespace

Result<McapReader> McapReader::open(const std::filesystem::path& path, const McapLimits& limits) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error(path, "cannot open the recording", errno);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    return Error{{path.string(), 0, 0, ""}, "is not an ordinary file", "give the .mcap file of a run folder"};
  }
  return make(std::make_shared<FileSource>(path, descriptor, static_cast<std::uint64_t>(info.st_size)), path.string(),
              limits);
}

Result<McapReader> McapReader::from_bytes(std::vector<std::byte> bytes, const std::string& name,
                                          const McapLimits& limits) {
  return make(std::make_shared<MemorySource>(std::move(bytes)), name, limits);
}

Result<McapReader> McapReader::make(std::shared_ptr<const McapSource> source, const std::string& name,
                                    const McapLimits& limits) {
  McapReader reader(std::move(source), name, limits);
  if (Result<void> header = reader.read_header(); !header) return header.errors();
  reader.complete_ = reader.read_summary();
  if (!reader.complete_) reader.scan();
  return reader;
}

Error McapReader::bad(const std::string& problem) const { return Error{{name_, 0, 0, ""}, problem, ""}; }

void McapReader::warn(std::string warning) {
  if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end())
    warnings_.push_back(std::move(warning));
}

std::optional<McapReader::RecordHead> McapReader::head_at(std::uint64_t offset) const {
  const std::uint64_t size = source_->size();
  if (offset > size || size - offset < mcap::kRecordHead) return std::nullopt;
  const auto bytes = source_->read(offset, mcap::kRecordHead);
  if (!bytes) return std::nullopt;
  ByteReader in(*bytes);
  RecordHead head;
  head.op = static_cast<Op>(in.number<std::uint8_t>());
  head.length = in.number<std::uint64_t>();
  if (head.length > size - offset - mcap::kRecordHead) return std::nullopt;
  return head;
}

Result<void> McapReader::read_header() {
  const auto magic = source_->read(0, mcap::kMagic.size());
  if (!magic || std::memcmp(magic->data(), mcap::kMagic.data(), mcap::kMagic.size()) != 0)
    return Error{{name_, 0, 0, ""}, "is not a recording in the MCAP format", "give the .mcap file of a run folder"};
  const auto head = head_at(mcap::kMagic.size());
  if (!head || head->op != Op::kHeader || head->length > limits_.record_bytes)
    return bad("the recording has no header");
  const auto content = source_->read(mcap::kMagic.size() + mcap::kRecordHead, head->length);
  if (!content) return content.errors();
  ByteReader in(*content);
  profile_ = in.text();
  library_ = in.text();
  if (!in.ok()) return bad("the header of the recording is damaged");
  data_start_ = mcap::kMagic.size() + mcap::kRecordHead + head->length;
  return {};
}

bool McapReader::read_summary() {
  constexpr std::uint64_t kTail = mcap::kRecordHead + mcap::kFooterContent + mcap::kMagic.size();
  const std::uint64_t size = source_->size();
  if (size < data_start_ + kTail) return false;
  const std::uint64_t footer_at = size - kTail;
  const auto tail = source_->read(footer_at, kTail);
  if (!tail || std::memcmp(tail->data() + kTail - mcap::kMagic.size(), mcap::kMagic.data(), mcap::kMagic.size()) != 0)
    return false;
  ByteReader in(*tail);
  if (static_cast<Op>(in.number<std::uint8_t>()) != Op::kFooter || in.number<std::uint64_t>() != mcap::kFooterContent)
    return false;
  const auto summary_at = in.number<std::uint64_t>();
  in.number<std::uint64_t>();
  const auto crc = in.number<std::uint32_t>();
  if (summary_at < data_start_ || summary_at > footer_at || footer_at - summary_at > limits_.record_bytes) return false;
  const auto summary = source_->read(summary_at, footer_at - summary_at);
  if (!summary) return false;
  if (crc != 0 && crc != crc32(std::span(*tail).first(mcap::kRecordHead + 16), crc32(*summary))) {
    warn("the index is damaged; reading without it");
    return false;
  }
  const bool sound = each_record(*summary, [&](Op op, Content content) { return take_record(op, content); });
  // A file without chunk indexes may still hold messages.
  if (sound && message_count_ && (*message_count_ == 0 || !chunks_.empty())) return true;
  schemas_.clear();
  channels_.clear();
  metadata_.clear();
  chunks_.clear();
  attachments_.clear();
  message_count_.reset();
  return false;
}

bool McapReader::take_record(Op op, Content content) {
  switch (op) {
    case Op::kSchema:
      return read_schema(content);
    case Op::kChannel:
      return read_channel(content);
    case Op::kMetadata:
      return read_metadata(content);
    case Op::kChunkIndex:
      return read_chunk_index(content);
    case Op::kMetadataIndex:
      return read_metadata_index(content);
    case Op::kAttachmentIndex:
      return read_attachment_index(content);
    case Op::kStatistics:
      message_count_ = ByteReader(content).number<std::uint64_t>();
      return content.size() >= 8;
    default:
      return true;
  }
}

bool McapReader::read_schema(Content content) {
  ByteReader in(content);
  McapSchema schema;
  schema.id = in.number<std::uint16_t>();
  schema.name = in.text();
  schema.encoding = in.text();
  schema.definition = in.text();
  if (!in.ok()) return false;
  if (schema.id != 0) schemas_.try_emplace(schema.id, std::move(schema));
  return true;
}

bool McapReader::read_channel(Content content) {
  ByteReader in(content);
  McapChannel channel;
  channel.id = in.number<std::uint16_t>();
  channel.schema_id = in.number<std::uint16_t>();
  channel.topic = in.text();
  channel.encoding = in.text();
  if (!read_map(in, channel.metadata)) return false;
  channels_.try_emplace(channel.id, std::move(channel));
  return true;
}

bool McapReader::read_metadata(Content content) {
  ByteReader in(content);
  const std::string name = in.text();
  std::map<std::string, std::string> map;
  if (!read_map(in, map)) return false;
  metadata_[name] = std::move(map);
  return true;
}

bool McapReader::read_metadata_index(Content content) {
  ByteReader in(content);
  const auto offset = in.number<std::uint64_t>();
  const auto head = head_at(offset);
  if (!in.ok() || !head || head->op != Op::kMetadata || head->length > limits_.record_bytes) return false;
  const auto record = source_->read(offset + mcap::kRecordHead, head->length);
  return record && read_metadata(*record);
}

bool McapReader::read_attachment_index(Content content) {
  ByteReader in(content);
  const auto offset = in.number<std::uint64_t>();
  for (int skipped = 0; skipped < 4; ++skipped) in.number<std::uint64_t>();
  const std::string name = in.text();
  if (in.ok()) attachments_[name] = offset;
  return in.ok();
}

bool McapReader::read_chunk_index(Content content) {
  ByteReader in(content);
  in.number<std::uint64_t>();
  in.number<std::uint64_t>();
  Chunk chunk;
  chunk.offset = in.number<std::uint64_t>();
  const auto length = in.number<std::uint64_t>();
  ByteReader offsets(in.raw(in.number<std::uint32_t>()));
  while (offsets.left() > 0 && offsets.ok()) {
    chunk.channels.push_back(offsets.number<std::uint16_t>());
    offsets.number<std::uint64_t>();
  }
  const auto head = head_at(chunk.offset);
  if (!in.ok() || !offsets.ok() || !head || head->op != Op::kChunk || head->length + mcap::kRecordHead != length)
    return false;
  chunk.length = head->length;
  chunks_.push_back(std::move(chunk));
  return true;
}

// Without an index: record by record from the start, as far as they are whole.
void McapReader::scan() {
  std::uint64_t offset = data_start_;
  while (true) {
    const auto head = head_at(offset);
    if (!head) break;
    if (head->op == Op::kDataEnd || head->op == Op::kFooter) return;
    if (head->op == Op::kChunk) {
      if (!scan_chunk(offset, head->length)) return;
    } else if (head->op == Op::kSchema || head->op == Op::kChannel || head->op == Op::kMetadata) {
      if (head->length > limits_.record_bytes) return warn("a record is larger than the limit; reading stops there");
      const auto content = source_->read(offset + mcap::kRecordHead, head->length);
      if (!content || !take_record(head->op, *content)) return warn("a record is damaged; reading stops there");
    } else if (head->op == Op::kAttachment) {
      scan_attachment(offset, head->length);
    } else if (head->op == Op::kMessage) {
      warn("messages outside of chunks are not read");
    }
    offset += mcap::kRecordHead + head->length;
  }
  warn("the recording ends early (" + std::to_string(source_->size()) + " bytes, " + std::to_string(chunks_.size()) +
       " complete chunks); what follows was not written");
}

void McapReader::scan_attachment(std::uint64_t offset, std::uint64_t length) {
  if (length > limits_.record_bytes) return;
  const auto content = source_->read(offset + mcap::kRecordHead, length);
  if (!content) return;
  ByteReader in(*content);
  in.number<std::uint64_t>();
  in.number<std::uint64_t>();
  const std::string name = in.text();
  if (in.ok()) attachments_[name] = offset;
}

bool McapReader::scan_chunk(std::uint64_t offset, std::uint64_t length) {
  const auto records = unpack(offset, length);
  const bool sound = records && each_record(*records, [&](Op op, Content content) {
                       return (op != Op::kSchema && op != Op::kChannel) || take_record(op, content);
                     });
  if (sound) chunks_.push_back({offset, length, {}});
  if (!records)
    warn(records.errors().front().problem + "; reading stops there");
  else if (!sound)
    warn("a chunk holds a damaged record; reading stops there");
  return sound;
}

Result<std::vector<std::byte>> McapReader::unpack(std::uint64_t offset, std::uint64_t length) const {
  // Before the records come 28 bytes of numbers, a short text and a length.
  if (length > limits_.chunk_bytes + 1024)
    return bad("a chunk is larger than the limit of " + std::to_string(limits_.chunk_bytes) + " bytes");
  const auto content = source_->read(offset + mcap::kRecordHead, length);
  if (!content) return content.errors();
  ByteReader in(*content);
  in.number<std::uint64_t>();
  in.number<std::uint64_t>();
  const auto raw_size = in.number<std::uint64_t>();
  const auto crc = in.number<std::uint32_t>();
  const std::string name = in.text();
  const std::span<const std::byte> packed = in.raw(in.number<std::uint64_t>());
  if (!in.ok()) return bad("a chunk is damaged");
  const auto compression = compression_from_mcap(name);
  if (!compression) return bad("a chunk is compressed in a way we do not know");
  if (raw_size > limits_.chunk_bytes)
    return bad("a chunk would unpack to more than the limit of " + std::to_string(limits_.chunk_bytes) + " bytes");
  Result<std::vector<std::byte>> records = decompress(*compression, packed, raw_size);
  if (records && crc != 0 && crc != crc32(*records)) return bad("the checksum of a chunk is wrong");
  return records;
}

const McapChannel* McapReader::find(std::string_view topic) const {
  const auto it =
      std::find_if(channels_.begin(), channels_.end(), [&](const auto& entry) { return entry.second.topic == topic; });
  return it == channels_.end() ? nullptr : &it->second;
}

const McapSchema* McapReader::schema_of(const McapChannel& channel) const {
  const auto it = schemas_.find(channel.schema_id);
  return it == schemas_.end() ? nullptr : &it->second;
}

const std::map<std::string, std::string>* McapReader::metadata(const std::string& name) const {
  const auto it = metadata_.find(name);
  return it == metadata_.end() ? nullptr : &it->second;
}

void McapReader::read(const std::vector<std::string>& topics, std::size_t chunks,
                      const std::function<bool(const McapMessage&)>& visit) {
  const auto wanted = [&](std::uint16_t id) {
    const auto it = channels_.find(id);
    return it != channels_.end() &&
           (topics.empty() || std::find(topics.begin(), topics.end(), it->second.topic) != topics.end());
  };
  std::vector<const Chunk*> todo;
  for (const Chunk& chunk : chunks_)
    if (chunk.channels.empty() || std::any_of(chunk.channels.begin(), chunk.channels.end(), wanted))
      todo.push_back(&chunk);
  const std::size_t count = chunks == 0 ? todo.size() : std::min(chunks, todo.size());
  for (std::size_t i = 0; i < count; ++i)
    if (!read_chunk(*todo[i * todo.size() / count], wanted, visit)) return;
}

bool McapReader::read_chunk(const Chunk& chunk, const std::function<bool(std::uint16_t)>& wanted,
                            const std::function<bool(const McapMessage&)>& visit) {
  const auto records = unpack(chunk.offset, chunk.length);
  if (!records) {
    warn(records.errors().front().problem + "; reading stops there");
    return false;
  }
  bool go_on = true;
  const bool sound = each_record(*records, [&](Op op, Content content) {
    if (op != Op::kMessage) return true;
    ByteReader in(content);
    const auto id = in.number<std::uint16_t>();
    const auto sequence = in.number<std::uint32_t>();
    const auto log_time = in.number<std::uint64_t>();
    const auto publish_time = in.number<std::uint64_t>();
    if (!in.ok()) return false;
    const auto it = channels_.find(id);
    if (it == channels_.end()) warn("messages of an unknown channel are left out");
    if (it == channels_.end() || !wanted(id)) return true;
    go_on = visit(
        {it->second, schema_of(it->second), sequence, to_time(log_time), to_time(publish_time), in.raw(in.left())});
    return go_on;
  });
  if (!sound && go_on) warn("a chunk holds a damaged record; reading stops there");
  return sound;
}

std::map<std::string, std::uint64_t> McapReader::count() {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [id, channel] : channels_) counts[channel.topic];
  for_each({}, [&](const McapMessage& message) { return ++counts[message.channel.topic], true; });
  return counts;
}

std::optional<std::string> McapReader::attachment(const std::string& name) const {
  const auto it = attachments_.find(name);
  const auto head = it == attachments_.end() ? std::nullopt : head_at(it->second);
  if (!head || head->op != Op::kAttachment || head->length > limits_.record_bytes) return std::nullopt;
  const auto content = source_->read(it->second + mcap::kRecordHead, head->length);
  if (!content) return std::nullopt;
  ByteReader in(*content);
  in.number<std::uint64_t>();
  in.number<std::uint64_t>();
  in.text();
  in.text();
  const std::span<const std::byte> data = in.raw(in.number<std::uint64_t>());
  const auto crc = in.number<std::uint32_t>();
  if (!in.ok() || (crc != 0 && crc != crc32(std::span(*content).first(content->size() - in.left() - 4))))
    return std::nullopt;
  return std::string(reinterpret_cast<const char*>(data.data()), data.size());
}

}  // namespace strata
