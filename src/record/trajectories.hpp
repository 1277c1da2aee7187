// Keeps a thinned history of positions for the report's map: at most so many positions in memory, however long the run
// and however large the fleet. When full, every other moment goes and from then on only every other one is kept.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "record/samples.hpp"

namespace strata {

class Trajectories {
 public:
  struct Position {
    float x = std::numeric_limits<float>::quiet_NaN();  ///< NaN: not there at the time
    float y = std::numeric_limits<float>::quiet_NaN();
  };
  struct Moment {
    Time time;
    std::vector<Position> positions;  ///< as names(), but may be shorter: those that came later are missing
  };

  explicit Trajectories(std::size_t most_positions = 240'000, std::size_t most_moments = 600);

  /// Notes a sample, or passes it over. Samples come in the order of time.
  void add(const std::shared_ptr<const TransformSample>& sample);

  /// Those kept: of a very large fleet only some.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Kept moments in the order of time, the latest sample among them.
  [[nodiscard]] std::vector<Moment> moments() const;
  /// Everything that was in the samples, kept or not.
  [[nodiscard]] std::size_t seen() const { return seen_; }

 private:
  static constexpr std::uint32_t kSkip = ~std::uint32_t{0};
  [[nodiscard]] Moment moment(const TransformSample& sample) const;
  void map_columns(const std::shared_ptr<const ros1::TransformTemplate>& frames);
  void thin();

  std::size_t most_positions_;
  std::size_t most_moments_;
  std::size_t seen_ = 0;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::shared_ptr<const ros1::TransformTemplate> frames_;  // of the columns below
  std::vector<std::uint32_t> columns_;                     // per frame: index into names_, or kSkip
  std::vector<Moment> moments_;
  std::uint64_t counted_ = 0;
  std::uint64_t stride_ = 1;
  std::shared_ptr<const TransformSample> latest_;
};

}  // namespace strata
