// SPDX-License-Identifier: MIT
//
// A group of warps that multiplies two matrices out of shared memory: right programs, and each
// defect that the shim must report. Matrices are laid out by hand, as the PTX ISA has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/cuda_shim/hand_program.h"

namespace exh_shim {
namespace {

using ::testing::HasSubstr;

exh::kernels::Launch OfOneGroup() {
  return {.grid = 1, .threads = 128, .shared_bytes = 8192 + 2048};
}

/// 64 x 16 elements, 1 where the column is the row modulo 16: rows of 128 bytes, whose pieces of 16
/// change places.
const std::string kFirst = R"(
  unsigned short* const tile = reinterpret_cast<unsigned short*>(exh_shared);
  for (int e = t; e < 1024; e += 128) {
    const int row = e / 16, k = e % 16;
    tile[row * 64 + (k / 8 ^ row % 8) * 8 + k % 8] = k == row % 16 ? 0x3f80 : 0;
  }
)";
/// 16 x 8 elements, 8 k + n, by columns and by rows.
const std::string kSecond = R"(
  const int k = t / 8, n = t % 8;
  tile[4096 + n * 64 + (k / 8 ^ n) * 8 + k % 8] = __float_as_uint(static_cast<float>(t)) >> 16;
)";
const std::string kSecondAcross = R"(
  const int k = t / 8, n = t % 8;
  tile[4096 + k * 64 + (k % 8) * 8 + n] = __float_as_uint(static_cast<float>(t)) >> 16;
)";
const std::string kPublish = "exh_publish();\n";
const std::string kMeet = "__syncthreads();\n";
const std::string kBegin =
    "float c0 = 0, c1 = 0, c2 = 0, c3 = 0;\nconst unsigned long long plain = 1ull << 62 | 1ull << "
    "16, rows = 64ull << 32;\n";
const std::string kOrder = "exh_group_begin();\n";
std::string Step(const std::string& first, const std::string& second, bool is_across = false) {
  return "exh_shim::MultiplyInPlace<exh_shim::Factor::kBf16>(__LINE__, false, " +
         std::string(is_across ? "true" : "false") + ", " + first + ", " + second +
         ", c0, c1, c2, c3);\n";
}
const std::string kStep = Step("plain | rows", "plain | rows | 512");
const std::string kEnd = "exh_group_commit();\n", kWait = "exh_group_wait<0>();\n";
const std::string kTake = "arg_c[t] = c0 + 1000 * c3;\n";

void ExpectProduct(const std::string& body) {
  const HandProgram program(body, OfOneGroup());
  for (const int order : kOrders) {
    const Result result = program.Run(order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned t = 0; t < kElements; ++t) {
      const unsigned row = t % 32 / 4, column = t % 4 * 2;
      EXPECT_EQ(result.c[t],
                static_cast<float>(8 * row + column + 1000 * (8 * (row + 8) + column + 1)));
    }
  }
}

TEST(CudaShimGroups, MultiplyInPlace) {
  ExpectProduct(kFirst + kSecond + kPublish + kMeet + kBegin + kOrder + kStep + kEnd + kWait +
                kTake);
}

TEST(CudaShimGroups, RowsMayGoAcross) {
  ExpectProduct(kFirst + kSecondAcross + kPublish + kMeet + kBegin + kOrder +
                Step("plain | rows", "plain | rows | 512", true) + kEnd + kWait + kTake);
}

/// Bytes: 64 x 32 elements, 1 where the column is the row modulo 32, and 32 x 8 elements, k - n.
const std::string kBytes = R"(
  unsigned char* const tile = reinterpret_cast<unsigned char*>(exh_shared);
  for (int e = t; e < 2048; e += 128) {
    const int row = e / 32, k = e % 32;
    tile[row * 128 + (k / 16 ^ row % 8) * 16 + k % 16] = k == row % 32 ? 1 : 0;
  }
  for (int e = t; e < 256; e += 128) {
    const int n = e / 32, k = e % 32;
    tile[8192 + n * 128 + (k / 16 ^ n) * 16 + k % 16] = k - n & 0xff;
  }
)";
const std::string kBeginBytes =
    "int c0 = 0, c1 = 0, c2 = 0, c3 = 0;\nconst unsigned long long plain = 1ull << 62 | 1ull << "
    "16, rows = 64ull << 32;\n";
std::string StepOfBytes(const std::string& across) {
  return "exh_shim::MultiplyInPlace<exh_shim::Factor::kI8>(__LINE__, 0, " + across +
         ", plain | rows, plain | rows | 512, c0, c1, c2, c3);\n";
}

/// Floats of 8 bits: 1 where the column is the row modulo 32, and numbers with the pattern k + n.
const std::string kFloatsOf8Bits = R"(
  unsigned char* const tile = reinterpret_cast<unsigned char*>(exh_shared);
  for (int e = t; e < 2048; e += 128) {
    const int row = e / 32, k = e % 32;
    tile[row * 128 + (k / 16 ^ row % 8) * 16 + k % 16] = k == row % 32 ? ONE : 0;
  }
  for (int e = t; e < 256; e += 128) {
    const int n = e / 32, k = e % 32;
    tile[8192 + n * 128 + (k / 16 ^ n) * 16 + k % 16] = k + n;
  }
  float c0 = 1000, c1 = 1000, c2 = 1000, c3 = 1000;
  const unsigned long long plain = 1ull << 62 | 1ull << 16, rows = 64ull << 32;
)";

/// A step may begin the sums anew, whatever they were.
TEST(CudaShimGroups, FloatsOf8BitsMayBeginAnew) {
  struct Format {
    const char *factor, *one;
    int bits, least;  ///< Of a fraction; the exponent of the smallest number.
  };
  for (const Format& format : {Format{"kF8e4m3", "0x38", 3, -9}, {"kF8e5m2", "0x3c", 2, -16}}) {
    for (const bool begins : {false, true}) {
      std::string numbers = kFloatsOf8Bits;
      numbers.replace(numbers.find("ONE"), 3, format.one);
      const std::string step = std::string("exh_shim::MultiplyInPlace<exh_shim::Factor::") +
                               format.factor + (begins ? ", true" : "") +
                               ">(__LINE__, 0, 0, plain | rows, plain | rows | 512, c0, c1, c2, "
                               "c3);\n";
      const HandProgram program(
          numbers + kPublish + kMeet + kOrder + step + kEnd + kWait + "arg_c[t] = c1;\n",
          OfOneGroup());
      for (const int order : kOrders) {
        const Result result = program.Run(order);
        ASSERT_EQ(result.error, "") << format.factor << ", order " << order;
        for (unsigned t = 0; t < kElements; ++t) {
          const int row = static_cast<int>(t / 32 * 16 + t % 32 / 4);
          const int pattern = row % 32 + static_cast<int>(t % 4 * 2 + 1);
          const int size = 1 << format.bits, exponent = pattern / size;
          const double value = exponent == 0
                                   ? std::ldexp(pattern, format.least)
                                   : std::ldexp(size + pattern % size, format.least + exponent - 1);
          EXPECT_EQ(result.c[t], static_cast<float>((begins ? 0 : 1000) + value)) << t;
        }
      }
    }
  }
}

TEST(CudaShimGroups, BytesAreTwiceAsDeep) {
  const HandProgram program(kBytes + kPublish + kMeet + kBeginBytes + kOrder + StepOfBytes("0") +
                                kEnd + kWait + "arg_c[t] = c1;\n",
                            OfOneGroup());
  for (const int order : kOrders) {
    const Result result = program.Run(order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned t = 0; t < kElements; ++t) {
      const int row = static_cast<int>(t / 32 * 16 + t % 32 / 4);
      const int column = static_cast<int>(t % 4 * 2 + 1);
      EXPECT_EQ(result.c[t], static_cast<float>(row % 32 - column)) << t;
    }
  }
}

/// In some order of the threads; where it must be in all, in each.
void ExpectError(const std::string& text, const std::string& body, bool in_each = true) {
  const HandProgram program(body, OfOneGroup());
  int found = 0;
  for (const int order : kOrders) {
    const std::string error = program.Run(order).error;
    found += error.find(text) != std::string::npos;
    if (in_each) {
      EXPECT_THAT(error, HasSubstr(text)) << "order " << order;
    }
  }
  EXPECT_GT(found, 0);
}

TEST(CudaShimGroups, WhatIsNotPublishedIsNotThere) {
  ExpectError("has not published",
              kFirst + kSecond + kMeet + kBegin + kOrder + kStep + kEnd + kWait + kTake);
}

TEST(CudaShimGroups, WhatIsWrittenIsNotThere) {
  ExpectError("which thread",
              kFirst + kSecond + kPublish + kBegin + kOrder + kStep + kEnd + kWait + kTake);
}

TEST(CudaShimGroups, RegistersAreOrderedFirst) {
  ExpectError("nothing orders its registers",
              kFirst + kSecond + kPublish + kMeet + kBegin + kStep + kEnd + kWait + kTake);
}

TEST(CudaShimGroups, StepsAreWaitedFor) {
  ExpectError("has not waited for a step",
              kFirst + kSecond + kPublish + kMeet + kBegin + kOrder + kStep + kEnd + kTake, false);
}

TEST(CudaShimGroups, RowsOfBytesGoAlongTheSum) {
  ExpectError("rows that go across the sum", kBytes + kPublish + kMeet + kBeginBytes + kOrder +
                                                 StepOfBytes("1") + kEnd + kWait +
                                                 "arg_c[t] = c1;\n");
}

TEST(CudaShimGroups, AllThreadsDescribeTheSame) {
  const std::string other = Step("plain | rows", "plain | rows | 512ull + t / 64 * 64");
  ExpectError("other matrices than its group",
              kFirst + kSecond + kPublish + kMeet + kBegin + kOrder + other + kEnd + kWait + kTake);
}

TEST(CudaShimGroups, MatricesBeginWithATileOfTheSwizzle) {
  const std::string within = Step("plain | rows", "plain | rows | 520");
  ExpectError("begins within rows of a swizzle", kFirst + kSecond + kPublish + kMeet + kBegin +
                                                     kOrder + within + kEnd + kWait + kTake);
}

}  // namespace
}  // namespace exh_shim
