#include "scenario/yaml.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario_files.hpp"

namespace strata {
namespace {

using ::testing::HasSubstr;

bool same(const Value& a, const Value& b) {
  if (a.type() != b.type() || a.text() != b.text() || a.items().size() != b.items().size() ||
      a.members().size() != b.members().size())
    return false;
  if (a.is_scalar() && a.quoted() != b.quoted()) return false;
  for (std::size_t i = 0; i < a.items().size(); ++i) {
    if (!same(a.items()[i], b.items()[i])) return false;
  }
  for (std::size_t i = 0; i < a.members().size(); ++i) {
    if (a.members()[i].first != b.members()[i].first || !same(a.members()[i].second, b.members()[i].second))
      return false;
  }
  return true;
}

Value value_of(const std::string& text) {
  Result<Value> value = parse_yaml(text, "t.yaml");
  EXPECT_TRUE(value.ok()) << (value.ok() ? "" : to_text(value.errors()));
  return value.ok() ? std::move(value).value() : Value();
}

Error error_of(const std::string& text, const YamlLimits& limits = {}) {
  const Result<Value> value = parse_yaml(text, "t.yaml", limits);
  if (value.ok()) return {{}, "no error", ""};
  return value.errors().front();
}

TEST(Yaml, ReadsATreeWithPlaces) {
  const Value root = value_of("a: 1\nb:\n  c: [x, 'y']\n  d:\n");
  EXPECT_EQ(root.find("a")->text(), "1");
  EXPECT_EQ(root.find("a")->where().line, 1);
  EXPECT_EQ(root.find("a")->where().column, 4);
  const Value& list = *root.find("b")->find("c");
  EXPECT_FALSE(list.items()[0].quoted());
  EXPECT_TRUE(list.items()[1].quoted());
  EXPECT_EQ(list.items()[1].where().line, 3);
  EXPECT_TRUE(root.find("b")->find("d")->is_null());
  // A block is where its key is.
  EXPECT_EQ(root.find("b")->where().line, 2);
  EXPECT_EQ(root.find("b")->where().file, "t.yaml");
}

TEST(Yaml, ExpandsAliases) {
  const Value root = value_of("base: &b {x: 1}\nother: *b\n");
  EXPECT_EQ(root.find("other")->find("x")->text(), "1");
}

TEST(Yaml, EmptyIsNothing) {
  EXPECT_TRUE(value_of("").is_null());
  EXPECT_TRUE(value_of("# only a comment\n").is_null());
}

TEST(Yaml, BadTextNamesLineAndRemedy) {
  EXPECT_EQ(error_of("a: 1\nb: [1, 2\n").remedy, "a '[' is not closed: is the file complete?");
  EXPECT_EQ(error_of("a: {b: 1\n").remedy, "a '{' is not closed: is the file complete?");
  EXPECT_EQ(error_of("a:\n\tb: 1\n").remedy, "indent with spaces, not with tabs");
  EXPECT_EQ(error_of("a:\n\tb: 1\n").where.line, 2);
  EXPECT_EQ(error_of("b: 1\na: 'open\n\n").problem, "a quote is not closed");
  EXPECT_EQ(error_of("b: 1\na: \"open\nc: 2\n").where.line, 2);
  EXPECT_EQ(error_of("'open").where.line, 1);
  EXPECT_THAT(error_of("a: *nobody\n").remedy, HasSubstr("&name"));
  EXPECT_EQ(error_of("a: 1\n---\nb: 2\n").problem, "a second document begins here");
  EXPECT_THAT(error_of("{[1, 2]: x}").problem, HasSubstr("stands where a key is expected"));
  EXPECT_THAT(error_of("a: !!int 3\n").problem, HasSubstr("tag"));
  EXPECT_THAT(error_of("a: \"x\\Ny\"\n").problem, HasSubstr("escape that is not supported"));
}

TEST(Yaml, DuplicateKeysNameBothLines) {
  const Result<Value> value = parse_yaml("a: 1\nb: 2\na: 3\nb: 4\n", "t.yaml");
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(brief(value.errors()),
            "3: 'a' is given twice, first in line 1 | keep one of them\n4: 'b' is given twice, first in line 2 | keep "
            "one of them");
}

TEST(Yaml, RefusesWhatIsNotText) {
  EXPECT_EQ(error_of(std::string("a: 1\n\0b", 7)).problem, "this is a binary file, not YAML");
  EXPECT_EQ(error_of(std::string("a: 1\n\0b", 7)).where.line, 2);
  EXPECT_EQ(error_of("a: \xFF\xFF").problem, "the text is not UTF-8");
  EXPECT_EQ(error_of("a: \xC0\x80").problem, "the text is not UTF-8");
  EXPECT_EQ(error_of("\xFF\xFE"
                     "a")
                .problem,
            "the file is UTF-16 text");
  EXPECT_EQ(value_of("a: Größe").find("a")->text(), "Größe");
}

TEST(Yaml, NestingIsLimited) {
  const std::string closed = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(error_of(closed).problem, HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(error_of(std::string(100'000, '[')).remedy, HasSubstr("is a bracket not closed?"));
  EXPECT_THAT(error_of(std::string(1'000'000, '{')).remedy, HasSubstr("is a bracket not closed?"));
  EXPECT_THAT(error_of(std::string(10'000'000, '{')).problem, HasSubstr("longer than a mebibyte"));
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_THAT(error_of(dashes).problem, HasSubstr("nested"));
  std::string questions;
  for (int i = 0; i < 10'000; ++i) questions += "? ";
  EXPECT_NE(error_of(questions).problem, "no error");
  std::string blocks;
  for (int i = 0; i < 1000; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THAT(error_of(blocks).problem, HasSubstr("nested"));
}

TEST(Yaml, ABombDoesNotGoOff) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k > 0 ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(error_of(bomb).problem, HasSubstr("more than 1000000 values"));
  EXPECT_THAT(error_of("a: &a [*a]\n").problem, HasSubstr("inside what it stands for"));
}

TEST(Yaml, SizeIsLimited) {
  YamlLimits limits;
  limits.bytes = 1U << 20U;
  EXPECT_THAT(error_of(std::string((1U << 20U) + 1, ' '), limits).problem, HasSubstr("larger than 1 MiB"));
}

TEST(YamlFile, WhatCannotBeReadSaysWhy) {
  const TestFiles files;
  EXPECT_EQ(read_yaml(files.path("none.yaml")).errors().front().problem, "there is no such file");
  EXPECT_EQ(read_yaml(files.folder().string()).errors().front().problem, "this is a folder, not a file");
  ASSERT_EQ(::mkfifo(files.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_yaml(files.path("pipe")).errors().front().problem, "this is not a regular file");
  const std::string closed = files.write("closed.yaml", "a: 1\n");
  ASSERT_EQ(::chmod(closed.c_str(), 0), 0);
  if (::geteuid() != 0) {
    EXPECT_THAT(read_yaml(closed).errors().front().problem, HasSubstr("cannot be read"));
  }
  EXPECT_EQ(read_yaml(files.path("none.yaml")).errors().front().where.file, files.path("none.yaml"));
}

TEST(YamlWrite, ReadsBackToTheSameTree) {
  const char* const texts[] = {
      "a: 1\nb: [1, 2, [3, 4]]\nc: {d: x, e: {f: [{g: 1}, {h: [2]}]}}\n",
      ("a: ''\nb: ' padded '\nc: 'null'\nd: ~\ne: '#'\nf: 'a: b'\ng: \"line\\nbreak\\ttab \\x01 \\\"quoted\\\" "
       "back\\\\slash\"\n"),
      "'key with: colon': 1\n'': 2\n'- x': 3\n",
      "- - 1\n  - 2\n- a: 1\n  b:\n    - c: [x, y]\n      d: 2\n- []\n- {}\n- ~\n",
      "a: 10 m/s\nb: -3\nc: '*'\nd: \"Größe µ\"\ne: walker*\nf: '[1]'\ng: 'true'\nh: -x\ni: ['a?b', 'x:y']\n",
      "just text",
      "a: \"next \\x85 line \\L para \\P mark \\uFEFF null \\0 end\"\n",
      "a: |+\n  kept\n\n\nb: |-\n  stripped",
      "a: |\n  at the end",
      "---\na: 1\n...\n",
      "[]",
      "a: |\n  two\n  lines\nb: >\n  folded\n  text\n",
  };
  for (const char* text : texts) {
    const Value tree = value_of(text);
    const std::string written = to_yaml(tree);
    EXPECT_TRUE(same(tree, value_of(written))) << written;
    EXPECT_TRUE(same(tree, value_of(to_yaml_line(tree) + "\n"))) << to_yaml_line(tree);
  }
}

TEST(YamlWrite, LongListsBreakIntoLines) {
  std::string text = "points: [";
  for (int i = 0; i < 100; ++i) text += (i > 0 ? ", " : "") + std::string("[") + std::to_string(i) + ", 0.5]";
  const Value tree = value_of(text + "]\n");
  EXPECT_TRUE(same(tree, value_of(to_yaml(tree))));
  EXPECT_THAT(to_yaml(tree), HasSubstr("  - [99, 0.5]\n"));
}

}  // namespace
}  // namespace strata
