// SPDX-License-Identifier: MIT
#include "search/page/page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "search/log/run_folder.h"
#include "search/page/again/requirements.h"
#include "search/page/columns.h"
#include "search/page/decisions/decision_columns.h"
#include "search/page/prefix_tree.h"
#include "search/page/run_json.h"
#include "search/page/script_json.h"
#include "tests/search/log_samples.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

constexpr const char* kTemplate =
    "<!--exhaust report 3--><title><!--title--></title><script><!--data--></script>";

Log SampleLog() {
  return ParseLog(SampleLogText());
}

Json DataOf(Log log) {
  return Json::parse(PageData({{"runs/a", std::move(log)}}, "2026-01-31T12:00:00Z"));
}

Json RunOf(Log log) {
  return DataOf(std::move(log))["runs"][0];
}

TEST(ScriptString, EndsNoScriptAndIsStillTheText) {
  for (const std::string text :
       {"</script><script>alert(1)</script>", "<!-- <script>", "\"quotes' & \\ backslash\n\t\x01",
        "line\xe2\x80\xa8"
        "and\xe2\x80\xa9 paragraph",
        "]]>", ""}) {
    const std::string json = ScriptString(text, 1000);
    EXPECT_EQ(json.find_first_of("<>&\n"), std::string::npos) << json;
    EXPECT_THAT(json, Not(HasSubstr("\xe2\x80\xa8")));
    EXPECT_EQ(Json::parse(json).get<std::string>(), text);
  }
}

TEST(ScriptString, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(Json::parse(ScriptString("a\xff"
                                     "b",
                                     10))
                .get<std::string>(),
            "a\xef\xbf\xbd"
            "b");
}

TEST(ScriptString, SaysHowLongALongTextWas) {
  const std::string text(10000, 'x');
  EXPECT_EQ(Json::parse(ScriptString(text, 10)).get<std::string>(), "xxxxxxxxxx… (10000 bytes)");
  EXPECT_EQ(Json::parse(ScriptString(text, 10000)).get<std::string>(), text);
  // It cuts no character in two: ä has two bytes.
  EXPECT_EQ(Json::parse(ScriptString("aäb", 2)).get<std::string>(), "a… (4 bytes)");
}

TEST(ScriptJson, WritesWhatParsersRead) {
  ScriptJson json;
  json.Open('{');
  json.Key("a<b").Open('[');
  json.Number(1.5);
  json.Number(1234567.891);
  json.Number(1e300 * 1e300);
  json.Integer(-3);
  json.Bool(true);
  json.Null();
  json.Close();
  json.Key("none").Open('[');
  json.Close();
  json.Key("pairs").Pairs(std::map<std::string, std::uint64_t>{{"x", 1}});
  json.Close();
  EXPECT_EQ(Json::parse(json.Take()),
            Json::parse(R"({"a<b":[1.5,1234570,null,-3,true,null],"none":[],"pairs":[["x",1]]})"));
}

TEST(PageData, HasEveryEvaluation) {
  const Json run = RunOf(SampleLog());
  EXPECT_EQ(run["count"], 4);
  EXPECT_THAT(run["evals"]["n"], ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(run["evals"]["ns"], ElementsAre(901, 902, 0, 904));
  EXPECT_THAT(run["verdicts"], ElementsAre("correct", "wrong"));
  EXPECT_THAT(run["evals"]["verdict"], ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(run["evals"]["reason"], ElementsAre(-1, -1, 0, -1));
  EXPECT_THAT(run["reasons"][0].get<std::string>(), HasSubstr(" not 1"));
  EXPECT_FALSE(run["evals"].contains("registers")) << "no GPU: nothing to say";
}

TEST(PageData, HasTheMemoryOfEvaluationsAndYardsticks) {
  Log log = SampleLog();
  EXPECT_FALSE(RunOf(log)["evals"].contains("memory")) << "older logs say nothing of it";
  for (EvalRecord& eval : log.evals) {
    eval.workspace_bytes = 10 * eval.n;
    eval.memory_bytes = 500 + eval.workspace_bytes;
  }
  log.references[0].workspace_bytes = 77;
  const Json run = RunOf(log);
  EXPECT_THAT(run["evals"]["memory"], ElementsAre(510, 520, 530, 540));
  EXPECT_THAT(run["evals"]["workspace"], ElementsAre(10, 20, 30, 40));
  EXPECT_EQ(run["references"][0]["workspace"], 77);
  EXPECT_EQ(run["run"]["objective"], "time");
}

TEST(PageData, HasColumnsOfDecisionsThatVary) {
  const Json run = RunOf(SampleLog());
  // mode(r) was taken, but is LOOSE everywhere. color(b) is taken in all.
  ASSERT_EQ(run["decisions"].size(), 1u);
  EXPECT_EQ(run["decisions"][0]["name"], "color(b)");
  EXPECT_EQ(run["decisions"][0]["column"], "1.1.");
  EXPECT_THAT(run["decisions"][0]["values"], ElementsAre("RED", "GREEN", "BLUE"));
}

TEST(PageData, HasBestsDeadEndsYardsticksAndTheEnd) {
  const Json run = RunOf(SampleLog());
  EXPECT_EQ(run["bests"], Json::parse("[[2,0,902]]"));
  ASSERT_EQ(run["deadEnds"].size(), 1u);
  EXPECT_EQ(run["deadEnds"][0]["label"], "different");
  EXPECT_EQ(run["deadEnds"][0]["count"], 1);
  EXPECT_EQ(run["deadEnds"][0]["median"], 2);
  EXPECT_EQ(run["references"][0]["name"], "naive");
  EXPECT_EQ(run["references"][0]["ns"], 2e6);
  EXPECT_EQ(run["end"]["why"], "budget:evals");
  EXPECT_EQ(run["end"]["activities"], Json::parse(R"([["compile",1.5],["descend",0.25]])"));
  EXPECT_THAT(run["run"]["argv"], ElementsAre("./exh search", "--kernel", "mat\"mul\n"));
}

TEST(PageData, SaysWhyTheWinnerCannotBeMadeAgain) {
  const Json winner = RunOf(SampleLog())["winner"];
  EXPECT_EQ(winner["n"], 2);
  EXPECT_NE(winner["trouble"], "");
  EXPECT_EQ(winner["taken"], Json::parse(R"x([["mode(r)","LOOSE"],["color(b)","BLUE"]])x"));
  // Records 1 and 4 were correct as well; record 3 was not.
  ASSERT_EQ(winner["finalists"].size(), 2u);
  EXPECT_EQ(winner["finalists"][0]["n"], 1);
  EXPECT_EQ(winner["finalists"][0]["differs"], Json::parse(R"x([["color(b)","-","GREEN"]])x"));
}

TEST(PageData, HasNoWinnerWhereNothingWasCorrect) {
  Log log = SampleLog();
  log.bests.clear();
  EXPECT_TRUE(RunOf(log)["winner"].is_null());
}

TEST(PageData, WinnerAndYardsticksHaveTheTimesOfTheFinals) {
  Log log = SampleLog();
  ReferenceRecord winner = log.references.at(0), eigen = winner;
  winner.name = "winner";
  winner.lo_ns = 880, winner.median_ns = 890, winner.hi_ns = 900;
  eigen.name = "eigen";
  eigen.best_ns = 700;  // Its fastest batch: no number that anybody says.
  eigen.lo_ns = 950, eigen.median_ns = 960, eigen.hi_ns = 970;
  log.references = {winner, eigen};
  log.run->machine = {{"processor", "model A"}};
  const Json run = RunOf(log);
  EXPECT_EQ(run["winner"]["ns"], 890) << "and not the 902 of the search";
  EXPECT_EQ(run["winner"]["lo"], 880);
  EXPECT_EQ(run["winner"]["hi"], 900);
  EXPECT_EQ(run["references"][1]["ns"], 960);
  EXPECT_EQ(run["run"]["machine"], Json::parse(R"x([["processor","model A"]])x"));
}

TEST(PageData, KeepsTextsAsTheyAre) {
  Log log = SampleLog();
  const std::string evil = "</script><img src=x onerror=alert(1)>\"'";
  log.run->kernel = evil;
  log.evals[2].why = evil;
  log.choices[2].domain[2] = std::string(10000, 'n') + evil;
  const std::string data = PageData({{evil, log}}, "now");
  EXPECT_EQ(data.find_first_of("<>"), std::string::npos);
  const Json run = Json::parse(data)["runs"][0];
  EXPECT_EQ(run["name"], evil);
  EXPECT_EQ(run["run"]["kernel"], evil);
  EXPECT_EQ(run["reasons"][0], evil);
  EXPECT_EQ(run["decisions"][0]["values"][2], std::string(10000, 'n') + evil);
}

TEST(PageData, LeavesOutWhatDoesNotFitAndCountsIt) {
  Log log = SampleLog();
  log.evals[0].why = "another reason";
  ColumnLimits limits;
  limits.reasons = 15;
  ScriptJson json;
  json.Open('{');
  EvalColumns(log, limits).Write(json);
  WriteDecisions(log, 20, json);
  json.Close();
  const Json run = Json::parse(json.Take());
  EXPECT_THAT(run["evals"]["reason"], ElementsAre(0, -1, -2, -1));
  EXPECT_EQ(run["reasonsLeftOut"], 1);
  json.Open('{');
  WriteDecisions(log, 5, json);
  json.Close();
  const Json none = Json::parse(json.Take());
  EXPECT_TRUE(none["decisions"].empty());
  EXPECT_EQ(none["decisionsLeftOut"], 1);
}

TEST(PageData, OfAHundredThousandEvaluationsIsSmall) {
  Log log = SampleLog();
  log.evals.clear();
  for (std::uint64_t n = 1; n <= 100'000; ++n) {
    EvalRecord eval = SampleEval(n);
    eval.vector.clear();
    eval.path.clear();
    for (int decision = 0; decision < 150; ++decision) {
      const int value = static_cast<int>((n * 2654435761u >> (decision % 20)) % 3);
      eval.vector += static_cast<char>('0' + value);
      if (decision % 3 > 0) eval.path.push_back({decision, value});
    }
    eval.bound_ns = 123456.789;
    eval.registers = 255;
    eval.clock_mhz = 1755;
    eval.why = fmt::format("{}: the compiler says that line {} is wrong", std::string(300, 'w'), n);
    log.evals.push_back(eval);
  }
  EXPECT_LE(PageData({{"a", log}}, "now").size(), 14'000'000u);
}

SelectRecord Select(std::uint64_t sequence, Path path) {
  SelectRecord select;
  select.sequence = sequence;
  select.path = std::move(path);
  return select;
}

TEST(DeclarationAt, HasTheCommentAboveAndAllThatIsIndented) {
  const std::string text =
      "set A end\n"
      "// Why.\n"
      "require one:\n"
      "  forall $a in A:\n"
      "    x($a) is 1\n"
      "require two:\n"
      "  last";
  EXPECT_EQ(DeclarationAt(text, 3), "// Why.\nrequire one:\n  forall $a in A:\n    x($a) is 1\n");
  EXPECT_EQ(DeclarationAt(text, 6), "require two:\n  last\n");
  EXPECT_EQ(DeclarationAt("choice c:\n  /// Why.\n  value V:\n    requires x\n  value W:\n", 3),
            "  /// Why.\n  value V:\n    requires x\n");
  EXPECT_EQ(DeclarationAt(text, 8), "");
  EXPECT_EQ(DeclarationAt("", 1), "");
}

TEST(SpacePaths, AreThoseOfAnInstalledProgramAndOfTheTree) {
  EXPECT_THAT(SpacePaths("/tree/build/release/bin", "kernels/spaces/dims.exh"),
              ElementsAre("/tree/build/release/share/exhaust/spaces/dims.exh",
                          "/tree/kernels/spaces/dims.exh"));
}

TEST(PrefixTree, CountsVisitsAndWhatCameOfThem) {
  Log log = SampleLog();
  log.selects = {Select(1, {{0, 0}}), Select(2, {{0, 0}, {1, 2}}), Select(3, {{0, 1}})};
  for (std::size_t i = 0; i < 3; ++i) log.evals[i].selection = i + 1;
  log.evals.resize(3);  // 901 ns, 902 ns, and a wrong one.
  const PrefixTree tree(log);
  ASSERT_EQ(tree.nodes().size(), 4u);
  const PrefixNode& root = tree.nodes()[0];
  EXPECT_EQ(root.visits, 3u);
  EXPECT_EQ(root.evaluations, 3u);
  EXPECT_EQ(root.correct, 2u);
  EXPECT_EQ(root.best_ns, 901);
  EXPECT_EQ(tree.nodes()[1].visits, 2u);
  EXPECT_EQ(tree.nodes()[2].parent, 1);
  EXPECT_EQ(tree.nodes()[2].best_ns, 902);
  EXPECT_EQ(tree.nodes()[3].correct, 0u);
  EXPECT_THAT(tree.MostVisited(2), ElementsAre(0, 1));
}

TEST(PrefixTree, OfARunWithoutSelectionsIsThatOfItsEvaluations) {
  const PrefixTree tree(SampleLog());  // Paths (0,0) (2,n%3): each adds one node.
  EXPECT_EQ(tree.nodes()[0].visits, 4u);
  EXPECT_EQ(tree.nodes()[0].evaluations, 4u);
  EXPECT_EQ(tree.nodes()[1].visits, 4u) << "mode(r)=LOOSE";
  EXPECT_EQ(tree.nodes().size(), 5u) << "record 1 made the first, records 2, 3 and 4 one each";
}

TEST(PrefixTree, CountsWhatIsLeftOut) {
  ScriptJson json;
  json.Open('{');
  WritePrefixTree(SampleLog(), PrefixTree(SampleLog()), 2, json);
  json.Close();
  const Json tree = Json::parse(json.Take())["tree"];
  EXPECT_EQ(tree["count"], 5);
  EXPECT_THAT(tree["parent"], ElementsAre(-1, 0));
  EXPECT_THAT(tree["hidden"], ElementsAre(0, 3));
  EXPECT_THAT(tree["names"], ElementsAre("mode(r) = LOOSE"));
}

TEST(PrefixTree, LearnsBoundsDeadEndsAndCutsOfTheTree) {
  // Two decisions with values 0, 1, 2: value 2 of the first is a dead end, bounds are 10 * value.
  class Space final : public TreeSpace {
   public:
    Branch Root() const override { return {}; }
    Branches Expand(const Path& path) const override {
      Branches branches;
      branches.decision = static_cast<std::uint32_t>(path.size());
      for (std::uint16_t value = 0; value < 3; ++value) {
        Branch branch;
        branch.value = value;
        branch.bound = 10.0 * value;
        branch.is_leaf = !path.empty();
        branch.is_dead_end = path.empty() && value == 2;
        branches.values.push_back(branch);
      }
      return branches;
    }
  };
  const Space space;
  Tree real(space, {});
  Log log = SampleLog();
  log.evals.clear();
  const std::vector<Path> paths = {{}, {{0, 0}}, {{0, 0}, {1, 0}}};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    log.selects.push_back(Select(i + 1, paths[i]));
    real.BackUp(real.Repeat(paths[i], false).edge, {Backup::Kind::kTimed, 15.0});
  }
  real.SetBest(15);
  PrefixTree tree(log);
  tree.Learn(real);
  ASSERT_EQ(tree.nodes().size(), 3u);
  EXPECT_EQ(tree.nodes()[0].dead_ends, 1u);
  EXPECT_EQ(tree.nodes()[0].cut, 0u);
  EXPECT_EQ(tree.nodes()[1].cut, 1u) << "bound 20 of its third value";
  EXPECT_EQ(tree.nodes()[2].state, PrefixNode::State::kDone);
}

TEST(PageData, OfADamagedLogSaysWhatIsDamaged) {
  std::string text = SampleLogText();
  const std::size_t at = text.find("\"n\":3");
  ASSERT_NE(at, std::string::npos);
  text[at + 4] = '7';
  const Json run = RunOf(ParseLog(text));
  EXPECT_EQ(run["count"], 3);
  EXPECT_EQ(run["numProblems"], 1);
  EXPECT_THAT(run["problems"][0].get<std::string>(), HasSubstr("checksum"));
}

TEST(FleetPageData, HasTheStatusAsItIs) {
  const std::string status = R"({"shapes":[{"shape":"</script>","why":"a < b & c"}]})";
  const std::string data = FleetPageData(status, "../fleet", "2026-01-31T12:00:00Z");
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos) << data;
  const Json json = Json::parse(data);
  EXPECT_EQ(json["folder"], "../fleet");
  EXPECT_EQ(json["fleet"], Json::parse(status));
}

TEST(FillPage, PutsTitleAndDataInTheirPlaces) {
  EXPECT_EQ(FillPage(kTemplate, "a <b> & c", "{}"),
            "<!--exhaust report 3--><title>a &lt;b> &amp; c</title><script>{}</script>");
}

std::string FromBase64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bits = bits << 6 | static_cast<std::uint32_t>(letters.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count);
  }
  return bytes;
}

TEST(ScriptJson, LongColumnsArePackedAndStayWhatTheyAre) {
  std::string column = "\"";
  while (column.size() < (1 << 15)) column += "0123abz./+";
  for (int more = 0; more < 3; ++more) {  // All three ends that base64 has.
    column += static_cast<char>('x' + more);
    ScriptJson json;
    json.Open('{');
    json.Key("column").Column(column + '"');
    json.Key("short").Column("[1,2]");
    EXPECT_GE(json.size(), column.size()) << "as if it were not packed";
    json.Close();
    const std::string text = json.Take();
    EXPECT_LT(text.size(), 2000u);
    EXPECT_EQ(text.find_first_of("<>&"), text.npos);
    const Json object = Json::parse(text);
    EXPECT_EQ(object["short"], Json({1, 2}));
    const std::string packed = object["column"]["packed"];
    EXPECT_EQ(packed.size() % 4, 0u);
    const std::string bytes = FromBase64(packed);
    std::string unpacked(1 << 16, '\0');
    uLongf size = unpacked.size();
    ASSERT_EQ(::uncompress(reinterpret_cast<Bytef*>(unpacked.data()), &size,
                           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
              Z_OK);
    EXPECT_EQ(unpacked.substr(0, size), column + '"');
  }
}

TEST(FillPage, RefusesAPageOfAnotherVersion) {
  for (const char* page : {"", "<!--exhaust report 3--><!--title-->",
                           "<!--exhaust report 0--><!--title--><!--data-->"}) {
    EXPECT_THAT(Thrown<Error>([&] { FillPage(page, "", "{}"); }),
                HasSubstr("another version of search: ./exh report-assets"));
  }
}

TEST(ReadTemplate, SaysHowToMakeOneThatIsNotThere) {
  const TempFolder folder;
  EXPECT_THAT(Thrown<UsageError>([&] { ReadTemplate(folder / "none.html"); }),
              HasSubstr("none.html'); this makes it, with Node.js and npm: ./exh report-assets"));
  WriteFile(folder / "page.html", kTemplate);
  EXPECT_EQ(ReadTemplate(folder / "page.html"), kTemplate);
}

TEST(TemplatePaths, AreThoseOfAnInstalledProgramAndOfTheTree) {
  EXPECT_THAT(TemplatePaths("/tree/build/release/bin"),
              ElementsAre("/tree/build/release/share/exhaust/report/report.html",
                          "/tree/build/report-assets/report.html"));
}

TEST(ReadRuns, RefusesWhatCannotBeShown) {
  const TempFolder folder;
  EXPECT_THAT(Thrown<UsageError>([&] { ReadRuns({folder / "none"}); }), HasSubstr("no log at"));
  LogTail tail;
  RunRecord run = SampleRun();
  WriteFile(folder / "empty", SealLine(RecordText(ToJson(run)), tail));
  EXPECT_THAT(Thrown<UsageError>([&] { ReadRuns({folder / "empty"}); }),
              HasSubstr("empty' has no evaluations: there is nothing to show"));
  tail = {};
  run.version = 3;
  WriteFile(folder / "new", SealLine(RecordText(ToJson(run)), tail));
  EXPECT_THAT(Thrown<UsageError>([&] { ReadRuns({folder / "new"}); }),
              HasSubstr("is of version 3; this program reads 1 and 2"));
}

TEST(PageTitle, NamesTheRunOrTheirNumber) {
  EXPECT_EQ(PageTitle({{"a", SampleLog()}}), "matmul m=512,n=4 on cpu");
  EXPECT_EQ(PageTitle({{"a", SampleLog()}, {"b", SampleLog()}}), "2 runs of matmul");
}

}  // namespace
}  // namespace exh::search
