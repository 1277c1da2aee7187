#include "record/trajectories.hpp"

#include <algorithm>

namespace strata {

namespace {
// Even the largest fleet gets this many moments; then not everybody is kept.
constexpr std::size_t kLeastMoments = 24;
}  // namespace

Trajectories::Trajectories(std::size_t most_positions, std::size_t most_moments)
    : most_positions_(most_positions), most_moments_(std::max(most_moments, kLeastMoments)) {}

void Trajectories::map_columns(const std::shared_ptr<const ros1::TransformTemplate>& frames) {
  const std::size_t most_names = std::max<std::size_t>(most_positions_ / kLeastMoments, 1);
  const std::vector<std::string>& children = frames->children();
  // Spread over the fleet, so that no group is left out.
  const std::size_t step = (children.size() + most_names - 1) / most_names;
  columns_.assign(children.size(), kSkip);
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (const auto known = by_name_.find(children[i]); known != by_name_.end()) {
      columns_[i] = known->second;
    } else if (i % std::max<std::size_t>(step, 1) == 0 && names_.size() < most_names) {
      columns_[i] = static_cast<std::uint32_t>(names_.size());
      by_name_.emplace(children[i], columns_[i]);
      names_.push_back(children[i]);
    }
  }
  seen_ = std::max(seen_, children.size());
  frames_ = frames;
}

Trajectories::Moment Trajectories::moment(const TransformSample& sample) const {
  Moment out{sample.stamp, std::vector<Position>(names_.size())};
  for (std::size_t i = 0; i < sample.poses.size(); ++i) {
    if (columns_[i] == kSkip) continue;
    const Vec3& at = sample.poses[i].translation;
    out.positions[columns_[i]] = {static_cast<float>(at.x), static_cast<float>(at.y)};
  }
  return out;
}

void Trajectories::add(const std::shared_ptr<const TransformSample>& sample) {
  if (sample->frames != frames_) map_columns(sample->frames);
  latest_ = sample;
  if (counted_++ % stride_ != 0) return;
  moments_.push_back(moment(*sample));
  const std::size_t room =
      std::clamp(most_positions_ / std::max<std::size_t>(names_.size(), 1), kLeastMoments, most_moments_);
  while (moments_.size() > room) thin();
}

void Trajectories::thin() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < moments_.size(); i += 2, ++kept)
    if (kept != i) moments_[kept] = std::move(moments_[i]);
  moments_.resize(kept);
  stride_ *= 2;
}

std::vector<Trajectories::Moment> Trajectories::moments() const {
  std::vector<Moment> out = moments_;
  if (latest_ != nullptr && (out.empty() || out.back().time < latest_->stamp)) out.push_back(moment(*latest_));
  return out;
}

}  // namespace strata
