// A parser by recursive descent.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct Node {
  double number = 0;
  std::string text;
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> members;
};
class Parser {
 public:
  explicit Parser(const std::string& text) : at_(text.c_str()) {}
  std::unique_ptr<Node> value() {
    auto node = std::make_unique<Node>();
    skip();
    if (*at_ == '{' || *at_ == '[') {
      const char end = *at_ == '{' ? '}' : ']';
      ++at_;
      for (skip(); *at_ != end; skip()) {
        std::string key;
        if (end == '}') key = string(), skip(), ++at_;
        node->members.emplace_back(key, value());
        skip();
        if (*at_ == ',') ++at_;
      }
      ++at_;
    } else if (*at_ == '"') {
      node->text = string();
    } else {
      while (*at_ >= '0' && *at_ <= '9') node->number = node->number * 10 + (*at_++ - '0');
    }
    return node;
  }

 private:
  void skip() {
    while (*at_ == ' ' || *at_ == '\n') ++at_;
  }
  std::string string() {
    std::string out;
    for (++at_; *at_ != '"'; ++at_) out += *at_;
    ++at_;
    return out;
  }
  const char* at_;
};
static double total(const Node& node) {
  double sum = node.number + static_cast<double>(node.text.size());
  for (const auto& [key, member] : node.members) sum += total(*member) + static_cast<double>(key.size());
  return sum;
}
int main() {
  std::string text = "[";
  for (int i = 0; i < 200; ++i) {
    text += "{\"name\": \"robot number " + std::to_string(i) + "\", \"pose\": [1, 22, 333], \"battery\": 87},\n";
  }
  text += "0]";
  double sum = 0;
  for (int i = 0; i < 20; ++i) sum += total(*Parser(text).value());
  std::printf("%.0f\n", sum);
}
