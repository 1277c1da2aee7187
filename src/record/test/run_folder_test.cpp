#include "record/run_folder.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "record/csv.hpp"
#include "record/output_file.hpp"
#include "test_folder.hpp"

namespace strata {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

void put_file(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

TEST(RunFolder, RunsAreNumbered) {
  const fs::path base = fresh_folder() / "runs";
  const auto first = RunFolder::create({}, "my run/1", base);
  const auto second = RunFolder::create({}, "my run/1", base);
  const auto other = RunFolder::create({}, "other", base);
  ASSERT_TRUE(first.ok() && second.ok() && other.ok());
  EXPECT_EQ(first->path(), base / "my_run_1-1");
  EXPECT_EQ(second->path(), base / "my_run_1-2");
  EXPECT_EQ(other->path(), base / "other-1");
  fs::remove_all(first->path());
  EXPECT_EQ(RunFolder::create({}, "my run/1", base)->path(), base / "my_run_1-3") << "numbers are not used again";
}

TEST(RunFolder, AUsersFolderIsNotTouched) {
  const fs::path folder = fresh_folder();
  put_file(folder / "thesis.txt", "important");
  const auto run = RunFolder::create(folder, "x");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.errors()[0].problem, HasSubstr("not empty"));
  EXPECT_THAT(run.errors()[0].remedy, HasSubstr("--out"));
  EXPECT_TRUE(fs::exists(folder / "thesis.txt"));
  EXPECT_FALSE(RunFolder::create(folder / "thesis.txt", "x").ok());
}

TEST(RunFolder, AnEarlierRunIsReplacedAndNothingElse) {
  const fs::path path = fresh_folder() / "deep" / "run";
  auto run = RunFolder::create(path, "x");
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(run->write(RunFolder::kSummary, "{}").ok());
  ASSERT_TRUE(run->claim("poses.csv").ok());
  ASSERT_TRUE(run->claim("poses.csv").ok());
  put_file(path / "poses.csv", "old");
  put_file(path / "notes.txt", "mine");
  ASSERT_TRUE(RunFolder::create(path, "x").ok());
  EXPECT_FALSE(fs::exists(path / RunFolder::kSummary));
  EXPECT_FALSE(fs::exists(path / "poses.csv"));
  EXPECT_TRUE(fs::exists(path / "notes.txt"));
}

TEST(RunFolder, TheMarkerCannotNameFilesElsewhere) {
  const fs::path folder = fresh_folder();
  put_file(folder / "victim.txt", "important");
  const fs::path path = folder / "run";
  ASSERT_TRUE(RunFolder::create(path, "x").ok());
  put_file(path / RunFolder::kMarker, "header\n../victim.txt\n..\n.\n/etc/hostname\n");
  ASSERT_TRUE(RunFolder::create(path, "x").ok());
  EXPECT_TRUE(fs::exists(folder / "victim.txt"));
}

TEST(RunFolder, FilesAreThereWholeOrNot) {
  auto run = RunFolder::create(fresh_folder() / "r", "x");
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(run->write("a.txt", "one").ok());
  ASSERT_TRUE(run->write("a.txt", "two").ok());
  EXPECT_EQ(*run->read("a.txt"), "two");
  for (const auto& entry : fs::directory_iterator(run->path())) EXPECT_NE(entry.path().extension(), ".part");
  const auto missing = run->read("b.txt");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.errors()[0].problem, HasSubstr("no such file"));
  EXPECT_FALSE(run->read("a.txt", 2).ok());
}

TEST(RunFolder, OpensRunsOnly) {
  const fs::path folder = fresh_folder();
  ASSERT_TRUE(RunFolder::create(folder / "run", "x").ok());
  EXPECT_TRUE(RunFolder::open(folder / "run").ok());
  EXPECT_FALSE(RunFolder::open(folder / "missing").ok());
  EXPECT_FALSE(RunFolder::open(folder).ok());
}

TEST(SafeFileName, HoldsNothingStrange) {
  EXPECT_EQ(safe_file_name("crossing"), "crossing");
  EXPECT_EQ(safe_file_name("../../etc"), "run.._.._etc");
  EXPECT_EQ(safe_file_name(""), "run");
  EXPECT_EQ(safe_file_name("a b\n\"<>"), "a_b____");
  EXPECT_EQ(safe_file_name(std::string(500, 'x')).size(), 100U);
}

TEST(Csv, WritesAndReads) {
  EXPECT_EQ(csv_seconds(Time::from_ns(300'000'000)), "0.3");
  EXPECT_EQ(csv_seconds(Time::from_ns(12'000'000'001)), "12.000000001");
  EXPECT_EQ(csv_seconds(Time::from_ns(-1'500'000'000)), "-1.5");
  EXPECT_EQ(csv_seconds(Time()), "0");
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(NAN), "");
  const std::string odd = "a,\"b\"\nc";
  const auto table = parse_csv("x,y\n1," + csv_text(odd) + "\n2,plain\n3,cut of", "t.csv");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->columns, (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->rows[0][1], odd);
  EXPECT_FALSE(parse_csv("x,y\n1\n", "t.csv").ok());
  EXPECT_FALSE(parse_csv("x\n\"a\n", "t.csv").ok());
}

}  // namespace
}  // namespace strata
