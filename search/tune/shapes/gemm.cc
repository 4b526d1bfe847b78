// SPDX-License-Identifier: MIT
#include "search/tune/shapes/gemm.h"

#include <fmt/format.h>

#include "base/error.h"

namespace exh::search {
namespace {

/// What the library's matmul lacks. One text for all sizes, types and layouts of its form, so that
/// a tuned library has one function for them.
std::string TextOf(bool is_batched, bool has_bias) {
  const std::string batch = is_batched ? "batch, " : "";
  const std::string name =
      fmt::format("{}gemm{}", is_batched ? "batched_" : "", has_bias ? "_bias" : "");
  std::string text = "/// C = A * B";
  if (has_bias) text += " + bias";
  text += is_batched ? ", many at once\n" : "\n";
  text += "kernel " + name + "\n";
  if (is_batched) text += "  /// number of products\n  size batch = 16 in 1..65536\n";
  const std::string a_row = "(a_row > 0 ? a_row : transpose_a ? m : k)";
  const std::string b_row = "(b_row > 0 ? b_row : transpose_b ? k : n)";
  text +=
      "  /// rows of C; columns of C; length of the sums\n"
      "  size m = 512, n = 512, k = 512 in 1..1048576\n"
      "  /// 1: A is stored k x m; 1: B is stored n x k\n"
      "  option transpose_a = 0, transpose_b = 0 in 0..1\n"
      "  /// elements from one stored row of A to the next, 0: no gaps; of B\n"
      "  option a_row = 0, b_row = 0 in 0..1048576\n"
      "  /// of A, B and a bias; sums of halves are f32, those of i8 are i32; beside floats of 8 "
      "bits a "
      "bias is of C's type\n"
      "  option type = f32 in (f32, f64, f16, bf16, i8, f8e4m3, f8e5m2)\n"
      "  /// of C\n"
      "  option output_type = f32 in (f32, f64, f16, bf16, i32, f8e4m3, f8e5m2)\n";
  text += fmt::format(
      "  /// rows do not overlap\n"
      "  require {} >= (transpose_a ? m : k) and {} >= (transpose_b ? k : n)\n",
      a_row, b_row);
  const std::string a_step = is_batched ? fmt::format("(transpose_a ? k : m) * {}, ", a_row) : "";
  const std::string b_step = is_batched ? fmt::format("(transpose_b ? n : k) * {}, ", b_row) : "";
  text += fmt::format(
      "  input a: type[{0}m, k] strides ({1}transpose_a ? 1 : {2}, transpose_a ? {2} : 1)\n", batch,
      a_step, a_row);
  text += fmt::format(
      "  input b: type[{0}k, n] strides ({1}transpose_b ? 1 : {2}, transpose_b ? {2} : 1)\n", batch,
      b_step, b_row);
  if (has_bias) {
    text += "  input bias: (type == f8e4m3 or type == f8e5m2 ? output_type : type)[n]\n";
  }
  text += fmt::format("  output c: output_type[{}m, n]\n", batch);
  text += fmt::format("  c[{0}i, j] = {1}sum(p) a[{0}i, p] * b[{0}p, j]\n", batch,
                      has_bias ? "bias[j] + " : "");
  return text + "end\n";
}

}  // namespace

AskedShape ShapeOf(const Gemm& gemm) {
  if (gemm.batch < 1 || gemm.m < 1 || gemm.n < 1 || gemm.k < 1) {
    throw UsageError("sizes must be 1 or more");
  }
  const std::int64_t a_least = gemm.transpose_a ? gemm.m : gemm.k;
  const std::int64_t b_least = gemm.transpose_b ? gemm.k : gemm.n;
  const std::int64_t a_row = gemm.a_row == 0 ? a_least : gemm.a_row;
  const std::int64_t b_row = gemm.b_row == 0 ? b_least : gemm.b_row;
  if (a_row < a_least || b_row < b_least) {
    throw UsageError("a leading dimension is shorter than what it leads over");
  }
  if (gemm.c_row != 0 && gemm.c_row != gemm.n) {
    throw UsageError(fmt::format(
        "its result has {} elements from one row to the next, and rows of {}: results without gaps "
        "alone can be tuned",
        gemm.c_row, gemm.n));
  }
  const bool is_f8 = gemm.type == "f8e4m3" || gemm.type == "f8e5m2";
  const std::string usual = gemm.type == "i8" ? "i32" : is_f8 ? "bf16" : gemm.type;
  const std::string output = gemm.output.empty() ? usual : gemm.output;
  const bool has_floats = gemm.type != "i8", is_of_floats = output != "i32" && output != "i8";
  if (has_floats != is_of_floats || (!has_floats && output != "i32")) {
    throw UsageError(fmt::format("no kernel makes {} of {} without a scale", output, gemm.type));
  }
  if (!has_floats && gemm.has_bias) throw UsageError("no kernel adds a bias to products of i8");
  AskedShape shape;
  const auto add = [&](const char* name, std::int64_t value) {
    shape.sizes.emplace_back(name, std::to_string(value));
  };
  const bool is_dense = a_row == a_least && b_row == b_least;
  const bool is_plain = gemm.batch == 1 && !gemm.has_bias && is_dense && output == usual;
  if (gemm.batch > 1) add("batch", gemm.batch);
  add("m", gemm.m);
  add("n", gemm.n);
  add("k", gemm.k);
  if (gemm.transpose_a) add("transpose_a", 1);
  if (gemm.transpose_b) add("transpose_b", 1);
  shape.type = gemm.type;
  if (is_plain) {
    shape.kernel = "matmul";
    return shape;
  }
  shape.text = TextOf(gemm.batch > 1, gemm.has_bias);
  if (a_row != a_least) add("a_row", a_row);
  if (b_row != b_least) add("b_row", b_row);
  shape.sizes.emplace_back("output_type", output);
  return shape;
}

}  // namespace exh::search
