// SPDX-License-Identifier: MIT
#include "kernels/cpu/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <span>
#include <sstream>

#include "kernels/cpu/compile.h"
#include "kernels/cpu/problem_set.h"
#include "kernels/ir/elements.h"
#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cpu {
namespace {

using ::testing::HasSubstr;

constexpr int kElements = 1000;
const char kHead[] =
    "extern \"C\" int usleep(unsigned); extern \"C\" int puts(const char*);\n"
    "extern \"C\" void exh_run(void* const* arrays, const double* scalars, int threads) {\n"
    "  (void)threads; const float* x = (const float*)arrays[0]; float* z = (float*)arrays[1];\n"
    "  static int runs; ++runs;\n";
const char kCorrect[] = "for (int i = 0; i < 1000; ++i) z[i] = scalars[0] * x[i];\n";

/// z = 2 * x over 1000 elements; each test writes a body of its own. The second problem has other
/// inputs, the third one special ones.
class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::vector<float>> inputs(3);
    for (int i = 0; i < kElements; ++i) {
      inputs[0].push_back(static_cast<float>(i));
      inputs[1].push_back(static_cast<float>(3 * i % 1000) - 500);
      inputs[2].push_back(i % 7 == 0 ? kNan : i % 5 == 0 ? -kInfinity : 1);
    }
    const std::vector<double> tolerance(kElements, 0.5);
    for (const std::vector<float>& x : inputs) {
      std::vector<double> reference;
      for (const float value : x) reference.push_back(2.0 * value);
      Problem problem;
      problem.arrays = {{"x", false, ir::Type::kF32, std::as_bytes(std::span(x)), {}, {}},
                        {"z", true, ir::Type::kF32, {}, reference, tolerance}};
      problem.scalars = {{ir::Type::kF32, 2}};
      if (!problems_) problems_ = std::make_unique<ProblemSet>(problem, inputs.size());
      const char* const what[] = {"", "with other inputs", "with special inputs"};
      EXPECT_EQ(problems_->Add(problem, what[problems_->size()]), "");
    }
    request_.batch_ms = 0.1;
    request_.timeout_s = 60;
    request_.problems_after = {1, 2};
    request_.repeats_ms = 1000;
  }

  Measurement Run(const std::string& body, const std::string& outside = "") {
    CompilerOptions options;
    options.directory = folder_.path();
    options.flags = {"-O1", "-shared", "-fPIC", "-w"};
    const Compiled compiled = HostCompiler(options).Compile(outside + kHead + body + "}\n");
    EXPECT_EQ(compiled.verdict, Verdict::kCorrect) << compiled.why;
    request_.library = compiled.library;
    return RunCandidate(request_, *problems_, server_);
  }

  kernels::testing::TemporaryFolder folder_;
  ForkServer server_{{EXH_RUNNER_PROGRAM}};
  std::unique_ptr<ProblemSet> problems_;
  CpuRunRequest request_;
};

/// As many batches as a measurement in full has: more than five where they still got faster.
auto IsInFull() {
  return ::testing::AllOf(::testing::Ge(5U), ::testing::Le(15U));
}

TEST_F(RunTest, CorrectCandidateIsTimed) {
  const Measurement m = Run(kCorrect);
  ASSERT_EQ(m.verdict, Verdict::kCorrect) << m.why;
  ASSERT_THAT(m.runtimes_ns.size(), IsInFull());
  for (const double ns : m.runtimes_ns) EXPECT_GE(ns, m.best_ns);
  EXPECT_GT(m.best_ns, 0);
  EXPECT_EQ(m.max_error, 0);
}

TEST_F(RunTest, ErrorsWithinTheToleranceAreReported) {
  const Measurement m = Run(std::string(kCorrect) + "z[7] += 0.25f;");
  EXPECT_EQ(m.verdict, Verdict::kCorrect);
  EXPECT_EQ(m.max_error, 0.25);
  EXPECT_EQ(m.max_error_ratio, 0.5);
}

TEST_F(RunTest, WrongElementIsNamed) {
  const Measurement m = Run(std::string(kCorrect) + "z[7] = 15; z[9] = 0;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_EQ(m.why, "z[7] is 15, expected 14 within 0.5 (2 elements are wrong)");
  EXPECT_TRUE(m.runtimes_ns.empty());
}

TEST_F(RunTest, ElementNeverWrittenIsWrong) {
  const Measurement m = Run("for (int i = 0; i < 999; ++i) z[i] = 2 * x[i]; (void)scalars;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("z[999] is nan"));
}

TEST_F(RunTest, WritesOutsideBoundsAreWrong) {
  Measurement m = Run(std::string(kCorrect) + "z[1000] = 1;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("z was written outside its bounds, at element 1000 of 1000"));
  m = Run(std::string(kCorrect) + "z[-3] = 1;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("element -3"));
}

TEST_F(RunTest, WritesFarOutsideBoundsEndTheProcess) {
  for (const char* place : {"z - 5000", "z + 40000", "z + 1000000", "z - 1000000", "z + 8000000"}) {
    const Measurement m =
        Run(std::string(kCorrect) + "float* volatile far = " + place + "; *far = 1;");
    EXPECT_EQ(m.verdict, Verdict::kCrash) << place;
    EXPECT_THAT(m.why, HasSubstr("SIGSEGV")) << place;
  }
}

TEST_F(RunTest, LargeArraysHaveLargeGuards) {
  const std::vector<SharedShape> shapes = {{100, false},
                                           {30 << 20, true},
                                           {7, true, ir::Type::kI8},
                                           {9 << 18, false, ir::Type::kF64},
                                           {9 << 18, true, ir::Type::kBf16}};
  const SharedLayout layout(shapes);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const SharedLayout::Place& place = layout.places()[i];
    EXPECT_GE(place.address - end, std::max<std::uint64_t>(kGuardBytes, shapes[i].bytes())) << i;
    if (i > 0) {
      EXPECT_GE(place.address - end, shapes[i - 1].bytes()) << i;
    }
    EXPECT_EQ(place.data % 4096, 0U);
    EXPECT_GE(place.open_bytes, 2 * 4096 + shapes[i].bytes());
    end = place.address + place.open_bytes;
  }
  EXPECT_GE(layout.address_bytes() - end, kGuardBytes);
}

TEST_F(RunTest, WrongInALaterRunIsNoticed) {
  const Measurement m = Run(std::string(kCorrect) + "if (runs > 1) z[5] = 0;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_EQ(m.why,
            "z[5] is 0, expected 10 within 0.5 (1 element is wrong) at the end of a timed batch");
}

TEST_F(RunTest, OnlyTheFirstRunComputes) {
  Measurement m = Run("if (runs == 1) " + std::string(kCorrect));
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("z[0] is nan"));
  EXPECT_THAT(m.why, HasSubstr("at the end of a timed batch"));
  m = Run("for (int i = 0; i < 1000; ++i) if (i != 77 || runs == 1) z[i] = 2 * x[i];");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("z[77] is nan"));
}

TEST_F(RunTest, ComputingOnlyWhatIsSpoiltIsNotComputing) {
  // What is planted comes while a batch runs, or too late where the machine is busy: some of these
  // measurements find it.
  std::string why;
  for (int measurement = 0; why.empty() && measurement < 30; ++measurement) {
    const Measurement m =
        Run("bool is_nan = false; for (int i = 0; i < 1000; ++i) is_nan |= z[i] != z[i];"
            "if (is_nan) " +
            std::string(kCorrect));
    if (m.verdict == Verdict::kWrong) why = m.why;
  }
  EXPECT_THAT(why, HasSubstr("is not computed in every run"));
}

TEST_F(RunTest, WhatIsPlantedWhileItRunsDoesNotHarmIt) {
  // Through memory, one step after the other, and alone in the process's time.
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Measurement m =
        Run("for (int i = 0; i < 1000; ++i) z[i] = 0; for (int k = 0; k < 2; ++k) "
            "for (int i = 0; i < 1000; ++i) ((volatile float*)z)[i] += x[i];");
    EXPECT_EQ(m.verdict, Verdict::kCorrect) << m.why;
  }
}

TEST_F(RunTest, WhatIsRememberedIsNoResult) {
  // Right for the inputs that it is timed with, and wrong for others.
  const Measurement m =
      Run("static float once[1000]; if (runs == 1) "
          "for (int i = 0; i < 1000; ++i) once[i] = 2 * x[i]; "
          "for (int i = 0; i < 1000; ++i) z[i] = once[i];");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("with other inputs"));
}

TEST_F(RunTest, WrongInEveryHundredthRun) {
  request_.repeats = 128;
  const Measurement m = Run(std::string(kCorrect) + "if (runs % 100 == 99) z[5] = 0;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("z[5] is 0"));
}

// Of an output that is not compared whole after each batch, one element.
TEST_F(RunTest, WrongInEveryHundredthRunOfALargeOutput) {
  constexpr int kLarge = 400000;
  std::vector<float> x(kLarge);
  std::vector<double> reference;
  for (int i = 0; i < kLarge; ++i) {
    x[static_cast<std::size_t>(i)] = static_cast<float>(i % 1001);
    reference.push_back(2.0 * (i % 1001));
  }
  const std::vector<double> tolerance(kLarge, 0.5);
  Problem problem;
  problem.arrays = {{"x", false, ir::Type::kF32, std::as_bytes(std::span(x)), {}, {}},
                    {"z", true, ir::Type::kF32, {}, reference, tolerance}};
  problem.scalars = {{ir::Type::kF32, 2}};
  problems_ = std::make_unique<ProblemSet>(problem, 2);
  ASSERT_EQ(problems_->Add(problem, ""), "");
  ASSERT_EQ(problems_->Add(problem, "again"), "");
  request_.problems_after = {1};
  request_.repeats = 128;
  request_.repeats_ms = 60000;  // Enough, on a busy machine too.
  const std::string correct = "for (int i = 0; i < 400000; ++i) z[i] = scalars[0] * x[i];\n";
  EXPECT_EQ(Run(correct).verdict, Verdict::kCorrect);
  const Measurement m = Run(correct + "if (runs % 100 == 99) z[234567] += 7;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("z[234567] is "));
}

TEST_F(RunTest, EachProblemHasItsScalars) {
  std::vector<float> x(kElements, 3);
  const std::vector<double> tolerance(kElements, 0);
  for (const double second : {2.0, 2.25}) {
    problems_.reset();
    for (const double scalar : {2.0, second}) {
      const std::vector<double> reference(kElements, 3 * scalar);
      Problem problem;
      problem.arrays = {{"x", false, ir::Type::kF32, std::as_bytes(std::span(x)), {}, {}},
                        {"z", true, ir::Type::kF32, {}, reference, tolerance}};
      problem.scalars = {{ir::Type::kF32, scalar}};
      if (!problems_) problems_ = std::make_unique<ProblemSet>(problem, 2);
      ASSERT_EQ(problems_->Add(problem, problems_->size() == 0 ? "" : "with another scalar"), "");
    }
    request_.problems_after = {1};
    EXPECT_EQ(Run(kCorrect).verdict, Verdict::kCorrect);
    const Measurement m = Run("for (int i = 0; i < 1000; ++i) z[i] = 2 * x[i]; (void)scalars;");
    EXPECT_EQ(m.verdict, second == 2 ? Verdict::kCorrect : Verdict::kWrong);
    if (second != 2) {
      EXPECT_THAT(m.why, HasSubstr("with another scalar"));
    }
  }
}

TEST_F(RunTest, SpecialValuesAreChecked) {
  const char* const body = "for (int i = 0; i < 1000; ++i) z[i] = x[i] == x[i] ? 2 * x[i] : 0;";
  const Measurement m = Run(body);
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("z[0] is 0, expected nan"));
  EXPECT_THAT(m.why, HasSubstr("with special inputs"));
  // One that is due a NaN and never written is found as well.
  EXPECT_EQ(Run("for (int i = 0; i < 1000; ++i) if (x[i] == x[i]) z[i] = 2 * x[i];").verdict,
            Verdict::kWrong);
  request_.problems_after = {1};
  EXPECT_EQ(Run(body).verdict, Verdict::kCorrect);
}

TEST_F(RunTest, TimesThatItMakesUpAreNotBelieved) {
  // Its process looks at a clock that stands still.
  const char* const clock =
      "#include <chrono>\n#include <dlfcn.h>\n#include <link.h>\n#include <string.h>\n"
      "#include <sys/mman.h>\n#include <time.h>\n"
      "extern \"C\" int Stands(clockid_t, timespec* t) { t->tv_sec = 5; t->tv_nsec = 0; return 0; "
      "}\n"
      "static void Patch(ElfW(Addr) base, const ElfW(Dyn)* dynamic) {\n"
      "  const char* names = 0; const ElfW(Sym)* symbols = 0; const ElfW(Rela)* rela[2] = {};\n"
      "  size_t bytes[2] = {};\n"
      "  for (; dynamic->d_tag; ++dynamic) { auto p = dynamic->d_un.d_ptr;\n"
      "    if (dynamic->d_tag == DT_STRTAB) names = (const char*)p;\n"
      "    if (dynamic->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym)*)p;\n"
      "    if (dynamic->d_tag == DT_JMPREL) rela[0] = (const ElfW(Rela)*)p;\n"
      "    if (dynamic->d_tag == DT_RELA) rela[1] = (const ElfW(Rela)*)p;\n"
      "    if (dynamic->d_tag == DT_PLTRELSZ) bytes[0] = p;\n"
      "    if (dynamic->d_tag == DT_RELASZ) bytes[1] = p; }\n"
      "  for (int k = 0; k < 2; ++k) for (size_t i = 0; i < bytes[k] / sizeof(ElfW(Rela)); ++i) {\n"
      "    const char* name = names + symbols[ELF64_R_SYM(rela[k][i].r_info)].st_name;\n"
      "    if (strcmp(name, \"clock_gettime\") != 0 &&\n"
      "        strcmp(name, \"_ZNSt6chrono3_V212steady_clock3nowEv\") != 0) continue;\n"
      "    void** slot = (void**)(base + rela[k][i].r_offset);\n"
      "    mprotect((void*)((size_t)slot & ~4095ul), 8192, PROT_READ | PROT_WRITE);\n"
      "    *slot = name[0] == 'c' ? (void*)Stands : (void*)+[]() -> long { return 5; }; } }\n"
      "__attribute__((constructor)) static void Begin() {\n"
      "  dl_iterate_phdr([](dl_phdr_info* info, size_t, void*) {\n"
      "    if (strstr(info->dlpi_name, \"libc.so\") || strstr(info->dlpi_name, \"vdso\")) return "
      "0;\n"
      "    for (int i = 0; i < info->dlpi_phnum; ++i) if (info->dlpi_phdr[i].p_type == "
      "PT_DYNAMIC)\n"
      "      Patch(info->dlpi_addr, (const ElfW(Dyn)*)(info->dlpi_addr + "
      "info->dlpi_phdr[i].p_vaddr));\n"
      "    return 0; }, nullptr); }\n";
  const Measurement m = Run("for (int k = 0; k < 1000; ++k) { asm volatile(\"\" ::: \"memory\"); " +
                                std::string(kCorrect) + "}",
                            clock);
  EXPECT_EQ(m.verdict, Verdict::kImpossible) << m.why;
  EXPECT_THAT(m.why, HasSubstr("its process says 0 ns a run"));
}

TEST_F(RunTest, WhatItComputesBesideItsRunsIsNoLie) {
  // Whenever it is frozen no more, it computes for 0.4 ms before it runs, as threads of OpenMP do
  // that wait for each other: more than a batch lasts. Then also on a machine so busy that a batch
  // begins 60 ms late: how long it lasted on the watch must not hide how short it was.
  for (const int late_ms : {0, 60}) {
    const Measurement m =
        Run(kCorrect,
            "#include <signal.h>\n#include <time.h>\n"
            "static long Computed() { timespec t;\n"
            "  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);\n"
            "  return t.tv_sec * 1000000000 + t.tv_nsec; }\n"
            "static void Wait(int) {\n"
            "  const timespec late = {0, " +
                std::to_string(late_ms) +
                "000000L};\n"
                "  nanosleep(&late, nullptr);\n"
                "  for (const long end = Computed() + 400000; Computed() < end;); }\n"
                "__attribute__((constructor)) static void Begin() {\n"
                "  signal(SIGCONT, Wait); }\n");
    EXPECT_EQ(m.verdict, Verdict::kCorrect) << m.why;
  }
}

TEST_F(RunTest, CrashIsAVerdict) {
  Measurement m = Run("*(volatile int*)0 = (int)x[0] + (int)scalars[0] + (int)z[0];");
  EXPECT_EQ(m.verdict, Verdict::kCrash);
  EXPECT_THAT(m.why, HasSubstr("SIGSEGV"));
  // Inputs are read-only.
  m = Run(std::string(kCorrect) + "const_cast<float*>(x)[0] = 1;");
  EXPECT_EQ(m.verdict, Verdict::kCrash);
  m = Run("(void)x, (void)z, (void)scalars; __builtin_trap();");
  EXPECT_EQ(m.verdict, Verdict::kCrash);
}

TEST_F(RunTest, LeavingTheProcessIsACrash) {
  const Measurement m =
      Run("(void)x, (void)z, (void)scalars; extern void leave(int) asm(\"_exit\"); leave(0);");
  EXPECT_EQ(m.verdict, Verdict::kCrash);
  EXPECT_THAT(m.why, HasSubstr("no answer"));
}

TEST_F(RunTest, HangIsStopped) {
  request_.timeout_s = 0.5;
  const Measurement m = Run("(void)x, (void)z, (void)scalars; while (true) usleep(1000);");
  EXPECT_EQ(m.verdict, Verdict::kTimeout);
}

TEST_F(RunTest, SlowerThanTheCapStopsAfterOneBatch) {
  request_.cap_ns = 1000;
  const Measurement m = Run(std::string(kCorrect) + "usleep(2000);");
  EXPECT_EQ(m.verdict, Verdict::kSlow);
  EXPECT_EQ(m.runtimes_ns.size(), 1U);
  EXPECT_GT(m.best_ns, request_.cap_ns);
}

TEST_F(RunTest, AFirstTimedRunThatIsSlowByAccidentIsNotBelieved) {
  request_.cap_ns = 1e6;
  // The first one is checked, the second one is timed.
  const Measurement m = Run(std::string(kCorrect) + "if (runs == 2) usleep(10000);");
  EXPECT_EQ(m.verdict, Verdict::kCorrect) << m.why;
  EXPECT_LT(m.best_ns, request_.cap_ns);
}

TEST_F(RunTest, AFirstRunThatIsFarBehindIsNotWaitedFor) {
  request_.cap_ns = 1000;
  request_.timeout_s = 60;
  const Measurement m = Run("(void)x, (void)z, (void)scalars; sleep(50);", "#include <unistd.h>\n");
  EXPECT_EQ(m.verdict, Verdict::kSlow);
  EXPECT_THAT(m.why, HasSubstr("its first run did not end in 20 ms"));
  EXPECT_GT(m.best_ns, 1e7);
}

TEST_F(RunTest, LongRunsAreTimedTwiceInsteadOfFiveTimes) {
  request_.batches_ms = 1;
  Measurement m = Run(std::string(kCorrect) + "usleep(2000);");
  EXPECT_EQ(m.verdict, Verdict::kCorrect) << m.why;
  EXPECT_EQ(m.runtimes_ns.size(), 2U);
  request_.batches_ms = 10000;
  m = Run(std::string(kCorrect) + "usleep(2000);");
  EXPECT_THAT(m.runtimes_ns.size(), IsInFull());
}

TEST_F(RunTest, WhatACandidatePrintsDoesNotGarbleTheAnswer) {
  EXPECT_EQ(Run(std::string(kCorrect) + "if (runs == 1) puts(\"{}\");").verdict, Verdict::kCorrect);
}

TEST_F(RunTest, WritingToTheChannelIsNoAnswer) {
  Measurement m = Run(std::string(kCorrect) +
                          "if (runs == 3) { char forged[424] = {}; "
                          "for (int fd = 0; fd < 64; ++fd) write(fd, forged, sizeof forged); }",
                      "#include <unistd.h>\n");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("channel"));
  m = Run("for (int fd = 0; fd < 64; ++fd) close(fd);", "#include <unistd.h>\n");
  EXPECT_EQ(m.verdict, Verdict::kCrash);
}

/// Kills the children of this process that are runners: its fork server. How many there were.
int KillRunners() {
  int killed = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line) || line.find(')') == std::string::npos) continue;
    std::istringstream rest(line.substr(line.rfind(')') + 2));
    char state = ' ';
    pid_t parent = 0;
    rest >> state >> parent;
    std::string command;
    std::getline(std::ifstream(entry.path() / "cmdline") >> std::ws, command, '\0');
    if (parent != ::getpid() || command != EXH_RUNNER_PROGRAM) continue;
    ::kill(std::stoi(entry.path().filename()), SIGKILL);
    ++killed;
  }
  return killed;
}

TEST_F(RunTest, CandidatesAreForkedByOneProgramThatIsStartedAgainWhenItIsGone) {
  EXPECT_EQ(Run(kCorrect).verdict, Verdict::kCorrect);
  EXPECT_EQ(Run("abort();", "#include <cstdlib>\n").verdict, Verdict::kCrash);
  EXPECT_EQ(Run(kCorrect).verdict, Verdict::kCorrect);
  EXPECT_EQ(KillRunners(), 1);  // No candidate is left, and no second server.
  EXPECT_EQ(Run(kCorrect).verdict, Verdict::kCorrect);
}

TEST_F(RunTest, ThreadsHaveACoreEachAfterTheFirstRun) {
  const Measurement m = Run(std::string(kCorrect) +
                                "cpu_set_t cores; sched_getaffinity(0, sizeof cores, &cores); "
                                "if (runs > 1 && CPU_COUNT(&cores) != 1) abort();",
                            "#include <sched.h>\n#include <cstdlib>\n");
  EXPECT_EQ(m.verdict, Verdict::kCorrect) << m.why;
}

TEST_F(RunTest, NothingOfACandidateIsLeftForTheNextOne) {
  // What one of them does to its process, its library and its environment.
  EXPECT_EQ(Run(std::string(kCorrect) + "setenv(\"EXH_SEEN\", \"1\", 1); "
                                        "for (int fd = 6; fd < 64; ++fd) close(fd);",
                "#include <cstdlib>\n#include <unistd.h>\n")
                .verdict,
            Verdict::kCorrect);
  EXPECT_EQ(
      Run(std::string("if (getenv(\"EXH_SEEN\")) abort();") + kCorrect, "#include <cstdlib>\n")
          .verdict,
      Verdict::kCorrect);
}

TEST_F(RunTest, BrokenEnvironment) {
  request_.library = folder_.path() + "/no.so";
  EXPECT_EQ(RunCandidate(request_, *problems_, server_).verdict, Verdict::kBroken);
  for (const char* program : {"no-such-runner", "/dev/null", "/bin/true"}) {
    ForkServer none({program});
    const Measurement m = RunCandidate(request_, *problems_, none);
    EXPECT_EQ(m.verdict, Verdict::kBroken);
    EXPECT_THAT(m.why, HasSubstr(program));
  }
  Problem huge = problems_->problem(0);
  huge.arrays[0].values = {huge.arrays[0].values.data(), std::size_t{1} << 60};
  const ProblemSet none(huge, 1);
  EXPECT_THAT(none.error(), HasSubstr("no shared memory"));
}

constexpr const char* kReady =
    "extern \"C\" const char* exh_ready(const char** which) { *which = \"Library 1.2\"; return 0; "
    "}\n";
/// It takes longer than any run, and what it leaves is needed.
constexpr const char* kBefore =
    "static int ready;\n"
    "extern \"C\" int usleep(unsigned);\n"
    "extern \"C\" void exh_before(void* const*, const double*, int) { ready = 1; usleep(20000); "
    "}\n";
constexpr const char* kNeedsIt =
    "for (int i = 0; i < 1000; ++i) z[i] = ready * scalars[0] * x[i]; ready = 0;\n";

TEST_F(RunTest, YardsticksSayWhichLibraryTheyAre) {
  request_.is_yardstick = true;
  const Measurement m = Run(kCorrect, kReady);
  EXPECT_EQ(m.verdict, Verdict::kCorrect);
  EXPECT_EQ(m.why, "Library 1.2");
}

TEST_F(RunTest, YardsticksSayWhyTheyCannotBeUsed) {
  request_.is_yardstick = true;
  const Measurement m = Run(kCorrect,
                            "extern \"C\" const char* exh_ready(const char**) {\n"
                            "  return \"libnone.so.0 is not there\"; }\n");
  EXPECT_EQ(m.verdict, Verdict::kBroken);
  EXPECT_EQ(m.why, "libnone.so.0 is not there");
}

TEST_F(RunTest, WhatAYardstickDoesBeforeARunIsNotTimed) {
  request_.is_yardstick = true;
  const Measurement m = Run(kNeedsIt, std::string(kReady) + kBefore);
  ASSERT_EQ(m.verdict, Verdict::kCorrect) << m.why;
  EXPECT_LT(m.best_ns, 2e7);  // What it slept.
}

TEST_F(RunTest, CandidatesHaveNothingBeforeTheirRuns) {
  const Measurement m = Run(kNeedsIt, std::string(kReady) + kBefore);
  EXPECT_EQ(m.verdict, Verdict::kWrong) << m.why;
  EXPECT_EQ(Run(kCorrect, kReady).why, "");
}

TEST_F(RunTest, StoppedRunsSayNothing) {
  StopToken stop;
  stop.StopIn(0.2);
  request_.library = "";
  Run(kCorrect);  // Compiles.
  CompilerOptions options;
  options.directory = folder_.path();
  const Compiled hangs =
      HostCompiler(options).Compile(kHead + std::string("for (;;) usleep(1000); }"));
  request_.library = hangs.library;
  EXPECT_EQ(RunCandidate(request_, *problems_, server_, &stop).verdict, Verdict::kStopped);
}

// ---- Types --------------------------------------------------------------------------------------

constexpr int kOdd = 1003;  ///< No whole number of words, whatever the type.

const char kCopies[] =
    "for (int i = 0; i < 1003; ++i) { half[i] = ((const unsigned short*)arrays[0])[i];\n"
    "  small[i] = ((const signed char*)arrays[1])[i];\n"
    "  large[i] = ((const long long*)arrays[2])[i] * ((const long long*)scalars)[0];\n"
    "  flag[i] = ((const unsigned char*)arrays[3])[i]; }\n";

/// Copies of an f16, an i8, an i64 and a bool array, the i64 times a scalar.
class TypedRunTest : public ::testing::Test {
 protected:
  TypedRunTest() {
    std::vector<std::vector<double>> references;
    for (const ir::Type type : kTypes) {
      ir::Elements& input = inputs_.emplace_back(type, kOdd);
      std::vector<double>& reference = references.emplace_back();
      for (int i = 0; i < kOdd; ++i) {
        // Some of the i8 are -91 and 90, what outputs are spoilt with, on the way.
        const double value = type == ir::Type::kF16 ? 0.25 * (i % 64) : i % 2 == 0 ? i % 31 : -1;
        input.Set(i, type == ir::Type::kI8 && i % 5 == 0 ? (i % 2 == 0 ? -91 : 90) : value);
        reference.push_back(input[i] * (type == ir::Type::kI64 ? kFactor : 1));
      }
    }
    const std::vector<double> tolerance(kOdd, 0);
    Problem problem;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      problem.arrays.push_back({"in", false, kTypes[i], inputs_[i].bytes(), {}, {}});
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      problem.arrays.push_back({kNames[i], true, kTypes[i], {}, references[i], tolerance});
    }
    problem.scalars = {{ir::Type::kI64, kFactor}, {ir::Type::kF16, 0.1}};
    problems_ = std::make_unique<ProblemSet>(problem, 2);
    EXPECT_EQ(problems_->Add(problem, ""), "");
    EXPECT_EQ(problems_->Add(problem, "once more"), "");
    request_.batch_ms = 0.1;
    request_.timeout_s = 60;
    request_.problems_after = {1};
    request_.repeats_ms = 1000;
  }

  /// `change` runs behind the copies, `instead` in their place.
  Measurement Run(const std::string& change, const std::string& instead = "") {
    const std::string head =
        "extern \"C\" void exh_run(void* const* arrays, const double* scalars, int) {\n"
        "  unsigned short* half = (unsigned short*)arrays[4];\n"
        "  signed char* small = (signed char*)arrays[5]; long long* large = (long "
        "long*)arrays[6];\n"
        "  unsigned char* flag = (unsigned char*)arrays[7]; static int runs; ++runs;\n";
    CompilerOptions options;
    options.directory = folder_.path();
    options.flags = {"-O1", "-shared", "-fPIC", "-w"};
    const Compiled compiled = HostCompiler(options).Compile(
        head + (instead.empty() ? kCopies : instead) + change + "}\n");
    EXPECT_EQ(compiled.verdict, Verdict::kCorrect) << compiled.why;
    request_.library = compiled.library;
    return RunCandidate(request_, *problems_, server_);
  }

  static constexpr double kFactor = 3000000000;  ///< No i32.
  static constexpr ir::Type kTypes[] = {ir::Type::kF16, ir::Type::kI8, ir::Type::kI64,
                                        ir::Type::kBool};
  static constexpr const char* kNames[] = {"half", "small", "large", "flag"};
  kernels::testing::TemporaryFolder folder_;
  ForkServer server_{{EXH_RUNNER_PROGRAM}};
  std::vector<ir::Elements> inputs_;
  std::unique_ptr<ProblemSet> problems_;
  CpuRunRequest request_;
};

TEST_F(TypedRunTest, WhatIsRightIs) {
  const Measurement m = Run("");
  EXPECT_EQ(m.verdict, Verdict::kCorrect) << m.why;
  EXPECT_EQ(m.max_error, 0);
}

TEST_F(TypedRunTest, ScalarsAreRoundedToTheirTypes) {
  const Measurement m = Run("if (scalars[1] != 0.0999755859375) half[3] = 0;");
  EXPECT_EQ(m.verdict, Verdict::kCorrect) << m.why;
}

TEST_F(TypedRunTest, WrongElementsAreNamed) {
  EXPECT_THAT(Run("half[1002] = 0x3C00;").why, HasSubstr("half[1002] is 1, expected 10.5"));
  EXPECT_THAT(Run("small[1] = 2;").why, HasSubstr("small[1] is 2, expected -1 within 0"));
  EXPECT_THAT(Run("++large[1];").why,
              HasSubstr("large[1] is -2999999999, expected -3000000000 within 0"));
  EXPECT_THAT(Run("flag[1] = 0;").why, HasSubstr("flag[1] is 0, expected 1 within 0"));
  EXPECT_THAT(Run("flag[1] = 255;").why, HasSubstr("flag[1] is 255, expected 1 within 0"));
}

TEST_F(TypedRunTest, WritesOutsideBoundsAreWrong) {
  for (const char* const array : {"half", "small", "large", "flag"}) {
    const std::string name = array;
    EXPECT_THAT(Run(name + "[1003] = 0;").why,
                HasSubstr(name + " was written outside its bounds, at element 1003 of 1003"));
    EXPECT_THAT(Run(name + "[1004] = 0;").why, HasSubstr("at element 1004 of 1003"));
    EXPECT_THAT(Run(name + "[-1] = 0;").why,
                HasSubstr(name + " was written outside its bounds, at element -1"));
    EXPECT_THAT(Run(name + "[-2] = 0;").why, HasSubstr("at element -2"));
  }
  // A part of an element.
  EXPECT_THAT(Run("((char*)large)[8 * 1003 + 7] = 1;").why, HasSubstr("element 1003 of 1003"));
  EXPECT_THAT(Run("((char*)large)[-1] = 1;").why, HasSubstr("element -1"));
  EXPECT_THAT(Run("((char*)large)[-9] = 1;").why, HasSubstr("element -2"));
}

TEST_F(TypedRunTest, EveryElementMustBeWritten) {
  for (int array = 0; array < 4; ++array) {
    // All of them but one: that may be any, also one that is what others are spoilt with.
    for (const int left_out : {0, 5, 10, 77, 1002}) {
      const std::string number = std::to_string(left_out);
      const std::string loop = "for (int i = 0; i < 1003; ++i) ";
      const auto unless = [&](int of, const std::string& statement) {
        return loop + (of == array ? "if (i != " + number + ") " : "") + statement + "\n";
      };
      const Measurement m = Run(
          "",
          unless(0, "half[i] = ((const unsigned short*)arrays[0])[i];") +
              unless(1, "small[i] = ((const signed char*)arrays[1])[i];") +
              unless(
                  2,
                  "large[i] = ((const long long*)arrays[2])[i] * ((const long long*)scalars)[0];") +
              unless(3, "flag[i] = ((const unsigned char*)arrays[3])[i];"));
      EXPECT_EQ(m.verdict, Verdict::kWrong) << array << " " << left_out;
      EXPECT_THAT(m.why, HasSubstr(std::string(kNames[array]) + "[" + number + "] is "));
    }
  }
}

TEST_F(TypedRunTest, OnlyTheFirstRunComputes) {
  for (const char* const array : {"half", "small", "large", "flag"}) {
    const Measurement m = Run(std::string("if (runs > 1) ") + array + "[5] = before;",
                              std::string("auto before = ") + array + "[5];" + kCopies);
    EXPECT_EQ(m.verdict, Verdict::kWrong) << array;
    EXPECT_THAT(m.why, HasSubstr(std::string(array) + "[5] is "));
  }
}

}  // namespace
}  // namespace exh::kernels::cpu
