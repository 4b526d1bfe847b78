// SPDX-License-Identifier: MIT
#include "kernels/fused/expression.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kernels/derived/expression_builder.h"
#include "kernels/fused/element.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::fused {
namespace {

using derived::ExpressionBuilder;
using ir::Index;
using ir::Op;
using ir::Type;
using Value = ExpressionBuilder::Value;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

std::vector<ir::Array> ArraysOf(const StatementList& list) {
  std::vector<ir::Array> arrays;
  for (const StatementTensor& tensor : list.tensors) {
    const auto number = static_cast<int>(arrays.size());
    const bool is_input = tensor.role == StatementTensor::Role::kInput;
    arrays.push_back({ir::ArrayId{static_cast<std::uint16_t>(number)}, ArrayNameOf(number),
                      is_input ? ir::ArrayRole::kInput : ir::ArrayRole::kOutput,
                      static_cast<std::uint64_t>(tensor.elements()), tensor.type});
  }
  return arrays;
}

/// Adds the nodes of one statement after the other.
class StatementNodes {
 public:
  explicit StatementNodes(const StatementList& list)
      : list_(list), build_(ArraysOf(list)), stores_(list.tensors.size(), -1) {}

  void Add(const Statement& statement) {
    std::vector<int> reduced;
    point_.clear();
    for (std::size_t i = 0; i < statement.iterators.size(); ++i) {
      std::vector<int> axes;
      point_.push_back(build_.NewAxes(FactorsOf(statement, static_cast<int>(i)), axes));
      if (statement.iterators[i].is_reduction) {
        reduced.insert(reduced.end(), axes.begin(), axes.end());
      }
    }
    values_.clear();
    for (const Step& step : statement.steps) values_.push_back(ValueOf(statement, step));
    Value value = values_.back();
    const int tensor = statement.write.tensor;
    if (statement.reduces) {
      value = Reduced(*statement.reduces, value, std::move(reduced));
    } else {
      value = BeforeCast(value, list_.tensor(tensor).type);
    }
    EXH_CHECK(stores_[At(tensor)] < 0);
    stores_[At(tensor)] = build_.Store(IdOf(tensor), value, ElementOf(statement.write),
                                       list_.tensor(tensor).is_result());
  }

  derived::Expression Take() { return build_.Take(); }

 private:
  /// Factors of an iterator's extent, the outermost first: where elements are read at its quotients
  /// or remainders, as those of a Tile are, it is several axes, and what is read is affine.
  static std::vector<std::int64_t> FactorsOf(const Statement& statement, int iterator) {
    const std::int64_t extent = statement.iterators[At(iterator)].extent;
    std::set<std::int64_t> divisors;
    for (const Access& read : statement.reads) {
      for (const Index& row : read.rows) {
        for (const Index::Term& term : row.terms()) {
          const ir::IndexAtom& atom = *term.atom;
          const bool divides =
              atom.kind == ir::IndexAtom::Kind::kDiv || atom.kind == ir::IndexAtom::Kind::kMod;
          const ir::IndexVariable* const of = divides ? atom.of.variable() : nullptr;
          if (of != nullptr && of->number == iterator) divisors.insert(atom.by);
        }
      }
    }
    std::vector<std::int64_t> factors;
    std::int64_t inner = 1;
    for (const std::int64_t divisor : divisors) {
      if (divisor % inner != 0 || extent % divisor != 0) continue;
      factors.insert(factors.begin(), divisor / inner);
      inner = divisor;
    }
    factors.insert(factors.begin(), extent / inner);
    return factors;
  }

  static ir::ArrayId IdOf(int tensor) { return ir::ArrayId{static_cast<std::uint16_t>(tensor)}; }
  Index ElementOf(const Access& access) const {
    return fused::ElementOf(access, list_.tensor(access.tensor).shape, point_);
  }

  Value ValueOf(const Statement& statement, const Step& step) {
    switch (step.what) {
      case Step::What::kRead:
        return Read(statement.reads[At(step.read)]);
      case Step::What::kNumber:
        return {-1, step.number, "", step.type};
      case Step::What::kIndex:
        return build_.Whole(step.index.With(0, point_), step.type);
      case Step::What::kCompute:
        break;
    }
    std::vector<Value> operands;
    for (const int operand : step.operands) operands.push_back(values_[At(operand)]);
    if (step.op == Op::kConst) return Cast(operands[0], step.type);
    const Type result = ir::ResultType(step.op, step.computes);
    if (result == step.type || Picks(step, operands)) {
      return build_.Computed(step.op, std::move(operands), step.type, step.computes);
    }
    return Cast(build_.Computed(step.op, std::move(operands), result, step.computes), step.type);
  }

  /// Is the value one of the operands, or its opposite, which has the type already?
  static bool Picks(const Step& step, const std::vector<Value>& operands) {
    const bool picks = step.op == Op::kMin || step.op == Op::kMax || step.op == Op::kSelect ||
                       step.op == Op::kNeg || step.op == Op::kAbs;
    const auto first = operands.begin() + (step.op == Op::kSelect ? 1 : 0);
    return picks && ir::IsFloat(step.type) &&
           std::all_of(first, operands.end(),
                       [&](const Value& operand) { return operand.type == step.type; });
  }

  Value Cast(const Value& value, Type type) {
    return build_.Computed(Op::kConst, {value}, type, type);
  }

  /// What is stored as another type is converted there, and what that may lose is known best.
  Value BeforeCast(const Value& value, Type stored) const {
    if (value.is_number() || value.type != stored) return value;
    const derived::Expression::Node& node = build_.node(value.node);
    const bool is_cast = node.op == Op::kConst && node.type == stored;
    return is_cast && !node.inputs[0].is_number() ? node.inputs[0] : value;
  }

  Value Read(const Access& access) {
    const StatementTensor& tensor = list_.tensor(access.tensor);
    Value value = build_.Loaded(IdOf(access.tensor), stores_[At(access.tensor)], ElementOf(access),
                                access.is_guarded);
    for (std::size_t i = 0; access.is_guarded && i < tensor.shape.size(); ++i) {
      value =
          build_.Guarded(value, access.rows[i].With(0, point_), tensor.shape[i], access.otherwise);
    }
    return value;
  }

  Value Reduced(Op op, const Value& term, std::vector<int> axes) {
    const Type type = term.type == Type::kBool ? term.type : ir::ComputeTypeOf(term.type);
    const Value init = {-1, ir::IdentityOf(op, type), "", type};
    if (!axes.empty()) return build_.Gathered(op, term, std::move(axes), init, type);
    // One term: what a sum of -0 begins with shows.
    return build_.Computed(op, {init, term}, type, type);
  }

  const StatementList& list_;
  ExpressionBuilder build_;
  std::vector<int> stores_;    ///< By tensor; -1: an input, or nothing was stored yet.
  std::vector<Index> point_;   ///< By iterator of the statement.
  std::vector<Value> values_;  ///< By step of the statement.
};

}  // namespace

std::string ArrayNameOf(int tensor) {
  return std::to_string(tensor);
}

derived::Expression ExpressionOf(const StatementList& list) {
  StatementNodes nodes(list);
  for (const Statement& statement : list.statements) nodes.Add(statement);
  return nodes.Take();
}

}  // namespace exh::kernels::fused
