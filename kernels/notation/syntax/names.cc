// SPDX-License-Identifier: MIT
#include "kernels/notation/syntax/names.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace exh::kernels::notation {
namespace {

class NameFinder {
 public:
  dsl::NameUses Find(const Kernel& kernel) {
    Declare(kernel.name);
    declared_.clear();  // Nothing in the kernel refers to its own name.
    for (const SizeDecl& size : kernel.sizes) Declare(size.name);
    for (const ScalarDecl& scalar : kernel.scalars) Declare(scalar.name);
    for (const ArrayDecl& array : kernel.arrays) Declare(array.name);
    for (const Statement& statement : kernel.statements) Declare(statement.target);
    for (const Statement& statement : kernel.statements) {
      for (const Expr& index : statement.indices) {
        if (index.kind == Expr::Kind::kName) DeclareIndex({index.text, index.range});
      }
      DeclareIndices(statement.value);
    }
    for (const ScalarDecl& scalar : kernel.scalars) Use(scalar.type);
    for (const ArrayDecl& array : kernel.arrays) {
      Use(array.type);
      for (const Expr& extent : array.extents) Use(extent);
      for (const Expr& stride : array.strides) Use(stride);
      if (array.outside) Use(*array.outside);
      if (array.aligned) Use(*array.aligned);
    }
    for (const SizeRequirement& requirement : kernel.requirements) Use(requirement.condition);
    for (const Statement& statement : kernel.statements) {
      Use(statement.type);
      Use(statement.value);
    }
    for (const TileHint& tile : kernel.tiles) {
      for (const Name& index : tile.indices) Use(index);
      for (const Expr& largest : tile.largest) Use(largest);
    }
    return std::move(found_);
  }

 private:
  /// Or uses it, where it is declared already.
  void Declare(const Name& name) {
    if (name.text.empty()) return;
    const auto declared = declared_.emplace(name.text, name.range).first;
    found_.uses.push_back({name.range, declared->second});
  }
  void DeclareIndex(const Name& name) {
    if (!declared_.contains(name.text)) {
      found_.locals.push_back({name.range, "index " + name.text});
    }
    Declare(name);
  }
  void DeclareIndices(const Expr& expr) {
    for (const Name& index : expr.indices) DeclareIndex(index);
    for (const Expr& arg : expr.args) DeclareIndices(arg);
  }

  void Use(const Name& name) {
    const auto declared = declared_.find(name.text);
    if (declared != declared_.end()) found_.uses.push_back({name.range, declared->second});
  }
  void Use(const Expr& expr) {
    if (expr.kind == Expr::Kind::kName || expr.kind == Expr::Kind::kRead) {
      const auto length = static_cast<std::uint32_t>(expr.text.size());
      Use(Name{expr.text, {expr.range.file, expr.range.begin, expr.range.begin + length}});
    }
    if (expr.is_scan()) Use(expr.until);
    Use(expr.type);
    for (const Expr& arg : expr.args) Use(arg);
  }

  std::map<std::string, SourceRange> declared_;
  dsl::NameUses found_;
};

}  // namespace

dsl::NameUses NamesOf(const Kernel& kernel) {
  return NameFinder().Find(kernel);
}

}  // namespace exh::kernels::notation
