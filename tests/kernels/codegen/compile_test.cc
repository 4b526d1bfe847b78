// SPDX-License-Identifier: MIT
#include "kernels/cpu/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cpu {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const char kSource[] = "extern \"C\" int exh_run() { return 1; }\n";

class CompilerTest : public ::testing::Test {
 protected:
  CompilerOptions Options() const {
    CompilerOptions options;
    options.directory = folder_.path();
    return options;
  }
  /// A program called `name` that runs `script`.
  std::string Script(const std::string& name, const std::string& script) const {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  kernels::testing::TemporaryFolder folder_;
};

TEST_F(CompilerTest, OneTextIsCompiledOnce) {
  Compiler compiler(Options());
  const Compiled first = compiler.Compile(kSource);
  ASSERT_EQ(first.verdict, Verdict::kCorrect) << first.why;
  EXPECT_TRUE(fs::exists(first.library));
  EXPECT_EQ(first.source, kSource);
  EXPECT_GT(first.compile_ms, 0);
  const Compiled second = compiler.Compile(kSource);
  EXPECT_EQ(second.library, first.library);
  EXPECT_EQ(second.source, kSource);
  EXPECT_EQ(compiler.runs(), 1U);
  EXPECT_NE(compiler.Compile(std::string(kSource) + "//").library, first.library);
  EXPECT_EQ(compiler.runs(), 2U);
}

TEST_F(CompilerTest, LibraryGoesWithItsLastUser) {
  Compiler compiler(Options());
  const Compiled first = compiler.Compile(kSource), second = compiler.Compile(kSource);
  compiler.Discard(first);
  EXPECT_TRUE(fs::exists(second.library));
  compiler.Discard(second);
  EXPECT_FALSE(fs::exists(second.library));
  EXPECT_TRUE(fs::exists(compiler.Compile(kSource).library));
  EXPECT_EQ(compiler.runs(), 2U);
}

TEST_F(CompilerTest, LibraryThatWasRemovedIsCompiledAgain) {
  Compiler compiler(Options());
  fs::remove(compiler.Compile(kSource).library);
  EXPECT_TRUE(fs::exists(compiler.Compile(kSource).library));
}

TEST_F(CompilerTest, ErrorCarriesTheComplaint) {
  Compiler compiler(Options());
  const Compiled compiled = compiler.Compile("int x = undeclared_name;\n");
  EXPECT_EQ(compiled.verdict, Verdict::kCompileError);
  EXPECT_THAT(compiled.why, HasSubstr("undeclared_name"));
  compiler.Compile("int x = undeclared_name;\n");
  EXPECT_EQ(compiler.runs(), 1U);
}

TEST_F(CompilerTest, MissingCompilerIsNotTheCandidatesFault) {
  CompilerOptions options = Options();
  options.compiler = "no-such-compiler";
  const Compiled compiled = Compiler(options).Compile(kSource);
  EXPECT_EQ(compiled.verdict, Verdict::kBroken);
  EXPECT_THAT(compiled.why, HasSubstr("'no-such-compiler' was not found on PATH"));
}

TEST_F(CompilerTest, HangingCompilerIsStopped) {
  CompilerOptions options = Options();
  options.compiler = Script("slow", "sleep 1000");
  options.timeout_s = 0.3;
  const Compiled compiled = Compiler(options).Compile(kSource);
  EXPECT_EQ(compiled.verdict, Verdict::kCompileTimeout);
  EXPECT_THAT(compiled.why, HasSubstr("longer than 0.3 s"));
}

TEST_F(CompilerTest, CrashingCompilerAndFullDisk) {
  CompilerOptions options = Options();
  options.compiler = Script("crash", "kill -SEGV $$");
  const Compiled crashed = Compiler(options).Compile(kSource);
  EXPECT_EQ(crashed.verdict, Verdict::kCompileError);
  EXPECT_THAT(crashed.why, HasSubstr("SIGSEGV"));

  options.compiler = Script("full", "echo 'a.o: No space left on device' >&2; exit 1");
  EXPECT_EQ(Compiler(options).Compile(kSource).verdict, Verdict::kBroken);
}

TEST_F(CompilerTest, FolderThatCannotBeMade) {
  CompilerOptions options = Options();
  options.directory = "/proc/no/such/place";
  const Compiled compiled = Compiler(options).Compile(kSource);
  EXPECT_EQ(compiled.verdict, Verdict::kBroken);
  EXPECT_THAT(compiled.why, HasSubstr("/proc/no/such/place"));
}

TEST_F(CompilerTest, LeavesNoFilesBehindFailures) {
  CompilerOptions options = Options();
  options.keep_source = false;
  options.directory = folder_.path() + "/out";
  Compiler compiler(options);
  compiler.Compile("int x = undeclared_name;\n");
  EXPECT_TRUE(fs::is_empty(options.directory));
}

}  // namespace
}  // namespace exh::kernels::cpu
