#include "base/math.hpp"

#include <emmintrin.h>

#include <sleef.h>

#include "base/assert.hpp"

namespace strata::math {

// SLEEF's sin differs from its sincos in the last bit at times: one source for both.
double sin(double x) { return sincos(x).sin; }
double cos(double x) { return sincos(x).cos; }
SinCos sincos(double x) {
  const Sleef_double_2 both = Sleef_cinz_sincosd1_u10purec(x);
  return {both.x, both.y};
}
double tan(double x) { return Sleef_cinz_tand1_u10purec(x); }
double asin(double x) { return Sleef_cinz_asind1_u10purec(x); }
double acos(double x) { return Sleef_cinz_acosd1_u10purec(x); }
double atan2(double y, double x) { return Sleef_cinz_atan2d1_u10purec(y, x); }
double exp(double x) { return Sleef_cinz_expd1_u10purec(x); }
double log(double x) { return Sleef_cinz_logd1_u10purec(x); }
double pow(double x, double y) { return Sleef_cinz_powd1_u10purec(x, y); }

void sincos(std::span<const double> x, std::span<double> sin, std::span<double> cos) {
  STRATA_ASSERT(x.size() == sin.size() && x.size() == cos.size(), "spans of one length");
  std::size_t i = 0;
  for (; i + 2 <= x.size(); i += 2) {
    const Sleef___m128d_2 both = Sleef_cinz_sincosd2_u10sse2(_mm_loadu_pd(&x[i]));
    _mm_storeu_pd(&sin[i], both.x);
    _mm_storeu_pd(&cos[i], both.y);
  }
  if (i < x.size()) {
    const SinCos last = sincos(x[i]);
    sin[i] = last.sin;
    cos[i] = last.cos;
  }
}

}  // namespace strata::math
