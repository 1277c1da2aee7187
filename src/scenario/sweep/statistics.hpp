// Statistics over repeated runs: means with confidence intervals, and whether variants differ by more than chance.
#pragma once

#include <span>
#include <vector>

namespace strata::sweep {

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;  ///< of the sample; 0 for fewer than two values
  double low = 0;        ///< 95 % confidence interval of the mean, after Student; the mean itself for fewer than two
  double high = 0;
};
[[nodiscard]] Summary summarise(std::span<const double> values);

/// Probability of a difference at least this large if both means were equal, after Welch: variances may differ. 1 if
/// there are fewer than two values on a side. Values that do not scatter at all differ for certain or not at all.
[[nodiscard]] double welch_p(std::span<const double> a, std::span<const double> b);

/// Probabilities corrected for having tested all of them, after Holm: calling those below 5 % different is wrong for
/// any of them with at most 5 %.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

/// Student's t: probability of |t| or more on either side.
[[nodiscard]] double student_two_sided(double t, double freedom);
/// The t whose two-sided probability is `p`.
[[nodiscard]] double student_quantile(double p, double freedom);

}  // namespace strata::sweep
