// SPDX-License-Identifier: MIT
//
// Unfolder: from nodes of a program to those of an Expression.
//
// It begins with an element of a result, whose place is axes of the expression, and asks what its
// value is. Views and maps pass the question on to what they show, with another place; user
// functions become nodes, reductions become reduced axes, and inputs become loads. A place is a sum
// of axes, quotients and remainders (kernels/ir/index). So maps that copy, tiles and local memory
// leave no trace: of
//
//   map(row -> map(column -> reduce(0, (sum, (x, y)) -> sum + x * y, zip(row, column)),
//                  transpose(b)), a)
//
// remain the axes i, j and l, and the sum over l of a[i, l] * b[l, j].
//
// What is joined is several axes from the start (AxesOf()): then no quotients come of it. Sums of
// sums are one sum. A reduction whose step is no sum, product or extreme of what there is so far
// and of something else is told round by round.
//
// Invariants. The same question has the same answer: one node, however often it is asked for
// (known_).
//
// What a later kernel reads of one before is loaded again, or, where kernels are one
// (Results::kInPlace), unfolded at the place that is read.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "functional/code/storage.h"
#include "functional/expression/expression.h"
#include "functional/meaning/program.h"
#include "kernels/derived/expression_builder.h"

namespace exh::functional {

class Unfolder {
 public:
  Unfolder(const Program& program, const Assignment& parameters,
           const std::vector<kernels::ir::Array>& arrays, Results results);

  void AddKernels();
  /// Without what no result comes of.
  kernels::derived::Expression Take() { return out_.Take(); }

 private:
  using Expression = kernels::derived::Expression;
  using Value = Expression::Input;
  using Op = kernels::ir::Op;

  /// What a variable stands for: a value, an element of it, or what a reduction has come to after
  /// so many rounds; then those that are bound around it. Equal ones are the same object.
  struct Scope {
    enum class Kind : std::uint8_t { kValue, kElement, kSoFar };
    const Node* variable = nullptr;
    Kind kind = Kind::kValue;
    const Node* node = nullptr;     ///< The value, the array, or the reduction …
    const Scope* around = nullptr;  ///< … where these are bound.
    Index index;                    ///< kElement.
    int round = 0;                  ///< kSoFar. Below 0: a Try.
    const Scope* outer = nullptr;
    friend auto operator<=>(const Scope&, const Scope&) = default;
  };
  /// Whether a step of a reduction is a sum: `node` stands for what there is so far.
  struct Try {
    Path path;
    int node = -1;
    bool has_failed = false;  ///< Another element of it is asked for.
  };
  Value Of(const Node& node, const Scope* scope, Path path);
  Value Find(const Node& node, const Scope* scope, Path path);
  Value OfVariable(const Node& variable, const Scope* scope, Path path);
  Value OfUser(const Node& user, const Scope* scope, const Path& path);
  Value OfPad(const Node& pad, const Scope* scope, Path path);
  Value OfReduction(const Node& reduce, const Scope* scope, const Path& path);
  /// What there is after so many rounds.
  Value After(const Node& reduce, const Scope* scope, int rounds, const Path& path);
  std::optional<Value> AsSum(const Node& reduce, const Scope* scope, const Path& path);
  const Scope* Bind(Scope scope) { return &*scopes_.insert(std::move(scope)).first; }
  /// Within the step of a reduction.
  const Scope* InStep(const Node& reduce, const Scope* scope, int round, Index element);
  /// Factors of the length of a dimension, the outermost 0: parts that views split it into.
  /// `items`: the components of tuples on the way to what is asked for, the first one last.
  std::vector<std::int64_t> FactorsOf(const Node& node, const Scope* scope, int dimension,
                                      std::vector<int> items = {});
  std::vector<std::int64_t> FactorsOfView(const Node& view, const Scope* scope, int dimension,
                                          std::vector<int> items);
  std::int64_t Number(const Term& term) const;
  float NumberOf(const Node& node) const;
  [[noreturn]] void Fail(const std::string& message) const;

  void AddKernel(const ProgramKernel& kernel);

  Value Loaded(const std::string& name, const Path& path);

  struct Stored {
    kernels::ir::ArrayId array;
    std::vector<std::int64_t> extents;
    int store = -1;                         ///< Of a result that is there.
    const ProgramKernel* kernel = nullptr;  ///< Of a result.
    bool is_read = false;                   ///< In place.
  };
  const Program& program_;
  const Assignment& parameters_;
  const Results results_;
  std::string kernel_;  ///< That is unfolded.
  kernels::derived::ExpressionBuilder out_;
  std::map<std::string, Stored> stored_;  ///< Arrays, by name.
  std::set<Scope> scopes_;
  std::deque<Try> tries_;
  std::map<std::tuple<const Node*, const Scope*, Path>, Value> known_;
};

}  // namespace exh::functional
