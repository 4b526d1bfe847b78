// SPDX-License-Identifier: MIT
//
// Winners for other sizes, files that one process writes, and elements of a job array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/system/process.h"
#include "base/system/user_file.h"
#include "search/subject/decision_file.h"
#include "search/tune/fleet_folder.h"
#include "search/tune/job_array.h"
#include "search/tune/line_file.h"
#include "search/tune/shape_run.h"
#include "search/tune/shared/winner_board.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TuneShape Matmul(const std::string& m, const std::string& type = "f32") {
  TuneShape shape;
  shape.kernel = "matmul";
  shape.sizes = {{"m", m}, {"n", "64"}, {"type", type}};
  shape.name = "matmul-m" + m + "-" + type;
  return shape;
}

BoardWinner Winner(const std::string& m, const std::string& device = "cpu") {
  const TuneShape shape = Matmul(m);
  BoardWinner winner;
  winner.kernel = shape.kernel;
  winner.sizes = shape.sizes;
  winner.device = device;
  winner.ns = 1000;
  winner.run = shape.name;
  winner.path = {"size(a.m0)=" + m, "dim_kind(a.m0)=LOOP"};
  return winner;
}

std::vector<std::string> Runs(const std::vector<BoardWinner>& winners) {
  std::vector<std::string> runs;
  for (const BoardWinner& winner : winners) runs.push_back(winner.run);
  return runs;
}

TEST(Board, TheNearestSizesComeFirst) {
  const std::vector<BoardWinner> all = {Winner("1024"), Winner("16"), Winner("256"), Winner("128"),
                                        Winner("64", "another device")};
  EXPECT_THAT(Runs(Nearest(all, Matmul("128"), "cpu", 2)),
              ElementsAre("matmul-m256-f32", "matmul-m1024-f32"));  // Not itself.
  EXPECT_THAT(Runs(Nearest(all, Matmul("128", "f16"), "cpu", 2)), IsEmpty());
  TuneShape other = Matmul("128");
  other.text = "kernel matmul …";
  EXPECT_THAT(Nearest(all, other, "cpu", 2), IsEmpty());
}

TEST(Board, IsReadAgain) {
  const TempFolder temporary;
  const FleetFolder folder(temporary.path() + "/fleet/");
  folder.Make();
  {
    WinnerBoard board(folder.BoardOf("local"));
    board.Add(Winner("16"));
    EXPECT_THROW(WinnerBoard(folder.BoardOf("local")), UsageError);  // It has one writer.
  }
  WinnerBoard(folder.BoardOf("local")).Add(Winner("32"));
  std::vector<std::string> refused;
  const std::vector<BoardWinner> all = ReadBoards(folder, refused);
  EXPECT_THAT(refused, IsEmpty());
  EXPECT_THAT(Runs(all), ElementsAre("matmul-m16-f32", "matmul-m32-f32"));
  const DecisionFile file = ParseDecisionFile(FirstText(all[0]), "first.txt");
  ASSERT_THAT(file.decisions, SizeIs(2));
  EXPECT_EQ(file.decisions[0].text, "size(a.m0)=16");
}

TEST(Board, AnotherFormatIsRefusedByName) {
  const TempFolder temporary;
  const FleetFolder folder(temporary.path());
  folder.Make();
  WinnerBoard(folder.BoardOf("0")).Add(Winner("16"));
  std::ofstream(folder.BoardOf("7")) << R"({"t":"board","format":9,"tool":"search 9.1"})"
                                     << "\n";
  std::ofstream(folder.BoardOf("8")) << "nonsense\n{\"a\": 1}\n";
  std::vector<std::string> refused;
  EXPECT_THAT(Runs(ReadBoards(folder, refused)), ElementsAre("matmul-m16-f32"));
  ASSERT_THAT(refused, SizeIs(2));
  EXPECT_THAT(refused[0], testing::AllOf(HasSubstr("board/7.jsonl"), HasSubstr("format 9"),
                                         HasSubstr("search 9.1")));
  EXPECT_THAT(refused[1], HasSubstr("board/8.jsonl"));
  EXPECT_THROW(WinnerBoard(folder.BoardOf("7")), UsageError);
}

TEST(LineFile, HalfALineCostsNoOther) {
  const TempFolder temporary;
  const std::string path = temporary.path() + "/lines.jsonl";
  LineFile(path).Append({{"a", 1}});
  std::ofstream(path, std::ios::app) << "{\"a\": 2";
  LineFile(path).Append({{"a", 3}});
  const std::vector<ReadLine> lines = ReadLines(path);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[1].number, 3);
  EXPECT_EQ(lines[1].json["a"], 3);
  EXPECT_FALSE(IsWritten(path));
  const LineFile held(path);
  EXPECT_TRUE(IsWritten(path));
}

TEST(Fleet, IsReadAgain) {
  const TempFolder temporary;
  const FleetFolder folder(temporary.path() + "/fleet");
  TuneShape text = Matmul("8");
  text.name = "own-1";
  text.kernel = "own";
  text.text = "kernel own\nend\n";
  folder.Write({"cuda", {"30s"}, {"--jobs=4"}, 20}, {Matmul("16"), text});
  FleetOptions options;
  std::vector<TuneShape> shapes;
  folder.Read(options, shapes);
  EXPECT_EQ(options.device, "cuda");
  EXPECT_THAT(options.budgets, ElementsAre("30s"));
  EXPECT_THAT(options.words, ElementsAre("--jobs=4"));
  EXPECT_EQ(options.shapes_per_element, 20);
  ASSERT_THAT(shapes, SizeIs(2));
  EXPECT_EQ(shapes[0].sizes, Matmul("16").sizes);
  EXPECT_EQ(shapes[1].text, text.text);
  std::ofstream(folder.path() + "/tune/fleet.json") << R"({"format": 9, "tool": "search 9.1"})";
  EXPECT_THROW(folder.Read(options, shapes), UsageError);
}

TEST(Fleet, IsNoFolderOfSomethingElse) {
  const TempFolder temporary;
  std::ofstream(temporary.path() + "/thesis.txt") << "…";
  EXPECT_THROW(FleetFolder(temporary.path()).Make(), UsageError);
}

TEST(Fleet, HasOneOwner) {
  const TempFolder temporary;
  const FleetFolder folder(temporary.path());
  folder.Make();
  {
    const FleetLock lock(folder, "search tune a.jsonl", /*shared=*/false);
    try {
      const FleetLock second(folder, "search tune b.jsonl", /*shared=*/false);
      FAIL();
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(),
                  testing::AllOf(HasSubstr("search tune a.jsonl"), HasSubstr("process ")));
    }
    EXPECT_THROW(FleetLock(folder, "an element", /*shared=*/true), UsageError);
  }
  const FleetLock one(folder, "element 1", /*shared=*/true), two(folder, "element 2", true);
  EXPECT_THROW(FleetLock(folder, "search tune", /*shared=*/false), UsageError);
}

TEST(JobArray, AnElementThatIsKilledIsRunAgainByItsScript) {
  const TempFolder temporary;
  const std::string program = temporary.path() + "/search.sh";
  const FleetFolder folder(temporary.path() + "/a fleet");
  const FleetOptions options;
  std::ofstream(temporary.path() + "/array.sh")
      << ScriptText({folder, options, {0, 2}, {"/bin/sh", program}, true});
  const auto run = [&](const std::string& text) {
    std::ofstream(program) << "echo \"$@\"\n" + text;
    ProcessRequest request;
    request.argv = {"/bin/sh", temporary.path() + "/array.sh"};
    request.environment = {"SLURM_ARRAY_TASK_ID=2"};
    return RunProcess(request);
  };
  const std::string call = "tune --element 2 --out " + folder.path() + "\n";
  ProcessResult result = run("exit 1");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, call);
  result = run("[ -e " + program + ".1 ] && exit 0; touch " + program + ".1; kill -9 $$");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, call + call);
  result = run("kill -9 $$");
  EXPECT_EQ(result.code, 128 + 9);
  EXPECT_EQ(result.out, call + call + call);
  // Slurm tells all of a job that it is over: the shell waits for the search, which ends by itself.
  result = run("trap 'echo ends; exit 1' TERM; kill -TERM $PPID; kill -TERM $$");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, call + "ends\n");
}

TEST(JobArray, WhatSbatchSaysHasTheJob) {
  EXPECT_EQ(JobIn("Submitted batch job 17\n"), "17");
  EXPECT_EQ(JobIn("17;cluster"), "17");
  EXPECT_EQ(JobIn("18"), "18");
  EXPECT_EQ(JobIn("it is 5 o'clock"), "");
  EXPECT_EQ(JobIn(""), "");
}

TEST(JobArray, ElementsThatAreQueuedAreKnown) {
  const TempFolder temporary;
  const FleetFolder folder(temporary.path());
  EXPECT_THAT(QueuedElements(folder), IsEmpty());
  std::filesystem::create_directories(folder.slurm());
  AddJob(folder, "17");
  AddJob(folder, "");
  AddJob(folder, "19");
  const std::string squeue = temporary.path() + "/squeue";
  std::ofstream(squeue)
      << "#!/bin/sh\n[ \"$4\" = --jobs=17,19 ] && printf '0\\n 3\\nN/A\\n'\nexit 1\n";
  std::filesystem::permissions(squeue, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (temporary.path() + ":" + path).c_str(), 1);
  EXPECT_THAT(QueuedElements(folder), ElementsAre(0, 3));
  ::setenv("PATH", path.c_str(), 1);
}

TEST(JobArray, ElementsAreWorthTenMinutes) {
  EXPECT_EQ(ShapesPerElement({"60s"}), 10);
  EXPECT_EQ(ShapesPerElement({}), 10);
  EXPECT_EQ(ShapesPerElement({"7m"}), 2);
  EXPECT_EQ(ShapesPerElement({"2h"}), 1);
  EXPECT_EQ(ShapesPerElement({"evals=5"}), 10);
  EXPECT_EQ(ShapesPerElement({"evals=5", "30s"}), 20);
  EXPECT_TRUE(std::isinf(SecondsOf({"evals=5"})));
  EXPECT_EQ(ArrayText({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(ArrayText({3}), "3");
  FleetOptions options;
  const std::vector<TuneShape> shapes = {Matmul("1"), Matmul("2"), Matmul("3")};
  EXPECT_THROW(ShapesOf(options, shapes, 0), UsageError);
  options.shapes_per_element = 2;
  EXPECT_THAT(ShapesOf(options, shapes, 0), SizeIs(2));
  EXPECT_EQ(ShapesOf(options, shapes, 1)[0].name, Matmul("3").name);
  EXPECT_THROW(ShapesOf(options, shapes, 2), UsageError);
  EXPECT_THROW(ShapesOf(options, shapes, -1), UsageError);
}

}  // namespace
}  // namespace exh::search
