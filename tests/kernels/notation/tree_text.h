// SPDX-License-Identifier: MIT
//
// The tree of a kernel's text in words, without places: two texts with the same words mean the
// same.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

inline std::string TreeText(const Expr& expr) {
  std::string text =
      fmt::format("({} '{}' {}", static_cast<int>(expr.kind), expr.text, expr.number);
  if (expr.integer) text += fmt::format(" whole {}", *expr.integer);
  for (const Name& index : expr.indices) text += " over " + index.text;
  if (!expr.type.text.empty()) text += " as " + expr.type.text;
  for (const Expr& arg : expr.args) text += TreeText(arg);
  return text + ")";
}

inline std::string TreeText(const std::vector<Expr>& exprs) {
  std::string text = "[";
  for (const Expr& expr : exprs) text += TreeText(expr);
  return text + "]";
}

inline std::string TreeText(const Kernel& kernel) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? fmt::format("{}", *value) : "none";
  };
  std::string text = fmt::format("kernel {} doc '{}'\n", kernel.name.text, kernel.doc);
  for (const SizeDecl& size : kernel.sizes) {
    text +=
        fmt::format("size {} option {} = {} in {} to {} doc '{}'", size.name.text, size.is_option,
                    number(size.default_value), number(size.min), number(size.max), size.doc);
    for (const Name& word : size.words) text += " " + word.text;
    text += "\n";
  }
  for (const ScalarDecl& scalar : kernel.scalars) {
    text += fmt::format("scalar {}: {} = {}\n", scalar.name.text, scalar.type.text, scalar.value);
  }
  for (const ArrayDecl& array : kernel.arrays) {
    text += fmt::format("array {} output {}: {} {} strides {} outside {} doc '{}'\n",
                        array.name.text, array.is_output, TreeText(array.type),
                        TreeText(array.extents), TreeText(array.strides),
                        array.outside ? TreeText(*array.outside) : "", array.doc);
  }
  for (const SizeRequirement& requirement : kernel.requirements) {
    text += fmt::format("require {} doc '{}'\n", TreeText(requirement.condition), requirement.doc);
  }
  for (const Statement& statement : kernel.statements) {
    text += fmt::format("{}: {} {} = {}\n", statement.target.text, statement.type.text,
                        TreeText(statement.indices), TreeText(statement.value));
  }
  for (const TileHint& hint : kernel.tiles) {
    text += "tile";
    for (const Name& index : hint.indices) text += " " + index.text;
    text += " " + TreeText(hint.largest) + "\n";
  }
  return text;
}

}  // namespace exh::kernels::notation
