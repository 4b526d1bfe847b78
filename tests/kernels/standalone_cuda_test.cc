// SPDX-License-Identifier: MIT
//
// Stand-alone programs around kernels written by hand, on the processor: what their test accepts,
// what it finds, and what their launcher refuses.
#include "kernels/devices/cuda/standalone/standalone_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/codegen/print/op_text.h"
#include "kernels/devices/device.h"
#include "kernels/library/registry.h"
#include "tests/support/compiled_texts.h"
#include "tests/support/cuda_program.h"

namespace exh::kernels {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::int64_t kN = 8192;

/// axpy, with less text than it has or more work than it does.
class Axpy final : public Kernel {
 public:
  explicit Axpy(double flops, bool has_text = true) : flops_(flops), has_text_(has_text) {}
  std::string_view name() const override { return "axpy"; }
  std::string_view summary() const override { return axpy_.summary(); }
  std::vector<Parameter> parameters() const override { return axpy_.parameters(); }
  void Build(ir::Builder& b, const Parameters& s) const override { axpy_.Build(b, s); }
  void Reference(const Parameters&, ProblemData&) const override {}
  double Flops(const Parameters&) const override { return flops_; }
  std::string NaiveSource(const Parameters&) const override { return ""; }
  std::string EigenSource(const Parameters&) const override { return ""; }
  std::string ReferenceElement(const Parameters& s) const override {
    return has_text_ ? axpy_.ReferenceElement(s) : "";
  }

 private:
  const Kernel& axpy_ = *FindKernel("axpy");
  double flops_;
  bool has_text_;
};

const Kernel& Few() {
  static const Axpy kernel(2 * kN);
  return kernel;
}
/// Too many operations to compute every element again.
const Kernel& Many() {
  static const Axpy kernel(2e9);
  return kernel;
}
const Kernel& WithoutText() {
  static const Axpy kernel(2 * kN, false);
  return kernel;
}

Task TaskOf(const Kernel& kernel) {
  return MakeTask(kernel, {{"n", kN}, {"inner_tile", 4}}, *LoadDevice("h200").device);
}
const Task& FewTask() {
  static const Task task = TaskOf(Few());
  return task;
}

/// A kernel of one thread for each element, `body` after the index of its own.
Source SourceOf(const std::string& body, std::uint64_t shared_bytes = 0,
                std::uint64_t global_bytes = 0) {
  Launch launch;
  launch.threads = 64;
  launch.grid = kN / launch.threads;
  launch.shared_bytes = shared_bytes;
  launch.global_bytes = global_bytes;
  return {R"(// axpy, printed by Exhaust.
//
// Decisions:
//   none(of,them)=KEPT

extern __shared__ float4 exh_shared[];

extern "C" __global__ void __launch_bounds__(64, 1)
exh_kernel(const float* __restrict__ arg_x, const float* __restrict__ arg_y,
           float* __restrict__ arg_z, float s_alpha)" +
              std::string(global_bytes > 0 ? ", unsigned char* __restrict__ exh_global" : "") +
              R"() {
  const int i = blockIdx.x * 64 + threadIdx.x;
  )" + body + "\n}\n",
          launch};
}

/// Three kernels with a workspace: tickets, then a float for each element. `body` is exh_kernel's.
Source ThreeKernels(const std::string& body) {
  Launch launch;
  launch.threads = 64;
  launch.grid = kN / launch.threads;
  launch.ticket_bytes = 16;
  launch.workspace_bytes = launch.ticket_bytes + sizeof(float) * kN;
  launch.sides = {{"exh_fill", true, launch.grid, 64, 0},
                  {"exh_finish", false, launch.grid, 64, 50000}};
  const auto kernel = [](const std::string& name, const std::string& what) {
    return "extern \"C\" __global__ void __launch_bounds__(64, 1)\n" + name +
           R"((const float* __restrict__ arg_x, const float* __restrict__ arg_y,
float* __restrict__ arg_z, float s_alpha, unsigned char* __restrict__ exh_global) {
  unsigned* const tickets = reinterpret_cast<unsigned*>(exh_global);
  float* const parts = reinterpret_cast<float*>(exh_global + 16);
  const int i = blockIdx.x * 64 + threadIdx.x;
  )" + what +
           "\n}\n\n";
  };
  return {kernel("exh_fill", "arg_z[i] = 0;") + kernel("exh_kernel", body) +
              kernel("exh_finish", "arg_z[i] += parts[i]; parts[i] = 0;"),
          launch};
}

constexpr const char* kRight = "arg_z[i] = fmaf(s_alpha, arg_x[i], arg_y[i]);";

struct Case {
  const Kernel& kernel;
  Source source;
  int code;
  std::vector<std::string> said;
};

TEST(StandaloneCuda, FindsWhatIsWrong) {
  const std::string right = kRight;
  const std::vector<Case> cases = {
      {Few(),
       SourceOf("float* const shared = reinterpret_cast<float*>(exh_shared);"
                "float* const global = reinterpret_cast<float*>(exh_global);"
                "global[blockIdx.x * 64 + 63 - threadIdx.x] = arg_y[i];"
                "shared[63 - threadIdx.x] = arg_x[i]; __syncthreads();"
                "arg_z[i] = fmaf(s_alpha, shared[63 - threadIdx.x],"
                "                global[blockIdx.x * 64 + 63 - threadIdx.x]);",
                50000, 256),
       0,
       {"axpy: correct (all of 8192 elements), 250.00 us, 0.1 GFLOP/s"}},
      {Few(),
       SourceOf("if (i != 77) arg_z[i] = fmaf(s_alpha, arg_x[i], arg_y[i + (i == 9) * 9000]);"
                "if (i == 11) arg_z[i] += 1e-5f;"
                "if (i == 0) arg_z[8192] = const_cast<float*>(arg_x)[-3] = 0;"
                "reinterpret_cast<float*>(exh_global)[blockIdx.x * 64 + threadIdx.x + 1] = 0;",
                0, 256),
       1,
       {"axpy: z[77] is ", "axpy: z[9] is ", "axpy: z[11] is ", "written outside of z",
        "written outside of x", "written outside of the workspace", "axpy: 6 mistake(s)"}},
      {Few(), SourceOf(right + "if (i == 0) arg_z[-1] = 0;"), 1, {"axpy: 1 mistake(s)"}},
      {Many(), SourceOf(right), 0, {"axpy: correct (4098 of 8192 elements), "}},
      {Many(),
       SourceOf("if (i != 77) " + right + "if (i == 8191) arg_z[i] += 1;"),
       1,
       {"axpy: z[8191] is ", "axpy: z[77] is "}},
  };
  std::vector<tests::ProgramRun> runs(cases.size());
  testing::InParallel(cases.size(), [&](std::size_t i) {
    runs[i] = tests::RunOnProcessor(
        StandaloneCuda(TaskOf(cases[i].kernel), cases[i].source, "A test.\n"));
  });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].source.text);
    EXPECT_EQ(runs[i].compiler, "");
    EXPECT_EQ(runs[i].code, cases[i].code);
    for (const std::string& said : cases[i].said) {
      EXPECT_THAT(cases[i].code == 0 ? runs[i].out : runs[i].err, HasSubstr(said));
    }
  }
}

/// y = 2 x, of two types that both have the values.
class Twice final : public Kernel {
 public:
  Twice(ir::Type from, ir::Type to) : from_(from), to_(to) {}
  std::string_view name() const override { return "twice"; }
  std::string_view summary() const override { return "y = 2 x"; }
  std::vector<Parameter> parameters() const override { return {}; }
  void Build(ir::Builder& b, const Parameters&) const override {
    const auto x = b.InputArray("x", kN, from_), y = b.OutputArray("y", kN, to_);
    const ir::Type computed = ir::ComputeTypeOf(to_);
    b.Scalar("two", 2, computed);
    const auto n = b.Axis("n", kN, {});
    const auto load = b.Load("load", x, {{n, 1}});
    const auto cast = b.Compute("cast", ir::Op::kConst, {n}, {ir::InRegisters(load)}, computed);
    const auto twice =
        b.Compute("twice", ir::Op::kMul, {n}, {ir::ScalarArg("two"), ir::InRegisters(cast)});
    b.Store("store", y, {{n, 1}}, ir::InRegisters(twice));
  }
  std::string ReferenceElement(const Parameters&) const override {
    // Halves are numbers of which twice as much is one of them.
    return to_ == ir::Type::kBool ? "return {x[i] != 0 ? 1.0 : 0.0, 0};\n"
                                  : "return {double(two) * double(x[i]), 0};\n";
  }
  /// With one thread for each element.
  Source source(const std::string& statement) const {
    const auto pointer = [](ir::Type type) {
      return std::string(codegen::ElementName(type)) + "*";
    };
    Launch launch;
    launch.threads = 64;
    launch.grid = kN / launch.threads;
    return {"extern \"C\" __global__ void __launch_bounds__(64, 1)\nexh_kernel(const " +
                pointer(from_) + " __restrict__ arg_x, " + pointer(to_) + " __restrict__ arg_y, " +
                std::string(codegen::RegisterName(ir::ComputeTypeOf(to_))) +
                " s_two) {\n  const int i = blockIdx.x * 64 + threadIdx.x;\n  " + statement +
                "\n}\n",
            launch};
  }

 private:
  ir::Type from_, to_;
};

TEST(StandaloneCuda, ArraysOfEveryType) {
  struct TypedCase {
    ir::Type from, to;
    const char* statement;  ///< Right.
  };
  // A step of the exponent is twice as much; no input is so small that it is denormal.
  const std::vector<TypedCase> cases = {
      {ir::Type::kF64, ir::Type::kF64, "arg_y[i] = s_two * arg_x[i];"},
      {ir::Type::kF16, ir::Type::kF16,
       "arg_y[i] = (arg_x[i] & 0x7c00) == 0 ? (arg_x[i] & 0x8000) | (arg_x[i] & 0x3ff) << 1"
       " : arg_x[i] + 0x400;"},
      {ir::Type::kBf16, ir::Type::kBf16,
       "arg_y[i] = (arg_x[i] & 0x7fff) == 0 ? arg_x[i] : arg_x[i] + 0x80;"},
      {ir::Type::kF8E4M3, ir::Type::kF8E4M3,
       "arg_y[i] = (arg_x[i] & 0x78) == 0 ? (arg_x[i] & 0x80) | (arg_x[i] & 7) << 1"
       " : arg_x[i] + 8;"},
      {ir::Type::kF8E5M2, ir::Type::kF8E5M2,
       "arg_y[i] = (arg_x[i] & 0x7c) == 0 ? (arg_x[i] & 0x80) | (arg_x[i] & 3) << 1"
       " : arg_x[i] + 4;"},
      {ir::Type::kI8, ir::Type::kI64, "arg_y[i] = s_two * arg_x[i];"},
      {ir::Type::kI32, ir::Type::kI32, "arg_y[i] = s_two * arg_x[i];"},
      {ir::Type::kU32, ir::Type::kU32, "arg_y[i] = s_two * arg_x[i];"},
      {ir::Type::kI64, ir::Type::kI8, "arg_y[i] = s_two * arg_x[i];"},
      {ir::Type::kBool, ir::Type::kBool, "arg_y[i] = arg_x[i] != 0;"},
      {ir::Type::kF32, ir::Type::kF32, "arg_y[i] = s_two * arg_x[i];"},
  };
  struct Runs {
    tests::ProgramRun right, unwritten;
  };
  std::vector<Runs> runs(cases.size());
  testing::InParallel(cases.size(), [&](std::size_t i) {
    const Twice kernel(cases[i].from, cases[i].to);
    const Task task = MakeTask(kernel, {}, *LoadDevice("h200").device);
    const std::string right = cases[i].statement;
    const auto run = [&](const std::string& statement) {
      return tests::RunOnProcessor(StandaloneCuda(task, kernel.source(statement), "A test.\n"));
    };
    runs[i] = {run(right), run("if (i != 77) " + right)};
  });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(std::string(ir::WordOf(cases[i].from)) + " " +
                 std::string(ir::WordOf(cases[i].to)));
    EXPECT_EQ(runs[i].right.compiler, "");
    EXPECT_EQ(runs[i].right.code, 0) << runs[i].right.err;
    EXPECT_THAT(runs[i].right.out, HasSubstr("twice: correct (all of 8192 elements)"));
    EXPECT_EQ(runs[i].unwritten.code, 1);
    EXPECT_THAT(runs[i].unwritten.err, HasSubstr("twice: y[77] is "));
  }
}

TEST(StandaloneCuda, TheLauncherNamesTheTypes) {
  const Twice kernel(ir::Type::kF16, ir::Type::kF32);
  const Task task = MakeTask(kernel, {}, *LoadDevice("h200").device);
  const std::string text = StandaloneCuda(task, kernel.source("arg_y[i] = arg_x[i];"), "A test.\n");
  EXPECT_THAT(text, HasSubstr("twice_launch(const unsigned short* x, float* y, float two,"));
  EXPECT_THAT(text,
              HasSubstr("//   x: 8192 f16 (the bits of IEEE 754 binary16), aligned to 16 bytes\n"
                        "//   y: 8192 floats, aligned to 16 bytes, all of them written\n"));
}

TEST(StandaloneCuda, TheLauncherSaysWhatItRefuses) {
  const std::string text = "#define EXHAUST_NO_MAIN\n" +
                           StandaloneCuda(FewTask(), SourceOf(kRight, 50000, 256), "A test.\n") +
                           R"(
#include <cstdio>
alignas(16) float x[8196], y[8192], z[8192], w[8192];
int main() {
  if (axpy_workspace_bytes() != 8192 * 4) return 1;
  if (axpy_launch(x, y, z, 2, w, sizeof(w), 0) != cudaSuccess || fake_shared_of_launch != 50000) return 2;
  if (axpy_launch(nullptr, y, z, 2, w, sizeof(w), 0) != cudaErrorInvalidValue) return 3;
  if (axpy_launch(x, y, nullptr, 2, w, sizeof(w), 0) != cudaErrorInvalidValue) return 4;
  if (axpy_launch(x, y, z, 2, nullptr, sizeof(w), 0) != cudaErrorInvalidValue) return 5;
  if (axpy_launch(x + 1, y, z, 2, w, sizeof(w), 0) != cudaErrorMisalignedAddress) return 6;
  if (axpy_launch(x, y, z, 2, w, sizeof(w) - 1, 0) != cudaErrorInvalidValue) return 7;
  fake_capability = 89;
  if (axpy_launch(x, y, z, 2, w, sizeof(w), 0) != cudaErrorNoKernelImageForDevice) return 8;
  fake_capability = 100;
  fake_shared_bytes = 49152;
  if (axpy_launch(x, y, z, 2, w, sizeof(w), 0) != cudaErrorLaunchOutOfResources) return 9;
  return 0;
}
)";
  const tests::ProgramRun run = tests::RunOnProcessor(text);
  EXPECT_EQ(run.compiler, "");
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST(StandaloneCuda, LaunchesAllKernelsWithOneWorkspace) {
  const std::string part = "parts[i] = fmaf(s_alpha, arg_x[i], arg_y[i]);";
  const std::string text =
      StandaloneCuda(FewTask(), ThreeKernels("if (tickets[i % 4] == 0) " + part), "A test.\n");
  std::size_t at = 0;
  for (const char* const found :
       {"#define exh_fill axpy_fill\n#define exh_kernel axpy_kernel\n#define exh_finish "
        "axpy_finish\n",
        "#undef exh_fill\n#undef exh_kernel\n#undef exh_finish\n",
        "  it has less than 50000 bytes of shared memory for a block\n",
        "workspace: axpy_workspace_bytes(), which are 32784, aligned to 16 bytes,",
        "of any contents, but the first 16 bytes are 0 before the first run,",
        "axpy_workspace_bytes() {\n  return 32784;", "cudaFuncSetAttribute(axpy_finish, ",
        "  status = cudaLaunchKernel(axpy_fill, dim3(128), dim3(64), arguments, 0, stream);\n"
        "  if (status != cudaSuccess) return status;\n"
        "  status = cudaLaunchKernel(axpy_kernel, dim3(128), dim3(64), arguments, 0, stream);\n"
        "  if (status != cudaSuccess) return status;\n"
        "  return cudaLaunchKernel(axpy_finish, dim3(128), dim3(64), arguments, 50000, stream);\n",
        "  CHECK(cudaMemset(workspace.data(), 0, 16));\n"}) {
    const std::size_t next = text.find(found, at);
    ASSERT_NE(next, text.npos) << found;
    at = next;
  }
  EXPECT_THAT(text, Not(HasSubstr("cudaFuncSetAttribute(axpy_kernel")));
  const tests::ProgramRun run = tests::RunOnProcessor(text);
  EXPECT_EQ(run.compiler, "");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("axpy: correct (all of 8192 elements)"));
  // What a block leaves for the others is no output: a part that is missing is no number.
  const tests::ProgramRun missing = tests::RunOnProcessor(
      StandaloneCuda(FewTask(), ThreeKernels("if (i != 77) " + part), "A test.\n"));
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("axpy: z[77] is "));
}

TEST(StandaloneCuda, LaunchesEarlyWhatMayOverlap) {
  Source source = ThreeKernels("parts[i] = fmaf(s_alpha, arg_x[i], arg_y[i]);");
  source.gpu->launch.overlaps = true;
  const std::string program = StandaloneCuda(FewTask(), source, "A test.\n");
  const std::string launches =
      "  status = cudaLaunchKernel(axpy_fill, dim3(128), dim3(64), arguments, 0, stream);\n"
      "  if (status != cudaSuccess) return status;\n"
      "  next.gridDim = dim3(128);\n  next.blockDim = dim3(64);\n  next.dynamicSmemBytes = 0;\n"
      "  status = cudaLaunchKernelEx(&next, axpy_kernel, x, y, z, alpha,\n"
      "      static_cast<unsigned char*>(workspace));\n"
      "  if (status != cudaSuccess) return status;\n"
      "  next.gridDim = dim3(128);\n  next.blockDim = dim3(64);\n"
      "  next.dynamicSmemBytes = 50000;\n  return cudaLaunchKernelEx(&next, axpy_finish,";
  EXPECT_THAT(program, HasSubstr(launches));
  const tests::ProgramRun run = tests::RunOnProcessor(program);
  EXPECT_EQ(run.compiler, "");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("axpy: correct (all of 8192 elements)"));
  const tests::ProgramRun counted =
      tests::RunOnProcessor("#define EXHAUST_NO_MAIN\n" + program + R"(
alignas(16) float x[8192], y[8192], z[8192], w[8196];
int main() {
  if (axpy_launch(x, y, z, 2, w, sizeof(w), 0) != cudaSuccess) return 1;
  return fake_early_launches == 2 && fake_shared_of_launch == 50000 ? 0 : 2;
}
)");
  EXPECT_EQ(counted.compiler, "");
  EXPECT_EQ(counted.code, 0) << counted.err;
}

TEST(StandaloneCuda, LaunchesClusters) {
  for (const std::uint32_t blocks : {2u, 16u}) {
    Source source = SourceOf(kRight);
    source.gpu->launch.cluster = blocks;
    const std::string program = StandaloneCuda(FewTask(), source, "A test.\n");
    EXPECT_THAT(program, HasSubstr("cluster.val.clusterDim.x = " + std::to_string(blocks) + ";"));
    EXPECT_THAT(program, Not(HasSubstr("void* arguments[]")));
    const tests::ProgramRun run = tests::RunOnProcessor(program);
    EXPECT_EQ(run.compiler, "");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("axpy: correct (all of 8192 elements)"));
    const tests::ProgramRun counted =
        tests::RunOnProcessor("#define EXHAUST_NO_MAIN\n" + program + R"(
alignas(16) float x[8192], y[8192], z[8192];
int main() {
  if (axpy_launch(x, y, z, 2, 0) != cudaSuccess) return 1;
  return fake_cluster_launches == 1 ? 0 : 2;
}
)");
    EXPECT_EQ(counted.code, 0) << counted.err;
  }
}

TEST(StandaloneCuda, AsksForNothingThatTheKernelDoesNotNeed) {
  const std::string text = StandaloneCuda(FewTask(), SourceOf(kRight), "A test.\n");
  EXPECT_THAT(text, HasSubstr("axpy_launch(const float* x, const float* y, float* z, float alpha,\n"
                              "    cudaStream_t stream) {"));
  EXPECT_THAT(text, Not(HasSubstr("void* workspace")));
  EXPECT_THAT(text, Not(HasSubstr("cudaFuncSetAttribute")));
  EXPECT_THAT(text, Not(HasSubstr("shared_bytes")));
  EXPECT_THAT(StandaloneCuda(FewTask(), SourceOf(kRight, 49152), ""),
              Not(HasSubstr("cudaFuncSetAttribute")));
  EXPECT_THAT(StandaloneCuda(FewTask(), SourceOf(kRight, 49168), ""),
              HasSubstr("cudaFuncAttributeMaxDynamicSharedMemorySize,\n"
                        "                                49168)"));
}

TEST(StandaloneCuda, WithoutATextOfTheReferenceHasNoTest) {
  const Task task = TaskOf(WithoutText());
  EXPECT_NE(NoSelfTest(task), "");
  const std::string text = StandaloneCuda(task, SourceOf(kRight), "A test.\n");
  EXPECT_THAT(text,
              HasSubstr("// It does not check itself: the kernel has no text of its reference"));
  EXPECT_THAT(text, Not(HasSubstr("int main")));
  EXPECT_THAT(text, HasSubstr("axpy_launch("));
}

TEST(StandaloneCuda, TheCommentEndsWhereItsLinesEnd) {
  const std::string text =
      StandaloneCuda(FewTask(), SourceOf(kRight), "one\\\n\ntwo $KERNEL$ $SOURCE$\n");
  EXPECT_THAT(text, StartsWith("// one\\ .\n//\n// two $KERNEL$ $SOURCE$\n//\n//   nvcc"));
  EXPECT_THAT(text, Not(HasSubstr("KEPT")));
}

}  // namespace
}  // namespace exh::kernels
