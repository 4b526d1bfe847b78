// SPDX-License-Identifier: MIT
//
// Statements: a fused operator as loop nests over affine accesses, in their original order. A plain
// value: schedulers take it, printers print it, the reference evaluates it.
//
// A statement is a nest over all points of its iterators. At each point it reads elements, computes
// a value, and writes one element; where it reduces, it adds the value to what the element has. All
// points of a statement come before all points of the next one: that is the original order, and
// with the accesses it says everything that a dependence analysis needs.
//
// One operation is one statement (an InplaceAssign is two), because that is what the graph orders;
// lower.h makes them. Operations that would only hand each other registers can then be one
// statement (group.h): fewer of them make schedules faster to find, and nothing is lost that a
// schedule could decide, as the values do not leave the point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/index/index.h"
#include "kernels/ir/types.h"

namespace exh::kernels::fused {

struct Iterator {
  std::string name;           ///< "i", unique in its statement.
  std::int64_t extent = 1;    ///< It runs from 0 to extent - 1.
  bool is_reduction = false;  ///< The written element does not depend on it.
};

/// An element of a tensor at each point: an index for each of its dimensions, whose variables are
/// the iterators by their places.
struct Access {
  int tensor = -1;
  std::vector<ir::Index> rows;
  bool is_write = false;
  /// Reads may leave the tensor: there nothing is read, and the value is `otherwise`.
  bool is_guarded = false;
  double otherwise = 0;

  bool is_affine() const;
  bool operator==(const Access&) const = default;
};

/// A step of what a statement computes.
struct Step {
  enum class What : std::uint8_t { kRead, kNumber, kIndex, kCompute };
  What what = What::kNumber;
  ir::Type type = ir::Type::kF32;  ///< Of its value, which is rounded to it.
  double number = 0;               ///< kNumber: as `type` has it.
  int read = -1;                   ///< kRead: which of the reads.
  ir::Index index = {};            ///< kIndex: of the iterators.
  ir::Op op = ir::Op::kConst;      ///< kCompute; kConst casts.
  /// kCompute: what the operator is evaluated in; narrow types in ComputeTypeOf() them.
  ir::Type computes = ir::Type::kF32;
  std::vector<int> operands = {};  ///< kCompute: earlier steps.
};

struct Statement {
  std::string name;  ///< Kind and position of its last operation: "Mul_3".
  std::vector<Iterator> iterators;
  std::vector<Access> reads;
  Access write;
  std::vector<Step> steps;  ///< The last one's value is what is written.
  /// Where it reduces: kAdd, kMul, kMin or kMax. The element begins with IdentityOf() it, in
  /// ComputeTypeOf() the value's type, in which it accumulates; each point reads and writes it, and
  /// behind the last one it becomes what the tensor's type holds.
  std::optional<ir::Op> reduces;
  std::vector<int> operations;  ///< Of the graph, that it is made of.

  /// The index that is an iterator.
  ir::Index Iterated(std::size_t place) const;
};

/// A tensor as statements see it.
struct StatementTensor {
  enum class Role : std::uint8_t {
    kInput,
    kUpdated,  ///< An input that is written in place: an output, too.
    kTemporary,
    kOutput,
  };
  std::string name;
  ir::Type type = ir::Type::kF32;
  std::uint32_t element_bytes = 4;
  std::vector<std::int64_t> shape;  ///< Row-major, without gaps.
  Role role = Role::kTemporary;

  std::int64_t elements() const;
  bool is_result() const { return role == Role::kOutput || role == Role::kUpdated; }
};

struct StatementList {
  std::string name;
  std::vector<StatementTensor> tensors;
  std::vector<Statement> statements;

  const StatementTensor& tensor(int index) const {
    return tensors[static_cast<std::size_t>(index)];
  }
};

/// In index notation, a statement a line: "y[i] = sum(k) x[i, k] * x[i, k]    i < 8, k < 15".
/// Narrow results have their rounding: "f16(a + b)".
std::string TextOf(const Statement& statement, const StatementList& list);
std::string TextOf(const StatementList& list);

}  // namespace exh::kernels::fused
