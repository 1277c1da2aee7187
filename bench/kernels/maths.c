// Functions of the mathematics library.
#include <math.h>
#include <stdio.h>
int main(void) {
  double sum = 0;
  for (int i = 1; i < 40000; ++i) {
    const double x = i * 0.001;
    sum += sin(x) * cos(x) + exp(-x) + log(x) + atan2(x, 2.0) + sqrt(x) + pow(x, 0.3);
  }
  printf("%.9g\n", sum);
}
