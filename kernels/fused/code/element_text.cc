// SPDX-License-Identifier: MIT
#include "kernels/fused/code/element_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "kernels/derived/sources/op_text.h"

namespace exh::kernels::fused {
namespace {

using Terms = std::vector<std::pair<std::string, std::int64_t>>;

bool IsWordLetter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The place of the next one, from `from` on.
std::size_t FindVariable(std::string_view expression, std::string_view variable, std::size_t from) {
  for (std::size_t at = expression.find(variable, from); at != std::string_view::npos;
       at = expression.find(variable, at + 1)) {
    const std::size_t end = at + variable.size();
    if (at > 0 && IsWordLetter(expression[at - 1])) continue;
    if (end < expression.size() && IsWordLetter(expression[end])) continue;
    return at;
  }
  return std::string_view::npos;
}

std::string AsAtom(const std::string& expression) {
  for (const char letter : expression) {
    if (!IsWordLetter(letter)) return "(" + expression + ")";
  }
  return expression;
}

void AddTerm(const std::string& argument, std::int64_t stride, Terms& terms) {
  if (argument != "0" && stride != 0) terms.emplace_back(AsAtom(argument), stride);
}

}  // namespace

bool Mentions(std::string_view expression, std::string_view variable) {
  return FindVariable(expression, variable, 0) != std::string_view::npos;
}

std::string Replaced(std::string_view expression, std::string_view variable,
                     std::string_view text) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = FindVariable(expression, variable, 0); at != std::string_view::npos;
       at = FindVariable(expression, variable, from)) {
    result += expression.substr(from, at - from);
    result += text;
    from = at + variable.size();
  }
  return result += expression.substr(from);
}

std::optional<std::string> WithoutTerm(std::string_view condition, std::string_view term) {
  constexpr std::string_view kAnd = " && ";
  std::string rest;
  bool is_found = false;
  for (std::size_t begin = 0; begin <= condition.size();) {
    const std::size_t end = std::min(condition.find(kAnd, begin), condition.size());
    const std::string_view one = condition.substr(begin, end - begin);
    begin = end + kAnd.size();
    if (one == term) {
      is_found = true;
    } else {
      if (!rest.empty()) rest += kAnd;
      rest += one;
    }
  }
  return is_found ? std::optional(rest) : std::nullopt;
}

std::string RowText(const IndexRow& row, const std::vector<std::string>& arguments) {
  Terms terms;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    AddTerm(arguments[i], row.coefficients[i], terms);
  }
  std::string text = derived::IndexText(terms, row.constant);
  // No index is below 0: what may be outside of a tensor has neither.
  if (row.divisor != 1) text = fmt::format("({}) / {}", text, row.divisor);
  if (row.modulus != 0) text = fmt::format("({}) % {}", text, row.modulus);
  return text;
}

bool FlatAccess::IsWide(int iterator, int width) const {
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const bool is_along = static_cast<int>(i) == iterator;
    if (is_along ? strides[i] != 1 : strides[i] % width != 0) return false;
  }
  return iterator >= 0 && offset % width == 0;
}

FlatAccess FlatOf(const Access& access, const std::vector<std::int64_t>& shape, int iterators) {
  FlatAccess flat{.strides = std::vector<std::int64_t>(static_cast<std::size_t>(iterators), 0)};
  std::int64_t pitch = 1;
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    const IndexRow& row = access.rows[dimension];
    if (row.is_affine()) {
      for (std::size_t i = 0; i < flat.strides.size(); ++i) {
        flat.strides[i] += pitch * row.coefficients[i];
      }
      flat.offset += pitch * row.constant;
    }
    pitch *= shape[dimension];
  }
  return flat;
}

std::string ElementText(const Access& access, const std::vector<std::int64_t>& shape,
                        const std::vector<std::string>& arguments) {
  const FlatAccess flat = FlatOf(access, shape, static_cast<int>(arguments.size()));
  Terms terms;
  for (std::size_t i = 0; i < arguments.size(); ++i) AddTerm(arguments[i], flat.strides[i], terms);
  std::int64_t pitch = 1;
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    const IndexRow& row = access.rows[dimension];
    if (!row.is_affine()) AddTerm(RowText(row, arguments), pitch, terms);
    pitch *= shape[dimension];
  }
  // One text for one element, whatever the order of a statement's iterators.
  std::ranges::sort(terms, [](const auto& a, const auto& b) {
    return std::pair(-a.second, a.first) < std::pair(-b.second, b.first);
  });
  return derived::IndexText(terms, flat.offset);
}

std::string GuardText(const Access& access, const std::vector<std::int64_t>& shape,
                      const std::vector<Iterator>& iterators,
                      const std::vector<std::string>& arguments) {
  std::string guard;
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    const IndexRow& row = access.rows[dimension];
    std::int64_t least = row.constant, most = row.constant;
    for (std::size_t i = 0; i < iterators.size(); ++i) {
      const std::int64_t far = row.coefficients[i] * (iterators[i].extent - 1);
      (far < 0 ? least : most) += far;
    }
    const std::string index = RowText(row, arguments);
    const auto add = [&](const std::string& condition) {
      guard += (guard.empty() ? "" : " && ") + condition;
    };
    if (least < 0) add(index + " >= 0");
    if (most >= shape[dimension]) add(fmt::format("{} < {}", index, shape[dimension]));
  }
  return guard;
}

}  // namespace exh::kernels::fused
