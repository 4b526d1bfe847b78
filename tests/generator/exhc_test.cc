// SPDX-License-Identifier: MIT
//
// exhc as a program: files, exit codes, messages, and what g++ says about a wrong snippet.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/tree.h"

namespace exh {
namespace {

namespace fs = std::filesystem;

struct Result {
  int code = -1;
  std::string output;  ///< stdout and stderr.
};

Result Shell(const std::string& command) {
  Result result;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) result.output += buffer;
  const int status = ::pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

class Exhc : public testing::Test {
 protected:
  Exhc() {
    folder_ =
        fs::path(testing::TempDir()) /
        (std::string("exhc_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "toy");
    fs::copy_file(std::string(kSourceDir) + "/tests/generator/toy/tasks.exh",
                  folder_ / "toy/tasks.exh");
  }
  ~Exhc() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  Result InFolder(const std::string& arguments) const {
    return Shell("cd '" + folder_.string() + "' && " EXH_EXHC " " + arguments);
  }

  fs::path folder_;
};

constexpr char kSpace[] = R"(include "toy/tasks.exh"
choice enum mode($task in Tasks):
  value NOW:
  value LATER:
end
)";

TEST_F(Exhc, BuildWritesFilesAndDepfile) {
  Write("space.exh", kSpace);
  const Result result =
      InFolder("build space.exh --root . --out gen/space.exh --depfile gen/space.d");
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_EQ(result.output, "");
  for (const char* suffix : {".h", ".schedule.h", ".cc", ".filters.h"}) {
    EXPECT_TRUE(fs::exists(folder_ / ("gen/space.exh" + std::string(suffix))));
  }
  const std::string rule = Read(folder_ / "gen/space.d");
  EXPECT_NE(rule.find("gen/space.exh.h"), std::string::npos);
  EXPECT_NE(rule.find("toy/tasks.exh"), std::string::npos) << rule;
  // Nothing half-written stays behind.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "gen"), fs::directory_iterator{}), 5);
}

TEST_F(Exhc, EmitChoosesWhatIsWritten) {
  Write("space.exh", kSpace);
  const auto written = [&](const std::string& emit) {
    fs::remove_all(folder_ / "gen");
    const Result result = InFolder("build space.exh --out gen/s --depfile gen/d " + emit);
    EXPECT_EQ(result.code, 0) << result.output;
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "gen")) {
      names.insert(entry.path().filename().string());
    }
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(written(""), (Names{"d", "s.cc", "s.filters.h", "s.h", "s.schedule.h"}));
  EXPECT_EQ(written("--emit=cpp"), (Names{"d", "s.cc", "s.h", "s.schedule.h"}));
  EXPECT_EQ(written("--emit=filters"), (Names{"d", "s.filters.h"}));
  EXPECT_EQ(written("--emit=ir,tables"), (Names{"d", "s.ir.json", "s.tables.txt"}));
  EXPECT_NE(Read(folder_ / "gen/d").find("s.ir.json"), std::string::npos);
}

TEST_F(Exhc, EmitOfAnUnknownWord) {
  Write("space.exh", kSpace);
  const Result result = InFolder("build space.exh --emit=cpp,table");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "exhc: unknown output 'table'; did you mean 'tables'?\n");
  EXPECT_FALSE(fs::exists(folder_ / "space.exh.h"));
  EXPECT_EQ(InFolder("build space.exh --emit=").code, 2);
}

TEST_F(Exhc, WithoutHostTheOtherFormsAreThere) {
  Write("space.exh", "define enum mode(): value A: value B: end\n");
  EXPECT_EQ(InFolder("build space.exh --emit=ir,tables").code, 0);
  EXPECT_NE(Read(folder_ / "space.exh.tables.txt").find("0x02 B"), std::string::npos);
  EXPECT_EQ(InFolder("build space.exh --emit=ir,filters").code, 1);
}

TEST_F(Exhc, AFileThatDoesNotChangeKeepsItsTime) {
  Write("space.exh", kSpace);
  ASSERT_EQ(InFolder("build space.exh").code, 0);
  const fs::path header = folder_ / "space.exh.h";
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(header, old);
  ASSERT_EQ(InFolder("build space.exh").code, 0);
  EXPECT_EQ(fs::last_write_time(header), old);
}

TEST_F(Exhc, TheTextDoesNotDependOnWhereTheTreeIs) {
  Write("space.exh", kSpace);
  ASSERT_EQ(InFolder("build space.exh --root . --out gen/space.exh").code, 0);
  fs::create_directories(folder_ / "elsewhere/toy");
  fs::copy_file(folder_ / "toy/tasks.exh", folder_ / "elsewhere/toy/tasks.exh");
  fs::copy_file(folder_ / "space.exh", folder_ / "elsewhere/space.exh");
  const std::string other = folder_.string() + "/elsewhere";
  const Result result = Shell("cd '" + other + "' && " EXH_EXHC " build '" + other +
                              "/space.exh' --root '" + other + "' --out gen/space.exh");
  ASSERT_EQ(result.code, 0) << result.output;
  for (const char* name : {"space.exh.h", "space.exh.cc", "space.exh.filters.h"}) {
    EXPECT_EQ(Read(folder_ / "gen" / name), Read(folder_ / "elsewhere/gen" / name)) << name;
  }
}

TEST_F(Exhc, AMistakeInTheFileIsReportedAndNothingWritten) {
  Write("space.exh", std::string(kSpace) + "require forall $t in Tasks: mod($t) is NOW\n");
  const Result result = InFolder("build space.exh --root .");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.output.find("space.exh:6:29: error: "), std::string::npos) << result.output;
  EXPECT_FALSE(fs::exists(folder_ / "space.exh.h"));
  EXPECT_EQ(InFolder("check space.exh --root .").code, 1);
  const Result json = InFolder("check space.exh --root . --diagnostics=json");
  EXPECT_TRUE(json.output.starts_with("[")) << json.output;
}

TEST_F(Exhc, WithoutHostCheckPassesAndBuildSaysWhatToAdd) {
  Write("space.exh", "define enum mode(): value A: value B: end\n");
  EXPECT_EQ(InFolder("check space.exh").code, 0);
  const Result result = InFolder("build space.exh --root .");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.output.starts_with("space.exh:1:1: error: ")) << result.output;
  EXPECT_NE(result.output.find("host \"c++\""), std::string::npos) << result.output;
}

TEST_F(Exhc, UnknownWordsNameTheNearest) {
  const Result command = InFolder("biuld space.exh");
  EXPECT_EQ(command.code, 2);
  EXPECT_EQ(command.output, "exhc: unknown command 'biuld'; did you mean 'build'?\n");
  const Result option = InFolder("build space.exh --depfil x");
  EXPECT_EQ(option.code, 2);
  EXPECT_EQ(option.output, "exhc: unknown option '--depfil'; did you mean '--depfile'?\n");
  EXPECT_EQ(InFolder("").code, 2);
  EXPECT_EQ(InFolder("build").code, 2);
  EXPECT_EQ(InFolder("build space.exh --space a-b").code, 2);
  EXPECT_EQ(InFolder("--help").code, 0);
}

TEST_F(Exhc, SaysItsVersion) {
  const Result result = InFolder("--version");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output.rfind("exhc ", 0), 0u) << result.output;
  EXPECT_NE(result.output.find_first_of("0123456789"), std::string::npos) << result.output;
}

TEST_F(Exhc, ExplainShowsARequirementAndItsFilters) {
  Write("space.exh", std::string(kSpace) +
                         "require both: forall $a in Tasks: forall $b in Tasks:\n"
                         "  mode($a) is NOW || mode($b) is LATER || \"$a.ok()\"\n");
  const Result result = InFolder("explain both space.exh --root .");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, R"EXH(space.exh:6:1: both
  forall $a in Tasks: forall $b in Tasks: mode($a) is NOW || mode($b) is LATER || "$a.ok()"
  FilterModeA: restricts mode($a)
    reads mode($b)
    so that mode($a) is NOW || mode($b) is LATER || "$a.ok()"
  FilterModeB: restricts mode($b)
    reads mode($a)
    so that mode($a) is NOW || mode($b) is LATER || "$a.ok()"
)EXH");
  const Result wrong = InFolder("explain bth space.exh");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(wrong.output, "exhc: no requirement is called 'bth'; did you mean 'both'?\n");
}

TEST_F(Exhc, ExplainShowsTermsThatNoFilterReads) {
  Write("space.exh", std::string(kSpace) +
                         "choice integer size($t in Tasks): 1 .. 8 end\n"
                         "require both: forall $a in Tasks:\n"
                         "  size($a)*2 < 7 || mode($a) is NOW\n  size($a) < 6 || mode($a) is NOW");
  const Result result = InFolder("explain both space.exh --root .");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, R"EXH(space.exh:7:1: both
  forall $a in Tasks: size($a) * 2 < 7 || mode($a) is NOW  size($a) < 6 || mode($a) is NOW
  FilterSize: restricts size($a)
    reads mode($a)
    so that size($a) < 6 || mode($a) is NOW
  FilterMode: restricts mode($a)
    reads size($a)
    so that size($a) < 6 || mode($a) is NOW
  no filter: the engine reads the terms itself
    so that size($a) * 2 < 7 || mode($a) is NOW
)EXH");
}

TEST_F(Exhc, FmtRewritesAndCheckOnlyTells) {
  const std::string messy = "require   a:true\n";
  Write("space.exh", messy);
  const Result check = InFolder("fmt --check space.exh toy/tasks.exh");
  EXPECT_EQ(check.code, 1);
  EXPECT_EQ(check.output, "space.exh: not formatted; run 'exhc fmt space.exh'\n");
  EXPECT_EQ(Read(folder_ / "space.exh"), messy);
  EXPECT_EQ(InFolder("fmt - < space.exh").output, "require a: true\n");
  EXPECT_EQ(InFolder("fmt space.exh").code, 0);
  EXPECT_EQ(Read(folder_ / "space.exh"), "require a: true\n");
  EXPECT_EQ(InFolder("fmt --check space.exh").code, 0);
}

TEST_F(Exhc, FmtLeavesWhatItCannotReadAlone) {
  Write("space.exh", "require   ?\n");
  EXPECT_EQ(InFolder("fmt space.exh").code, 1);
  const Result result = InFolder("fmt space.exh missing.exh .");
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.output.starts_with("space.exh:1:11: error: invalid token")) << result.output;
  EXPECT_NE(result.output.find("exhc: cannot read 'missing.exh': No such file"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("exhc: cannot read '.': Is a directory"), std::string::npos)
      << result.output;
  EXPECT_EQ(Read(folder_ / "space.exh"), "require   ?\n");
}

TEST_F(Exhc, FmtLeavesAMistakeOfSyntaxAlone) {
  const std::string wrong = "requires   forall $t in Tasks:\nmode($t) is NOW\n";
  Write("wrong.exh", wrong);
  Write("right.exh", "require   a:true\n");
  const Result result = InFolder("fmt wrong.exh right.exh");
  EXPECT_EQ(result.code, 1);
  const std::string start = "wrong.exh:1:1: error: expected a statement, got 'requires' [E0204]\n";
  EXPECT_TRUE(result.output.starts_with(start)) << result.output;
  EXPECT_EQ(Read(folder_ / "wrong.exh"), wrong);
  EXPECT_EQ(Read(folder_ / "right.exh"), "require a: true\n");
  const Result check = InFolder("fmt --check wrong.exh");
  EXPECT_EQ(check.code, 1);
  EXPECT_EQ(check.output, result.output);
  const Result filter =
      Shell("(cd '" + folder_.string() + "' && " EXH_EXHC " fmt - < wrong.exh 2> log)");
  EXPECT_EQ(filter.code, 1);
  EXPECT_EQ(filter.output, "");
  EXPECT_TRUE(Read(folder_ / "log").starts_with("<stdin>:1:1: error: "));
}

TEST_F(Exhc, FmtLooksAtTheSyntaxOfTheFileAlone) {
  // Names need not be known, nor includes be there or right; but a statement may go on in one.
  Write("values.exh", "value A: value B:");
  Write("broken.exh", "requires a: true\n");
  Write("space.exh",
        "include \"gone.exh\"\ninclude \"broken.exh\"\nchoice enum mode():\n"
        "include \"values.exh\"\nvalue C:\nend\nrequire unknown()\n");
  const Result result = InFolder("fmt space.exh");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(Read(folder_ / "space.exh").find("value C:\nend\n"), std::string::npos);
}

TEST_F(Exhc, AnUnwritableFolderIsOneLine) {
  Write("space.exh", kSpace);
  Write("file", "");
  const Result result = InFolder("build space.exh --out file/space.exh");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.output.starts_with("exhc: cannot write 'file/space.exh.schedule.h': "))
      << result.output;
}

/// What the compiler says about the generated file when run in the root.
std::string CompilerSays(const fs::path& folder, const std::string& space) {
  return Shell("cd '" + folder.string() + "' && " EXH_CXX " -std=c++20 -fsyntax-only -I" +
               std::string(kSourceDir) + " gen/" + space + ".exh.cc")
      .output;
}

TEST_F(Exhc, ErrorsInSnippetsPointIntoTheExh) {
  Write("space.exh", std::string(kSpace) +
                         "require forall $d in Tasks: mode($d) is NOW || \"$d.bogus_member()\"\n");
  ASSERT_EQ(InFolder("build space.exh --root . --out gen/space.exh").code, 0);
  const std::string message = CompilerSays(folder_, "space");
  EXPECT_NE(message.find("space.exh:6:52: error: "), std::string::npos) << message;
  EXPECT_NE(message.find("    6 | require forall $d in Tasks:"), std::string::npos) << message;
  EXPECT_EQ(message.find("gen/space.exh.cc:6:"), std::string::npos) << message;
}

TEST_F(Exhc, ErrorsInTypesPointIntoTheExh) {
  std::string tasks = Read(folder_ / "toy/tasks.exh");
  tasks.replace(tasks.find("exh::toy::TaskId"), 16, "exh::toy::TaskIdx");
  Write("toy/tasks.exh", tasks);
  Write("space.exh", kSpace);
  ASSERT_EQ(InFolder("build space.exh --root . --out gen/space.exh").code, 0);
  const std::string message = CompilerSays(folder_, "space");
  EXPECT_NE(message.find("toy/tasks.exh:10:24: error: "), std::string::npos) << message;
}

TEST_F(Exhc, AWrongKindOfValueNamesSetAndKey) {
  std::string tasks = Read(folder_ / "toy/tasks.exh");
  tasks.replace(tasks.find("$fun.tasks\""), 10, "$fun.jobs");
  Write("toy/tasks.exh", tasks);
  Write("space.exh", kSpace);
  ASSERT_EQ(InFolder("build space.exh --root . --out gen/space.exh").code, 0);
  const std::string message = CompilerSays(folder_, "space");
  EXPECT_NE(message.find("toy/tasks.exh:13: iterator of set Tasks must yield a range of "
                         "'exh::toy::Task'"),
            std::string::npos)
      << message;
}

TEST_F(Exhc, CodeInTermsYieldsIntegers) {
  const auto says = [&](const std::string& conditions) {
    Write("space.exh", std::string(kSpace) + "choice integer size($t in Tasks): 1 .. 8 end\n" +
                           "require forall $t in Tasks: " + conditions + "\n");
    EXPECT_EQ(InFolder("build space.exh --root . --out gen/space.exh").code, 0);
    return CompilerSays(folder_, "space");
  };
  EXPECT_EQ(says("size($t) < \"$t.priority\" + \"'a'\" + \"std::uint64_t{1} << 63\""), "");
  const std::string wrong = "space.exh:7: require size_1 must yield an integer";
  for (const char* code : {"$t.planned", "$t.sizes"}) {
    EXPECT_NE(says(fmt::format("size($t) < \"{}\" + 1", code)).find(wrong), std::string::npos)
        << code;
  }
}

TEST_F(Exhc, NamesOfChoicesDoNotHideWhatTermsAreWrittenWith) {
  Write("space.exh", std::string(kSpace) + R"(
choice enum number(): value A: end choice enum use(): value A: end choice enum op(): value A: end
choice enum terms(): value A: end choice enum code_node(): value A: end
choice enum constant_node(): value A: end choice enum term_node(): value A: end
extern constant limit = "4"
choice integer size($t in Tasks): 1 .. 8 end
require forall $t in Tasks: size($t) * 2 < "3" + limit
)");
  ASSERT_EQ(InFolder("build space.exh --root . --out gen/space.exh").code, 0);
  EXPECT_EQ(CompilerSays(folder_, "space"), "");
}

TEST_F(Exhc, WithNoLineErrorsPointIntoTheGeneratedFile) {
  Write("space.exh", std::string(kSpace) +
                         "require forall $d in Tasks: mode($d) is NOW || \"$d.bogus_member()\"\n");
  ASSERT_EQ(InFolder("build space.exh --root . --out gen/space.exh --no-line").code, 0);
  EXPECT_NE(CompilerSays(folder_, "space").find("gen/space.exh.cc:"), std::string::npos);
}

}  // namespace
}  // namespace exh
