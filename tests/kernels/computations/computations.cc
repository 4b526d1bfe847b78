// SPDX-License-Identifier: MIT
#include "tests/kernels/computations/computations.h"

#include <array>
#include <string>

#include "base/numbers.h"
#include "kernels/library/registry.h"
#include "kernels/library/text_kernel.h"

namespace exh::kernels::testing {
namespace {

constexpr auto kComputations = std::to_array<Computation>({
    // Contractions, every transposition of the operands and of the result.
    {"product_nn", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=12,j=8,k=10"},
    {"product_tn", "c[i,j] = sum(k) a[k,i] * b[k,j]", "i=12,j=8,k=10"},
    {"product_nt", "c[i,j] = sum(k) a[i,k] * b[j,k]", "i=8,j=12,k=6"},
    {"product_tt", "c[i,j] = sum(k) a[k,i] * b[j,k]", "i=8,j=6,k=12"},
    {"product_result_t", "c[j,i] = sum(k) a[i,k] * b[k,j]", "i=8,j=12,k=7"},
    {"vector_matrix", "y[j] = sum(i) x[i] * a[i,j]", "i=24,j=16"},
    {"batched", "c[b,i,j] = sum(k) a[b,i,k] * w[b,k,j]", "b=3,i=8,j=4,k=6"},
    {"batched_shared", "c[b,i,j] = sum(k) a[b,i,k] * w[k,j]", "b=4,i=4,j=6,k=5"},
    {"two_axes_summed", "c[i,j] = sum(k, l) a[i,k,l] * b[l,k,j]", "i=6,j=8,k=4,l=3"},
    {"inner_product_of_rows", "y[i] = sum(j) a[i,j] * b[i,j]", "i=16,j=24"},
    {"three_factors", "y[i] = sum(j) a[i,j] * x[j] * w[j]", "i=12,j=16"},
    {"gram", "c[i,j] = sum(k) a[i,k] * a[j,k]", "i=8,j=8,k=12"},
    // Outer products and broadcasts.
    {"outer", "c[i,j] = x[i] * y[j]", "i=16,j=24"},
    {"outer_of_three", "c[i,j,k] = x[i] * y[j] * z[k]", "i=6,j=8,k=4"},
    {"rank_one_update", "c[i,j] = a[i,j] + alpha * x[i] * y[j]", "i=12,j=16"},
    {"add_bias", "c[i,j] = a[i,j] + bias[j]", "i=12,j=16"},
    {"scale_rows", "c[i,j] = a[i,j] * s[i]", "i=16,j=12"},
    {"repeat_rows", "c[i,j] = x[j]", "i=8,j=24"},
    // Element-wise chains.
    {"axpby", "z[i] = alpha * x[i] + beta * y[i]", "i=96"},
    {"triad", "z[i] = x[i] * y[i] + w[i]", "i=60"},
    {"gelu", "y[i] = 0.5 * x[i] * (1 + tanh(0.79788456 * (x[i] + 0.044715 * x[i] * x[i] * x[i])))",
     "i=48"},
    {"every_sign", "y[i] = -(a[i] - b[i]) / (1.5 + abs(b[i])) + 2", "i=64"},
    {"every_function", "y[i] = sqrt(a[i]) + rsqrt(a[i]) + exp(b[i] / 4096) * log(a[i])", "i=48"},
    {"gelu_by_erf", "y[i] = 0.5 * x[i] * (1 + erf(x[i] / sqrt(2)))", "i=48"},
    {"erf_of_what_is_rounded", "y[i] = erf(x[i] * z[i] / 100) * erf(x[i] / 3)", "i=40"},
    {"clamp", "y[i] = min(max(x[i], -1), 1)", "i=96"},
    {"masked", "y[i,j] = j <= i ? x[i,j] : -inf", "i=8,j=12"},
    {"nothing_but_infinity", "y[i] = -inf", "i=8"},
    {"masked_softmax",
     "s[i,j] = j <= i ? x[i,j] : -inf; t[i] = max(j) s[i,j]; e[i,j] = exp(s[i,j] - t[i]); "
     "n[i] = sum(j) e[i,j]; y[i,j] = e[i,j] / n[i]",
     "i=6,j=8"},
    {"least_of_what_is_below", "y[i] = min(j) (a[i,j] < b[i] ? a[i,j] : inf)", "i=8,j=12"},
    {"choose", "y[i] = x[i] < z[i] ? 2 * x[i] : z[i] - 1", "i=72"},
    {"comparisons", "y[i] = (x[i] <= z[i]) + (x[i] > z[i]) * 2 + (x[i] == z[i] or x[i] != 1) * 4",
     "i=48"},
    // Reductions.
    {"row_sums", "y[i] = sum(j) a[i,j]", "i=16,j=24"},
    {"column_maxima", "y[j] = max(i) a[i,j]", "i=12,j=16"},
    {"row_minima_abs", "y[i] = min(j) abs(a[i,j])", "i=12,j=20"},
    {"row_products", "y[i] = prod(j) a[i,j]", "i=12,j=5"},
    {"sum_of_squares", "y[i] = sum(j) (a[i,j] - m[i]) * (a[i,j] - m[i])", "i=12,j=16"},
    // All terms along an index are the same.
    {"same_rows_summed", R"(
kernel same_rows_summed
  size m = 8, n = 16
  input x: f32[m, n] strides (0, 1)
  output y: f32[n]
  y[j] = sum(i) x[i, j]
end
)",
     ""},
    {"same_rows_compared", R"(
kernel same_rows_compared
  size m = 6, n = 16
  input x: f32[m, n] strides (0, 1)
  output y: f32[n]
  y[j] = max(i) x[i, j]
end
)",
     ""},
    {"same_rows_in_a_product", R"(
kernel same_rows_in_a_product
  size m = 8, n = 12, k = 4
  input a: f32[m, k, n] strides (k, 1, 0)
  input b: f32[k, n] strides (1, 0)
  output y: f32[m]
  y[i] = sum(p, j) a[i, p, j] * b[p, j]
end
)",
     ""},
    {"same_values_summed", R"(
kernel same_values_summed
  size m = 8, n = 16
  input x: f32[m, n] strides (0, 1)
  output y: f32[n]
  t[i, j] = 2 * x[i, j]
  y[j] = sum(i) t[i, j]
end
)",
     ""},
    // Stencils and strides.
    {"three_points", R"(
kernel three_points
  size n = 32
  input x: f32[n + 2]
  output y: f32[n]
  y[i] = 0.25 * x[i] + 0.5 * x[i + 1] + 0.25 * x[i + 2]
end
)",
     ""},
    {"five_points", R"(
kernel five_points
  size m = 8, n = 12
  input x: f32[m + 2, n + 2]
  output y: f32[m, n]
  y[i, j] = x[i + 1, j + 1] - 0.25 * (x[i, j + 1] + x[i + 2, j + 1] + x[i + 1, j] + x[i + 1, j + 2])
end
)",
     ""},
    {"window", "y[i] = sum(r) x[i + r] * w[r]", "i=24,r=3"},
    {"every_second", "y[i] = x[2 * i] - x[2 * i + 1]", "i=32"},
    // Transposes.
    {"transpose", "y[j,i] = x[i,j]", "i=16,j=12"},
    {"transpose_3", "y[k,i,j] = x[i,j,k]", "i=4,j=6,k=8"},
    {"transpose_4", "y[l,j,k,i] = x[i,j,k,l]", "i=4,j=3,k=2,l=6"},
    {"transpose_5", "y[m,l,k,j,i] = x[i,j,k,l,m]", "i=2,j=3,k=2,l=2,m=4"},
    // Epilogues, values on their way, several outputs.
    {"relu_bias", "c[i,j] = max(0, bias[j] + sum(k) a[i,k] * b[k,j])", "i=8,j=12,k=6"},
    {"scaled_sum", "c[i,j] = alpha * (sum(k) a[i,k] * b[k,j]) + beta * d[i,j]", "i=8,j=6,k=10"},
    {"two_products", "ab[i,j] = sum(k) a[i,k] * b[k,j]; e[i,l] = sum(j) ab[i,j] * c[j,l]",
     "i=4,j=6,k=5,l=4"},
    {"sum_and_difference", "s[i] = x[i] + y[i]; d[i] = x[i] - y[i]", "i=48"},
    {"outer_of_itself", "t[i] = 2 * x[i] - 1; y[i,j] = t[i] * t[j]", "i=12,j=12"},
    {"gram_of_normalized", R"(
kernel gram_of_normalized
  size n = 6, k = 10
  input a: f32[n, k]
  output c: f32[n, n]
  s[i] = sum(k) a[i, k] * a[i, k]
  t[i, k] = a[i, k] * rsqrt(s[i])
  c[i, j] = sum(k) t[i, k] * t[j, k]
end
)",
     ""},
    // How far the windows reach, their reader says.
    {"windows_then_product", R"(
kernel windows_then_product
  size n = 10, c = 4, m = 6, r = 3
  input x: f32[n, c] outside zero
  input w: f32[r, c]
  input a: f32[m, c]
  output y: f32[n - 1, m]
  t[i, c] = sum(r) w[r, c] * x[i + r - 1, c]
  y[i, j] = sum(c) a[j, c] * t[i, c]
end
)",
     ""},
    {"cosines",
     "d[i] = sum(j) x[i,j] * z[i,j]; p[i] = sum(j) x[i,j] * x[i,j]; "
     "q[i] = sum(j) z[i,j] * z[i,j]; y[i] = 1 - d[i] * rsqrt(p[i] * q[i])",
     "i=6,j=12"},
    {"normalized", "n2[i] = sum(j) a[i,j] * a[i,j]; y[i,j] = a[i,j] * rsqrt(n2[i])", "i=6,j=10"},
    // Borders: what is outside reads as 0.
    {"three_points_border", R"(
kernel three_points_border
  size n = 32
  input x: f32[n] outside zero
  output y: f32[n]
  y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]
end
)",
     ""},
    {"five_points_border", R"(
kernel five_points_border
  size m = 8, n = 12
  input x: f32[m, n] outside zero
  output y: f32[m, n]
  y[i, j] = x[i, j] - 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])
end
)",
     ""},
    {"nine_points_summed", R"(
kernel nine_points_summed
  size m = 6, n = 8, r = 3, s = 3
  input x: f32[m, n] outside zero
  input w: f32[r, s]
  output y: f32[m, n]
  y[i, j] = sum(r, s) x[i + r - 1, j + s - 1] * w[r, s]
end
)",
     ""},
    {"strided_border", R"(
kernel strided_border
  size n = 16
  input x: f32[2 * n - 3] outside zero
  output y: f32[n]
  y[i] = x[2 * i - 1] + x[2 * i + 1]
end
)",
     ""},
    // … or as another number.
    {"pooled_border", R"(
kernel pooled_border
  size m = 6, n = 8, r = 3, s = 3
  input x: f32[m, n] outside -inf
  output y: f32[m, n]
  y[i, j] = max(r, s) x[i + r - 1, j + s - 1]
end
)",
     ""},
    {"ones_border", R"(
kernel ones_border
  size n = 32
  input x: f32[n] outside 1
  output y: f32[n]
  y[i] = x[i - 2] * x[i] * x[i + 1]
end
)",
     ""},
    {"weighed_border", R"(
kernel weighed_border
  size m = 6, n = 8, r = 3, s = 3
  option of_ones = 1 in 0..1
  input x: f32[m, n] outside (of_ones ? -1.5 : zero)
  input w: f32[r, s]
  output y: f32[m, n]
  y[i, j] = sum(r, s) x[i + r - 1, j + s - 1] * w[r, s]
end
)",
     ""},
    // Elements whose subscripts are computed.
    {"rows_of_a_table", R"(
kernel rows_of_a_table
  size m = 12, n = 8, rows = 20
  input index: i32[m]
  input table: f32[rows, n]
  output y: f32[m, n]
  y[i, j] = table[index[i], j]
end
)",
     ""},
    {"bags_of_rows", R"(
kernel bags_of_rows
  size m = 6, n = 8, k = 5, rows = 16
  input index: i32[m, k]
  input weight: f32[m, k]
  input table: f32[rows, n]
  output y: f32[m, n]
  y[i, j] = sum(k) weight[i, k] * table[index[i, k], j]
end
)",
     ""},
    {"elements_of_rows", R"(
kernel elements_of_rows
  size m = 16, n = 12
  input index: i64[m]
  input x: f16[m, n] outside -1
  output y: f32[m]
  y[i] = x[i, index[i] - 2]
end
)",
     ""},
    {"elements_of_columns", R"(
kernel elements_of_columns
  size m = 16, n = 12
  input index: i32[m]
  input x: f32[n, m] strides (1, n) outside 3
  output y: f32[m]
  y[i] = x[index[i] + 4, i]
end
)",
     ""},
    {"shifted_by_what_is_read", R"(
kernel shifted_by_what_is_read
  size m = 8, n = 12
  input shift: i8[m]
  input x: f32[n, m] outside 0.5
  output y: f32[m, n]
  y[i, j] = 2 * x[shift[i] + j, i]
end
)",
     ""},
    {"the_element_with_the_least_key", R"(
kernel the_element_with_the_least_key
  size m = 6, n = 12
  input key: i32[m, n]
  input x: f32[m, n]
  output y: f32[m]
  at[i] = argmin(j) key[i, j]
  y[i] = x[i, at[i]]
end
)",
     ""},
    {"elements_by_row_and_column", R"(
kernel elements_by_row_and_column
  size m = 16, rows = 7, columns = 9
  input row: i32[m]
  input column: u32[m]
  input x: f32[rows, columns]
  output y: f32[m]
  y[i] = x[row[i], column[i]]
end
)",
     ""},
    {"elements_of_planes_or_none", R"(
kernel elements_of_planes_or_none
  size m = 6, n = 8, planes = 4
  input plane: i8[m]
  input column: i64[n]
  input x: f16[planes, m, n] outside -2
  output y: f32[m, n]
  y[i, j] = 2 * x[plane[i] - 1, i, column[j] + 1]
end
)",
     ""},
    {"symmetric_product", R"(
kernel symmetric_product
  size n = 8, k = 8
  input a: f32[n, n]
  input b: f32[n, n]
  output c: f32[n, n]
  c[i, j] = sum(k) a[max(i, k), min(i, k)] * b[max(k, j), min(k, j)]
end
)",
     ""},
    {"spread_in_two_dimensions", R"(
kernel spread_in_two_dimensions
  size m = 4, n = 5, r = 3, s = 3
  input x: f32[m, n] outside zero
  input w: f32[r, s]
  output y: f32[2 * m + 1, 3 * n]
  y[i, j] = sum(r, s) w[r, s] * x[(i - r) % 2 == 0 ? (i - r) / 2 : -1, (j - s) % 3 == 0 ? (j - s) / 3 : -1]
end
)",
     ""},
    {"product_of_chosen_rows", R"(
kernel product_of_chosen_rows
  size m = 8, n = 12, k = 10, rows = 24
  input index: u32[m]
  input a: f32[rows, k]
  input b: f32[k, n]
  output c: f32[m, n]
  c[i, j] = sum(p) a[index[i], p] * b[p, j]
end
)",
     ""},
    {"transposed_convolution", R"(
kernel transposed_convolution
  size n = 9, r = 3
  input x: f32[n] outside zero
  input w: f32[r]
  output y: f32[2 * n]
  y[i] = sum(r) ((i + 1 - r) % 2 == 0 ? w[r] * x[(i + 1 - r) / 2] : 0)
end
)",
     ""},
    {"border_is_repeated", R"(
kernel border_is_repeated
  size m = 8, n = 12
  input x: f32[m, n]
  output y: f32[m, n]
  y[i, j] = x[i, max(j - 1, 0)] + x[i, min(j + 2, n - 1)]
end
)",
     ""},
    {"remainders", "y[i] = x[i] % 7 + z[i] % max(abs(x[i]), 1)", "i=48", "i32"},
    // Arrays that begin anywhere.
    {"slices", R"(
kernel slices
  size n = 96
  input x: f16[n] aligned 2
  input z: f16[n] aligned 4
  output y: f32[n] aligned 8
  y[i] = 2 * x[i] + z[i]
end
)",
     ""},
    // Every type.
    {"axpy_f64", "y[i] = alpha * x[i] + z[i]", "i=48", "f64"},
    {"axpy_f16", "y[i] = alpha * x[i] + z[i]", "i=96", "f16"},
    {"axpy_bf16", "y[i] = alpha * x[i] + z[i]", "i=96", "bf16"},
    {"axpy_f8e4m3", "y[i] = alpha * x[i] + z[i]", "i=96", "f8e4m3"},
    {"axpy_f8e5m2", "y[i] = alpha * x[i] + z[i]", "i=96", "f8e5m2"},
    {"axpy_i64", "y[i] = 3 * x[i] + z[i]", "i=48", "i64"},
    {"literal_i64", "y[i] = x[i] * 3 - 9007199254740993", "i=48", "i64"},
    {"scalar_i64", R"(
kernel scalar_i64
  size n = 48
  scalar s: i64 = -9007199254740993
  input x: i64[n]
  output y: i64[n]
  output is: i32[n]
  y[i] = x[i] + s
  is[i] = x[i] == 9007199254740993 ? 1 : 0
end
)",
     ""},
    {"sum_i64", "y[i] = sum(j) a[i,j] * x[j]", "i=12,j=16", "i64"},
    {"wraps_i32", "y[i] = abs(x[i] * x[i] * x[i]) - (-z[i]) * 2147483647", "i=48", "i32"},
    {"quantize", R"(
kernel quantize
  size n = 96
  input x: f32[n]
  output q: u32[n]
  q[i] = cast(u32, 255 * x[i])
end
)",
     ""},
    {"axpy_i32", "y[i] = 3 * x[i] - z[i]", "i=48", "i32"},
    {"axpy_u32", "y[i] = 3 * x[i] + z[i]", "i=48", "u32"},
    {"axpy_i8", "y[i] = 3 * x[i] + z[i]", "i=96", "i8"},
    {"logic", "y[i] = a[i] and not b[i] or a[i] xor c[i]", "i=96", "bool"},
    {"bits", "y[i] = (a[i] and b[i]) xor (not c[i] or 12)", "i=48", "i32"},
    {"integer_steps", "y[i] = max(abs(a[i]), min(b[i], 3)) / 2 + -c[i]", "i=48", "i32"},
    {"product_f16", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=8,j=16,k=10", "f16"},
    {"product_bf16", "c[i,j] = sum(k) a[i,k] * b[j,k]", "i=8,j=16,k=10", "bf16"},
    {"product_f8e5m2", "c[i,j] = sum(k) a[i,k] * b[j,k]", "i=8,j=16,k=16", "f8e5m2"},
    {"scaled_product", R"(
kernel scaled_product
  size m = 8, n = 16, k = 32
  input a: f8e4m3[m, k]
  input b: f8e5m2[k, n]
  input a_scale: f32[m]
  input b_scale: f32[n]
  output c: bf16[m, n]
  output q: f8e4m3[m, n]
  t[i, j] = a_scale[i] * b_scale[j] * sum(p) a[i, p] * b[p, j]
  c[i, j] = t[i, j]
  q[i, j] = t[i, j]
end
)",
     ""},
    {"product_f64", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=8,j=12,k=10", "f64"},
    {"product_i32", "c[i,j] = sum(k) a[k,i] * b[k,j]", "i=8,j=12,k=10", "i32"},
    {"product_i8", R"(
kernel product_i8
  size m = 8, n = 16, k = 12
  input a: i8[m, k]
  input b: i8[k, n]
  output c: i32[m, n]
  c[i, j] = sum(p) a[i, p] * b[p, j]
end
)",
     ""},
    {"product_f16_f32", R"(
kernel product_f16_f32
  size m = 8, n = 16, k = 12
  input a: f16[m, k]
  input b: f16[k, n]
  output c: f32[m, n]
  c[i, j] = sum(p) a[i, p] * b[p, j]
end
)",
     ""},
    {"product_in_f64", R"(
kernel product_in_f64
  size m = 8, n = 12, k = 10
  input a: f32[m, k]
  input b: f32[k, n]
  output c: f32[m, n]
  c[i, j] = sum(p: f64) a[i, p] * b[p, j]
end
)",
     ""},
    {"row_sums_f16", "y[i] = sum(j) a[i,j]", "i=16,j=24", "f16"},
    {"row_maxima_i8", "y[i] = max(j) a[i,j]", "i=16,j=24", "i8"},
    {"count_positive", R"(
kernel count_positive
  size m = 12, n = 16
  input a: f32[m, n]
  output y: i32[m]
  y[i] = sum(j) (a[i, j] > 0)
end
)",
     ""},
    {"any_and_all", R"(
kernel any_and_all
  size m = 12, n = 10
  input a: bool[m, n]
  output some: bool[m]
  output every: bool[m]
  some[i] = any(j) a[i, j]
  every[i] = all(j) a[i, j]
end
)",
     ""},
    {"largest_where", R"(
kernel largest_where
  size m = 12, n = 16
  input a: f32[m, n]
  output y: i32[m]
  y[i] = argmax(j) a[i, j]
end
)",
     ""},
    {"smallest_where_i32", "y[i] = argmin(j) a[i,j]", "i=12,j=16", "i32"},
    {"triangle", "y[i,j] = j <= i ? x[i,j] : 0", "i=12,j=16"},
    {"ramp", "y[i,j] = x[i,j] + cast(f32, i - 2 * j)", "i=12,j=16"},
    {"casts", R"(
kernel casts
  size n = 48
  input x: f32[n]
  input h: f16[n]
  input k: i32[n]
  output y: f64[n]
  output b: bf16[n]
  output t: i8[n]
  y[i] = cast(f64, k[i]) + x[i] * h[i]
  b[i] = cast(f16, x[i] * h[i])
  t[i] = cast(i8, x[i] > 0 ? k[i] : 1)
end
)",
     ""},
    {"narrow_value", R"(
kernel narrow_value
  size n = 48
  input x: f32[n]
  input z: f32[n]
  output y: f32[n]
  t: f16[i] = x[i] + z[i]
  y[i] = 2 * t[i] - z[i]
end
)",
     ""},
    {"flags", R"(
kernel flags
  size n = 96
  input x: f32[n]
  input z: f32[n]
  output y: bool[n]
  y[i] = x[i] < z[i] or x[i] == 1
end
)",
     ""},
    {"transpose_f16", "y[j,i] = x[i,j]", "i=16,j=32", "f16"},
    {"transpose_f8e4m3", "y[j,i] = x[i,j]", "i=16,j=32", "f8e4m3"},
    {"quantize_rows", R"(
kernel quantize_rows
  size m = 8, n = 32
  input x: f32[m, n]
  output y: f8e4m3[m, n]
  output scale: f32[m]
  largest[i] = max(j) abs(x[i, j])
  scale[i] = largest[i] / 448
  y[i, j] = x[i, j] * 448 / largest[i]
end
)",
     ""},
    {"transpose_i8", "y[j,i] = x[i,j]", "i=32,j=16", "i8"},
    {"transpose_f64", "y[j,i] = x[i,j]", "i=16,j=12", "f64"},
    {"border_bf16", R"(
kernel border_bf16
  size m = 8, n = 16
  input x: bf16[m, n] outside zero
  output y: bf16[m, n]
  y[i, j] = x[i - 1, j] + x[i + 1, j] - 2 * x[i, j]
end
)",
     ""},
    {"pooled_border_f16", R"(
kernel pooled_border_f16
  size m = 8, n = 16, r = 3
  input x: f16[m, n] outside -inf
  output y: f16[m, n]
  y[i, j] = max(r) x[i + r - 1, j]
end
)",
     ""},
    {"pooled_border_i8", R"(
kernel pooled_border_i8
  size m = 8, n = 16, r = 3, s = 3
  input x: i8[m, n] outside -128
  output y: i8[m, n]
  y[i, j] = max(r, s) x[i + r - 1, j + s - 1]
end
)",
     ""},
    {"border_i64", R"(
kernel border_i64
  size n = 32
  input x: i64[n] outside 9007199254740993
  output y: i64[n]
  y[i] = x[i - 1] - x[i + 1]
end
)",
     ""},
    // Covered axes: loops run further than they do.
    {"covered_product", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=25,j=37,k=29"},
    {"covered_product_tt", "c[i,j] = sum(k) a[k,i] * b[j,k]", "i=26,j=27,k=35"},
    {"covered_product_f16", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=25,j=50,k=26", "f16"},
    {"covered_product_i32", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=29,j=25,k=53", "i32"},
    {"covered_three_factors", "y[i] = sum(j) a[i,j] * x[j] * w[j]", "i=25,j=53"},
    {"covered_two_axes_summed", "y[i] = sum(k, l) a[i,k,l] * b[l,k]", "i=4,k=25,l=29"},
    {"covered_row_sums", "y[i] = sum(j) a[i,j]", "i=25,j=53"},
    {"covered_sums_of_exp", "y[i] = sum(j) exp(a[i,j] / 4096)", "i=6,j=37"},
    {"covered_sum_of_squares", "y[i] = sum(j) (a[i,j] - m[i]) * (a[i,j] - m[i])", "i=25,j=29"},
    {"covered_column_maxima", "y[j] = max(i) a[i,j]", "i=37,j=26"},
    {"covered_row_minima", "y[i] = min(j) abs(a[i,j])", "i=25,j=53"},
    {"covered_row_products", "y[i] = prod(j) a[i,j]", "i=6,j=25"},
    {"covered_where_largest", R"(
kernel covered_where_largest
  size m = 6, n = 37
  input a: f32[m, n]
  output y: i32[m]
  y[i] = argmax(j) a[i, j]
end
)",
     ""},
    {"covered_softmax", R"(
kernel covered_softmax
  size m = 25, n = 29
  input x: f32[m, n]
  output y: f32[m, n]
  top[i] = max(j) x[i, j]
  total[i] = sum(j) exp(x[i, j] - top[i])
  y[i, j] = exp(x[i, j] - top[i]) / total[i]
end
)",
     ""},
    {"covered_transpose", "y[j,i] = x[i,j]", "i=37,j=50"},
    {"covered_transpose_i8", "y[j,i] = x[i,j]", "i=50,j=26", "i8"},
    {"covered_axpy", "y[i] = alpha * x[i] + z[i]", "i=1002"},
    {"covered_axpy_f16", "y[i] = alpha * x[i] + z[i]", "i=1002", "f16"},
    {"covered_window", "y[i] = sum(r) x[i + r] * w[r]", "i=53,r=25"},
    {"covered_ramp", "y[i,j] = x[i,j] + cast(f32, i - 2 * j)", "i=25,j=29"},
    {"covered_border", R"(
kernel covered_border
  size m = 25, n = 37
  input x: f32[m, n] outside zero
  output y: f32[m, n]
  y[i, j] = x[i, j] - 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])
end
)",
     ""},
    {"covered_border_of_ones", R"(
kernel covered_border_of_ones
  size m = 25, n = 37, r = 3
  input x: f32[m, n] outside 1
  input w: f32[r, n]
  output y: f32[m]
  y[i] = sum(r, j) x[i + r - 1, j] * w[r, j]
end
)",
     ""},
    {"covered_pooled_border", R"(
kernel covered_pooled_border
  size m = 25, n = 37, r = 3, s = 3
  input x: f32[m, n] outside -inf
  output y: f32[m, n]
  y[i, j] = max(r, s) x[i + r - 1, j + s - 1]
end
)",
     ""},
    {"covered_rows_of_a_table", R"(
kernel covered_rows_of_a_table
  size m = 25, n = 37, k = 26, rows = 30
  input index: i32[m, k]
  input table: bf16[rows, n]
  output y: f32[m, n]
  y[i, j] = max(k) table[index[i, k], j]
end
)",
     ""},
    // … but not where integers are divided.
    {"uncovered_quotients", "y[i] = a[i] / max(abs(b[i]), 1)", "i=53", "i32"},
    // The library's.
    {"reduce", "", "a=2,b=6,c=8,d=4"},
    {"softmax", "", "m=6,n=8"},
    {"layer_norm", "", "m=4,n=6"},
    {"rms_norm", "", "m=4,n=10"},
    // Scans, inclusive and not, from both ends, along any axis, of terms that are computed.
    {"running_sum", "y[i] = scan(sum, j <= i) x[j]", "i=48"},
    {"running_sums_of_rows", "y[i,j] = scan(sum, k <= j) x[i,k]", "i=6,j=32"},
    {"running_sums_of_columns", "y[i,j] = scan(sum, k <= i) x[k,j]", "i=24,j=8"},
    {"running_sum_before", "y[i,j] = scan(sum, k < j) x[i,k]", "i=4,j=36"},
    {"running_sum_down", "y[i,j] = scan(sum, k >= j) x[i,k]", "i=4,j=32"},
    {"running_sum_after", "y[i,j] = 2 * scan(sum, k > j) x[i,k] + z[j]", "i=4,j=24"},
    {"running_product", "y[i,j] = scan(prod, k <= j) x[i,k]", "i=4,j=24"},
    {"running_max", "y[i,j] = scan(max, k <= j) x[i,k]", "i=5,j=28"},
    {"running_min_before", "y[i] = scan(min, k < i) abs(x[k])", "i=40"},
    {"running_sum_masked", "y[i,j] = scan(sum, k <= j) (m[i,k] > 0 ? x[i,k] : 0)", "i=4,j=32"},
    {"running_mean", "y[i,j] = (scan(sum, k <= j) x[i,k]) / cast(f32, j + 1)", "i=4,j=32"},
    {"running_sum_f16", "y[i,j] = scan(sum, k <= j: f32) x[i,k]", "i=4,j=32", "f16"},
    {"running_sum_f64", "y[i,j] = scan(sum, k <= j) x[i,k]", "i=4,j=32", "f64"},
    {"running_sum_i32", "y[i,j] = scan(sum, k <= j) x[i,k]", "i=4,j=32", "i32"},
    {"running_sum_i64", "y[i] = scan(sum, k <= i) x[k]", "i=64", "i64"},
    {"sum_of_running_max", "y[i] = sum(j) scan(max, k <= j) x[i,k]", "i=4,j=16"},
    {"running_share", "y[i,j] = scan(sum, k <= j) x[i,k] * x[i,k] / (1 + sum(p) abs(x[i,p]))",
     "i=4,j=16,p=16"},
    {"running_sums_of_sums", "t[i,j] = sum(k) a[i,k] * b[k,j]; y[i,j] = scan(sum, p <= j) t[i,p]",
     "i=4,j=12,k=6"},
    {"running_rectangles", "t[i,j] = scan(sum, k <= j) x[i,k]; y[i,j] = scan(sum, p <= i) t[p,j]",
     "i=12,j=16"},
    // Steps that are left out.
    {"triangular_product", "c[i,j] = sum(k <= i) a[i,k] * b[k,j]", "i=8,j=6,k=8"},
    {"upper_triangular_product", "c[i,j] = sum(k >= i) a[i,k] * b[k,j]", "i=8,j=6,k=8"},
    {"max_of_band", "y[i] = max(k >= i - 3) (k <= i ? x[i,k] : -inf)", "i=12,k=12"},
    {"product_of_first", "y[i] = prod(k < 5) x[i,k]", "i=6,k=12"},
    {"scan", "", "m=4,n=24"},
    {"scan_before_down", "", "m=3,n=20", "", "scan", "way=3"},
    {"scan_of_products", "", "m=3,n=16", "", "scan", "op=1,way=1"},
    {"logsumexp", "", "m=6,n=8"},
    {"cross_entropy", "", "m=5,n=8"},
    {"attention", "", "h=2,m=4,n=6,d=4,dv=6"},
    {"attention_causal", "", "h=1,m=4,n=6,d=4,dv=4", "", "attention", "causal=1,group=2"},
    {"attention_window", "", "h=2,m=5,n=5,d=4,dv=4", "", "attention", "causal=1,window=2"},
    {"dot", "", "n=48"},
    {"moments", "", "m=4,n=6"},
    {"conv2d", "", "h=6,w=8,c=4,m=6,r=3,s=3"},
    {"conv2d_nchw", "", "n=2,h=5,w=6,c=3,m=4,r=3,s=3", "", "conv2d", "layout=1,filter_layout=2"},
    {"conv2d_krsc", "", "h=6,w=5,c=6,m=8,r=3,s=3", "", "conv2d", "filter_layout=1,pad=0"},
    {"conv2d_strided", "", "h=9,w=8,c=3,m=4,r=3,s=3", "", "conv2d", "stride=2"},
    {"conv2d_dilated", "", "h=8,w=9,c=2,m=4,r=3,s=3", "", "conv2d", "dilation=2,pad=2"},
    {"conv2d_1x1", "", "h=5,w=6,c=8,m=4,r=1,s=1", "", "conv2d", "pad=0,stride=2"},
    {"conv2d_5x5", "", "h=6,w=7,c=2,m=3,r=5,s=5", "", "conv2d", "pad=2"},
    {"conv2d_11x11", "", "h=15,w=19,c=3,m=4,r=11,s=11", "", "conv2d", "pad=2,stride=4"},
    {"conv2d_f16", "", "h=6,w=6,c=4,m=8,r=3,s=3", "", "conv2d", "type=2"},
});

Parameters NumbersOf(std::string_view text) {
  Parameters numbers;
  for (const auto& [name, value] : ParseAssignments(std::string(text), "sizes")) {
    numbers[std::string(name)] = ParseInteger(value).value();
  }
  return numbers;
}

}  // namespace

std::span<const Computation> Computations() {
  return kComputations;
}

const Kernel& KernelOf(const Computation& computation) {
  if (computation.text.empty()) {
    return *FindKernel(computation.kernel.empty() ? computation.name : computation.kernel);
  }
  std::string text(computation.text);
  if (!computation.sizes.empty()) {
    text = TextOfStatements(text, std::string(computation.type), NumbersOf(computation.sizes));
  }
  return KernelOfText(std::string(computation.name), text);
}

Parameters SizesOf(const Computation& computation, std::int64_t times) {
  Parameters sizes;
  if (computation.text.empty()) {  // Options stay as they are.
    for (const Parameter& size : KernelOf(computation).parameters()) {
      sizes[size.name] = size.default_value;
    }
    for (const auto& [name, value] : NumbersOf(computation.sizes)) sizes[name] = value * times;
    for (const auto& [name, value] : NumbersOf(computation.options)) sizes[name] = value;
    return sizes;
  }
  for (const Parameter& size : KernelOf(computation).parameters()) {
    sizes[size.name] = size.default_value * times;
  }
  return sizes;
}

}  // namespace exh::kernels::testing
