#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/files/task_file.hpp"
#include "coordinator/files/xml_file.hpp"

namespace strata::coordinator {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTask =
    "<task><name>run</name><argument><arg>fast</arg><arg> a b </arg></argument><resources><rec> 1 </rec></resources>"
    "<priority>1</priority></task>";

std::string file(const std::string& body, const std::string& before = "") {
  return "<?xml version=\"1.0\"?>" + before + "<TaskFile>" + body + "</TaskFile>";
}

std::string problem(const std::string& text) {
  const Result<Value> tree = read_xml(text, "t.xml");
  if (!tree.ok()) return to_text(tree.errors());
  const Result<std::vector<TaskSpec>> tasks = tasks_of(*tree);
  return tasks.ok() ? "" : to_text(tasks.errors());
}

TEST(XmlFile, ReadsATask) {
  const auto tasks = tasks_of(read_xml(file(kTask), "t.xml").value()).value();
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].command, "run");
  EXPECT_EQ(tasks[0].arguments, (std::vector<std::string>{"fast", " a b "}));
  EXPECT_EQ(tasks[0].uses, (std::vector<ResourceUse>{{1, Use::kWrite, 1}}));
  EXPECT_EQ(tasks[0].priority, 1);
}

TEST(XmlFile, AcceptsTheDocumentTypesOfTheOriginal) {
  EXPECT_EQ(problem(file(kTask, "<!DOCTYPE TaskFile SYSTEM \"TaskFile.dtd\">")), "");
  EXPECT_EQ(problem(file(kTask,
                         "<!DOCTYPE TaskFile[<!ELEMENT TaskFile (task+)><!ELEMENT task (name, argument,resources,"
                         "priority)><!ELEMENT name (#PCDATA)><!ELEMENT argument (arg*)><!ELEMENT arg (#PCDATA)>"
                         "<!ELEMENT resources (rec+)><!ELEMENT rec (#PCDATA)><!ELEMENT priority (#PCDATA)>]>")),
            "");
}

TEST(XmlFile, KnowsBothEncodings) {
  const std::string body =
      "<TaskFile><task><name>caf\xE9</name><argument/><resources><rec>0</rec></resources>"
      "<priority>1</priority></task></TaskFile>";
  const auto tree = read_xml("<?xml version=\"1.0\" encoding=\"ISO-8859-1\" ?>" + body, "t.xml");
  EXPECT_EQ(tasks_of(tree.value()).value()[0].command, "caf\xC3\xA9");
  EXPECT_THAT(problem("<?xml version=\"1.0\" encoding=\"UTF-8\" ?>" + body), HasSubstr("t.xml:1"));
}

TEST(XmlFile, RefusesEntitiesAndForeignDocuments) {
  EXPECT_THAT(problem(file(kTask, "<!DOCTYPE TaskFile [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>")),
              HasSubstr("entities are not allowed"));
  EXPECT_THAT(problem(file(kTask, "<!DOCTYPE TaskFile [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>")),
              HasSubstr("entities are not allowed"));
  EXPECT_THAT(problem(file(kTask, "<!DOCTYPE html>")), HasSubstr("'html' is not a document"));
  EXPECT_THAT(problem(file(kTask, "<!DOCTYPE ResourceFile>")), HasSubstr("the document type says 'ResourceFile'"));
  EXPECT_THAT(problem(file(kTask, "<!DOCTYPE TaskFile [<!ELEMENT task (name)>]>")),
              HasSubstr("declares task as (name)"));
  EXPECT_THAT(problem("<html/>"), HasSubstr("'html' is not a document"));
  EXPECT_THAT(problem(""), HasSubstr("t.xml"));
  EXPECT_THAT(problem(file("<task>")), HasSubstr("mismatched tag"));
}

TEST(XmlFile, ReportsAllMistakesAtOnce) {
  const std::string text = problem(
      file("<task><name>a</name><argument/><resources></resources><priority>1</priority></task>\n"
           "<task><argument/><name>b</name><resources><rec>0</rec></resources><priority>1</priority></task>\n"
           "<task colour=\"red\"><name>c</name><argument>x</argument><resources><rec>0</rec></resources></task>"));
  EXPECT_THAT(text, HasSubstr("<resources> lacks <rec>"));
  EXPECT_THAT(text, HasSubstr("t.xml:2:7: <argument> does not belong here"));
  EXPECT_THAT(text, HasSubstr("has attributes"));
  EXPECT_THAT(text, HasSubstr("text in <argument>"));
  EXPECT_THAT(text, HasSubstr("<task> lacks <priority>"));
}

TEST(XmlFile, ChecksNumbersWithTheirPlace) {
  EXPECT_THAT(problem(file("<task><name>a</name><argument/><resources><rec>x</rec></resources><priority>200</priority>"
                           "</task>")),
              HasSubstr("t.xml:1"));
}

TEST(TaskFile, ReadsTheNewFields) {
  Value entry = Value::map();
  entry.set("run", Value::list({Value::scalar("walk"), Value::scalar("fast")}));
  entry.set("resources", Value::list({Value::scalar("0"),
                                      Value::map({{"id", Value::scalar("1")}, {"use", Value::scalar("read")}})}));
  entry.set("timeout", Value::scalar("5 s"));
  entry.set("after", Value::list({Value::scalar("first"), Value::scalar("12")}));
  entry.set("limits", Value::map({{"memory", Value::scalar("10 MB")}, {"cpu", Value::scalar("2 s")}}));
  entry.set("env", Value::map({{"SPEED", Value::scalar("5")}}));
  const TaskSpec spec = task_of(entry, {"first"}).value();
  EXPECT_EQ(spec.uses, (std::vector<ResourceUse>{{0, Use::kWrite, 1}, {1, Use::kRead, 1}}));
  EXPECT_EQ(spec.timeout, Duration(std::chrono::seconds(5)));
  EXPECT_EQ(spec.after, (std::vector<TaskId>{kInFile, 12}));
  EXPECT_EQ(spec.limits.memory_bytes, 10'000'000U);
  EXPECT_EQ(spec.environment, (std::vector<std::string>{"SPEED=5"}));
  EXPECT_EQ(spec.priority, kLowestPriority);
}

TEST(TaskFile, RefusesUnknownKeysAndLabels) {
  Value entry = Value::map({{"run", Value::scalar("walk")}, {"prioritty", Value::scalar("1")}});
  EXPECT_THAT(to_text(task_of(entry).errors()), HasSubstr("priority"));
  Value lost = Value::map({{"run", Value::scalar("walk")}, {"after", Value::list({Value::scalar("nobody")})}});
  EXPECT_THAT(to_text(task_of(lost).errors()), HasSubstr("no task labelled 'nobody'"));
}

TEST(ResourceFile, RefusesDuplicateIds) {
  const Value one = Value::map({{"id", Value::scalar("1")}, {"name", Value::scalar("a")}});
  const Value root = Value::map({{"resources", Value::list({one, one})}});
  EXPECT_THAT(to_text(resources_of(root).errors()), HasSubstr("used twice"));
}

}  // namespace
}  // namespace strata::coordinator
