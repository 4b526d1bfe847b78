// SPDX-License-Identifier: MIT
//
// The pool of compilers with processes that do everything wrong (fake_compiler.cc): what becomes of
// a text is a value, the next one compiles, and the cache keeps what the text is to blame for.
#include "kernels/devices/cuda/pools/compile_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/kernels/codegen/temporary_folder.h"
#include "tests/kernels/cuda/await_end.h"

namespace exh::kernels::cuda {
namespace {

namespace fs = std::filesystem;

using testing::AwaitEndOfAll;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "verdict: why", as a search would log it.
std::string Text(const CompiledKernel& kernel) {
  return std::string(VerdictName(kernel.verdict)) + (kernel.why.empty() ? "" : ": " + kernel.why);
}

class Compilers : public ::testing::Test {
 protected:
  Compilers() {
    options_.command = {EXH_CUDA_FAKE_COMPILER};
    options_.folder = folder_.path() + "/cubins";
    options_.cache = folder_.path() + "/cache";
  }

  /// The first text to a pool of its own: what comes out.
  std::string First(const std::string& source) const {
    return Text(CompilePool(options_).Compile(source));
  }

  kernels::testing::TemporaryFolder folder_;
  CompilePoolOptions options_;
};

TEST_F(Compilers, KnownAnswersAddOptionsToTextsThatTheySpeakFor) {
  CompilePool pool(options_);
  const std::string before = pool.Compile("good sum(").cubin;
  EXPECT_EQ(pool.compiler(), "fake 1.0");
  KnownAnswers known;
  known.answers.push_back({"sums", "sum(", false, KnownAnswer::Outcome::kWrong, "", {"--slowly"}});
  pool.Heed(known);
  EXPECT_EQ(Contents(pool.Compile("good sum(").cubin), "machine code of good sum( --slowly");
  EXPECT_EQ(Contents(before), "machine code of good sum(");
  EXPECT_EQ(Contents(pool.Compile("good max(").cubin), "machine code of good max(");
}

TEST_F(Compilers, ATextIsCompiledOnce) {
  CompilePool pool(options_);
  const CompiledKernel fresh = pool.Compile("int x;");
  EXPECT_EQ(Text(fresh), "correct");
  EXPECT_EQ(Contents(fresh.cubin), "machine code of int x;");
  EXPECT_EQ(fresh.resources.registers, 32);
  EXPECT_EQ(fresh.compile_ms, 12);
  EXPECT_FALSE(fresh.from_cache);
  const CompiledKernel known = pool.Compile("// of no account\n  int x;  \n\n");
  EXPECT_EQ(Text(known), "correct");
  EXPECT_TRUE(known.from_cache);
  EXPECT_EQ(known.cubin, fresh.cubin);
  EXPECT_EQ(known.resources, fresh.resources);
  EXPECT_EQ(pool.runs(), 1u);
  EXPECT_EQ(pool.starts(), 1u);
  EXPECT_TRUE(fs::is_empty(options_.folder));
}

TEST_F(Compilers, AnotherPoolKnowsItToo) {
  CompilePool(options_).Compile("int x;");
  CompilePool pool(options_);
  EXPECT_TRUE(pool.Compile("int x;").from_cache);
  EXPECT_EQ(pool.runs(), 0u);
  EXPECT_EQ(pool.starts(), 1u);  // Somebody had to say which compiler there is.
  options_.architecture = "sm_100";
  EXPECT_FALSE(CompilePool(options_).Compile("int x;").from_cache);
  EXPECT_FALSE(CompilePool(options_).Compile("int x;", Optimization::kQuick).from_cache);
  options_.options = {"--use_fast_math"};
  EXPECT_FALSE(CompilePool(options_).Compile("int x;").from_cache);
  options_.command.push_back("--version=fake 1.1");
  EXPECT_FALSE(CompilePool(options_).Compile("int x;").from_cache);
  EXPECT_TRUE(CompilePool(options_).Compile("int x;").from_cache);
}

TEST_F(Compilers, WithoutACacheCubinsAreTheCallers) {
  options_.cache.clear();
  CompilePool pool(options_);
  const CompiledKernel first = pool.Compile("int x;"), second = pool.Compile("int x;");
  EXPECT_EQ(pool.runs(), 2u);
  EXPECT_NE(first.cubin, second.cubin);
  EXPECT_THAT(first.cubin, StartsWith(options_.folder + "/"));
  EXPECT_EQ(Contents(second.cubin), "machine code of int x;");
}

TEST_F(Compilers, OneThatHangsIsATimeOut) {
  options_.timeout_s = 0.5;
  CompilePool pool(options_);
  EXPECT_EQ(Text(pool.Compile("hang")), "compile_timeout: the compiler ran longer than 0.5 s");
  EXPECT_EQ(Text(pool.Compile("int x;")), "correct");
  EXPECT_EQ(pool.starts(), 2u);
  EXPECT_EQ(Text(pool.Compile("hang")), "compile_timeout: the compiler ran longer than 0.5 s");
  EXPECT_EQ(pool.runs(), 3u);  // Another time it may not hang: that is not kept.
}

TEST_F(Compilers, OneThatCrashesIsAnError) {
  CompilePool pool(options_);
  for (const unsigned times : {1u, 2u}) {  // Nor is this.
    EXPECT_EQ(Text(pool.Compile("crash")),
              "compile_error: the compiler died: signal 6 (SIGABRT: Aborted): internal error: no "
              "more registers");
    EXPECT_EQ(Text(pool.Compile("text " + std::to_string(times))), "correct");
    EXPECT_EQ(pool.starts(), times + 1);
    EXPECT_EQ(pool.runs(), 2 * times);
  }
}

TEST_F(Compilers, WhatTheMachineDidIsNotTheTextsFault) {
  CompilePool pool(options_);
  EXPECT_EQ(Text(pool.Compile("killed")), "broken: the compiler died: signal 9 (SIGKILL: Killed)");
  EXPECT_EQ(Text(pool.Compile("memory")), "broken: NVVM: out of memory");
  EXPECT_EQ(Text(pool.Compile("memory")), "broken: NVVM: out of memory");
  EXPECT_EQ(pool.runs(), 3u);  // Another time there may be some: that is not kept.
  EXPECT_EQ(Text(pool.Compile("int x;")), "correct");
}

TEST_F(Compilers, StopWithTheirToken) {
  StopToken stop;
  options_.stop = &stop;
  CompilePool pool(options_);
  EXPECT_EQ(Text(pool.Compile("int x;")), "correct");
  std::thread stops([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.Stop();
  });
  EXPECT_EQ(Text(pool.Compile("hang")), "stopped");
  stops.join();
  EXPECT_EQ(Text(pool.Compile("int y;")), "stopped");
}

TEST_F(Compilers, AnAnswerThatIsNoneIsAnError) {
  CompilePool pool(options_);
  for (const char* const source : {"garbage", "stale", "garbage", "stale"}) {
    EXPECT_EQ(Text(pool.Compile(source)),
              "compile_error: the compiler gave no answer that can be read");
    EXPECT_EQ(Contents(pool.Compile("int x;").cubin), "machine code of int x;");
    EXPECT_EQ(Contents(pool.Compile(std::string("after ") + source).cubin),
              std::string("machine code of after ") + source);
  }
}

TEST_F(Compilers, AnAnswerTooManyIsNotTakenForTheNext) {
  CompilePool pool(options_);
  EXPECT_EQ(Contents(pool.Compile("twice").cubin), "machine code of twice");
  EXPECT_EQ(Contents(pool.Compile("int x;").cubin), "machine code of int x;");
  EXPECT_EQ(pool.starts(), 1u);
}

TEST_F(Compilers, OneThatDiesBetweenTwoTextsCostsNone) {
  CompilePool pool(options_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Text(pool.Compile("leaves " + std::to_string(i))), "correct");
    ASSERT_TRUE(AwaitEndOfAll("exh_cuda_fake_c"));  // Names have 15 letters.
  }
  EXPECT_EQ(pool.starts(), 3u);
}

TEST_F(Compilers, WhatATextIsToBlameForIsKept) {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"error in this", "compile_error: kernel.cu(3): error: error in this\n  here"},
      {"silent", "compile_error: no machine code, and no word about it"},
      {"shared",
       "compile_error: no machine code for 32 registers and 300000 bytes of static shared memory"},
      {"spills", "spills: 24 bytes spilled with 32 registers"},
      {"stack", "spills: 40 bytes of stack with 32 registers"}};
  CompilePool pool(options_);
  for (const bool known : {false, true}) {
    for (const auto& [source, expected] : texts) {
      const CompiledKernel kernel = pool.Compile(source);
      EXPECT_EQ(Text(kernel), expected);
      EXPECT_EQ(kernel.from_cache, known) << source;
    }
  }
  EXPECT_EQ(pool.runs(), texts.size());
  EXPECT_EQ(pool.starts(), 1u);
}

TEST_F(Compilers, WhatATextIsNotToBlameForIsBroken) {
  CompilePool pool(options_);
  for (const unsigned times : {1u, 2u}) {
    EXPECT_EQ(Text(pool.Compile("trouble")), "broken: no memory");
    EXPECT_EQ(pool.runs(), times);
  }
}

TEST_F(Compilers, OneThatDoesNotStartSaysWhy) {
  options_.command = {EXH_CUDA_FAKE_COMPILER, "--exit"};
  EXPECT_EQ(First("x"), "broken: the compiler does not start: it ended with code 9: no licence");
  options_.command[1] = "--none";
  EXPECT_EQ(First("x"), "broken: there is no compiler");
  options_.command[1] = "--garbage";
  EXPECT_EQ(First("x"), "broken: the compiler does not start: its first line is not understood");
  options_.command = {"no-such-program"};
  EXPECT_EQ(First("x"),
            "broken: the compiler does not start: 'no-such-program' was not found on PATH");
  options_.command = {EXH_CUDA_FAKE_COMPILER, "--hang"};
  options_.timeout_s = 0.3;
  EXPECT_EQ(First("x"), "broken: the compiler does not start: no word in 0.3 s");
}

TEST_F(Compilers, OneThatStartsLaterIsTriedAgain) {
  options_.command = {"sh", "-c",
                      "test -e " + folder_.path() + "/licence && exec " EXH_CUDA_FAKE_COMPILER};
  CompilePool pool(options_);
  EXPECT_THAT(Text(pool.Compile("x")), StartsWith("broken: the compiler does not start"));
  std::ofstream(folder_.path() + "/licence") << "granted";
  EXPECT_EQ(Text(pool.Compile("x")), "correct");
}

TEST_F(Compilers, ProcessesAreReplacedNowAndThen) {
  options_.recycle = 3;
  CompilePool pool(options_);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(Text(pool.Compile("x" + std::to_string(i))), "correct");
  EXPECT_EQ(pool.starts(), 3u);
  EXPECT_EQ(pool.runs(), 7u);
}

TEST_F(Compilers, ManyThreadsCompileAtOnce) {
  options_.workers = 3;
  options_.recycle = 10;
  options_.timeout_s = 60;
  CompilePool pool(options_);
  const std::vector<std::pair<std::string, Verdict>> words = {
      {"fine", Verdict::kCorrect},       {"crash", Verdict::kCompileError},
      {"error", Verdict::kCompileError}, {"garbage", Verdict::kCompileError},
      {"spills", Verdict::kSpills},      {"trouble", Verdict::kBroken},
      {"stale", Verdict::kCompileError}};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 28; ++i) {
        const auto& [word, verdict] = words[static_cast<std::size_t>(i + thread) % words.size()];
        // Every text comes from two threads.
        const std::string source = word + " " + std::to_string(thread / 2 * 100 + i);
        const CompiledKernel kernel = pool.Compile(source);
        EXPECT_EQ(kernel.verdict, verdict) << source << ": " << kernel.why;
        if (verdict == Verdict::kCorrect) {
          EXPECT_EQ(Contents(kernel.cubin), "machine code of " + source);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(fs::is_empty(options_.folder));
}

TEST_F(Compilers, AFolderThatCannotBeWrittenIsBroken) {
  std::ofstream(folder_.path() + "/file") << "in the way";
  options_.folder = folder_.path() + "/file/cubins";
  EXPECT_THAT(First("int x;"), StartsWith("broken: cannot write " + options_.folder));
}

TEST_F(Compilers, ACacheThatCannotBeWrittenIsNone) {
  std::ofstream(folder_.path() + "/file") << "in the way";
  options_.cache = folder_.path() + "/file/cache";
  CompilePool pool(options_);
  for (const char* const source : {"int x;", "int x;"}) {
    const CompiledKernel kernel = pool.Compile(source);
    EXPECT_EQ(Text(kernel), "correct");
    EXPECT_THAT(kernel.cubin, StartsWith(options_.folder + "/"));
    EXPECT_EQ(Contents(kernel.cubin), "machine code of int x;");
  }
  EXPECT_EQ(Text(pool.Compile("error")), "compile_error: kernel.cu(3): error: error\n  here");
  EXPECT_EQ(pool.runs(), 3u);
}

TEST_F(Compilers, AnEntryThatIsNotWholeIsCompiledAgain) {
  const std::string cubin = CompilePool(options_).Compile("int x;").cubin;
  const std::string facts = cubin.substr(0, cubin.rfind('.')) + ".json";
  const std::string whole = Contents(facts);
  const auto compile = [&] {
    CompilePool pool(options_);
    const CompiledKernel kernel = pool.Compile("int x;");
    EXPECT_EQ(Text(kernel), "correct");
    EXPECT_EQ(Contents(kernel.cubin), "machine code of int x;");
    return pool.runs();
  };
  EXPECT_EQ(compile(), 0u);
  fs::remove(facts);
  EXPECT_EQ(compile(), 1u);
  EXPECT_EQ(Contents(facts), whole);
  std::ofstream(facts) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(compile(), 1u);
  std::ofstream(facts) << "{}";
  EXPECT_EQ(compile(), 1u);
  fs::remove(cubin);
  EXPECT_EQ(compile(), 1u);
  std::ofstream(cubin) << "machine code of";
  EXPECT_EQ(compile(), 1u);
  std::ofstream(cubin) << std::string(22, '\0');
  EXPECT_EQ(compile(), 1u);
  EXPECT_EQ(compile(), 0u);
}

TEST_F(Compilers, ANewPoolTrimsTheCache) {
  {
    CompilePool pool(options_);
    for (int i = 0; i < 20; ++i) pool.Compile("text " + std::to_string(i));
  }
  options_.cache_bytes = 1000;
  const auto bytes_there = [this] {
    std::uintmax_t bytes = 0;
    for (const auto& file : fs::directory_iterator(options_.cache)) bytes += file.file_size();
    return bytes;
  };
  // The first one has looked at all of it only just now.
  const std::uintmax_t before = bytes_there();
  { CompilePool soon(options_); }
  EXPECT_EQ(bytes_there(), before);
  fs::last_write_time(options_.cache + "/trimmed",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  CompilePool pool(options_);
  EXPECT_LE(bytes_there(), 1000u);
  EXPECT_GT(bytes_there(), 0u);
}

}  // namespace
}  // namespace exh::kernels::cuda
