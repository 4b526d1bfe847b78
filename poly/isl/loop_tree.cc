// SPDX-License-Identifier: MIT
#include "poly/isl/loop_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/check.h"
#include "poly/isl/convert.h"
#include "poly/isl/owners.h"

namespace exh::poly {
namespace {

std::string TextOf(const Owner<isl_ast_expr>& expression) {
  return TakeText(isl_ast_expr_to_C_str(expression.get()));
}

std::optional<std::int64_t> NumberOf(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Reader {
 public:
  explicit Reader(const Scop& scop) : scop_(scop) {}

  LoopNode Read(const Owner<isl_ast_node>& node) const {
    switch (isl_ast_node_get_type(node.get())) {
      case isl_ast_node_for:
        return Loop(node);
      case isl_ast_node_if:
        return Condition(node);
      case isl_ast_node_block:
        return Block(node);
      case isl_ast_node_user:
        return Call(node);
      default:
        ThrowIslError("a node of a kind that no schedule asks for");
    }
  }

 private:
  LoopNode Loop(const Owner<isl_ast_node>& node) const {
    LoopNode loop{.kind = LoopNode::Kind::kLoop};
    loop.variable = TextOf(Take(isl_ast_node_for_get_iterator(node.get())));
    EXH_CHECK(loop.variable.starts_with('c'));
    loop.row = static_cast<int>(NumberOf(loop.variable.substr(1)).value());
    loop.first = TextOf(Take(isl_ast_node_for_get_init(node.get())));
    const bool is_once = IsTrue(isl_ast_node_for_is_degenerate(node.get()));
    if (is_once) {
      // It may be a choice, `c < d ? 0 : 1`, which binds less than a comparison.
      const bool is_choice = loop.first.find('?') != std::string::npos;
      loop.condition = is_choice ? fmt::format("{} <= ({})", loop.variable, loop.first)
                                 : fmt::format("{} <= {}", loop.variable, loop.first);
      loop.extent = loop.first == "0" ? std::optional<std::int64_t>(1) : std::nullopt;
    } else {
      loop.condition = TextOf(Take(isl_ast_node_for_get_cond(node.get())));
      loop.step = TextOf(Take(isl_ast_node_for_get_inc(node.get())));
      if (loop.first == "0" && loop.step == "1") loop.extent = ExtentOf(loop);
    }
    loop.children.push_back(Read(Take(isl_ast_node_for_get_body(node.get()))));
    return loop;
  }

  // Of "c0 < 8" and "c0 <= 7".
  static std::optional<std::int64_t> ExtentOf(const LoopNode& loop) {
    for (const bool is_last : {false, true}) {
      const std::string begin = loop.variable + (is_last ? " <= " : " < ");
      if (!loop.condition.starts_with(begin)) continue;
      const auto bound = NumberOf(loop.condition.substr(begin.size()));
      if (bound) return *bound + (is_last ? 1 : 0);
    }
    return std::nullopt;
  }

  LoopNode Condition(const Owner<isl_ast_node>& node) const {
    LoopNode choice{.kind = LoopNode::Kind::kIf};
    choice.condition = TextOf(Take(isl_ast_node_if_get_cond(node.get())));
    choice.children.push_back(Read(Take(isl_ast_node_if_get_then_node(node.get()))));
    if (!IsTrue(isl_ast_node_if_has_else_node(node.get()))) return choice;
    LoopNode otherwise{.kind = LoopNode::Kind::kIf, .condition = "!(" + choice.condition + ")"};
    otherwise.children.push_back(Read(Take(isl_ast_node_if_get_else_node(node.get()))));
    return {.kind = LoopNode::Kind::kBlock, .children = {std::move(choice), std::move(otherwise)}};
  }

  LoopNode Block(const Owner<isl_ast_node>& node) const {
    LoopNode block{.kind = LoopNode::Kind::kBlock};
    const auto list = Take(isl_ast_node_block_get_children(node.get()));
    const int size = isl_ast_node_list_n_ast_node(list.get());
    for (int i = 0; i < size; ++i) {
      block.children.push_back(Read(Take(isl_ast_node_list_get_ast_node(list.get(), i))));
    }
    return block;
  }

  LoopNode Call(const Owner<isl_ast_node>& node) const {
    const auto call = Take(isl_ast_node_user_get_expr(node.get()));
    const int size = isl_ast_expr_get_op_n_arg(call.get());
    const std::string name = TextOf(Take(isl_ast_expr_get_op_arg(call.get(), 0)));
    const auto found =
        std::find_if(scop_.statements.begin(), scop_.statements.end(),
                     [&](const Statement& statement) { return statement.name == name; });
    EXH_CHECK(found != scop_.statements.end());
    LoopNode leaf{.kind = LoopNode::Kind::kCall,
                  .statement = static_cast<int>(found - scop_.statements.begin())};
    for (int i = 1; i < size; ++i) {
      leaf.arguments.push_back(TextOf(Take(isl_ast_expr_get_op_arg(call.get(), i))));
    }
    return leaf;
  }

  const Scop& scop_;
};

void AddStatements(const LoopNode& node, std::set<int>& statements) {
  if (node.kind == LoopNode::Kind::kCall) statements.insert(node.statement);
  for (const LoopNode& child : node.children) AddStatements(child, statements);
}

// "[n0, n1] -> { : n0 = 8 and n1 = 15 }"
std::string SizesText(const std::vector<std::int64_t>& parameters) {
  std::string names, values;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    names += fmt::format("{}n{}", j > 0 ? ", " : "", j);
    values += fmt::format("{}n{} = {}", j > 0 ? " and " : "", j, parameters[j]);
  }
  return fmt::format("[{}] -> {{ : {} }}", names, values.empty() ? "true" : values);
}

}  // namespace

std::vector<int> LoopNode::Statements() const {
  std::set<int> statements;
  AddStatements(*this, statements);
  return {statements.begin(), statements.end()};
}

LoopNode LoopTreeOf(const Scop& scop, const Schedule& schedule) {
  const std::vector<std::int64_t> parameters = ParametersOf(scop);
  auto sizes = Take(isl_set_read_from_str(ThreadContext(), SizesText(parameters).c_str()));
  auto map =
      Take(isl_union_map_intersect_domain(MapOf(scop, schedule).Give(), DomainOf(scop).Give()));
  map = Take(isl_union_map_intersect_params(map.Give(), sizes.Give()));
  map = Take(isl_union_map_project_out(map.Give(), isl_dim_param, 0,
                                       static_cast<unsigned>(parameters.size())));
  auto build = Take(isl_ast_build_alloc(ThreadContext()));
  return Reader(scop).Read(Take(isl_ast_build_node_from_schedule_map(build.get(), map.Give())));
}

}  // namespace exh::poly
