#include "scenario/sweep/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/math.hpp"

namespace strata::sweep {
namespace {

/// Logarithm of the gamma function for x > 0, after Lanczos.
double log_gamma(double x) {
  constexpr std::array<double, 9> kTerms = {0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
                                            771.32342877765313,   -176.61502916214059,   12.507343278686905,
                                            -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  constexpr double kShift = 7;
  if (x < 0.5) return math::log(math::kPi / math::sin(math::kPi * x)) - log_gamma(1 - x);
  double sum = kTerms[0];
  for (std::size_t i = 1; i < kTerms.size(); ++i) sum += kTerms[i] / (x - 1 + static_cast<double>(i));
  const double t = x + kShift - 0.5;
  return 0.5 * math::log(math::kTau) + (x - 0.5) * math::log(t) - t + math::log(sum);
}

/// Continued fraction of the incomplete beta function, by the method of Lentz.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 1000;
  const auto guarded = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / guarded(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d);
    c = guarded(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d);
    c = guarded(1 + odd / c);
    const double change = d * c;
    result *= change;
    if (std::abs(change - 1) < 1e-15) break;
  }
  return result;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      math::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * math::log(x) + b * math::log(1 - x));
  // The fraction converges quickly on one side of the maximum only.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

}  // namespace

double student_two_sided(double t, double freedom) {
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double p, double freedom) {
  double low = 0;
  double high = 1;
  while (student_two_sided(high, freedom) > p && high < 1e12) high *= 2;
  constexpr int kHalvings = 200;
  for (int i = 0; i < kHalvings && high - low > 1e-12 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (student_two_sided(middle, freedom) > p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

Summary summarise(std::span<const double> values) {
  Summary out;
  out.count = values.size();
  if (values.empty()) return out;
  out.mean = out.low = out.high = mean_of(values);
  if (values.size() < 2) return out;
  constexpr double kOutside = 0.05;
  out.deviation = std::sqrt(variance_of(values, out.mean));
  const auto count = static_cast<double>(values.size());
  const double half = student_quantile(kOutside, count - 1) * out.deviation / std::sqrt(count);
  out.low = out.mean - half;
  out.high = out.mean + half;
  return out;
}

double welch_p(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return 1;
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  const auto count_a = static_cast<double>(a.size());
  const auto count_b = static_cast<double>(b.size());
  const double share_a = variance_of(a, mean_a) / count_a;
  const double share_b = variance_of(b, mean_b) / count_b;
  const double variance = share_a + share_b;
  if (variance == 0) return mean_a == mean_b ? 1 : 0;
  const double t = (mean_a - mean_b) / std::sqrt(variance);
  const double freedom = variance * variance / (share_a * share_a / (count_a - 1) + share_b * share_b / (count_b - 1));
  return student_two_sided(t, freedom);
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> out(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, p[order[i]] * static_cast<double>(order.size() - i)));
    out[order[i]] = largest;
  }
  return out;
}

}  // namespace strata::sweep
