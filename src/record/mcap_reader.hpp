// Reads recordings in the MCAP format, whoever wrote them and however damaged they are: every length is checked, memory
// is bounded, and a file that was cut off is readable up to its last complete chunk, with a warning.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "record/compression.hpp"
#include "record/mcap_format.hpp"

namespace strata {

struct McapSchema {
  std::uint16_t id = 0;
  std::string name;
  std::string encoding;
  std::string definition;
};

struct McapChannel {
  std::uint16_t id = 0;
  std::uint16_t schema_id = 0;  ///< 0: none
  std::string topic;
  std::string encoding;
  std::map<std::string, std::string> metadata;
};

/// Valid during the call it is given to.
struct McapMessage {
  const McapChannel& channel;
  const McapSchema* schema = nullptr;  ///< null if the channel has none
  std::uint32_t sequence = 0;
  Time time;
  Time publish_time;
  std::span<const std::byte> data;
};

struct McapLimits {
  std::uint64_t chunk_bytes = 256U << 20U;   ///< of a chunk, unpacked
  std::uint64_t record_bytes = 256U << 20U;  ///< of any other record
};

/// Where the bytes come from. Reads exactly `size` bytes at `offset`, or fails.
class McapSource {
 public:
  virtual ~McapSource() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  [[nodiscard]] virtual Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size) const = 0;
};

class McapReader {
 public:
  [[nodiscard]] static Result<McapReader> open(const std::filesystem::path& path, const McapLimits& limits = {});
  /// From memory; `name` stands in for the path in messages.
  [[nodiscard]] static Result<McapReader> from_bytes(std::vector<std::byte> bytes, const std::string& name = "memory",
                                                     const McapLimits& limits = {});

  [[nodiscard]] const std::string& profile() const { return profile_; }
  [[nodiscard]] const std::string& library() const { return library_; }
  [[nodiscard]] const std::map<std::uint16_t, McapSchema>& schemas() const { return schemas_; }
  [[nodiscard]] const std::map<std::uint16_t, McapChannel>& channels() const { return channels_; }
  /// Null if no channel has this topic.
  [[nodiscard]] const McapChannel* find(std::string_view topic) const;
  [[nodiscard]] const McapSchema* schema_of(const McapChannel& channel) const;
  /// The metadata record of that name, or null.
  [[nodiscard]] const std::map<std::string, std::string>* metadata(const std::string& name) const;
  [[nodiscard]] std::size_t chunk_count() const { return chunks_.size(); }
  /// From the index; nothing if the file has none.
  [[nodiscard]] std::optional<std::uint64_t> indexed_message_count() const { return message_count_; }
  /// True if the file was closed properly and its index is sound.
  [[nodiscard]] bool complete() const { return complete_; }
  /// Why not all could be read; empty for a sound file.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  /// Calls `visit` for the messages in the order of the file; only those of `topics` unless it is empty. `visit`
  /// returns whether to go on. A damaged chunk ends the reading with a warning.
  void for_each(const std::vector<std::string>& topics, const std::function<bool(const McapMessage&)>& visit) {
    read(topics, 0, visit);
  }
  /// The same from at most `chunks` chunks spread evenly over those that hold the topics: an overview of a large file.
  void for_each_sampled(const std::vector<std::string>& topics, std::size_t chunks,
                        const std::function<bool(const McapMessage&)>& visit) {
    read(topics, chunks, visit);
  }
  /// Messages per topic, counted by reading all.
  [[nodiscard]] std::map<std::string, std::uint64_t> count();
  /// The data of the attachment of that name.
  [[nodiscard]] std::optional<std::string> attachment(const std::string& name) const;

 private:
  struct Chunk {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::vector<std::uint16_t> channels;  // with messages in it; empty: not known
  };
  struct RecordHead {
    mcap::Op op{};
    std::uint64_t length = 0;  // of the content
  };
  using Content = std::span<const std::byte>;

  McapReader(std::shared_ptr<const McapSource> source, std::string name, const McapLimits& limits)
      : source_(std::move(source)), name_(std::move(name)), limits_(limits) {}
  [[nodiscard]] static Result<McapReader> make(std::shared_ptr<const McapSource> source, const std::string& name,
                                               const McapLimits& limits);
  Result<void> read_header();
  /// `chunks` = 0: all.
  void read(const std::vector<std::string>& topics, std::size_t chunks,
            const std::function<bool(const McapMessage&)>& visit);
  /// False: the chunk is damaged, or `visit` wants no more.
  bool read_chunk(const Chunk& chunk, const std::function<bool(std::uint16_t)>& wanted,
                  const std::function<bool(const McapMessage&)>& visit);
  /// False: there is no sound index.
  bool read_summary();
  void scan();
  bool scan_chunk(std::uint64_t offset, std::uint64_t length);
  void scan_attachment(std::uint64_t offset, std::uint64_t length);
  [[nodiscard]] std::optional<RecordHead> head_at(std::uint64_t offset) const;
  [[nodiscard]] Result<std::vector<std::byte>> unpack(std::uint64_t offset, std::uint64_t length) const;
  bool take_record(mcap::Op op, Content content);
  bool read_schema(Content content);
  bool read_channel(Content content);
  bool read_metadata(Content content);
  bool read_chunk_index(Content content);
  bool read_metadata_index(Content content);
  bool read_attachment_index(Content content);
  [[nodiscard]] Error bad(const std::string& problem) const;
  void warn(std::string warning);

  std::shared_ptr<const McapSource> source_;
  std::string name_;
  McapLimits limits_;
  std::string profile_;
  std::string library_;
  std::map<std::uint16_t, McapSchema> schemas_;
  std::map<std::uint16_t, McapChannel> channels_;
  std::map<std::string, std::map<std::string, std::string>> metadata_;
  std::vector<Chunk> chunks_;
  std::map<std::string, std::uint64_t> attachments_;  // name to offset of the record
  std::uint64_t data_start_ = 0;
  std::optional<std::uint64_t> message_count_;
  bool complete_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace strata
