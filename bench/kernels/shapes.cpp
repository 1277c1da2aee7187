// Virtual calls.
#include <cstdio>
#include <memory>
#include <vector>
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual void grow(double by) = 0;
};
struct Circle final : Shape {
  double r;
  explicit Circle(double radius) : r(radius) {}
  double area() const override { return 3.14159265 * r * r; }
  void grow(double by) override { r += by; }
};
struct Box final : Shape {
  double w, h;
  Box(double width, double height) : w(width), h(height) {}
  double area() const override { return w * h; }
  void grow(double by) override { w += by, h += by; }
};
struct Triangle final : Shape {
  double a;
  explicit Triangle(double side) : a(side) {}
  double area() const override { return 0.4330127 * a * a; }
  void grow(double by) override { a *= 1 + by; }
};
int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 300; ++i) {
    if (i % 3 == 0)
      shapes.push_back(std::make_unique<Circle>(i));
    else if (i % 3 == 1)
      shapes.push_back(std::make_unique<Box>(i, 2));
    else
      shapes.push_back(std::make_unique<Triangle>(i));
  }
  double sum = 0;
  for (int round = 0; round < 1000; ++round) {
    for (auto& shape : shapes) {
      shape->grow(0.0001);
      sum += shape->area();
    }
  }
  std::printf("%.3f\n", sum);
}
