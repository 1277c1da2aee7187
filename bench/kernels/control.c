// A control loop: PID on a motor with friction and saturation.
#include <stdio.h>
struct pid {
  double kp, ki, kd, sum, last;
};
static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
static double step(struct pid* p, double error, double dt) {
  p->sum = clamp(p->sum + error * dt, -2, 2);
  const double d = (error - p->last) / dt;
  p->last = error;
  return clamp(p->kp * error + p->ki * p->sum + p->kd * d, -12, 12);
}
int main(void) {
  struct pid p = {4, 2, 0.05, 0, 0};
  double speed = 0, angle = 0, goal = 1;
  for (int i = 0; i < 400000; ++i) {
    if (i % 5000 == 0) goal = -goal * 0.99;
    const double u = step(&p, goal - angle, 0.001);
    const double friction = speed > 0.01 ? 0.3 : speed < -0.01 ? -0.3 : speed * 30;
    speed += (u * 1.7 - friction - speed * 0.8) * 0.001;
    angle += speed * 0.001;
  }
  printf("%.9f\n", angle);
}
