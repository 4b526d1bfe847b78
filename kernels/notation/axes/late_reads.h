// SPDX-License-Identifier: MIT
//
// Reads of a value that come after a reduction over it has ended: y[i, j] = d[i, j] / s[i] with
// s[i] = sum(j) d[i, j] reads all d of a row once more when the sum is there. Where one reader has
// all axes of a value, registers hand it over; so they would have to hold the row until then. Where
// they cannot, memory holds it, or it is computed once more, as if the text said so. But in a term
// exp(d[i, j] - m[i]) of a sum over j, where m[i] is a maximum over j, the maximum may be read
// while it runs (docs/running.md): then each d is there when it is read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kernels/ir/builder.h"
#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// What becomes of a value until a late read.
enum class Kept : std::uint8_t {
  kInRegisters,
  kInMemory,  ///< If the search so decides.
  kNowhere,   ///< It is computed once more.
};

class LateReads {
 public:
  /// Both outlive this.
  LateReads(const Kernel& kernel, const ResolvedKernel& resolution);

  /// Reductions over values that have ended: the statement of the value, and the axis.
  using Ended = std::set<std::pair<int, int>>;
  /// The reads of values in an expression that are late, with what has ended before each, where
  /// `before` has when the expression is computed.
  std::map<const Expr*, Ended> In(const Expr& expr, const Ended& before) const;

  /// The statements that become instructions where they stand: those of outputs, and of values that
  /// some reader finds kept.
  std::vector<bool> InPlace(const ir::Builder& builder) const;

  /// Of the value of a statement, until `read`, before which so much has ended.
  Kept KeptUntil(const Expr& read, const Ended& before, const ir::Builder& builder) const;

 private:
  void Find(const Expr& expr, const Ended& before, std::map<const Expr*, Ended>& found) const;
  void Visit(const Expr& expr, const Ended& before, const ir::Builder& builder,
             std::vector<bool>& in_place) const;
  const Expr* ChosenOf(const Expr& expr) const;
  /// The reads of values that are chosen.
  void ReadsOf(const Expr& expr, std::vector<const Expr*>& reads) const;
  /// The statement of a value that is read; -1: it is none.
  int ValueOf(const Expr& expr) const;
  std::set<int> MadeOf(const Expr& expr) const;
  Ended EndedIn(const Expr& expr) const;
  bool Reduces(const Expr& expr, const std::set<int>& axes) const;
  bool AdjoinsIn(const Expr& expr, int axis) const;
  bool HasAxis(int statement, int axis) const;
  std::set<int> EndedAxes(int statement, const Ended& before) const;
  /// Adds the reads in terms of maxima that may run. `sums`: axes of the sums around.
  void FindRunning(const Expr& expr, const std::set<int>& sums);
  /// The axis of the maximum that a term takes away, if the expression is one; else -1.
  int AxisOfTerm(const Expr& expr) const;

  const Kernel& kernel_;
  const ResolvedKernel& resolution_;
  std::vector<std::set<int>> made_of_;  ///< By statement: the values behind its own.
  std::vector<Ended> ended_;            ///< By statement: what has ended when it is there.
  std::set<const Expr*> running_;       ///< Reads in terms of maxima that may run.
};

}  // namespace exh::kernels::notation
