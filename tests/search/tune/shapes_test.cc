// SPDX-License-Identifier: MIT
//
// Files of shapes: what each format says, and what is said of mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "kernels/library/registry.h"
#include "search/subject/problem.h"
#include "search/tune/shapes/gemm.h"
#include "search/tune/shapes/shape_reader.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Shapes : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  ShapeList Read(const std::string& name, const std::string& text,
                 const std::string& type = "") const {
    return ReadShapes(Write(name, text), type);
  }
  static std::vector<std::string> Names(const ShapeList& list) {
    std::vector<std::string> names;
    for (const TuneShape& shape : list.shapes) names.push_back(shape.name);
    return names;
  }

  TempFolder folder_;
};

/// The layouts of a shape's arrays, as the kernel that is searched has them.
kernels::ArrayLayouts LayoutsOf(const TuneShape& shape) {
  ProblemOptions options;
  options.kernel = shape.kernel;
  options.text = shape.text;
  options.size = SizeText(shape.sizes);
  const kernels::Kernel& kernel = FindKernel(options);
  return kernel.Layouts(ParseSizes(kernel, options));
}

TEST_F(Shapes, LinesOfJson) {
  const ShapeList list =
      Read("a.jsonl",
           "{\"kernel\": \"matmul\", \"sizes\": {\"m\": 64, \"n\": 32, \"k\": 16}, "
           "\"type\": \"f16\"}\n"
           "\n"
           "{\"kernel\": \"axpy\", \"sizes\": {\"n\": 4096}}\n"
           "{\"kernel\": \"reduce\", \"sizes\": {\"op\": \"max\"}}\n");
  EXPECT_THAT(list.mistakes, IsEmpty());
  EXPECT_THAT(Names(list), SizeIs(3));
  EXPECT_EQ(list.shapes[0].name, "matmul-m64-n32-k16-f16");
  EXPECT_EQ(SizeText(list.shapes[0].sizes), "m=64,n=32,k=16,type=f16");
  EXPECT_EQ(list.shapes[0].text, "");
  EXPECT_EQ(list.shapes[1].name, "axpy-n4096");
  EXPECT_EQ(list.shapes[1].line, 3);
  EXPECT_THAT(list.shapes[2].name, HasSubstr("op_max"));
}

TEST_F(Shapes, StatementsOfOneFormAreOneKernel) {
  const ShapeList list =
      Read("a.jsonl",
           "{\"compute\": \"y[i] = 2 * x[i]\", \"sizes\": {\"i\": 64}}\n"
           "{\"compute\": \"y[i] = 2 * x[i]\", \"sizes\": {\"i\": 128}}\n"
           "{\"compute\": \"y[i] = 2 * x[i]\", \"sizes\": {\"i\": 128}, \"type\": \"f64\"}\n");
  EXPECT_THAT(list.mistakes, IsEmpty());
  ASSERT_THAT(list.shapes, SizeIs(3));
  EXPECT_EQ(list.shapes[0].text, list.shapes[1].text);
  EXPECT_THAT(list.shapes[0].kernel, testing::StartsWith("compute_"));
  EXPECT_NE(list.shapes[1].name, list.shapes[2].name);
  EXPECT_EQ(LayoutsOf(list.shapes[1]).at("x").extents, (std::vector<std::int64_t>{128}));
}

TEST_F(Shapes, AFileOfAKernelIsLookedForBesideItsList) {
  Write("twice.kernel",
        "kernel twice\n  size n = 64\n  input x: f32[n]\n  output y: f32[n]\n"
        "  y[n] = 2 * x[n]\nend\n");
  const ShapeList list = Read("a.jsonl", "{\"kernel\": \"twice.kernel\", \"sizes\": {\"n\": 8}}\n");
  EXPECT_THAT(list.mistakes, IsEmpty());
  ASSERT_THAT(list.shapes, SizeIs(1));
  EXPECT_EQ(list.shapes[0].kernel, "twice");
  EXPECT_THAT(list.shapes[0].name, AllOf(testing::StartsWith("twice-"), testing::EndsWith("-n8")));
  EXPECT_THAT(list.shapes[0].text, HasSubstr("y[n] = 2 * x[n]"));
}

TEST_F(Shapes, TheSameTwiceIsOne) {
  const ShapeList list = Read("a.jsonl",
                              "{\"kernel\": \"axpy\", \"sizes\": {\"n\": 64}}\n"
                              "{\"sizes\": {\"n\": \"64\"}, \"kernel\": \"axpy\"}\n");
  EXPECT_THAT(list.shapes, SizeIs(1));
  EXPECT_THAT(list.notes, ElementsAre(HasSubstr("a.jsonl:2: the same as line 1: axpy-n64")));
}

TEST_F(Shapes, AllMistakesHaveTheirLines) {
  const ShapeList list = Read("a.jsonl",
                              "{\"kernel\": \"matmull\"}\n"
                              "{\"kernel\": \"axpy\", \"sizes\": {\"n\": 0}}\n"
                              "{\"kernel\": \"axpy\", \"sizes\": {\"m\": 1}}\n"
                              "{\"kernel\": \"axpy\", \"size\": {\"n\": 1}}\n"
                              "{\"kernel\": \"axpy\", \"sizes\": 5}\n"
                              "[1]\n"
                              "{\"kernel\": \n"
                              "{\"sizes\": {\"n\": 1}}\n"
                              "{\"kernel\": \"axpy\", \"compute\": \"y[i] = x[i]\"}\n"
                              "{\"compute\": \"y[i] = \", \"sizes\": {\"i\": 4}}\n"
                              "{\"kernel\": \"axpy\", \"type\": \"f16\"}\n"
                              "{\"kernel\": \"axpy\"}\n");
  EXPECT_THAT(list.shapes, SizeIs(1));
  ASSERT_THAT(list.mistakes, SizeIs(11));
  EXPECT_THAT(list.mistakes[0], AllOf(HasSubstr("a.jsonl:1: unknown kernel 'matmull'"),
                                      HasSubstr("did you mean 'matmul'?")));
  EXPECT_THAT(list.mistakes[1], AllOf(HasSubstr("a.jsonl:2: bad size n=0"), HasSubstr("from 1")));
  EXPECT_THAT(list.mistakes[2], HasSubstr("a.jsonl:3: unknown size of axpy 'm'"));
  EXPECT_THAT(list.mistakes[3], HasSubstr("unknown field 'size'; did you mean 'sizes'?"));
  EXPECT_THAT(list.mistakes[4], HasSubstr("'sizes' must be an object"));
  EXPECT_THAT(list.mistakes[5], HasSubstr("it is no object"));
  EXPECT_THAT(list.mistakes[6], HasSubstr("a.jsonl:7: "));
  EXPECT_THAT(list.mistakes[7], HasSubstr("it names no kernel"));
  EXPECT_THAT(list.mistakes[8], HasSubstr("a kernel and a computation"));
  EXPECT_THAT(list.mistakes[9], HasSubstr("a.jsonl:10: "));
  EXPECT_THAT(list.mistakes[10], HasSubstr("--type f16"));
}

TEST_F(Shapes, TunableOp) {
  const ShapeList list =
      Read("tunableop_results0.csv",
           "Validator,PT_VERSION,2.4.0\n"
           "GemmTunableOp_float_TN,tn_1024_512_256\n"
           "GemmTunableOp_Half_NN,nn_48_32_16_ld_48_16_48,Gemm_Rocblas_1216,0.03\n"
           "GemmTunableOp_BFloat16_NT,nt_64_32_16\n"
           "GemmStridedBatchedTunableOp_float_TN,tn_128_64_32_B_96_ld_32_32_128\n"
           "GemmAndBiasTunableOp_Half_TN,tn_768_1024_512_ld_512_512_768\n"
           "GemmTunableOp_float_NN,nn_48_32_16_ld_64_24_48\n");
  EXPECT_THAT(list.mistakes, IsEmpty());
  EXPECT_THAT(
      Names(list),
      ElementsAre("matmul-m512-n1024-k256-transpose_b1", "matmul-m32-n48-k16-f16",
                  "matmul-m32-n64-k16-transpose_a1-bf16", testing::StartsWith("batched_gemm-"),
                  testing::StartsWith("gemm_bias-"), testing::StartsWith("gemm-")));
  // tn: the left matrix of BLAS lies in rows of k, and is B here.
  const kernels::ArrayLayouts batched = LayoutsOf(list.shapes[3]);
  EXPECT_EQ(batched.at("a").extents, (std::vector<std::int64_t>{96, 64, 32}));
  EXPECT_EQ(batched.at("a").strides, (std::vector<std::int64_t>{64 * 32, 32, 1}));
  EXPECT_EQ(batched.at("b").strides, (std::vector<std::int64_t>{128 * 32, 1, 32}));
  EXPECT_EQ(batched.at("c").extents, (std::vector<std::int64_t>{96, 64, 128}));
  const kernels::ArrayLayouts bias = LayoutsOf(list.shapes[4]);
  EXPECT_EQ(bias.at("bias").extents, (std::vector<std::int64_t>{768}));
  const kernels::ArrayLayouts gaps = LayoutsOf(list.shapes[5]);
  EXPECT_EQ(gaps.at("a").strides, (std::vector<std::int64_t>{24, 1}));
  EXPECT_EQ(gaps.at("b").strides, (std::vector<std::int64_t>{64, 1}));
}

TEST_F(Shapes, WhatOfTunableOpIsNoKernel) {
  const ShapeList list = Read("untuned.csv",
                              "GemmTunableOp_float_TN,tn_1024_512\n"
                              "GemmTunableOp_c10::complex<float>_NN,nn_8_8_8\n"
                              "ScaledGemmTunableOp_Float8_e4m3fn_TN,tn_8_8_8_ld_8_8_8\n"
                              "ConvTunableOp_float,1_2_3\n"
                              "GemmTunableOp_float_NN,nn_48_32_16_ld_48_16_64\n"
                              "GemmTunableOp_float_NN,nn_48_32_16_ld_40_16_48\n"
                              "GemmTunableOp_float_NN,nn_0_32_16\n"
                              "GemmTunableOp_float_NN,nn_99999999999999999999_32_16\n"
                              "GemmTunableOp_float_NN,nn_8_8_8_xy_7\n"
                              "GemmTunableOp_float_NN\n");
  EXPECT_THAT(list.shapes, IsEmpty());
  ASSERT_THAT(list.mistakes, SizeIs(10));
  EXPECT_THAT(list.mistakes[0], AllOf(HasSubstr(":1: "), HasSubstr("tn_1024_512_256")));
  EXPECT_THAT(list.mistakes[1], HasSubstr("c10::complex<float>"));
  EXPECT_THAT(list.mistakes[2], HasSubstr("scaled"));
  EXPECT_THAT(list.mistakes[3], HasSubstr("no product"));
  EXPECT_THAT(list.mistakes[4], HasSubstr("64 elements from one row to the next"));
  EXPECT_THAT(list.mistakes[5], HasSubstr("leading dimension"));
  EXPECT_THAT(list.mistakes[8], HasSubstr("'_xy_7' means nothing"));
}

TEST_F(Shapes, Aiter) {
  const ShapeList list =
      Read("bf16_untuned_gemm.csv",
           "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
           "128,2880,512,False,torch.bfloat16,torch.bfloat16,False,False\n"
           "128,2880,512,True,torch.bfloat16,torch.bfloat16,False,False\n"
           "128,2880,512,False,torch.bfloat16,torch.float32,False,False\n"
           "128,2880,512,False,torch.int8,torch.int32,False,False\n"
           "128,2880,512,False,torch.bfloat16,torch.bfloat16,True,False\n"
           "128,2880,512,False,torch.float8_e4m3fnuz,torch.bfloat16,False,False\n"
           "128,2880,512\n"
           "128,-1,512,False,torch.bfloat16,torch.bfloat16,False,False\n"
           "128,2880,512,False,torch.float8_e4m3fn,torch.bfloat16,False,False\n"
           "128,2880,512,True,torch.float8_e5m2,torch.float16,False,False\n");
  EXPECT_THAT(
      Names(list),
      ElementsAre("matmul-m128-n2880-k512-transpose_b1-bf16", testing::StartsWith("gemm_bias-"),
                  testing::StartsWith("gemm-"), "matmul-m128-n2880-k512-transpose_b1-i8",
                  "matmul-m128-n2880-k512-transpose_b1-f8e4m3", testing::StartsWith("gemm_bias-")));
  EXPECT_EQ(LayoutsOf(list.shapes[5]).at("bias").extents, (std::vector<std::int64_t>{2880}));
  ASSERT_THAT(list.mistakes, SizeIs(4));
  EXPECT_THAT(list.mistakes[0], AllOf(HasSubstr(":6: "), HasSubstr("scaleab is True")));
  EXPECT_THAT(list.mistakes[1], HasSubstr("float8_e4m3fnuz"));
  EXPECT_THAT(list.mistakes[2], HasSubstr("3 fields, the header has 8"));
  EXPECT_THAT(list.mistakes[3], HasSubstr("column n is '-1'"));
  EXPECT_EQ(LayoutsOf(list.shapes[0]).at("b").strides, (std::vector<std::int64_t>{1, 512}));
}

TEST_F(Shapes, ATableWithoutTypesTakesTheOneThatIsSaid) {
  const ShapeList list = Read("a.csv", "cu_num,M,N,K,us\n80,8,16,32,1.5\n", "f16");
  EXPECT_THAT(Names(list), ElementsAre("matmul-m8-n16-k32-transpose_b1-f16"));
}

TEST_F(Shapes, OtherFilesAreRefused) {
  EXPECT_THROW(Read("a.txt", "m n k\n"), UsageError);
  EXPECT_THROW(Read("a.csv", "x,y\n1,2\n"), UsageError);
  EXPECT_THROW(Read("a.csv", ""), UsageError);
  EXPECT_THROW(Read("a.jsonl", "\n\n"), UsageError);
  EXPECT_THROW(ReadShapes(folder_.path() + "/none.jsonl", ""), UsageError);
}

}  // namespace
}  // namespace exh::search
