#include "app/task/connection.hpp"

#include <charconv>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "coordinator/files/task_file.hpp"
#include "coordinator/files/xml_file.hpp"
#include "scenario/yaml.hpp"

namespace strata::app {

namespace {

constexpr std::size_t kLargestFile = 64U << 20U;

Result<Value> read_tree(const std::string& path) {
  const Result<std::string> text = read_text_file(path, kLargestFile);
  if (!text.ok()) return text.errors();
  if (coordinator::looks_like_xml(*text)) return coordinator::read_xml(*text, path);
  return parse_yaml(*text, path, {.bytes = kLargestFile, .nodes = 4'000'000, .depth = 64});
}

}  // namespace

std::string task_address(const std::string& given) {
  if (!given.empty()) return coordinator::full_address(given);
  const char* address = std::getenv("STRATA_TASK_ADDRESS");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (address != nullptr && *address != '\0') return coordinator::full_address(address);
  return coordinator::default_address();
}

void TaskConnection::add_to(CLI::App& app) {
  app.add_option("--at", address_, "The coordinator: a Unix socket or tcp://HOST:PORT (or STRATA_TASK_ADDRESS)")
      ->type_name("ADDRESS");
  app.add_option("--key", key_, "Your key file, for tcp:// (see `strata task keygen`)")->type_name("FILE");
  app.add_option("--server-key", server_key_, "The coordinator's public key file, for tcp://")->type_name("FILE");
}

Result<coordinator::ClientSpec> TaskConnection::spec() const {
  coordinator::ClientSpec spec;
  spec.address = task_address(address_);
  Errors errors;
  if (!key_.empty()) {
    const Result<coordinator::KeyPair> keys = coordinator::read_keys(key_);
    if (collect(keys, errors)) spec.keys = *keys;
  }
  if (!server_key_.empty()) {
    const Result<coordinator::KeyPair> keys = coordinator::read_keys(server_key_);
    if (collect(keys, errors)) spec.server_key = keys->public_key;
  }
  if (!errors.empty()) return errors;
  return spec;
}

Result<std::unique_ptr<coordinator::Client>> TaskConnection::connect() const {
  const Result<coordinator::ClientSpec> own = spec();
  if (!own.ok()) return own.errors();
  return coordinator::Client::connect(*own);
}

Result<std::vector<coordinator::TaskSpec>> read_task_file(const std::string& path) {
  const Result<Value> tree = read_tree(path);
  if (!tree.ok()) return tree.errors();
  return coordinator::tasks_of(*tree);
}

Result<std::vector<coordinator::ResourceSpec>> read_resource_file(const std::string& path) {
  const Result<Value> tree = read_tree(path);
  if (!tree.ok()) return tree.errors();
  return coordinator::resources_of(*tree);
}

Result<coordinator::TaskId> read_task_id(const std::string& text, const char* what) {
  coordinator::TaskId id = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, id);
  if (problem == std::errc{} && stop == end && !text.empty()) return id;
  return Error{{}, fmt::format("'{}' is not {}", text, what), "write a whole number, such as 7"};
}

}  // namespace strata::app
