// SPDX-License-Identifier: MIT
#include "kernels/notation/names_of_meaning.h"

namespace exh::kernels::notation {
namespace {

void Add(const Expr& expr, std::set<std::string>& names) {
  names.insert(expr.text);
  names.insert(expr.type.text);
  for (const Name& index : expr.indices) names.insert(index.text);
  for (const Expr& arg : expr.args) Add(arg, names);
}

}  // namespace

std::set<std::string> NamesOfMeaning(const Kernel& kernel) {
  std::set<std::string> names;
  for (const ScalarDecl& scalar : kernel.scalars) names.insert(scalar.type.text);
  for (const ArrayDecl& array : kernel.arrays) {
    Add(array.type, names);
    for (const Expr& extent : array.extents) Add(extent, names);
    for (const Expr& stride : array.strides) Add(stride, names);
    if (array.outside) Add(*array.outside, names);
    if (array.aligned) Add(*array.aligned, names);
  }
  for (const Statement& statement : kernel.statements) {
    names.insert(statement.type.text);
    for (const Expr& index : statement.indices) Add(index, names);
    Add(statement.value, names);
  }
  return names;
}

}  // namespace exh::kernels::notation
