// SPDX-License-Identifier: MIT
#include "kernels/notation/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/spelling.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::notation {
namespace {

constexpr std::array<std::string_view, 8> kReductions = {"sum", "prod", "min",    "max",
                                                         "any", "all",  "argmin", "argmax"};

struct Sign {
  std::string_view sign;
  ir::Op op;
};
constexpr auto kSigns = std::to_array<Sign>({{"+", ir::Op::kAdd},
                                             {"-", ir::Op::kSub},
                                             {"*", ir::Op::kMul},
                                             {"/", ir::Op::kDiv},
                                             {"%", ir::Op::kDiv},
                                             {"<", ir::Op::kLess},
                                             {"<=", ir::Op::kLess},
                                             {">", ir::Op::kLess},
                                             {">=", ir::Op::kLess},
                                             {"==", ir::Op::kEqual},
                                             {"!=", ir::Op::kEqual},
                                             {"?", ir::Op::kSelect}});

constexpr std::array<std::string_view, 5> kOperatorWords = {"and", "or", "xor", "not", "neg"};

}  // namespace

std::optional<FunctionInfo> FunctionOf(std::string_view word) {
  for (const ir::OpInfo& op : ir::AllOps()) {
    if (op.is_function && op.word == word) return FunctionInfo{op.word, op.operands};
  }
  return std::nullopt;
}

bool IsReduction(std::string_view word) {
  return std::ranges::find(kReductions, word) != kReductions.end();
}

bool IsArgReduction(std::string_view word) {
  return word == "argmin" || word == "argmax";
}

ir::Op OpOfReduction(std::string_view word) {
  if (word == "sum") return ir::Op::kAdd;
  if (word == "prod") return ir::Op::kMul;
  return word == "max" || word == "any" ? ir::Op::kMax : ir::Op::kMin;
}

std::vector<std::string> ReductionWords() {
  return {kReductions.begin(), kReductions.end()};
}

std::vector<std::string> CallWords() {
  std::vector<std::string> words = {"cast"};
  for (const ir::OpInfo& op : ir::AllOps()) {
    if (op.is_function) words.emplace_back(op.word);
  }
  words.insert(words.end(), kReductions.begin(), kReductions.end());
  return words;
}

bool IsOperatorWord(std::string_view word) {
  return !std::isalpha(static_cast<unsigned char>(word.front())) ||
         std::ranges::find(kOperatorWords, word) != kOperatorWords.end();
}

std::optional<ir::Op> OpOfCall(std::string_view word) {
  const auto found = std::ranges::find(kSigns, word, &Sign::sign);
  return found != kSigns.end() ? std::optional(found->op) : ir::OpOfWord(word);
}

bool Mentions(const Expr& expr, const std::string& index) {
  const bool is_it = expr.kind == Expr::Kind::kName && expr.text == index;
  const bool hides = std::ranges::find(expr.indices, index, &Name::text) != expr.indices.end();
  return is_it || (!hides && std::ranges::any_of(
                                 expr.args, [&](const Expr& arg) { return Mentions(arg, index); }));
}

std::string ProblemOfType(const std::string& type) {
  if (ir::TypeOfWord(type)) return "";
  std::vector<std::string> all;
  for (const ir::TypeInfo& info : ir::AllTypes()) all.emplace_back(info.word);
  return fmt::format("there is no type '{}'{}", type, DidYouMean(type, all));
}

ir::Type TypeOfName(const Name& type, ir::Type otherwise) {
  return ir::TypeOfWord(type.text).value_or(otherwise);
}

}  // namespace exh::kernels::notation
