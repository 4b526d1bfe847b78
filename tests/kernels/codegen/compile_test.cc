// SPDX-License-Identifier: MIT
#include "kernels/cpu/compile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

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
  HostCompiler compiler(Options());
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
  HostCompiler compiler(Options());
  const Compiled first = compiler.Compile(kSource), second = compiler.Compile(kSource);
  compiler.Discard(first);
  EXPECT_TRUE(fs::exists(second.library));
  compiler.Discard(second);
  EXPECT_FALSE(fs::exists(second.library));
  EXPECT_TRUE(fs::exists(compiler.Compile(kSource).library));
  EXPECT_EQ(compiler.runs(), 2U);
}

TEST_F(CompilerTest, LibraryThatWasRemovedIsCompiledAgain) {
  HostCompiler compiler(Options());
  fs::remove(compiler.Compile(kSource).library);
  EXPECT_TRUE(fs::exists(compiler.Compile(kSource).library));
}

TEST_F(CompilerTest, ErrorCarriesTheComplaint) {
  HostCompiler compiler(Options());
  const Compiled compiled = compiler.Compile("int x = undeclared_name;\n");
  EXPECT_EQ(compiled.verdict, Verdict::kCompileError);
  EXPECT_THAT(compiled.why, HasSubstr("undeclared_name"));
  compiler.Compile("int x = undeclared_name;\n");
  EXPECT_EQ(compiler.runs(), 1U);
}

TEST_F(CompilerTest, MissingCompilerIsNotTheCandidatesFault) {
  CompilerOptions options = Options();
  options.compiler = "no-such-compiler";
  const Compiled compiled = HostCompiler(options).Compile(kSource);
  EXPECT_EQ(compiled.verdict, Verdict::kBroken);
  EXPECT_THAT(compiled.why, HasSubstr("'no-such-compiler' was not found on PATH"));
}

TEST_F(CompilerTest, HangingCompilerIsStopped) {
  CompilerOptions options = Options();
  options.compiler = Script("slow", "sleep 1000");
  options.timeout_s = 0.3;
  const Compiled compiled = HostCompiler(options).Compile(kSource);
  EXPECT_EQ(compiled.verdict, Verdict::kCompileTimeout);
  EXPECT_THAT(compiled.why, HasSubstr("longer than 0.3 s"));
}

TEST_F(CompilerTest, WhatTakesFarLongerThanOthersIsGivenUp) {
  CompilerOptions options = Options();
  options.compiler = Script("some",
                            "for file in \"$@\"; do case $file in *.cc) "
                            "grep -q sleepy $file && sleep 50;; esac; done; g++ \"$@\"");
  HostCompiler compiler(options);
  for (const char* name : {"a", "b", "c", "d"}) {
    ASSERT_EQ(compiler.Compile(std::string("int ") + name + ";").verdict, Verdict::kCorrect);
  }
  const Compiled given_up = compiler.Compile("int sleepy;");
  EXPECT_EQ(given_up.verdict, Verdict::kCompileTimeout);
  EXPECT_LT(given_up.compile_ms, 40e3);
}

TEST_F(CompilerTest, CrashingCompilerAndFullDisk) {
  CompilerOptions options = Options();
  options.compiler = Script("crash", "kill -SEGV $$");
  const Compiled crashed = HostCompiler(options).Compile(kSource);
  EXPECT_EQ(crashed.verdict, Verdict::kCompileError);
  EXPECT_THAT(crashed.why, HasSubstr("SIGSEGV"));

  options.compiler = Script("full", "echo 'a.o: No space left on device' >&2; exit 1");
  EXPECT_EQ(HostCompiler(options).Compile(kSource).verdict, Verdict::kBroken);
}

TEST_F(CompilerTest, WhatTheMachineDidIsNotTheTextsFault) {
  CompilerOptions options = Options();
  const auto verdict_of = [&](const std::string& script) {
    options.compiler = Script("spoilt", script);
    return HostCompiler(options).Compile(kSource);
  };
  // Itself, or a helper of it, killed by somebody.
  for (const char* const signal : {"KILL", "TERM", "HUP", "INT"}) {
    const std::string kill = fmt::format("kill -{} $$", signal);
    EXPECT_EQ(verdict_of(kill).verdict, Verdict::kBroken) << signal;
    const Compiled helper = verdict_of("exec g++ -wrapper sh,-c,'" + kill + "' \"$@\"");
    EXPECT_EQ(helper.verdict, Verdict::kBroken) << signal << ": " << helper.why;
    EXPECT_THAT(helper.why, HasSubstr("signal terminated program"));
  }
  // Without memory and without file descriptors.
  for (const char* const limit : {"-v 40000", "-n 4"}) {
    const Compiled spoilt = verdict_of(fmt::format("ulimit {}; exec g++ \"$@\"", limit));
    EXPECT_EQ(spoilt.verdict, Verdict::kBroken) << limit << ": " << spoilt.why;
    EXPECT_NE(spoilt.why, "");
  }
  for (const char* const complaint :
       {"cc1plus: out of memory allocating 65536 bytes after a total of 1073741824 bytes",
        "g++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable",
        "Cannot create temporary file in /tmp/: No space left on device",
        "collect2: fatal error: ld terminated with signal 9 [Killed]"}) {
    EXPECT_EQ(verdict_of(fmt::format("echo \"{}\" >&2; exit 1", complaint)).verdict,
              Verdict::kBroken)
        << complaint;
  }
  // A compiler that crashes by itself does so again.
  EXPECT_EQ(verdict_of("exec g++ -wrapper sh,-c,'kill -SEGV $$' \"$@\"").verdict,
            Verdict::kCompileError);
}

TEST_F(CompilerTest, WhatWasSpoiltIsCompiledAgain) {
  CompilerOptions options = Options();
  const std::string mark = folder_.path() + "/mark";
  options.compiler = Script(
      "once", "[ -e " + mark + " ] || { touch " + mark + "; kill -KILL $$; }; exec g++ \"$@\"");
  HostCompiler compiler(options);
  EXPECT_EQ(compiler.Compile(kSource).verdict, Verdict::kBroken);
  EXPECT_EQ(compiler.Compile(kSource).verdict, Verdict::kCorrect);
}

TEST_F(CompilerTest, StopsWithItsToken) {
  CompilerOptions options = Options();
  const std::string mark = folder_.path() + "/mark";
  options.compiler = Script("slow", "touch " + mark + "; sleep 1000");
  StopToken stop;
  options.stop = &stop;
  std::thread stops([&] {
    while (!fs::exists(mark)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop.Stop();
  });
  HostCompiler compiler(options);
  EXPECT_EQ(compiler.Compile(kSource).verdict, Verdict::kStopped);
  stops.join();
}

TEST(Patience, LeavesTimeForOthers) {
  EXPECT_EQ(PatienceSeconds(60, nullptr), 60);
  StopToken stop;
  EXPECT_EQ(PatienceSeconds(60, &stop), 60);
  stop.StopIn(1000);
  EXPECT_EQ(PatienceSeconds(60, &stop), 60);
  stop.StopIn(50);
  EXPECT_NEAR(PatienceSeconds(60, &stop), 25, 1);
  stop.StopIn(12);
  EXPECT_EQ(PatienceSeconds(60, &stop), 10);
  EXPECT_EQ(PatienceSeconds(0.3, &stop), 0.3);
}

TEST_F(CompilerTest, FolderThatCannotBeMade) {
  CompilerOptions options = Options();
  options.directory = "/proc/no/such/place";
  const Compiled compiled = HostCompiler(options).Compile(kSource);
  EXPECT_EQ(compiled.verdict, Verdict::kBroken);
  EXPECT_THAT(compiled.why, HasSubstr("/proc/no/such/place"));
}

TEST_F(CompilerTest, LeavesNoFilesBehindFailures) {
  CompilerOptions options = Options();
  options.keep_source = false;
  options.directory = folder_.path() + "/out";
  HostCompiler compiler(options);
  compiler.Compile("int x = undeclared_name;\n");
  EXPECT_TRUE(fs::is_empty(options.directory));
}

}  // namespace
}  // namespace exh::kernels::cpu
