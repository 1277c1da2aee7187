// A particle filter in single precision with its own random numbers.
#include <cstdio>
#include <vector>
struct Particle {
  float x, y, heading, weight;
};
static unsigned seed = 31;
static float uniform() { return static_cast<float>((seed = seed * 1664525U + 1013904223U) >> 8) / 16777216.0F; }
static float likelihood(float d) { return 1.0F / (1.0F + d * d * (1.0F + 0.5F * d * d)); }
int main() {
  std::vector<Particle> all(2000), next(2000);
  for (Particle& p : all) p = {uniform() * 10, uniform() * 10, uniform() * 6.28F, 1};
  float rx = 2, ry = 3;
  for (int step = 0; step < 60; ++step) {
    rx += 0.1F, ry += 0.05F;
    float sum = 0;
    for (Particle& p : all) {
      p.x += 0.1F + (uniform() - 0.5F) * 0.05F;
      p.y += 0.05F + (uniform() - 0.5F) * 0.05F;
      const float dx = p.x - rx, dy = p.y - ry;
      p.weight = likelihood(dx) * likelihood(dy);
      sum += p.weight;
    }
    const float spacing = sum / static_cast<float>(all.size());
    float at = uniform() * spacing, running = 0;
    std::size_t k = 0;
    for (Particle& p : next) {
      while (k + 1 < all.size() && running + all[k].weight < at) running += all[k++].weight;
      p = all[k];
      at += spacing;
    }
    all.swap(next);
  }
  std::printf("%.3f %.3f\n", static_cast<double>(all[0].x), static_cast<double>(all[1999].y));
}
