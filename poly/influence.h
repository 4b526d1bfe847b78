// SPDX-License-Identifier: MIT
//
// The influence constraint tree of C. Bastoul et al., Optimizing GPU Deep Learning Operators with
// Polyhedral Scheduling Constraint Injection (CGO 2022), section IV-A4.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exh::poly {

/// coefficient * T[statement, depth, column]: a coefficient of a schedule, whose column is an
/// iterator, a parameter or the constant (columns of Schedule::statements). Scalar rows have no
/// depth.
struct InfluenceTerm {
  int statement = 0;
  int depth = 0;
  int column = 0;
  std::int64_t coefficient = 1;

  friend auto operator<=>(const InfluenceTerm&, const InfluenceTerm&) = default;
};

/// The sum of its terms and a constant is >= 0, or == 0.
struct InfluenceRow {
  std::vector<InfluenceTerm> terms;
  std::int64_t constant = 0;
  bool is_equality = true;

  friend auto operator<=>(const InfluenceRow&, const InfluenceRow&) = default;
};

/// T[statement, depth, column] == value.
InfluenceRow Fixed(int statement, int depth, int column, std::int64_t value);

/// T[a, depth, column_a] == T[b, depth, column_b].
InfluenceRow Same(int depth, int statement_a, int column_a, int statement_b, int column_b);

/// What is asked of one dimension, and what of the next ones: children are alternatives, the best
/// first. Rows of a node at depth d name depths up to d.
struct InfluenceNode {
  std::vector<InfluenceRow> rows;
  /// The dimension must carry no dependence that is still open.
  bool parallel = false;
  /// The dimension must belong to the band of the one before: no dependence may be dropped for it.
  bool permutable = false;
  std::string label;  // For people; a leaf has the name of its scenario.
  std::vector<InfluenceNode> children;
};

/// Nodes of depth 0 and what follows them. No nodes: no influence.
struct InfluenceTree {
  std::vector<InfluenceNode> nodes;
};

/// What is wrong with a tree for these statements, or empty: `num_columns` has the number of
/// columns of each statement.
std::string ProblemOf(const InfluenceTree& tree, const std::vector<int>& num_columns);

/// One tree for each leaf, from left to right, that has only the way to it.
std::vector<InfluenceTree> PathsOf(const InfluenceTree& tree);

/// Adds a way from the root: `path` has a node for each depth, without children. What it has in
/// common with the first nodes of an earlier way, label aside, is shared; what is new comes last.
void AddPath(InfluenceTree& tree, const std::vector<InfluenceNode>& path);

}  // namespace exh::poly
