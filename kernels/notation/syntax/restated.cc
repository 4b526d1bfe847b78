// SPDX-License-Identifier: MIT
//
// Every index of every statement has a number. Where a value is read, the numbers of the reader's
// indices and of the value's own are of one axis (union-find). Two indices of a *place*, which is
// what an expression is under, must not be of the same axis. Where they are, the values that the
// second one reads are stated again, and whatever these read along that axis:
//
//     place of c: {i, j, k}    t: i ~ t.0, k ~ t.1, j ~ t.0    so i ~ j: j reads t_2 from now on
//
// Each round tells two indices apart, and none brings them together again: a copy has indices of
// its own, which only its readers share.
#include "kernels/notation/syntax/restated.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace exh::kernels::notation {
namespace {

constexpr int kMostRounds = 32;

class Restater {
 public:
  explicit Restater(Kernel& kernel) : kernel_(kernel) {}

  /// False: there is nothing to tell apart, or no way to do it.
  bool Round() {
    for (const ArrayDecl& array : kernel_.arrays) arrays_.insert(array.name.text);
    own_.resize(kernel_.statements.size());
    for (std::size_t at = 0; at < kernel_.statements.size(); ++at) {
      Statement& statement = kernel_.statements[at];
      Scope scope;
      for (const Expr& index : statement.indices) {
        scope.emplace_back(index.text, NewIndex());
        own_[at].push_back(scope.back().second);
      }
      Walk(statement.value, scope, at);
      places_.push_back({at, scope});
      if (arrays_.count(statement.target.text) == 0) values_[statement.target.text] = at;
    }
    for (const auto& [at, scope] : places_) {
      for (std::size_t second = 1; second < scope.size(); ++second) {
        for (std::size_t first = 0; first < second; ++first) {
          const int a = scope[first].second, b = scope[second].second;
          if (Root(a) == Root(b)) return Restate(at, b) || Restate(at, a);
        }
      }
    }
    return false;
  }

 private:
  /// Names of indices with their numbers, the innermost last.
  using Scope = std::vector<std::pair<std::string, int>>;
  struct Place {
    std::size_t statement;
    Scope scope;
  };
  /// A read of a value.
  struct Read {
    Expr* expr;
    std::size_t value;
    std::vector<int> indices;  ///< -1: no index.
  };

  int NewIndex() {
    parent_.push_back(static_cast<int>(parent_.size()));
    return parent_.back();
  }
  int Root(int index) const {
    while (parent_[static_cast<std::size_t>(index)] != index) {
      index = parent_[static_cast<std::size_t>(index)];
    }
    return index;
  }

  static int NumberOf(const Expr& subscript, const Scope& scope) {
    if (subscript.kind != Expr::Kind::kName) return -1;
    const auto found = std::ranges::find(scope.rbegin(), scope.rend(), subscript.text,
                                         &std::pair<std::string, int>::first);
    return found == scope.rend() ? -1 : found->second;
  }

  void Walk(Expr& expr, Scope scope, std::size_t at) {
    if (expr.is_scan()) {  // Its steps are those of an index around it.
      const auto until = std::ranges::find(scope.rbegin(), scope.rend(), expr.until.text,
                                           &std::pair<std::string, int>::first);
      if (until == scope.rend()) return;  // A mistake, which is said later.
      until->first = expr.indices.front().text;
      for (Expr& arg : expr.args) Walk(arg, scope, at);
      places_.push_back({at, scope});
      return;
    }
    for (const Name& index : expr.indices) scope.emplace_back(index.text, NewIndex());
    if (!expr.indices.empty()) places_.push_back({at, scope});
    const auto value = values_.find(expr.text);
    if (expr.kind == Expr::Kind::kRead && value != values_.end()) {
      const std::vector<int>& own = own_[value->second];
      if (own.size() != expr.args.size()) return;  // A mistake, which is said later.
      Read read{&expr, value->second, {}};
      for (std::size_t i = 0; i < own.size(); ++i) {
        read.indices.push_back(NumberOf(expr.args[i], scope));
        if (read.indices.back() >= 0) {
          parent_[static_cast<std::size_t>(Root(read.indices.back()))] = Root(own[i]);
        }
      }
      reads_[at].push_back(std::move(read));
    }
    for (Expr& arg : expr.args) Walk(arg, scope, at);
  }

  /// What the statement reads with the index is stated once more for it.
  bool Restate(std::size_t at, int index) {
    for (const Read& read : reads_[at]) {
      std::set<std::size_t> dimensions;
      for (std::size_t i = 0; i < read.indices.size(); ++i) {
        if (read.indices[i] == index) dimensions.insert(i);
      }
      if (!dimensions.empty()) read.expr->text = CopyOf(read.value, dimensions);
    }
    if (copies_.empty()) return false;
    // From the last one on, so that the numbers of those before it stay.
    std::ranges::stable_sort(copies_, std::greater<>(), &std::pair<std::size_t, Statement>::first);
    for (auto& [value, copy] : copies_) {
      kernel_.statements.insert(kernel_.statements.begin() + static_cast<std::ptrdiff_t>(value) + 1,
                                std::move(copy));
    }
    return true;
  }

  /// The name of a copy of a value, which reads copies along these dimensions of it.
  std::string CopyOf(std::size_t value, const std::set<std::size_t>& dimensions) {
    const auto [known, is_new] = names_.try_emplace({value, dimensions});
    if (!is_new) return known->second;
    Statement copy = kernel_.statements[value];
    const std::string name = known->second = copy.target.text = NewName(copy.target.text);
    std::set<int> along;
    for (const std::size_t i : dimensions) along.insert(own_[value][i]);
    // Reads of the copy are where those of the value are.
    std::size_t next = 0;
    Rename(copy.value, reads_[value], along, next);
    copies_.emplace_back(value, std::move(copy));
    return name;
  }
  void Rename(Expr& expr, const std::vector<Read>& reads, const std::set<int>& along,
              std::size_t& next) {
    const bool is_read = next < reads.size() && reads[next].expr->range.begin == expr.range.begin &&
                         reads[next].expr->text == expr.text && expr.kind == Expr::Kind::kRead;
    if (is_read) {
      const Read& read = reads[next++];
      std::set<std::size_t> dimensions;
      for (std::size_t i = 0; i < read.indices.size(); ++i) {
        if (along.count(read.indices[i]) != 0) dimensions.insert(i);
      }
      if (!dimensions.empty()) expr.text = CopyOf(read.value, dimensions);
    }
    for (Expr& arg : expr.args) Rename(arg, reads, along, next);
  }

  std::string NewName(const std::string& name) {
    std::set<std::string> taken = arrays_;
    for (const SizeDecl& size : kernel_.sizes) taken.insert(size.name.text);
    for (const ScalarDecl& scalar : kernel_.scalars) taken.insert(scalar.name.text);
    for (const Statement& statement : kernel_.statements) taken.insert(statement.target.text);
    for (const auto& [at, scope] : places_) {
      for (const auto& [index, number] : scope) taken.insert(index);
    }
    for (const auto& [value, copy] : names_) taken.insert(copy);
    int number = 2;
    while (taken.count(name + "_" + std::to_string(number)) != 0) ++number;
    return name + "_" + std::to_string(number);
  }

  Kernel& kernel_;
  std::set<std::string> arrays_;
  std::map<std::string, std::size_t> values_;  ///< Statements by what they compute.
  std::vector<int> parent_;                    ///< By index.
  std::vector<std::vector<int>> own_;          ///< By statement: the indices of its left side.
  std::vector<Place> places_;
  std::map<std::size_t, std::vector<Read>> reads_;  ///< By statement, as they stand in it.
  std::map<std::pair<std::size_t, std::set<std::size_t>>, std::string> names_;
  std::vector<std::pair<std::size_t, Statement>> copies_;  ///< With what they are copies of.
};

}  // namespace

void RestateShared(Kernel& kernel) {
  for (int round = 0; round < kMostRounds && Restater(kernel).Round(); ++round) {
  }
}

}  // namespace exh::kernels::notation
