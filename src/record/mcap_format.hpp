// The MCAP container format, version 0 (mcap.dev/spec): numbers shared by the writer and the reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace strata::mcap {

inline constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum class Op : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kAttachment = 0x09,
  kAttachmentIndex = 0x0A,
  kStatistics = 0x0B,
  kMetadata = 0x0C,
  kMetadataIndex = 0x0D,
  kSummaryOffset = 0x0E,
  kDataEnd = 0x0F,
};

/// Op and length before the content of each record.
inline constexpr std::size_t kRecordHead = 1 + 8;
inline constexpr std::size_t kFooterContent = 8 + 8 + 4;
/// Channel, sequence, log time and publish time before the data of a message.
inline constexpr std::size_t kMessageHead = 2 + 4 + 8 + 8;

}  // namespace strata::mcap
