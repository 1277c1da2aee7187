#include "coordinator/messages/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::coordinator {
namespace {

using ::testing::HasSubstr;

TEST(Message, HasTheDocumentedLayout) {
  const std::string bytes = encode({Code::kTerminate, MessageKind::kSynchronisation, 7, 0x0102, "ab"});
  EXPECT_EQ(bytes, std::string("STC\x01"
                               "\xDC\x00"
                               "\x03\x00"
                               "\x07\x00\x00\x00"
                               "\x02\x00\x00\x00"
                               "\x02\x01\x00\x00\x00\x00\x00\x00"
                               "ab",
                               26));
  EXPECT_EQ(decode(bytes).value().id, 0x0102U);
}

TEST(Message, RefusesWhatIsNotOne) {
  const std::string good = encode({Code::kQuery, MessageKind::kProtocol, 1, 0, "{}"});
  const auto problem = [](const std::string& bytes) {
    const auto message = decode(bytes);
    return message.ok() ? "" : to_text(message.errors());
  };
  EXPECT_EQ(problem(good), "");
  EXPECT_NE(problem(""), "");
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_NE(problem(good.substr(0, size)), "") << size;
  EXPECT_THAT(problem(good + "x"), HasSubstr("bytes that says"));
  std::string version = good;
  version[3] = 2;
  EXPECT_THAT(problem(version), HasSubstr("version 2"));
  std::string code = good;
  code[4] = 1;
  code[5] = 0;
  EXPECT_THAT(problem(code), HasSubstr("unknown message code 1"));
  std::string kind = good;
  kind[6] = 9;
  EXPECT_THAT(problem(kind), HasSubstr("unknown kind"));
}

TEST(Message, KeepsEveryRuleOfATask) {
  TaskSpec task;
  task.command = "walk";
  task.arguments = {"a b", "", "new\nline"};
  task.environment = {"A=1"};
  task.folder = "/tmp";
  task.uses = {{3, Use::kRead, 1}, {4, Use::kWrite, 2}};
  task.priority = 0;
  task.group = "g";
  task.after = {0, 5};
  task.after_success = {0};
  task.timeout = std::chrono::seconds(1);
  task.deadline = std::chrono::seconds(2);
  task.duration = std::chrono::seconds(3);
  task.retries = 4;
  task.retry_delay = std::chrono::seconds(5);
  task.on_interrupt = Policy::kFail;
  task.on_preempt = Policy::kRequeue;
  task.limits = {std::chrono::seconds(6), 7, -8, "0-2", "robot"};
  EXPECT_EQ(decode_tasks(encode_tasks(std::vector{task, TaskSpec{}})).value().front(), task);
}

TEST(Message, RefusesTasksThatAreCutOff) {
  TaskSpec task;
  task.command = "walk";
  std::string bytes;
  encode_task(task, bytes);
  EXPECT_FALSE(decode_task(bytes.substr(0, bytes.size() - 1)).ok());
  EXPECT_FALSE(decode_task("\xFF" + std::string(4, '\0')).ok());
  EXPECT_FALSE(decode_tasks("").ok());
}

TEST(Message, CarriesReportsAndErrors) {
  const Report report{{1, 2, false, "why"}, std::chrono::seconds(3), 4};
  EXPECT_EQ(decode_report(encode_report(report)).value(), report);
  const Errors errors = decode_errors(encode_errors({{{}, "a", "b"}, {{}, "c", ""}}));
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].remedy, "b");
}

}  // namespace
}  // namespace strata::coordinator
