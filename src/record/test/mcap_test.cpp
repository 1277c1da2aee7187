#include <csignal>
#include <fstream>
#include <sys/resource.h>

#include <gmock/gmock.h>

#include "record/crc32.hpp"
#include "record/mcap_reader.hpp"
#include "record/mcap_writer.hpp"
#include "test_folder.hpp"

namespace strata {
namespace {

using testing::HasSubstr;

Bytes bytes_of(std::string_view text) {
  const auto span = std::as_bytes(std::span(text));
  return {span.begin(), span.end()};
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes read_all(const std::filesystem::path& path) {
  auto text = read_whole(path, 1U << 30U);
  EXPECT_TRUE(text.ok());
  return bytes_of(*text);
}

// A recording with two channels, `count` messages each, of about 60 bytes.
void record(const std::filesystem::path& path, const McapOptions& options, int count, bool close = true) {
  auto writer = McapWriter::create(path, options);
  ASSERT_TRUE(writer.ok());
  McapWriter& out = **writer;
  ASSERT_TRUE(out.add_metadata("strata.run", {{"scenario", "test"}}).ok());
  const auto schema = out.add_schema("std_msgs/String", "ros1msg", "string data\n");
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(*out.add_schema("std_msgs/String", "ros1msg", "string data\n"), *schema);
  const auto a = out.add_channel("/a", *schema, "ros1");
  const auto b = out.add_channel("/b", *schema, "ros1", {{"latching", "true"}});
  ASSERT_TRUE(a.ok() && b.ok());
  for (int i = 0; i < count; ++i) {
    const std::string text = "message number " + std::to_string(i) + " with some more words to compress";
    const Time time = Time::from_ns(1'000'000LL * i);
    ASSERT_TRUE(out.write(*a, time, bytes_of("a " + text)).ok());
    ASSERT_TRUE(out.write(*b, time, [&](Bytes& buffer) { ByteWriter(buffer).raw(text.data(), text.size()); }).ok());
  }
  if (!close) return;
  ASSERT_TRUE(out.add_attachment("map.json", "application/json", Time(), "{}").ok());
  ASSERT_TRUE(out.add_metadata("strata.result", {{"hash", "0123456789abcdef"}}).ok());
  ASSERT_TRUE(out.close().ok());
}

McapOptions small_chunks(Compression compression) {
  McapOptions options;
  options.compression = compression;
  options.chunk_bytes = 4000;
  return options;
}

TEST(Crc32, HasTheKnownValues) {
  EXPECT_EQ(crc32({}), 0U);
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926U);
  const Bytes text = bytes_of("The quick brown fox jumps over the lazy dog");
  EXPECT_EQ(crc32(text), 0x414FA339U);
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(crc32(std::span(text).subspan(cut), crc32(std::span(text).first(cut))), 0x414FA339U);
}

TEST(Crc32, IsTheSameWithAndWithoutSpecialInstructions) {
  Bytes bytes;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t start = i % 3 == 0 ? 0 : 0x9E3779B9U * static_cast<std::uint32_t>(i);
    ASSERT_EQ(crc32(bytes, start), crc32_portable(bytes, start)) << i;
    bytes.push_back(static_cast<std::byte>(i * i * 31 + (i >> 3)));
  }
}

class McapCompression : public testing::TestWithParam<Compression> {};

TEST_P(McapCompression, WhatIsWrittenReadsBack) {
  const auto path = fresh_folder() / "r.mcap";
  record(path, small_chunks(GetParam()), 500);
  auto reader = McapReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->complete());
  EXPECT_TRUE(reader->warnings().empty());
  EXPECT_EQ(reader->profile(), "ros1");
  EXPECT_EQ(reader->indexed_message_count(), 1000U);
  EXPECT_GT(reader->chunk_count(), 10U);
  ASSERT_NE(reader->find("/b"), nullptr);
  EXPECT_EQ(reader->find("/b")->metadata.at("latching"), "true");
  EXPECT_EQ(reader->schema_of(*reader->find("/a"))->definition, "string data\n");
  EXPECT_EQ(reader->metadata("strata.run")->at("scenario"), "test");
  EXPECT_EQ(reader->metadata("strata.result")->at("hash"), "0123456789abcdef");
  EXPECT_EQ(reader->metadata("other"), nullptr);
  EXPECT_EQ(reader->attachment("map.json"), "{}");
  EXPECT_EQ(reader->attachment("other"), std::nullopt);
  int i = 0;
  reader->for_each({"/a"}, [&](const McapMessage& message) {
    EXPECT_EQ(message.time.ns(), 1'000'000LL * i);
    EXPECT_EQ(message.sequence, static_cast<std::uint32_t>(i));
    EXPECT_THAT(text_of(message.data), testing::StartsWith("a message number " + std::to_string(i) + " "));
    return ++i, true;
  });
  EXPECT_EQ(i, 500);
  int sampled = 0;
  reader->for_each_sampled({"/a"}, 3, [&](const McapMessage&) { return ++sampled, true; });
  EXPECT_GT(sampled, 3);
  EXPECT_LT(sampled, 200);
}

TEST_P(McapCompression, CutAnywhereReadsUpToTheLastChunk) {
  const auto folder = fresh_folder();
  record(folder / "r.mcap", small_chunks(GetParam()), 200);
  const Bytes whole = read_all(folder / "r.mcap");
  std::size_t previous = 0;
  for (std::size_t size = 0; size < whole.size(); size += 37) {
    auto reader = McapReader::from_bytes(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    if (!reader) {
      EXPECT_LT(size, 100U);
      continue;
    }
    EXPECT_FALSE(reader->complete());
    std::size_t count = 0;
    for (const auto& [topic, messages] : reader->count()) count += messages;
    EXPECT_GE(count, previous) << "more bytes, fewer messages";
    if (size < whole.size() * 3 / 4) {
      EXPECT_FALSE(reader->warnings().empty());
    }
    previous = count;
  }
  EXPECT_EQ(previous, 400U);
}

TEST_P(McapCompression, AnyFlippedByteIsNoticedOrHarmless) {
  const auto folder = fresh_folder();
  record(folder / "r.mcap", small_chunks(GetParam()), 60);
  const Bytes whole = read_all(folder / "r.mcap");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    Bytes changed = whole;
    changed[at] ^= std::byte{0x41};
    auto reader = McapReader::from_bytes(changed, "x", {1U << 20U, 1U << 20U});
    if (!reader) continue;
    std::size_t count = 0;
    reader->for_each({}, [&](const McapMessage&) { return ++count, true; });
    EXPECT_LE(count, 120U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, McapCompression,
                         testing::Values(Compression::kNone, Compression::kLz4, Compression::kZstd));

TEST(McapWriter, WithoutCloseTheFileIsReadableUpToTheLastChunk) {
  const auto path = fresh_folder() / "r.mcap";
  record(path, small_chunks(Compression::kZstd), 500, false);
  auto reader = McapReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->complete());
  ASSERT_EQ(reader->warnings().size(), 1U);
  EXPECT_THAT(reader->warnings()[0], HasSubstr("ends early"));
  EXPECT_GT(reader->count()["/a"], 450U);
}

TEST(McapWriter, ChunksCoverABoundedTime) {
  const auto path = fresh_folder() / "r.mcap";
  auto writer = McapWriter::create(path, {});
  ASSERT_TRUE(writer.ok());
  const auto id = (*writer)->add_channel("/a", 0, "json");
  const Bytes data(500);
  for (int s = 0; s < 100; ++s) ASSERT_TRUE((*writer)->write(*id, Time::from_seconds(s), data).ok());
  // Nothing was closed, and still only the last seconds are missing.
  auto reader = McapReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_GE(reader->count()["/a"], 90U);
}

TEST(McapWriter, AnEmptyRecordingIsSound) {
  const auto path = fresh_folder() / "r.mcap";
  auto writer = McapWriter::create(path);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->close().ok());
  auto reader = McapReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->complete());
  EXPECT_TRUE(reader->count().empty());
}

TEST(McapWriter, TheSameMessagesGiveTheSameFile) {
  const auto folder = fresh_folder();
  record(folder / "1.mcap", {}, 300);
  record(folder / "2.mcap", {}, 300);
  EXPECT_EQ(read_all(folder / "1.mcap"), read_all(folder / "2.mcap"));
}

TEST(McapWriter, AFullDiskIsAnErrorAndLeavesWholeChunks) {
  const auto path = fresh_folder() / "r.mcap";
  // The limit on file sizes stands in for a full disk: a write fails half way.
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit tight = before;
  tight.rlim_cur = 20'000;
  auto* old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);

  auto writer = McapWriter::create(path, small_chunks(Compression::kNone));
  ASSERT_TRUE(writer.ok());
  const auto id = (*writer)->add_channel("/a", 0, "json");
  Errors errors;
  const Bytes data(100);
  for (int i = 0; i < 1000; ++i) {
    if (auto written = (*writer)->write(*id, Time::from_ns(i), data); !written && errors.empty())
      errors = written.errors();
  }
  const auto closed = (*writer)->close();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);

  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0].problem, HasSubstr("cannot write"));
  EXPECT_EQ(errors[0].where.file, path.string());
  EXPECT_FALSE(closed.ok());
  auto reader = McapReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_GT(reader->count()["/a"], 80U);
}

TEST(McapWriter, NoSpaceLeftSaysWhatToDo) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto writer = McapWriter::create("/dev/full");
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.errors()[0].problem, HasSubstr("No space left"));
  EXPECT_THAT(writer.errors()[0].remedy, HasSubstr("--out"));
}

TEST(McapReader, WhatIsNoRecordingIsAnError) {
  const auto folder = fresh_folder();
  EXPECT_FALSE(McapReader::open(folder / "missing.mcap").ok());
  EXPECT_FALSE(McapReader::open(folder).ok());
  EXPECT_FALSE(McapReader::from_bytes({}).ok());
  const auto text = McapReader::from_bytes(bytes_of("this is no recording at all, but long enough"));
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.errors()[0].problem, HasSubstr("not a recording"));
}

TEST(McapReader, ChunksThatWouldUnpackTooLargeAreRefused) {
  const auto path = fresh_folder() / "r.mcap";
  McapOptions options;
  options.chunk_bytes = 64U << 20U;
  auto writer = McapWriter::create(path, options);
  ASSERT_TRUE(writer.ok());
  const auto id = (*writer)->add_channel("/a", 0, "json");
  ASSERT_TRUE((*writer)->write(*id, Time(), Bytes(40U << 20U)).ok());
  ASSERT_TRUE((*writer)->close().ok());
  EXPECT_LT(std::filesystem::file_size(path), 100'000U);
  auto reader = McapReader::open(path, {1U << 20U, 1U << 20U});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->count()["/a"], 0U);
  ASSERT_FALSE(reader->warnings().empty());
  EXPECT_THAT(reader->warnings()[0], HasSubstr("more than the limit"));
}

// The seeds of the fuzz target: small sound files, one per compression. STRATA_WRITE_SEEDS=1 writes them anew.
TEST(McapFuzz, SeedsAreSound) {
  const std::filesystem::path seeds = std::filesystem::path(STRATA_SOURCE_DIR) / "src/record/fuzz/mcap_corpus";
  const std::map<std::string, Compression> files{
      {"none.mcap", Compression::kNone}, {"lz4.mcap", Compression::kLz4}, {"zstd.mcap", Compression::kZstd}};
  for (const auto& [name, compression] : files) {
    if (std::getenv("STRATA_WRITE_SEEDS") != nullptr) {
      McapOptions options = small_chunks(compression);
      options.chunk_bytes = 300;
      std::filesystem::create_directories(seeds);
      record(seeds / name, options, 6);
    }
    auto reader = McapReader::open(seeds / name);
    ASSERT_TRUE(reader.ok()) << name;
    EXPECT_TRUE(reader->complete());
    EXPECT_EQ(reader->count()["/a"], 6U);
  }
}

}  // namespace
}  // namespace strata
