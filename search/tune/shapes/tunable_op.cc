// SPDX-License-Identifier: MIT
//
// Files of PyTorch's TunableOp: what was to be tuned (tunableop_untuned0.csv), or was
// (tunableop_results0.csv). A line names an operator and its parameters:
//
//   GemmTunableOp_Half_TN,tn_768_1024_512_ld_512_512_768
//   GemmStridedBatchedTunableOp_float_NN,nn_64_128_128_B_96_ld_64_128_64
//
// These are calls of BLAS: m, n, k, and matrices that lie in columns. In rows they are their own
// transposes, so the product of m x k and k x n in columns is that of n x k and k x m in rows: A
// and B change places, and what BLAS calls transposed is what rows call transposed.
#include <fmt/format.h>

#include <array>
#include <regex>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "search/tune/shapes/gemm.h"
#include "search/tune/shapes/lines.h"
#include "search/tune/shapes/shape_reader.h"

namespace exh::search {
namespace {

constexpr std::size_t kLongestField = 200;  // A regular expression calls itself letter by letter.

/// Throws UsageError for types that no kernel has.
std::string TypeOf(const std::string& name) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kTypes = {{{"float", "f32"},
                                                                          {"tf32", "f32"},
                                                                          {"double", "f64"},
                                                                          {"Half", "f16"},
                                                                          {"c10::Half", "f16"},
                                                                          {"BFloat16", "bf16"}}};
  for (const auto& [theirs, ours] : kTypes) {
    if (name == theirs) return ours;
  }
  throw UsageError(
      fmt::format("no kernel has the type '{}': float, double, Half and BFloat16 can be tuned",
                  Shortened(name, 40)));
}

/// Throws UsageError for numbers that are too large.
std::int64_t NumberIn(const std::string& text) {
  const auto number = ParseInteger(text);
  if (!number) throw UsageError(fmt::format("'{}' is too large", Shortened(text, 40)));
  return *number;
}

AskedShape ShapeIn(std::string_view line) {
  static const std::regex kOperator(
      "(Gemm|GemmAndBias|GemmStridedBatched|ScaledGemm)TunableOp_(.+)_([NTC])([NTC])");
  static const std::regex kParameters(
      "([ntc])([ntc])_([0-9]+)_([0-9]+)_([0-9]+)(?:_B_([0-9]+))?"
      "(?:_ld_([0-9]+)_([0-9]+)_([0-9]+))?(.*)");
  const std::vector<std::string_view> fields = Split(line, ',');
  const std::string name(fields[0].substr(0, kLongestField));
  const std::string said(fields.size() > 1 ? fields[1].substr(0, kLongestField) : "");
  std::smatch what, how;
  if (!std::regex_match(name, what, kOperator)) {
    throw UsageError(
        fmt::format("'{}' is no product of matrices of TunableOp, such as "
                    "GemmTunableOp_float_TN",
                    Shortened(name, 80)));
  }
  if (what[1] == "ScaledGemm") throw UsageError("scaled products cannot be tuned");
  if (!std::regex_match(said, how, kParameters)) {
    throw UsageError(fmt::format("'{}' are no parameters of {}, such as tn_1024_512_256",
                                 Shortened(said, 80), Shortened(name, 80)));
  }
  if (how[10].length() > 0) {
    throw UsageError(fmt::format("'{}' means nothing here", Shortened(how[10].str(), 80)));
  }
  if (how[1] == "c" || how[2] == "c") {
    throw UsageError("matrices of complex numbers cannot be tuned");
  }
  Gemm gemm;
  gemm.type = TypeOf(what[2]);
  gemm.has_bias = what[1] == "GemmAndBias";
  gemm.n = NumberIn(how[3]);
  gemm.m = NumberIn(how[4]);
  gemm.k = NumberIn(how[5]);
  gemm.transpose_b = how[1] == "t";
  gemm.transpose_a = how[2] == "t";
  if (how[6].matched) gemm.batch = NumberIn(how[6]);
  if (how[7].matched) {
    gemm.b_row = NumberIn(how[7]);
    gemm.a_row = NumberIn(how[8]);
    gemm.c_row = NumberIn(how[9]);
  }
  return ShapeOf(gemm);
}

}  // namespace

AskedShapes ReadTunableOp(std::string_view text) {
  AskedShapes asked;
  ForEachLine(text, [&](int number, std::string_view line) {
    if (line.starts_with("Validator,")) return;  // Versions of libraries; nothing to search.
    try {
      asked.shapes.push_back(ShapeIn(line));
      asked.shapes.back().line = number;
    } catch (const UsageError& error) {
      asked.mistakes.emplace_back(number, error.what());
    }
  });
  return asked;
}

}  // namespace exh::search
