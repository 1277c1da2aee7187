#include "coordinator/files/xml_file.hpp"

#include <charconv>
#include <expat.h>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace strata::coordinator {

namespace {

constexpr std::size_t kMaxBytes = 64U << 20U;
constexpr std::size_t kMaxErrors = 50;

/// What an element may hold.
struct Model {
  enum class Kind { kText, kSequence, kAny, kSome } kind = Kind::kText;
  std::vector<std::string> children{};
};
using Models = std::map<std::string, Model, std::less<>>;

// The document types of the original.
const std::map<std::string, Models, std::less<>>& document_types() {
  using Kind = Model::Kind;
  static const std::map<std::string, Models, std::less<>> types = {
      {"ResourceFile",
       {{"ResourceFile", {Kind::kSome, {"resource"}}},
        {"resource", {Kind::kSequence, {"id", "name", "state", "task", "idTask", "priority"}}},
        {"id", {}},
        {"name", {}},
        {"state", {}},
        {"task", {}},
        {"idTask", {}},
        {"priority", {}}}},
      {"TaskFile",
       {{"TaskFile", {Kind::kSome, {"task"}}},
        {"task", {Kind::kSequence, {"name", "argument", "resources", "priority"}}},
        {"name", {}},
        {"argument", {Kind::kAny, {"arg"}}},
        {"arg", {}},
        {"resources", {Kind::kSome, {"rec"}}},
        {"rec", {}},
        {"priority", {}}}},
  };
  return types;
}

std::string to_text(const Model& model) {
  if (model.kind == Model::Kind::kText) return "(#PCDATA)";
  std::string text = "(";
  for (const std::string& child : model.children) text += (text.size() > 1 ? "," : "") + child;
  if (model.kind == Model::Kind::kAny) text += "*";
  if (model.kind == Model::Kind::kSome) text += "+";
  return text + ")";
}

// A declared content model in the same form. `(a)*` and `(a*)` mean the same.
std::string to_text(const XML_Content& model) {
  const char* sign = model.quant == XML_CQUANT_REP ? "*" : model.quant == XML_CQUANT_PLUS ? "+" : "";
  if (model.type == XML_CTYPE_MIXED && model.numchildren == 0) return "(#PCDATA)";
  if (model.type == XML_CTYPE_NAME) return std::string(model.name) + sign;
  if (model.type != XML_CTYPE_SEQ) return "(?)";
  std::string text;
  for (unsigned i = 0; i < model.numchildren; ++i) {
    const XML_Content& child = model.children[i];
    text += (i == 0 ? "" : ",") + (child.type == XML_CTYPE_NAME ? to_text(child) : std::string("?"));
  }
  return "(" + text + sign + ")";
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)), parser_(XML_ParserCreate(nullptr), &XML_ParserFree) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* name, const char** attributes) {
          static_cast<Reader*>(self)->open(name, *attributes != nullptr);
        },
        [](void* self, const char*) { static_cast<Reader*>(self)->close(); });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* text, int length) {
      static_cast<Reader*>(self)->characters({text, static_cast<std::size_t>(length)});
    });
    XML_SetStartDoctypeDeclHandler(parser_.get(), [](void* self, const char* name, const char*, const char*, int) {
      static_cast<Reader*>(self)->doctype(name);
    });
    XML_SetElementDeclHandler(parser_.get(), [](void* self, const char* name, XML_Content* model) {
      auto* reader = static_cast<Reader*>(self);
      reader->declared(name, to_text(*model));
      XML_FreeContentModel(reader->parser_.get(), model);
    });
    XML_SetEntityDeclHandler(
        parser_.get(), [](void* self, const char* name, int, const char*, int, const char*, const char*, const char*,
                          const char*) { static_cast<Reader*>(self)->entity(name); });
  }

  Result<Value> run(std::string_view text) {
    const XML_Status status = XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
    if (status != XML_STATUS_OK && !stopped_) {
      fail(XML_ErrorString(XML_GetErrorCode(parser_.get())), "the file is not well-formed XML: mend it there");
    }
    if (!errors_.empty()) return errors_;
    return Value::map({{root_ == "TaskFile" ? "tasks" : "resources", Value::list(std::move(entries_))}}, here());
  }

 private:
  struct Element {
    std::string name;
    const Model* model = nullptr;
    std::size_t next = 0;  ///< children seen
    std::string text;
    Where where;
    std::vector<Value::Member> members;
    std::vector<Value> items;
  };

  [[nodiscard]] Where here() const {
    return {file_, static_cast<int>(XML_GetCurrentLineNumber(parser_.get())),
            static_cast<int>(XML_GetCurrentColumnNumber(parser_.get())) + 1, ""};
  }
  void fail(std::string problem, std::string remedy) {
    if (errors_.size() < kMaxErrors) errors_.push_back({here(), std::move(problem), std::move(remedy)});
  }
  void stop() {
    stopped_ = true;
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  bool choose_type(const std::string& name) {
    const auto found = document_types().find(name);
    if (found == document_types().end()) {
      fail(fmt::format("'{}' is not a document this program reads", name), "the root must be ResourceFile or TaskFile");
      stop();
      return false;
    }
    root_ = name;
    models_ = &found->second;
    return true;
  }

  void doctype(const std::string& name) { static_cast<void>(choose_type(name)); }

  void declared(const std::string& name, const std::string& model) {
    if (models_ == nullptr) return;
    const auto found = models_->find(name);
    const std::string expected = found == models_->end() ? "" : to_text(found->second);
    if (expected == model) return;
    fail(fmt::format("its document type declares {} as {}", name, model),
         expected.empty() ? fmt::format("a {} has no such element", root_)
                          : fmt::format("a {} declares it as {}", root_, expected));
  }

  void entity(const std::string& name) {
    fail(fmt::format("it declares the entity '{}'", name), "entities are not allowed: write the text itself");
    stop();
  }

  void open(const std::string& name, bool has_attributes) {
    if (stopped_) return;
    if (stack_.empty() && models_ != nullptr && name != root_) {
      fail(fmt::format("the root is '{}', the document type says '{}'", name, root_), "make them the same");
      return stop();
    }
    if (models_ == nullptr && !choose_type(name)) return;
    if (has_attributes) fail(fmt::format("<{}> has attributes", name), "this element takes none");
    if (!stack_.empty()) check_place(name);
    const auto found = models_->find(name);
    stack_.push_back({name, found == models_->end() ? nullptr : &found->second, 0, {}, here(), {}, {}});
  }

  void check_place(const std::string& name) {
    Element& parent = stack_.back();
    if (parent.model == nullptr) return;
    const std::vector<std::string>& allowed = parent.model->children;
    const std::size_t at = parent.model->kind == Model::Kind::kSequence ? parent.next : 0;
    ++parent.next;
    if (at < allowed.size() && allowed[at] == name) return;
    fail(fmt::format("<{}> does not belong here", name),
         fmt::format("<{}> holds {}", parent.name, to_text(*parent.model)));
  }

  void characters(std::string_view text) {
    if (stopped_ || stack_.empty()) return;
    Element& element = stack_.back();
    const bool takes_text = element.model != nullptr && element.model->kind == Model::Kind::kText;
    if (takes_text) {
      element.text += text;
    } else if (text.find_first_not_of(" \t\r\n") != std::string_view::npos) {
      fail(fmt::format("text in <{}>", element.name), "only elements belong there");
    }
  }

  void close() {
    if (stopped_ || stack_.empty()) return;
    Element element = std::move(stack_.back());
    stack_.pop_back();
    if (element.model != nullptr) check_complete(element);
    if (stack_.empty()) return;
    add(stack_.back(), std::move(element));
  }

  void check_complete(const Element& element) {
    const Model& model = *element.model;
    const bool short_of = model.kind == Model::Kind::kSequence ? element.next < model.children.size()
                                                               : model.kind == Model::Kind::kSome && element.next == 0;
    if (!short_of) return;
    const std::string& missing = model.children[model.kind == Model::Kind::kSequence ? element.next : 0];
    fail(fmt::format("<{}> lacks <{}>", element.name, missing),
         fmt::format("<{}> holds {}", element.name, to_text(model)));
  }

  // Puts a finished element where the YAML form has it.
  void add(Element& parent, Element element) {
    const std::string& name = element.name;
    if (stack_.size() == 1) {
      entries_.push_back(root_ == "TaskFile" ? task_of(element) : resource_of(element));
    } else if (name == "arg" || name == "rec") {
      parent.items.push_back(
          Value::scalar(name == "rec" ? trimmed(element.text) : element.text, element.where, name == "arg"));
    } else if (name == "argument" || name == "resources") {
      parent.members.emplace_back(name, Value::list(std::move(element.items), element.where));
    } else {
      parent.members.emplace_back(name, Value::scalar(trimmed(element.text), element.where, name == "name"));
    }
  }

  static Value task_of(Element& element) {
    Value all = Value::map(std::move(element.members), element.where);
    std::vector<Value> run;
    if (const Value* name = all.find("name")) run.push_back(*name);
    if (const Value* arguments = all.find("argument")) {
      run.insert(run.end(), arguments->items().begin(), arguments->items().end());
    }
    Value task = Value::map({{"run", Value::list(std::move(run), element.where)}}, element.where);
    for (const char* key : {"resources", "priority"}) {
      if (const Value* value = all.find(key)) task.set(key, *value);
    }
    return task;
  }

  // State, task, idTask and priority describe the moment the original's program was stopped; ours starts with all free.
  Value resource_of(Element& element) {
    Value all = Value::map(std::move(element.members), element.where);
    check_number(all, "state", 3);
    check_number(all, "idTask", 2'000'000'000);
    check_number(all, "priority", 99);
    Value resource = Value::map({}, element.where);
    for (const char* key : {"id", "name"}) {
      if (const Value* value = all.find(key)) resource.set(key, *value);
    }
    return resource;
  }

  void check_number(const Value& all, const char* key, long maximum) {
    const Value* value = all.find(key);
    if (value == nullptr) return;
    long number = -1;
    const std::string& text = value->text();
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc{} && end == text.data() + text.size() && number >= 0 && number <= maximum) return;
    errors_.push_back({value->where(), fmt::format("<{}> is '{}'", key, text),
                       fmt::format("it must be a whole number from 0 to {}", maximum)});
  }

  std::string file_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser_;
  std::string root_;
  const Models* models_ = nullptr;
  std::vector<Element> stack_;
  std::vector<Value> entries_;
  Errors errors_;
  bool stopped_ = false;
};

}  // namespace

bool looks_like_xml(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

Result<Value> read_xml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxBytes) {
    return Error{{file, 0, 0, ""}, fmt::format("more than {} MB", kMaxBytes >> 20U), "split the file"};
  }
  return Reader(file).run(text);
}

}  // namespace strata::coordinator
