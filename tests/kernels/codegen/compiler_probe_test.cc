// SPDX-License-Identifier: MIT
//
// The system's compiler is asked for known answers: the real one, and scripts in its place that get
// programs wrong.
#include "kernels/cpu/compiler_probe.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cpu {
namespace {

namespace fs = std::filesystem;
using Outcome = KnownAnswer::Outcome;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CompilerProbe : public ::testing::Test {
 protected:
  CompilerProbe() { ::setenv("XDG_CACHE_HOME", (folder_.path() + "/cache").c_str(), 1); }
  ~CompilerProbe() override { ::unsetenv("XDG_CACHE_HOME"); }

  CompilerOptions Options(const std::string& compiler) const {
    CompilerOptions options;
    options.compiler = compiler;
    options.directory = folder_.path() + "/libraries";
    return options;
  }

  /// A compiler whose programs come out wrong unless it is called with `remedy`; each call adds a
  /// line to the file `calls`.
  std::string Wrong(const std::string& remedy) const {
    const std::string path = folder_.path() + "/compiler";
    std::ofstream(path) << fmt::format(
        "#!/bin/sh\necho \"$*\" >> {0}/calls\n"
        "[ \"$1\" = --version ] && {{ echo 'odd 7.1'; exit 0; }}\n"
        "case \"$*\" in *{1}*) exec g++ \"$@\";; esac\n"
        "for last; do :; done\n"
        "printf '#!/bin/sh\\necho element 3 is 1 and not 2\\nexit 1\\n' > \"$last\"\n"
        "chmod +x \"$last\"\n",
        folder_.path(), remedy);
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  std::size_t Calls() const {
    std::ifstream file(folder_.path() + "/calls");
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }

  kernels::testing::TemporaryFolder folder_;
};

TEST_F(CompilerProbe, TheCompilerOfThisMachineIsAsked) {
  const KnownAnswers known = AskCompiler(Options("g++"));
  EXPECT_EQ(known.trouble, "");
  EXPECT_EQ(known.answers.size(), KnownCpuTexts().size());
  EXPECT_THAT(known.answers, Each(Field(&KnownAnswer::outcome, Not(Outcome::kUnknown))));
  EXPECT_THAT(known.compiler, HasSubstr("g++"));
  EXPECT_FALSE(fs::is_empty(folder_.path() + "/cache"));
}

TEST_F(CompilerProbe, AWrongOneIsCalledWithWhatMendsIt) {
  CompilerOptions options = Options(Wrong("-fno-tree-vectorize"));
  options.known = AskCompiler(options);
  for (const KnownAnswer& answer : options.known.answers) {
    EXPECT_EQ(answer.outcome, Outcome::kWrong);
    EXPECT_EQ(answer.why, "element 3 is 1 and not 2");
    EXPECT_THAT(answer.options, ElementsAre("-fno-tree-vectorize"));
  }
  EXPECT_EQ(options.known.compiler, "odd 7.1");
  EXPECT_THAT(options.known.Notes(), Each(HasSubstr("everything is compiled with")));
  // It is what a candidate is compiled with, and makes another library of the same text.
  const std::string text = "extern \"C\" int exh_run() { return 1; }\n";
  HostCompiler with(options);
  const Compiled mended = with.Compile(text);
  ASSERT_EQ(mended.verdict, Verdict::kCorrect) << mended.why;
  options.known = {};
  options.compiler = "g++";
  EXPECT_NE(HostCompiler(options).Compile(text).library, mended.library);
  std::ifstream calls(folder_.path() + "/calls");
  std::string last;
  for (std::string line; std::getline(calls, line);) last = line;
  EXPECT_THAT(last, HasSubstr("-shared"));
  EXPECT_THAT(last, HasSubstr("-fno-tree-vectorize"));
}

TEST_F(CompilerProbe, NobodyAsksTwice) {
  const CompilerOptions options = Options(Wrong("-fno-tree-vectorize"));
  const KnownAnswers first = AskCompiler(options);
  const std::size_t calls = Calls();
  EXPECT_GT(calls, first.answers.size());
  EXPECT_EQ(AskCompiler(options), first);
  EXPECT_EQ(Calls(), calls);
  CompilerOptions other = options;
  other.flags.push_back("-g");
  AskCompiler(other);
  EXPECT_GT(Calls(), calls);
}

TEST_F(CompilerProbe, AMissingOrFailingCompilerIsTrouble) {
  EXPECT_THAT(AskCompiler(Options("no-such-compiler")).trouble, HasSubstr("not on PATH"));
  const std::string path = folder_.path() + "/refuses";
  std::ofstream(path) << "#!/bin/sh\necho 'no licence' >&2\nexit 4\n";
  fs::permissions(path, fs::perms::owner_all);
  const KnownAnswers known = AskCompiler(Options(path));
  EXPECT_THAT(known.trouble, HasSubstr("no licence"));
  EXPECT_THAT(known.OptionsFor("anything"), IsEmpty());
  EXPECT_THAT(known.Notes(), ElementsAre(HasSubstr("was not asked for known answers")));
  EXPECT_FALSE(fs::exists(folder_.path() + "/cache"));
}

}  // namespace
}  // namespace exh::kernels::cpu
