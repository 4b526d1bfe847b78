// SPDX-License-Identifier: MIT
//
// What libraries are asked for, against what kernels ask themselves, and against the results.
#include "kernels/derived/calls/library_calls.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "kernels/derived/calls/primitive.h"
#include "tests/kernels/derived/cases.h"
#include "tests/kernels/space/vendor_run.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::derived::testing {
namespace {

using kernels::testing::CompiledTexts;

std::string ToText(const std::vector<VendorStep>& steps) {
  std::string text;
  for (const VendorStep& s : steps) {
    text += fmt::format(
        "op {} of {} and {}, {} {} -> {}: {} x {} x {}, transposed {} {}, {} and {}, batch {} ({} "
        "{} {}), stride {}, relu {}\n",
        static_cast<int>(s.op), ir::WordOf(s.type), ir::WordOf(s.type_c), s.a, s.b, s.c, s.m, s.n,
        s.k, s.transpose_a, s.transpose_b, s.alpha, s.beta, s.batch, s.step_a, s.step_b, s.step_c,
        s.stride, s.relu);
  }
  return text;
}

std::string ToText(const VendorCall& call) {
  return ToText(call.before) + "--\n" + ToText(call.steps) + std::to_string(call.scratch_bytes);
}

TEST(Vendor, AsksForWhatKernelsAskFor) {
  for (const Case& c : LibraryCases()) {
    EXPECT_EQ(ToText(Vendor(c.function)), ToText(c.kernel->Vendor(c.sizes))) << c.name;
  }
}

std::string Mistakes(const Case& c, const Data& data) {
  for (const auto& [array, results] : ExactResults(c.function, data)) {
    const Elements& got = data.arrays[static_cast<std::size_t>(array)];
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (std::abs(got[i] - results[i].value) <= results[i].tolerance()) continue;
      return fmt::format("element {} is {}, not {}", i, got[i], results[i].value);
    }
  }
  return "";
}

/// Of what is not in the library: for these there is none.
const std::set<std::string> kNoVendor = {"row max",
                                         "max of products",
                                         "transposition",
                                         "product plus row",
                                         "two sums exchanged",
                                         "two outputs",
                                         "centered",
                                         "sums of rows and columns",
                                         "attention",
                                         "convolution",
                                         "padded image",
                                         "planes",
                                         "interleaved batch",
                                         "broadcast product",
                                         "shifted and reversed",
                                         "shifted",
                                         "softmax",
                                         "choices"};

TEST(Vendor, ComputesWhatTheBackboneSays) {
  for (const Case& c : AllCases()) {
    const VendorCall call = Vendor(c.function);
    EXPECT_EQ(call.steps.empty(), kNoVendor.contains(c.name)) << c.name;
    if (call.steps.empty()) continue;
    Data data(c.function);
    std::vector<float*> arrays;
    std::vector<std::size_t> sizes;
    for (Elements& array : data.arrays) {
      arrays.push_back(array.As<float>().data());
      sizes.push_back(array.size());
    }
    kernels::testing::RunVendorCall(call, arrays.data(), sizes);
    EXPECT_EQ(Mistakes(c, data), "") << c.name << "\n" << ToText(call);
  }
}

const Case& Find(const std::vector<Case>& cases, const std::string& name) {
  return *std::ranges::find(cases, name, &Case::name);
}

TEST(Vendor, KnowsMoreThanTheLibrary) {
  const std::vector<Case> cases = OtherCases();
  const VendorCall sum = Vendor(Find(cases, "product plus matrix").function);
  ASSERT_EQ(sum.before.size(), 1);
  EXPECT_EQ(sum.before[0].op, VendorStep::Op::kCopy);
  ASSERT_EQ(sum.steps.size(), 1);
  EXPECT_EQ(sum.steps[0].alpha, 2);
  EXPECT_EQ(sum.steps[0].beta, 1);
  EXPECT_TRUE(sum.steps[0].relu);

  const VendorCall folded = Vendor(Find(cases, "two sums").function);
  ASSERT_EQ(folded.steps.size(), 1);
  EXPECT_EQ(folded.steps[0].k, 12);

  const VendorCall layers = Vendor(Find(cases, "two layers").function);
  ASSERT_EQ(layers.steps.size(), 2);
  EXPECT_TRUE(layers.steps[0].relu);
  EXPECT_FALSE(layers.steps[1].relu);
  EXPECT_EQ(layers.steps[1].a, kScratch);

  const VendorCall transposed = Vendor(Find(cases, "transposed result").function);
  ASSERT_EQ(transposed.steps.size(), 1);
  EXPECT_EQ(transposed.steps[0].a, 1);
  EXPECT_EQ(transposed.steps[0].m, 7);
  EXPECT_TRUE(transposed.steps[0].transpose_a);
}

// ---- Other types than f32 -----------------------------------------------------------------------

using ir::ArrayId, ir::AxisRef, ir::Builder, ir::InRegisters, ir::Literal, ir::MayStage, ir::Op;
using ir::ScalarArg, ir::Type, ir::Value;

/// z = alpha x + y
Case Axpy(Type type) {
  return Built("axpy", [=](Builder& b) {
    const ArrayId x = b.InputArray("x", 9, type), y = b.InputArray("y", 9, type);
    const ArrayId z = b.OutputArray("z", 9, type);
    b.Scalar("alpha", ir::IsFloat(type) ? 0.1 : 3, ir::ComputeTypeOf(type));
    const AxisRef n = b.Axis("n", 9, {});
    const Value load_x = b.Load("load_x", x, {{n, 1}}), load_y = b.Load("load_y", y, {{n, 1}});
    const Value mad =
        b.Compute("mad", Op::kMad, {n}, {ScalarArg("alpha"), MayStage(load_x), MayStage(load_y)});
    b.Store("store", z, {{n, 1}}, InRegisters(mad));
  });
}

/// y = a x + b x, of matrices and a vector.
Case TwoProducts(Type type) {
  return Built("two products", [=](Builder& builder) {
    const ArrayId a = builder.InputArray("a", 35, type), b = builder.InputArray("b", 35, type);
    const ArrayId x = builder.InputArray("x", 7, type), y = builder.OutputArray("y", 5, type);
    const AxisRef m = builder.Axis("m", 5, {}), k = builder.Axis("k", 7, {});
    const auto product = [&](const std::string& name, ArrayId matrix) {
      const Value load_a = builder.Load("load_" + name, matrix, {{m, 7}, {k, 1}});
      const Value load_x = builder.Load("load_x" + name, x, {{k, 1}});
      const Value init =
          builder.Compute("init_" + name, Op::kConst, {m}, {Literal(0)}, ir::ComputeTypeOf(type));
      return builder.Reduce(name, Op::kMad, {m, k}, {k}, init, {MayStage(load_a), MayStage(load_x)},
                            ir::ComputeTypeOf(type));
    };
    const Value ax = product("ax", a), bx = product("bx", b);
    const Value sum = builder.Compute("sum", Op::kAdd, {m}, {InRegisters(ax), InRegisters(bx)});
    builder.Store("store", y, {{m, 1}}, InRegisters(sum));
  });
}

TEST(Vendor, ComputesInTheTypeOfTheArrays) {
  const std::vector<Case> cases = TypedCases();
  const std::map<std::string, std::pair<Type, Type>> products = {
      {"product f64", {Type::kF64, Type::kF64}},
      {"product f16", {Type::kF16, Type::kF16}},
      {"product bf16", {Type::kBf16, Type::kBf16}},
      {"product f16 f32", {Type::kF16, Type::kF32}}};
  for (const Case& c : cases) {
    const VendorCall call = Vendor(c.function);
    const auto found = products.find(c.name);
    EXPECT_EQ(call.steps.size(), found == products.end() ? 0 : 1) << c.name;
    if (found == products.end() || call.steps.empty()) continue;
    EXPECT_EQ(std::pair(call.steps[0].type, call.steps[0].type_c), found->second) << c.name;
  }
  for (const Type type : {Type::kF64, Type::kF32, Type::kF16, Type::kBf16}) {
    const VendorCall call = Vendor(Axpy(type).function);
    ASSERT_EQ(call.before.size(), 1);
    ASSERT_EQ(call.steps.size(), 1);
    EXPECT_EQ(call.before[0].op, VendorStep::Op::kCopy);
    EXPECT_EQ(call.before[0].type, type);
    EXPECT_EQ(call.steps[0].op, VendorStep::Op::kAxpy);
    EXPECT_EQ(call.steps[0].type, type);
    EXPECT_EQ(call.steps[0].type_c, type);
    EXPECT_EQ(call.steps[0].alpha, ir::Rounded(ir::ComputeTypeOf(type), 0.1));
  }
}

TEST(Vendor, RoundsToHalvesOnce) {
  EXPECT_EQ(Vendor(TwoProducts(Type::kF64).function).steps.size(), 2);
  EXPECT_EQ(Vendor(TwoProducts(Type::kF16).function).steps.size(), 0);
  EXPECT_EQ(Vendor(TwoProducts(Type::kBf16).function).steps.size(), 0);
}

TEST(Vendor, HasNoScans) {
  for (const Case& c : ScanCases()) {
    EXPECT_TRUE(Vendor(c.function).steps.empty()) << c.name;
    EXPECT_EQ(EigenSource(c.function), "") << c.name;
    EXPECT_FALSE(PrimitiveOf(ExpressionOf(c.function))) << c.name;
  }
}

TEST(Vendor, HasNoIntegers) {
  for (const Type type : {Type::kI64, Type::kI32, Type::kU32, Type::kI8}) {
    const Case c = Axpy(type);
    EXPECT_TRUE(Vendor(c.function).steps.empty()) << ir::WordOf(type);
    EXPECT_EQ(EigenSource(c.function), "") << ir::WordOf(type);
  }
}

/// The text in a namespace of its own, the entry numbered, without its include.
std::string Numbered(std::string text, std::size_t number) {
  const std::string include = "#include <Eigen/Core>\n", entry = "exh_run";
  EXPECT_TRUE(text.starts_with(include));
  text.erase(0, include.size());
  text.replace(text.find(entry), entry.size(), fmt::format("exh_run_{}", number));
  return fmt::format("namespace n{} {{\n{}}}\n", number, text);
}

const std::set<std::string> kNoEigen = {"row max",
                                        "max of products",
                                        "two outputs",
                                        "centered",
                                        "sums of rows and columns",
                                        "attention",
                                        "broadcast product",
                                        "shifted and reversed",
                                        "shifted",
                                        "softmax",
                                        "choices"};

TEST(Eigen, ComputesWhatTheBackboneSays) {
  std::vector<Case> cases = AllCases();
  std::vector<std::string> texts;
  std::erase_if(cases, [&](const Case& c) {
    EXPECT_EQ(EigenSource(c.function).empty(), kNoEigen.contains(c.name)) << c.name;
    return EigenSource(c.function).empty();
  });
  for (Case& c : TypedCases()) {
    EXPECT_EQ(EigenSource(c.function).empty(), c.name != "product f64") << c.name;
    if (c.name == "product f64") cases.push_back(std::move(c));
  }
  cases.push_back(Axpy(Type::kF64));
  cases.push_back(TwoProducts(Type::kF64));
  for (const Case& c : cases) texts.push_back(EigenSource(c.function));
  const CompiledTexts compiled(
      texts.size(), [&](std::size_t i) { return Numbered(texts[i], i); }, "#include <Eigen/Core>",
      "-O1 -fopenmp -Wno-psabi -isystem '" EXH_EIGEN_INCLUDE "'");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    using Entry = void (*)(void* const*, const double*, int);
    const auto run = reinterpret_cast<Entry>(compiled.Find(i, fmt::format("exh_run_{}", i)));
    ASSERT_NE(run, nullptr) << cases[i].name << compiled.CompilerError(i) << "\n" << texts[i];
    Data data(cases[i].function);
    // Twice: what one run leaves behind must not be in the next.
    for (int time = 0; time < 2; ++time) run(data.pointers().data(), data.scalars.data(), 2);
    EXPECT_EQ(Mistakes(cases[i], data), "") << cases[i].name << "\n" << texts[i];
  }
}

TEST(Eigen, HasTheTypesThatAreFast) {
  const std::vector<Case> cases = LibraryCases();
  EXPECT_EQ(EigenSource(Find(cases, "matmul2 k=11 m=7 n=5 p=13").function),
            R"(#include <Eigen/Core>
extern "C" void exh_run(void* const* arrays, const double* scalars, int threads) {
  Eigen::setNbThreads(threads);
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<const Matrix> d(static_cast<const float*>(arrays[3]), 7, 13);
  Eigen::Map<Matrix> e(static_cast<float*>(arrays[4]), 7, 13);
  e.noalias() = static_cast<float>(scalars[1]) * d;
  Eigen::Map<const Matrix> a(static_cast<const float*>(arrays[0]), 7, 11);
  Eigen::Map<const Matrix> b(static_cast<const float*>(arrays[1]), 11, 5);
  // Kept: the memory is not taken anew for each run.
  static Matrix mad_ab(7, 5);
  mad_ab.noalias() = a * b;
  Eigen::Map<const Matrix> c(static_cast<const float*>(arrays[2]), 5, 13);
  e.noalias() += static_cast<float>(scalars[0]) * mad_ab * c;
}
)");
}

}  // namespace
}  // namespace exh::kernels::derived::testing
