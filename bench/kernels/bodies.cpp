// Planets under gravity.
#include <cmath>
#include <cstdio>
struct Body {
  double x, y, z, vx, vy, vz, mass;
};
static Body bodies[] = {{0, 0, 0, 0, 0, 0, 39.47},
                        {4.84, -1.16, -0.1, 0.6, 2.81, -0.02, 0.037},
                        {8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011},
                        {12.89, -15.1, -0.22, 1.08, 0.86, -0.01, 0.0017},
                        {15.37, -25.9, 0.17, 0.97, 0.59, -0.03, 0.002}};
static void advance(double dt) {
  for (Body* a = bodies; a != bodies + 5; ++a) {
    for (Body* b = a + 1; b != bodies + 5; ++b) {
      const double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
      const double d2 = dx * dx + dy * dy + dz * dz, f = dt / (d2 * std::sqrt(d2));
      a->vx -= dx * b->mass * f, a->vy -= dy * b->mass * f, a->vz -= dz * b->mass * f;
      b->vx += dx * a->mass * f, b->vy += dy * a->mass * f, b->vz += dz * a->mass * f;
    }
  }
  for (Body& body : bodies) body.x += dt * body.vx, body.y += dt * body.vy, body.z += dt * body.vz;
}
int main() {
  for (int i = 0; i < 100000; ++i) advance(0.001);
  std::printf("%.9f\n", bodies[1].x);
}
