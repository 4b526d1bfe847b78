// SPDX-License-Identifier: MIT
//
// aiter's tables of products (bf16_untuned_gemm.csv and the like): a header with M, N and K, and
// more columns, in any order:
//
//   M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle
//   128,2880,512,False,torch.bfloat16,torch.bfloat16,False,False
//
// C = A * transposed(B): B is stored N x K, as the weights of a linear layer are. Columns of what
// was tuned (kernels, times, the device) say nothing of the shape.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <map>

#include "base/error.h"
#include "base/spelling.h"
#include "search/tune/shapes/gemm.h"
#include "search/tune/shapes/lines.h"
#include "search/tune/shapes/shape_reader.h"

namespace exh::search {
namespace {

using Row = std::map<std::string, std::string>;  ///< By the column, in small letters.

std::string Small(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

std::string TypeOf(const std::string& said) {
  constexpr std::array<std::pair<const char*, const char*>, 12> kTypes = {
      {{"bfloat16", "bf16"},
       {"int32", "i32"},
       {"bf16", "bf16"},
       {"float16", "f16"},
       {"half", "f16"},
       {"fp16", "f16"},
       {"float32", "f32"},
       {"float", "f32"},
       {"fp32", "f32"},
       {"float8_e4m3fn", "f8e4m3"},
       {"float8_e5m2", "f8e5m2"},
       {"int8", "i8"}}};
  const std::string name = Small(said.starts_with("torch.") ? said.substr(6) : said);
  for (const auto& [theirs, ours] : kTypes) {
    if (name == theirs) return ours;
  }
  throw UsageError(
      fmt::format("no kernel has the type '{}': torch.bfloat16, torch.float16, torch.float32, "
                  "torch.float8_e4m3fn, torch.float8_e5m2 and torch.int8 can be tuned",
                  Shortened(said, 40)));
}

/// Of a column that may be missing, or empty.
std::string In(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  return found == row.end() ? "" : found->second;
}

std::int64_t NumberIn(const Row& row, const std::string& column) {
  const auto number = ParseInteger(In(row, column));
  if (!number || *number < 1) {
    throw UsageError(fmt::format("column {} is '{}': a whole number, 1 or more", column,
                                 Shortened(In(row, column), 40)));
  }
  return *number;
}

bool IsTrue(const Row& row, const std::string& column) {
  const std::string value = Small(In(row, column));
  if (value.empty() || value == "false" || value == "0") return false;
  if (value == "true" || value == "1") return true;
  throw UsageError(
      fmt::format("column {} is '{}': True or False", column, Shortened(In(row, column), 40)));
}

AskedShape ShapeIn(const Row& row, const std::string& type) {
  for (const char* const column : {"scaleab", "bpreshuffle"}) {
    if (IsTrue(row, column)) {
      throw UsageError(fmt::format("column {} is True: such products cannot be tuned", column));
    }
  }
  Gemm gemm;
  gemm.m = NumberIn(row, "m");
  gemm.n = NumberIn(row, "n");
  gemm.k = NumberIn(row, "k");
  for (const char* const column : {"b", "batch"}) {
    if (!In(row, column).empty()) gemm.batch = NumberIn(row, column);
  }
  gemm.transpose_b = true;
  gemm.has_bias = IsTrue(row, "bias");
  const std::string said = In(row, "dtype").empty() ? In(row, "q_dtype_w") : In(row, "dtype");
  gemm.type = !said.empty() ? TypeOf(said) : type.empty() ? "f32" : type;
  if (const std::string output = In(row, "outdtype"); !output.empty()) gemm.output = TypeOf(output);
  return ShapeOf(gemm);
}

}  // namespace

AskedShapes ReadGemmTable(std::string_view text, const std::string& type) {
  AskedShapes asked;
  std::vector<std::string> columns;
  ForEachLine(text, [&](int number, std::string_view line) {
    const std::vector<std::string_view> fields = Split(line, ',');
    if (columns.empty()) {
      for (const std::string_view field : fields) columns.push_back(Small(field));
      for (const char* const column : {"m", "n", "k"}) {
        if (std::ranges::find(columns, column) != columns.end()) continue;
        throw UsageError(fmt::format(
            "line {} names no column {}: a .csv of shapes has a header with M, N and K (aiter), or "
            "lines such as GemmTunableOp_float_TN,tn_1024_512_256 (PyTorch's TunableOp)",
            number, column));
      }
      return;
    }
    try {
      if (fields.size() != columns.size()) {
        throw UsageError(
            fmt::format("it has {} fields, the header has {}", fields.size(), columns.size()));
      }
      Row row;
      for (std::size_t i = 0; i < fields.size(); ++i) row[columns[i]] = fields[i];
      asked.shapes.push_back(ShapeIn(row, type));
      asked.shapes.back().line = number;
    } catch (const UsageError& error) {
      asked.mistakes.emplace_back(number, error.what());
    }
  });
  return asked;
}

}  // namespace exh::search
