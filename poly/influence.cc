// SPDX-License-Identifier: MIT
#include "poly/influence.h"

#include <algorithm>

namespace exh::poly {
namespace {

std::string ProblemOf(const InfluenceNode& node, int depth, const std::vector<int>& num_columns) {
  const std::string place = "node '" + node.label + "' at depth " + std::to_string(depth) + ": ";
  for (const InfluenceRow& row : node.rows) {
    for (const InfluenceTerm& term : row.terms) {
      if (term.statement < 0 || term.statement >= static_cast<int>(num_columns.size())) {
        return place + "statement " + std::to_string(term.statement) + " does not exist";
      }
      if (term.column < 0 || term.column >= num_columns[term.statement]) {
        return place + "column " + std::to_string(term.column) + " does not exist";
      }
      if (term.depth < 0 || term.depth > depth) {
        return place + "names the depth " + std::to_string(term.depth) + ", which comes later";
      }
    }
  }
  for (const InfluenceNode& child : node.children) {
    std::string problem = ProblemOf(child, depth + 1, num_columns);
    if (!problem.empty()) return problem;
  }
  return "";
}

void CollectPaths(const InfluenceNode& node, std::vector<InfluenceNode>& path,
                  std::vector<InfluenceTree>& trees) {
  InfluenceNode alone = node;
  alone.children.clear();
  path.push_back(std::move(alone));
  if (node.children.empty()) {
    trees.emplace_back();
    AddPath(trees.back(), path);
  }
  for (const InfluenceNode& child : node.children) CollectPaths(child, path, trees);
  path.pop_back();
}

bool IsSame(const InfluenceNode& a, const InfluenceNode& b) {
  return a.rows == b.rows && a.parallel == b.parallel && a.permutable == b.permutable;
}

}  // namespace

InfluenceRow Fixed(int statement, int depth, int column, std::int64_t value) {
  return {.terms = {{statement, depth, column, 1}}, .constant = -value};
}

InfluenceRow Same(int depth, int statement_a, int column_a, int statement_b, int column_b) {
  return {.terms = {{statement_a, depth, column_a, 1}, {statement_b, depth, column_b, -1}}};
}

std::string ProblemOf(const InfluenceTree& tree, const std::vector<int>& num_columns) {
  for (const InfluenceNode& node : tree.nodes) {
    std::string problem = ProblemOf(node, 0, num_columns);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::vector<InfluenceTree> PathsOf(const InfluenceTree& tree) {
  std::vector<InfluenceTree> trees;
  std::vector<InfluenceNode> path;
  for (const InfluenceNode& node : tree.nodes) CollectPaths(node, path, trees);
  return trees;
}

void AddPath(InfluenceTree& tree, const std::vector<InfluenceNode>& path) {
  std::vector<InfluenceNode>* siblings = &tree.nodes;
  for (std::size_t depth = 0; depth < path.size(); ++depth) {
    // A leaf ends the influence: it is shared with nothing that goes on.
    const bool is_leaf = depth + 1 == path.size();
    const auto known =
        std::find_if(siblings->begin(), siblings->end(), [&](const InfluenceNode& node) {
          return IsSame(node, path[depth]) && node.children.empty() == is_leaf;
        });
    if (known != siblings->end()) {
      siblings = &known->children;
      continue;
    }
    siblings->push_back(path[depth]);
    siblings = &siblings->back().children;
  }
}

}  // namespace exh::poly
