// SPDX-License-Identifier: MIT
#include "search/log/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "search/log/log_reader.h"
#include "tests/search/log_samples.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using testing::StartsWith;

/// The text of a log with these records behind it.
std::string Followed(std::string text, const std::vector<Json>& records) {
  LogTail tail = ParseLog(text).tail;
  for (const Json& record : records) text += SealLine(RecordText(record), tail);
  return text;
}

TEST(EventLog, EveryLineIsSealed) {
  LogTail tail;
  const std::string first = SealLine(RecordText(Json{{"t", "best"}, {"n", 1}}), tail);
  EXPECT_THAT(first, StartsWith(R"({"t":"best","n":1,"line":1,"after":"00000000","crc":")"));
  EXPECT_TRUE(Json::accept(first));
  const std::string second = SealLine(RecordText(Json{{"t", "end"}}), tail);
  const std::string crc = first.substr(first.size() - 11, 8);
  EXPECT_THAT(second, StartsWith(R"({"t":"end","line":2,"after":")" + crc + R"(","crc":")"));
  EXPECT_EQ(tail.bytes, first.size() + second.size());
}

TEST(EventLog, WhatIsWrittenIsRead) {
  const Log log = ParseLog(SampleLogText());
  EXPECT_THAT(log.problems, IsEmpty());
  EXPECT_FALSE(log.cut_off);
  ASSERT_TRUE(log.run);
  const RunRecord run = SampleRun();
  EXPECT_EQ(log.run->version, 2);
  EXPECT_EQ(log.run->tool, run.tool);
  EXPECT_EQ(log.run->started, run.started);
  EXPECT_EQ(log.run->space, run.space);
  EXPECT_EQ(log.run->fingerprint, run.fingerprint);
  EXPECT_EQ(log.run->kernel, run.kernel);
  EXPECT_EQ(log.run->sizes, run.sizes);
  EXPECT_EQ(log.run->device, run.device);
  EXPECT_EQ(log.run->limits, run.limits);
  EXPECT_EQ(log.run->conditions, run.conditions);
  EXPECT_EQ(log.run->seed, run.seed);
  EXPECT_EQ(log.run->flops, run.flops);
  EXPECT_EQ(log.run->argv, run.argv);
  EXPECT_EQ(log.run->order, run.order);
  ASSERT_EQ(log.choices.size(), 3u);
  EXPECT_EQ(log.choices[2].name, "color");
  EXPECT_THAT(log.choices[2].args, ElementsAre("b"));
  EXPECT_THAT(log.choices[2].domain, ElementsAre("RED", "GREEN", "BLUE"));
  ASSERT_EQ(log.evals.size(), 4u);
  const EvalRecord eval = SampleEval(2);
  EXPECT_EQ(log.evals[1].n, eval.n);
  EXPECT_EQ(log.evals[1].dt, eval.dt);
  EXPECT_EQ(log.evals[1].path, eval.path);
  EXPECT_EQ(log.evals[1].vector, eval.vector);
  EXPECT_EQ(log.evals[1].hash, eval.hash);
  EXPECT_EQ(log.evals[1].code, eval.code);
  EXPECT_EQ(log.evals[1].verdict, eval.verdict);
  EXPECT_EQ(log.evals[1].compile_ms, eval.compile_ms);
  EXPECT_EQ(log.evals[1].check_ms, eval.check_ms);
  EXPECT_EQ(log.evals[1].runtimes_ns, eval.runtimes_ns);
  EXPECT_EQ(log.evals[1].best_ns, eval.best_ns);
  EXPECT_EQ(log.evals[1].max_error, eval.max_error);
  EXPECT_EQ(log.evals[1].error_ratio, eval.error_ratio);
  EXPECT_THAT(log.evals[2].why, HasSubstr("not 1"));
  ASSERT_EQ(log.deads.size(), 1u);
  EXPECT_EQ(log.deads[0].label, "different");
  EXPECT_EQ(log.deads[0].step, (PathStep{1, 2}));
  ASSERT_EQ(log.references.size(), 1u);
  EXPECT_EQ(log.references[0].best_ns, 2e6);
  ASSERT_TRUE(log.end);
  EXPECT_EQ(log.end->why, "budget:evals");
  EXPECT_EQ(log.end->verdicts.at("wrong"), 1u);
  ASSERT_NE(log.Best(), nullptr);
  EXPECT_EQ(log.Best()->n, 2u);
  EXPECT_EQ(log.BestTime(), 902);
  EXPECT_EQ(log.Find(17), nullptr);
}

TEST(LogReader, ALogThatIsCutOffAnywhereIsReadUpToThere) {
  const std::string text = SampleLogText();
  std::size_t lines = 0;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const Log log = ParseLog(std::string_view(text).substr(0, size));
    EXPECT_THAT(log.problems, IsEmpty()) << size;
    const std::size_t records = (log.run ? 1 : 0) + log.choices.size() + log.deads.size() +
                                log.evals.size() + log.bests.size() + log.references.size() +
                                (log.end ? 1 : 0);
    const std::string_view kept = std::string_view(text).substr(0, size);
    lines = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '\n'));
    const bool whole_but_for_the_end_of_line = size < text.size() && text[size] == '\n';
    EXPECT_EQ(records, lines + whole_but_for_the_end_of_line) << size;
    const bool at_a_seam = size == 0 || text[size - 1] == '\n' || whole_but_for_the_end_of_line;
    EXPECT_EQ(log.cut_off, !at_a_seam) << size;
  }
  EXPECT_EQ(lines, 12u);
}

TEST(LogReader, DamageIsReportedAndTheRestIsRead) {
  const std::string text = SampleLogText();
  const std::size_t in_line_6 = text.find("\"t\":\"eval\"");
  std::string damaged = text;
  damaged[in_line_6 + 6] = 'x';
  const Log log = ParseLog(damaged);
  EXPECT_THAT(log.problems, ElementsAre("line 6: checksum does not match"));
  EXPECT_EQ(log.evals.size(), 3u);
  EXPECT_TRUE(log.end);
}

TEST(LogReader, AnyFlippedBitIsSeen) {
  const std::string text = SampleLogText();
  for (std::size_t position = 0; position < text.size(); position += 7) {
    std::string damaged = text;
    damaged[position] = static_cast<char>(damaged[position] ^ 4);
    const Log log = ParseLog(damaged);
    EXPECT_FALSE(log.problems.empty() && !log.cut_off) << position;
  }
}

TEST(LogReader, UnknownTypesAndFieldsAreIgnored) {
  Json eval = ToJson(SampleEval(1));
  eval["colour"] = "new";
  const std::string text =
      Followed(SampleLogText(), {Json{{"t", "cut"}, {"bound_ns", 3}}, eval, Json{{"x", 1}}});
  const Log log = ParseLog(text);
  EXPECT_THAT(log.problems, IsEmpty());
  EXPECT_EQ(log.evals.size(), 5u);
}

TEST(LogReader, AFieldOfTheWrongTypeIsAProblemOfItsLine) {
  const Log log = ParseLog(Followed(SampleLogText(), {Json{{"t", "eval"}, {"n", "one"}}}));
  EXPECT_THAT(log.problems, ElementsAre("line 13: type must be number, but is string"));
}

// Long texts go round the parser. What they could be mistaken for is read as well.
TEST(LogReader, LongTextsAreReadAsTheyAre) {
  const std::string a(1000, 'a'), b(500, 'b'),
      mark =
          "\x7f"
          "0";
  const std::vector<Json> records = {
      {{"t", "x"}, {"a", a}, {"in", {{"b", b}, {"list", {b, 1, a}}}}, {"none", ""}},
      {{"t", a}, {b, b}},
      {{"t", a + "\n\"quoted\" \\ " + a}, {"b", b}},
      {{"t", a + "ä" + a}, {"b", b}},
      {{"t", a}, {"b", mark}},
      {{"t", a}, {"b", mark + b}},
      {{"t", a}, {"b", std::string("\x01") + b}},
  };
  for (const Json& record : records) EXPECT_EQ(ParseRecord(RecordText(record)), record);
  // An escape may stand for the character that a place is marked with.
  EXPECT_EQ(ParseRecord(R"({"t":")" + a + R"(","b":"\u007f0")"), (Json{{"t", a}, {"b", mark}}));
  for (const std::string& broken : std::vector<std::string>{R"({"t":")" + a, R"({"t":")" + a + "\\",
                                                            R"({"t":")" + a + R"(",)"}) {
    EXPECT_THROW(ParseRecord(broken), Json::exception) << broken;
  }
}

// A log longer than what is in memory at once, one of whose lines is.
TEST(LogReader, ALongLogIsReadPieceByPiece) {
  TempFolder folder;
  std::string text = SampleLogText();
  LogTail tail = ParseLog(text).tail;
  const auto add = [&](std::uint64_t n, std::size_t size) {
    EvalRecord eval = SampleEval(n);
    eval.vector.assign(size, static_cast<char>('0' + n % 10));
    text += SealLine(RecordText(ToJson(eval)), tail);
  };
  for (std::uint64_t n = 100; n < 1000; ++n) add(n, 40'000);
  add(1000, 20 << 20);
  add(1001, 10);
  const std::size_t whole = text.size();
  text += R"({"t":"eval","n":1002)";
  std::ofstream(folder / "log.jsonl", std::ios::binary) << text;
  const Log log = ReadLog(folder.path());
  EXPECT_THAT(log.problems, IsEmpty());
  EXPECT_TRUE(log.cut_off);
  EXPECT_EQ(log.tail.bytes, whole);
  EXPECT_EQ(log.tail.checksum, tail.checksum);
  ASSERT_EQ(log.evals.size(), ParseLog(text).evals.size());
  ASSERT_NE(log.Find(1000), nullptr);
  EXPECT_EQ(log.Find(1000)->vector, std::string(20 << 20, '0'));
  EXPECT_EQ(log.Find(537)->vector, std::string(40'000, '7'));
  EXPECT_EQ(log.evals.back().n, 1001u);
  EXPECT_EQ(ReadLogText(folder.path()), text);
}

TEST(LogReader, NoLogIsOneLine) {
  TempFolder folder;
  EXPECT_THAT(Thrown<UsageError>([&] { ReadLog(folder / "none"); }), HasSubstr("no log at"));
  EXPECT_THAT(Thrown<UsageError>([&] { ReadLog(folder.path()); }), HasSubstr("/log.jsonl"));
  std::ofstream(folder / "log.jsonl") << "not a log\n";
  EXPECT_THAT(Thrown<UsageError>([&] { ReadLog(folder.path()); }), HasSubstr("no header"));
}

/// A log that may not be read is there, and that is said. (The user `root` may read all modes.)
TEST(LogReader, ALogThatCannotBeReadIsNotCalledMissing) {
  TempFolder folder;
  std::filesystem::create_directory(folder / "log.jsonl");
  EXPECT_THAT(Thrown<UsageError>([&] { ReadLog(folder.path()); }),
              AllOf(HasSubstr("/log.jsonl' cannot be read: Is a directory")));
}

/// JSON that is nested deeper than the stack is large.
TEST(LogReader, ANestThatIsTooDeepIsAProblemOfItsLine) {
  const std::string nest =
      R"({"t":"dead","x":)" + std::string(200000, '[') + std::string(200000, ']');
  std::string text = SampleLogText();
  LogTail tail = ParseLog(text).tail;
  text += SealLine(nest, tail);
  text += SealLine(RecordText(Json{{"t", "cut"}}), tail);
  const Log log = ParseLog(text);
  EXPECT_THAT(log.problems,
              ElementsAre("line 13: its record is nested deeper than 64 lists and objects"));
  EXPECT_EQ(log.tail.lines, 14u);
  // Brackets in a text are no nest.
  const std::string words = std::string(300, '[') + "\"{{";
  EXPECT_THAT(ParseLog(Followed(SampleLogText(), {Json{{"t", "x"}, {"why", words}}})).problems,
              IsEmpty());
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

TEST(LogReader, LinesThatAreMissingAreSeen) {
  std::vector<std::string> lines = Lines(SampleLogText());
  lines.erase(lines.begin() + 6);
  EXPECT_THAT(ParseLog(Joined(lines)).problems, ElementsAre("line 7 is missing"));
  lines.erase(lines.begin() + 3, lines.begin() + 5);
  const Log log = ParseLog(Joined(lines));
  EXPECT_THAT(log.problems, ElementsAre("lines 4 to 5 are missing", "line 7 is missing"));
  EXPECT_EQ(log.evals.size(), 3u);
}

TEST(LogReader, LinesThatStandTwiceAreSeenAndReadOnce) {
  std::vector<std::string> lines = Lines(SampleLogText());
  lines.insert(lines.begin() + 8, lines[6]);
  const Log log = ParseLog(Joined(lines));
  EXPECT_THAT(log.problems, ElementsAre("line 7 stands there again, behind line 8"));
  EXPECT_EQ(log.evals.size(), 4u);
}

TEST(LogReader, LinesInAnotherOrderAreSeen) {
  std::vector<std::string> lines = Lines(SampleLogText());
  std::swap(lines[6], lines[7]);
  const Log log = ParseLog(Joined(lines));
  EXPECT_THAT(log.problems, ElementsAre("line 7 stands behind line 8"));
  EXPECT_EQ(log.evals.size(), 4u);
}

TEST(LogReader, LinesOfAnotherLogAreSeen) {
  const std::vector<std::string> lines = Lines(SampleLogText());
  std::vector<std::string> others = lines;
  Json eval = ToJson(SampleEval(1));
  LogTail tail = ParseLog(Joined({lines.begin(), lines.begin() + 5})).tail;
  eval["dt"] = 17;
  others[5] = SealLine(RecordText(eval), tail);
  EXPECT_THAT(ParseLog(Joined(others)).problems,
              ElementsAre(StartsWith("line 7: it does not belong behind the one before")));
}

TEST(EventLog, RecordsAreInTheFileAtOnce) {
  TempFolder folder;
  EventLog log(folder / "log.jsonl");
  log.Write(SampleRun());
  EXPECT_TRUE(ReadLog(folder.path()).run);
  log.Write(SampleEval(1));
  EXPECT_EQ(ReadLog(folder.path()).evals.size(), 1u);
}

TEST(EventLog, NeverOverwrites) {
  TempFolder folder;
  std::ofstream(folder / "log.jsonl") << "precious";
  EXPECT_THAT(Thrown<Error>([&] { EventLog log(folder / "log.jsonl"); }), HasSubstr("File exists"));
  EXPECT_EQ(ReadAll(folder / "log.jsonl"), "precious");
}

TEST(EventLog, AFolderThatDoesNotExistIsAnError) {
  EXPECT_THAT(Thrown<Error>([] { EventLog log("/nonexistent/log.jsonl"); }),
              HasSubstr("No such file"));
}

/// The descriptor of a file that this process has open, or -1.
int DescriptorOf(const std::string& path) {
  const auto wanted = std::filesystem::canonical(path);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry.path(), gone) == wanted) {
      return std::stoi(entry.path().filename().string());
    }
  }
  return -1;
}

/// A pipe takes what is written, but cannot be brought to a disk: so one sees who tries.
TEST(EventLog, ADurableLogIsOnTheDiskWhenAnEvaluationIsWritten) {
  for (const bool durable : {false, true}) {
    TempFolder folder;
    EventLog log(folder / "log.jsonl");
    if (durable) log.MakeDurable();
    log.Write(SampleRun());
    log.Write(SampleEval(1));
    EXPECT_EQ(ReadLog(folder.path()).evals.size(), 1u);
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    ASSERT_GE(::dup2(pipe[1], DescriptorOf(folder / "log.jsonl")), 0);
    log.Write(SampleChoice(1));
    const std::string said = Thrown<Error>([&] { log.Write(SampleEval(2)); });
    EXPECT_THAT(said, HasSubstr(durable ? "log.jsonl: Invalid argument" : "nothing thrown"));
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
}

/// A limit on the size of files stands for a full disk: writes come back short, then fail.
TEST(EventLog, AFullDiskIsAnErrorAndWholeLinesStay) {
  TempFolder folder;
  EventLog log(folder / "log.jsonl");
  log.Write(SampleRun());
  log.Write(SampleEval(1));
  const std::string before = ReadAll(folder / "log.jsonl");

  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = before.size() + 20;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = Thrown<Error>([&] { log.Write(SampleEval(2)); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);

  EXPECT_THAT(message, HasSubstr("log.jsonl: File too large"));
  EXPECT_EQ(ReadAll(folder / "log.jsonl"), before);
  log.Write(SampleEval(3));  // Space was made: the log goes on.
  const Log read = ReadLog(folder.path());
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_EQ(read.evals.size(), 2u);
}

}  // namespace
}  // namespace exh::search
