// A control loop: ten seconds at 1 kHz.
#include <math.h>
#include <stdio.h>

struct controller {
  double sum, last;
};

static double step(struct controller* c, double error) {
  const double dt = 0.001;
  c->sum = fmax(-2, fmin(2, c->sum + error * dt));
  const double change = (error - c->last) / dt;
  c->last = error;
  return fmax(-12, fmin(12, 4 * error + 2 * c->sum + 0.05 * change));
}

int main(void) {
  struct controller c = {0, 0};
  double speed = 0, angle = 0;
  for (int i = 0; i < 10000; ++i) {
    const double wanted = sin(i * 0.002);
    speed += (1.7 * step(&c, wanted - angle) - 0.8 * speed) * 0.001;
    angle += speed * 0.001;
  }
  printf("%.6f\n", angle);
}
