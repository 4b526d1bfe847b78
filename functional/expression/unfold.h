// SPDX-License-Identifier: MIT
//
// Unfolder: from nodes of a program to those of an Expression.
//
// It begins with an element of a result, whose place is axes of the expression, and asks what its
// value is. Views and maps pass the question on to what they show, with another place; user
// functions become nodes, reductions become reduced axes, and inputs become loads. A place is a sum
// of axes, quotients and remainders (kernels/ir/index): where it is a sum of axes alone a load has
// strides, and an index of its own otherwise. So maps that copy, tiles and local memory leave no
// trace: of
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
// (known_), and equal nodes are one (by_text_). A value is a number or a node whose axes are those
// that it depends on. A load that may leave its array has a guard.
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
#include "functional/meaning/program.h"
#include "kernels/derived/expression.h"

namespace exh::functional {

class Unfolder {
 public:
  Unfolder(const Program& program, const Assignment& parameters,
           std::vector<kernels::ir::Array> arrays);

  void AddKernel(const ProgramKernel& kernel);
  /// Without what no result comes of.
  kernels::derived::Expression Take();

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
  /// What nodes that are equal have in common. Numbers by their bits, for 0 is not -0.
  struct NodeKey {
    Op op;
    kernels::ir::Type type, computes;
    std::vector<int> reduced;
    int init, index, store;
    std::uint16_t array;
    std::int64_t offset;
    Expression::Strides strides;
    std::vector<std::tuple<int, kernels::ir::Type, std::uint64_t>> inputs;
    std::vector<std::tuple<std::int64_t, Expression::Strides, std::int64_t>> guards;
    friend auto operator<=>(const NodeKey&, const NodeKey&) = default;
  };
  /// An index without remainders: multiples of axes, and of quotients.
  struct Place {
    std::int64_t offset = 0;
    std::map<int, std::int64_t> strides;
    std::vector<std::pair<Value, std::int64_t>> quotients;
  };

  // ---- Questions (unfold.cc).
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
  std::vector<std::int64_t> FactorsOf(const Node& node, const Scope* scope, int dimension);
  std::vector<std::int64_t> FactorsOfView(const Node& view, const Scope* scope, int dimension);
  std::int64_t Number(const Term& term) const;
  float NumberOf(const Node& node) const;
  [[noreturn]] void Fail(const std::string& message) const;

  // ---- Nodes (unfolded_nodes.cc).
  Value Computed(Op op, std::vector<Value> operands,
                 kernels::ir::Type type = kernels::ir::Type::kF32);
  Value Loaded(const std::string& name, const Path& path);
  /// `term`, added up or so over the axes, beginning with `init`.
  Value Gathered(Op op, Value term, std::vector<int> axes, const Value& init);
  /// `inside` where the index is in 0 … length - 1, else the number.
  Value Guarded(const Value& inside, const Index& index, std::int64_t length, float otherwise);
  static NodeKey KeyOf(const Expression::Node& node);
  Value NodeOf(Expression::Node node);
  bool ComesOf(int node, int other) const;
  bool IsZero(const Value& value) const;
  Place PlaceOf(const Index& index);
  void AddTo(Place& place, const Index& index, std::int64_t factor);
  /// As a value of kI32.
  Value Whole(const Place& place);
  /// An index from 0 to the product of the lengths; adds an axis for each of them that is not 1.
  Index NewAxes(const std::vector<std::int64_t>& lengths, std::vector<int>& axes);

  struct Stored {
    kernels::ir::ArrayId array;
    std::vector<std::int64_t> extents;
    int store = -1;  ///< Of a result that is there.
  };
  const Program& program_;
  const Assignment& parameters_;
  std::string kernel_;  ///< That is unfolded.
  Expression out_;
  std::map<std::string, Stored> stored_;  ///< Arrays, by name.
  std::set<Scope> scopes_;
  std::deque<Try> tries_;
  std::map<std::tuple<const Node*, const Scope*, Path>, Value> known_;
  std::map<NodeKey, int> by_key_;  ///< Nodes, each once.
};

}  // namespace exh::functional
