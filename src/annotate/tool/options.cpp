#include "annotate/tool/options.hpp"

namespace strata::annotate {

Result<ToolOptions> read_tool_options(int count, char** words) {
  ToolOptions options;
  Errors errors;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equal = word.find('=');
    const std::string name = word.substr(0, equal);
    const std::string value = equal == std::string::npos ? "" : word.substr(equal + 1);
    if (name == "--output") {
      options.output = value;
    } else if (name == "--source") {
      options.source = value;
    } else if (name == "--level") {
      options.level = value;
    } else if (name == "--costs") {
      options.costs = value;
    } else if (name == "--map") {
      options.map = value;
    } else if (name == "--targets") {
      const auto targets = read_targets(value, "--targets");
      if (collect(targets, errors)) options.targets = *targets;
    } else if (name == "--assembly") {
      options.assembly = true;
    } else if (name == "--exceptions") {
      options.exceptions = true;
    } else if (name == "--quiet") {
      options.quiet = true;
    } else if (word.starts_with("--")) {
      errors.push_back({{}, "unknown option '" + word + "'", "strata-cc and strata-c++ call this tool for you"});
    } else {
      options.input = word;
    }
  }
  if (options.source.empty()) options.source = options.input;
  if (errors.empty() && (options.input.empty() || options.output.empty() || options.targets.empty())) {
    errors.push_back({{}, "input, --output and --targets are needed", "use strata-cc or strata-c++ instead"});
  }
  if (!errors.empty()) return errors;
  return options;
}

}  // namespace strata::annotate
