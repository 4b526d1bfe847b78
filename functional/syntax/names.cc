// SPDX-License-Identifier: MIT
#include "functional/syntax/names.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace exh::functional {
namespace {

class NameFinder {
 public:
  dsl::NameUses Find(const File& file) {
    for (const Statement& statement : file.statements) {
      const Name& name = statement.name;
      if (statement.kind == Statement::Kind::kRequire) continue;  // That is a label.
      const auto declared = globals_.emplace(name.text, name.range).first;
      found_.uses.push_back({name.range, declared->second});
    }
    for (const Statement& statement : file.statements) Look(statement);
    return std::move(found_);
  }

 private:
  void Look(const Statement& statement) {
    for (const NumberRange& range : statement.ranges) {
      Use(range.first);
      Use(range.last);
    }
    for (const TypeExprPtr& type : statement.types) Use(type);
    Use(statement.type);
    for (const Pattern& pattern : statement.parameters) Bind(pattern);
    Use(statement.value);
    Use(statement.right);
    locals_.clear();
  }

  void Use(const TypeExprPtr& type) {
    if (type == nullptr) return;
    for (const TypeExprPtr& item : type->items) Use(item);
    Use(type->length);
  }

  void Use(const ExprPtr& expr) {
    if (expr == nullptr) return;
    const std::size_t outer = locals_.size();
    switch (expr->kind) {
      case Expr::Kind::kName:
        UseName(*expr);
        break;
      case Expr::Kind::kLambda:
        for (const Pattern& pattern : expr->patterns) Bind(pattern);
        Use(expr->items[0]);
        break;
      case Expr::Kind::kLet:
        Use(expr->items[0]);
        Bind(expr->patterns[0]);
        Use(expr->items[1]);
        break;
      default:
        for (const ExprPtr& item : expr->items) Use(item);
    }
    locals_.resize(outer);
  }

  void UseName(const Expr& name) {
    for (std::size_t i = locals_.size(); i-- > 0;) {
      if (locals_[i].text != name.text) continue;
      found_.uses.push_back({name.head, locals_[i].range});
      return;
    }
    const auto global = globals_.find(name.text);
    if (global != globals_.end()) found_.uses.push_back({name.head, global->second});
  }

  void Bind(const Pattern& pattern) {
    for (const Pattern& item : pattern.items) Bind(item);
    if (pattern.is_tuple()) return;
    locals_.push_back({pattern.name, pattern.range});
    found_.uses.push_back({pattern.range, pattern.range});
    found_.locals.push_back({pattern.range, pattern.name});
  }

  std::map<std::string, dsl::SourceRange> globals_;
  std::vector<Name> locals_;  ///< In scope, the innermost one last.
  dsl::NameUses found_;
};

}  // namespace

dsl::NameUses NamesOf(const File& file) {
  return NameFinder().Find(file);
}

}  // namespace exh::functional
