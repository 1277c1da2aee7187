#include "record/report.hpp"

#include <cmath>
#include <memory>

#include <gmock/gmock.h>

#include "record/mcap_writer.hpp"
#include "test_folder.hpp"

namespace strata {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kEvil = "<script>alert('x')</script>\"'&";

std::shared_ptr<TransformSample> sample(const std::shared_ptr<const ros1::TransformTemplate>& frames, double time_s) {
  auto out = std::make_shared<TransformSample>();
  out->stamp = Time::from_seconds(time_s);
  out->frames = frames;
  for (std::size_t i = 0; i < frames->size(); ++i)
    out->poses.push_back(
        {{10 * std::cos(time_s + static_cast<double>(i)), 10 * std::sin(time_s + static_cast<double>(i)), 0}, {}});
  return out;
}

std::shared_ptr<const ros1::TransformTemplate> fleet(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("walker" + std::to_string(i + 1));
  return std::make_shared<const ros1::TransformTemplate>("map", std::move(names));
}

TEST(Html, EscapesEverythingThatMatters) {
  EXPECT_EQ(html::escape("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  EXPECT_THAT(html::table({kEvil}, {{html::text(kEvil), html::code(kEvil), html::badge("good", kEvil)}}),
              Not(HasSubstr("<script>")));
  EXPECT_THAT(html::tiles({{kEvil, kEvil}}), Not(HasSubstr("<script>")));
  EXPECT_THAT(html::command(kEvil), Not(HasSubstr("<script>")));
  EXPECT_EQ(html::script_json("{\"a\":\"</script>&\"}"), "{\"a\":\"\\u003c/script\\u003e\\u0026\"}");
}

TEST(Html, NumbersAreReadable) {
  EXPECT_EQ(html::number(0), "0");
  EXPECT_EQ(html::number(1234.5678), "1235");
  EXPECT_EQ(html::number(3.14159), "3.142");
  EXPECT_EQ(html::number(1e6, 16),
            "1\xE2\x80\xAF"
            "000\xE2\x80\xAF"
            "000");
  EXPECT_EQ(html::number(-12345),
            "-12\xE2\x80\xAF"
            "345");
  EXPECT_EQ(html::number(NAN), "-");
  EXPECT_EQ(html::number(1e-9), "1e-09");
  EXPECT_EQ(html::bytes_text(1.5e6), "1.5 MB");
}

TEST(Html, ChartsCopeWithOddData) {
  const std::vector<Time> times{Time(), Time::from_seconds(1), Time::from_seconds(2)};
  const std::vector<double> values{1, NAN, 3};
  const std::vector<double> none{NAN, NAN, NAN};
  const std::vector<double> flat{5, 5, 5};
  const std::string chart = html::chart({kEvil, kEvil, kEvil, times, {{"mean", values}}, none, none});
  EXPECT_THAT(chart, HasSubstr("<svg"));
  EXPECT_THAT(chart, Not(HasSubstr("nan")));
  EXPECT_THAT(chart, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(html::chart({"t", "", "", times, {{"mean", none}}, {}, {}}), "");
  EXPECT_EQ(html::chart({"t", "", "", {}, {{"mean", {}}}, {}, {}}), "");
  EXPECT_THAT(html::chart({"t", "", "", times, {{"value", flat}}, {}, {}}), HasSubstr("<svg"));
}

TEST(Report, NamesFromOutsideCannotAddCode) {
  Trajectories trajectories;
  trajectories.add(sample(std::make_shared<const ros1::TransformTemplate>("map", std::vector<std::string>{kEvil}), 0));
  MapData map;
  map.fixed.push_back({kEvil, {{0, 0}, {1, 1}}, 0.1});
  map.radii[kEvil] = 0.2;
  MetricTable metrics;
  metrics.add_column(kEvil, kEvil, kEvil);
  metrics.add_row(Time(), std::vector<double>{1});
  metrics.add_row(Time::from_seconds(1), std::vector<double>{2});
  std::string evil = kEvil;
  evil.insert(evil.find('"'), "\\");
  ReportInput input;
  input.summary_json = "{\"scenario\":\"" + evil + "\",\"description\":\"" + evil + "\",\"reason\":\"" + evil +
                       "\",\"hash\":\"" + evil + "\",\"command\":\"" + evil + "\",\"folder\":\"" + evil +
                       "\",\"end\":\"" + evil + "\",\"event_counts\":{\"" + evil + "\":1},\"warnings\":{\"" + evil +
                       "\":2},\"expectations\":[{\"text\":\"" + evil + "\",\"detail\":\"" + evil +
                       "\",\"passed\":true}]}";
  input.map = &map;
  input.trajectories = &trajectories;
  input.metrics = &metrics;
  input.notes = {kEvil};
  const std::string page = render_report(input);
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("alert('x')</script>")));
}

TEST(Report, TellsTheOutcome) {
  ReportInput input;
  input.summary_json =
      R"({"scenario":"crossing","end":"complete","passed":false,"simulated_s":60,"wall_s":1.5,"speed":40,"robots":200,
          "hash":"0123456789abcdef","expectations":[{"text":"{never: overlap}","passed":false,"detail":"a and b at 3 s"}],
          "warnings":{"fell behind":3},"event_counts":{"collision":12},"folder":"runs/crossing-1"})";
  const std::string page = render_report(input);
  for (const char* part : {"crossing", "failed", "0123456789abcdef", "{never: overlap}", "a and b at 3 s",
                           "fell behind", "collision", "strata replay runs/crossing-1", "Content-Security-Policy"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST(Report, AddedSectionsStandInTheirPlace) {
  ReportInput input;
  input.summary_json = "{}";
  input.sections = {{"Boards & cores", 350, "<p>mine</p>"}};
  const std::string page = render_report(input);
  EXPECT_THAT(page, HasSubstr("<h2>Boards &amp; cores</h2><p>mine</p>"));
  EXPECT_LT(page.find("Outcome"), page.find("Boards"));
  EXPECT_LT(page.find("Boards"), page.find("Run it again"));
}

TEST(Report, ADamagedSummaryStillGivesAPage) {
  for (const char* text : {"", "[]", "{\"scenario\":5,\"expectations\":{},\"warnings\":[1],\"wall_s\":\"x\"}"}) {
    ReportInput input;
    input.summary_json = text;
    EXPECT_THAT(render_report(input), HasSubstr("</html>"));
  }
}

TEST(Report, StaysSmallForLargeFleets) {
  Trajectories trajectories;
  const auto frames = fleet(10'000);
  for (int i = 0; i < 500; ++i) trajectories.add(sample(frames, 0.1 * i));
  EXPECT_EQ(trajectories.names().size(), 10'000U);
  ReportInput input;
  input.summary_json = "{}";
  input.trajectories = &trajectories;
  EXPECT_LT(render_report(input).size(), 5'000'000U);

  Trajectories many;
  const auto huge = fleet(100'000);
  for (int i = 0; i < 60; ++i) many.add(sample(huge, 0.1 * i));
  input.trajectories = &many;
  const std::string page = render_report(input);
  EXPECT_LT(page.size(), 5'000'000U);
  EXPECT_THAT(page, HasSubstr("of 100000 moving things"));
}

TEST(Trajectories, ThinEvenlyAndKeepTheEnd) {
  Trajectories trajectories(1000, 100);
  const auto frames = fleet(2);
  for (int i = 0; i <= 1000; ++i) trajectories.add(sample(frames, i));
  const auto moments = trajectories.moments();
  EXPECT_LE(moments.size(), 101U);
  EXPECT_GE(moments.size(), 50U);
  EXPECT_EQ(moments.front().time, Time());
  EXPECT_EQ(moments.back().time, Time::from_seconds(1000));
  const Duration step = moments[1].time.since_start();
  for (std::size_t i = 0; i + 2 < moments.size(); ++i) EXPECT_EQ(moments[i + 1].time - moments[i].time, step);
}

TEST(Trajectories, WhoComesLateHasNoEarlierPosition) {
  Trajectories trajectories;
  trajectories.add(sample(fleet(1), 0));
  trajectories.add(sample(fleet(2), 1));
  trajectories.add(sample(fleet(1), 2));
  const auto moments = trajectories.moments();
  ASSERT_EQ(moments.size(), 3U);
  EXPECT_EQ(moments[0].positions.size(), 1U);
  EXPECT_FALSE(std::isnan(moments[1].positions[1].x));
  EXPECT_TRUE(std::isnan(moments[2].positions[1].x));
  EXPECT_THAT(map_html(nullptr, &trajectories), HasSubstr("walker2"));
}

TEST(MapData, ReadsBack) {
  MapData map;
  map.fixed.push_back({"wall \xFF", {{0, 0}, {1.5, -1}}, 0.05});
  map.radii = {{"a", 0.25}};
  const auto back = map_from_json(to_json(map));
  ASSERT_TRUE(back.ok());
  ASSERT_EQ(back->fixed.size(), 1U);
  EXPECT_EQ(back->fixed[0].points[1], (Vec2{1.5, -1}));
  EXPECT_EQ(back->radii.at("a"), 0.25);
  for (const char* bad : {"", "[]", "{}", "{\"fixed\":[1],\"radii\":{}}", "{\"fixed\":[],\"radii\":{\"a\":\"b\"}}"})
    EXPECT_FALSE(map_from_json(bad).ok()) << bad;
}

TEST(ReadRun, GathersWhatAFolderHolds) {
  auto folder = RunFolder::create(fresh_folder() / "run", "x");
  ASSERT_TRUE(folder.ok());
  EXPECT_FALSE(read_run(*folder).ok()) << "no summary";
  ASSERT_TRUE(folder->write(RunFolder::kSummary, "{\"scenario\":\"x\"}").ok());
  ASSERT_TRUE(folder->write(RunFolder::kMetrics, "time_s,a\n0,1\n1,2\n").ok());
  {
    auto writer = McapWriter::create(folder->file(RunFolder::kRecording));
    ASSERT_TRUE(writer.ok());
    const auto schema =
        (*writer)->add_schema(ros1::tf_message_type().name, "ros1msg", ros1::tf_message_type().definition);
    const auto channel = (*writer)->add_channel("/tf", *schema, "ros1");
    const auto frames = fleet(3);
    for (int i = 0; i < 10; ++i) {
      const auto s = sample(frames, i);
      ASSERT_TRUE((*writer)->write(*channel, s->stamp, [&](Bytes& out) { encode_sample(*s, out); }).ok());
    }
    MapData map;
    map.fixed.push_back({"wall", {{0, 0}, {1, 0}}, 0.1});
    ASSERT_TRUE((*writer)->add_attachment(MapData::kAttachment, "application/json", Time(), to_json(map)).ok());
    ASSERT_TRUE((*writer)->close().ok());
  }
  const auto run = read_run(*folder);
  ASSERT_TRUE(run.ok());
  EXPECT_TRUE(run->notes.empty());
  ASSERT_TRUE(run->trajectories && run->metrics && run->map);
  EXPECT_EQ(run->trajectories->moments().size(), 10U);
  EXPECT_EQ(run->map->fixed.size(), 1U);
  EXPECT_THAT(render_report(run->input()), HasSubstr("walker3"));

  ASSERT_TRUE(folder->write(RunFolder::kRecording, "junk").ok());
  ASSERT_TRUE(folder->write(RunFolder::kMetrics, "junk\n").ok());
  const auto damaged = read_run(*folder);
  ASSERT_TRUE(damaged.ok());
  EXPECT_EQ(damaged->notes.size(), 2U);
  ASSERT_TRUE(folder->write(RunFolder::kSummary, "junk").ok());
  EXPECT_FALSE(read_run(*folder).ok());
}

}  // namespace
}  // namespace strata
