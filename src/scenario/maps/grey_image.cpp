#include "scenario/maps/grey_image.hpp"

#include <cctype>
#include <optional>
#include <png.h>

#include <fmt/format.h>

#include "scenario/yaml.hpp"

namespace strata::maps {
namespace {

constexpr std::size_t kMostPixels = 100'000'000;
constexpr std::size_t kMostBytes = 256U << 20U;

Error too_large(const std::string& file) {
  return {{file, 0, 0, ""},
          fmt::format("the image has more than {} million pixels", kMostPixels / 1'000'000),
          "make it coarser, or split the map"};
}

/// Numbers of a PGM file: separated by blanks, with comments.
class PgmWords {
 public:
  explicit PgmWords(const std::string& bytes) : bytes_(bytes) {}
  std::optional<std::size_t> next() {
    skip();
    std::size_t value = 0;
    const std::size_t start = at_;
    while (at_ < bytes_.size() && std::isdigit(static_cast<unsigned char>(bytes_[at_])) != 0 && at_ - start < 9)
      value = value * 10 + static_cast<std::size_t>(bytes_[at_++] - '0');
    if (at_ == start) return std::nullopt;
    return value;
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  void skip() {
    while (at_ < bytes_.size()) {
      if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      } else if (std::isspace(static_cast<unsigned char>(bytes_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }
  const std::string& bytes_;
  std::size_t at_ = 2;
};

Result<GreyImage> parse_pgm(const std::string& bytes, const std::string& file) {
  const Error damaged{{file, 0, 0, ""}, "the PGM image is damaged or cut off", "save the map again"};
  PgmWords words(bytes);
  const auto width = words.next();
  const auto height = words.next();
  const auto most = words.next();
  if (!width || !height || !most || *width == 0 || *height == 0 || *most == 0 || *most > 65535) return damaged;
  if (*width > kMostPixels / *height) return too_large(file);
  GreyImage out{*width, *height, {}, {}};
  const std::size_t count = *width * *height;
  const bool is_text = bytes[1] == '2';
  const std::size_t each = *most > 255 ? 2 : 1;
  // One blank ends the header.
  const std::size_t start = words.at() + 1;
  if (is_text ? bytes.size() < count : bytes.size() < start + count * each) return damaged;
  out.grey.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t value = 0;
    if (is_text) {
      const auto word = words.next();
      if (!word) return damaged;
      value = *word;
    } else {
      for (std::size_t k = 0; k < each; ++k)
        value = value * 256 + static_cast<unsigned char>(bytes[start + i * each + k]);
    }
    out.grey.push_back(static_cast<std::uint8_t>(std::min(value, *most) * 255 / *most));
  }
  return out;
}

Result<GreyImage> parse_png(const std::string& bytes, const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto damaged = [&]() -> Error {
    Error error{{file, 0, 0, ""}, fmt::format("the PNG image is damaged: {}", image.message), "save the map again"};
    png_image_free(&image);
    return error;
  };
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return damaged();
  if (image.height == 0 || image.width > kMostPixels / image.height) {
    png_image_free(&image);
    return too_large(file);
  }
  image.format = PNG_FORMAT_GA;
  std::vector<png_byte> pixels(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0) return damaged();
  GreyImage out{image.width, image.height, {}, {}};
  const std::size_t count = out.width * out.height;
  out.grey.reserve(count);
  out.transparent.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    out.grey.push_back(pixels[2 * i]);
    out.transparent.push_back(pixels[2 * i + 1] < 128);
  }
  return out;
}

}  // namespace

Result<GreyImage> parse_image(const std::string& bytes, const std::string& file) {
  if (bytes.size() > kMostBytes) return too_large(file);
  if (bytes.starts_with("\x89PNG")) return parse_png(bytes, file);
  if (bytes.starts_with("P5") || bytes.starts_with("P2")) return parse_pgm(bytes, file);
  return Error{{file, 0, 0, ""}, "this is neither a PGM nor a PNG image", "convert it to one of them"};
}

Result<GreyImage> read_image(const std::string& file) {
  const Result<std::string> bytes = read_text_file(file, kMostBytes);
  if (!bytes.ok()) return bytes.errors();
  return parse_image(*bytes, file);
}

}  // namespace strata::maps
