// SPDX-License-Identifier: MIT
#include "poly/isl/loop_tree.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"
#include "poly/isl/convert.h"
#include "poly/isl/owners.h"

namespace exh::poly {
namespace {

using Expression = Owner<isl_ast_expr>;
using kernels::ir::Condition;
using kernels::ir::Index;
using kernels::ir::IndexVariable;
using kernels::ir::Relation;
using kernels::loops::LoopRange;

std::string NameOf(const Expression& expression) {
  return isl_id_get_name(Take(isl_ast_expr_get_id(expression.get())).get());
}

Expression Operand(const Expression& operation, int which) {
  return Take(isl_ast_expr_get_op_arg(operation.get(), which));
}

class Reader {
 public:
  explicit Reader(const Scop& scop) : scop_(scop) {}

  NestNode Read(const Owner<isl_ast_node>& node) {
    switch (isl_ast_node_get_type(node.get())) {
      case isl_ast_node_for:
        return Loop(node);
      case isl_ast_node_if:
        return Choice(node);
      case isl_ast_node_block:
        return Block(node);
      case isl_ast_node_user:
        return Call(node);
      default:
        ThrowIslError("a node of a kind that no schedule asks for");
    }
  }

 private:
  NestNode Loop(const Owner<isl_ast_node>& node) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;  // Until its last value is known.
    const std::string name = NameOf(Take(isl_ast_node_for_get_iterator(node.get())));
    EXH_CHECK(name.starts_with('c'));
    LoopRange range;
    IndexVariable& variable = range.variable;
    range.first = IndexOf(Take(isl_ast_node_for_get_init(node.get())));
    variable = {2 * std::stoi(name.substr(1)), name, range.first.min(), kFar};
    if (IsTrue(isl_ast_node_for_is_degenerate(node.get()))) {
      range.condition = {Index(variable), Relation::kAtMost, range.first};
    } else {
      variables_.push_back(variable);
      range.condition = ConditionOf(Take(isl_ast_node_for_get_cond(node.get())));
      range.step = IndexOf(Take(isl_ast_node_for_get_inc(node.get()))).number().value();
      variables_.pop_back();
    }
    variable.max = range.condition.Most(variable.number).value();
    if (range.first == Index() && range.step == 1) {
      const std::optional<Index> last = range.condition.Last(variable.number);
      if (last && last->number()) range.count = *last->number() + 1;
    }
    variables_.push_back(variable);
    NestNode body = Read(Take(isl_ast_node_for_get_body(node.get())));
    variables_.pop_back();
    return NestNode::Loop(std::move(range), std::move(body));
  }

  NestNode Choice(const Owner<isl_ast_node>& node) {
    const Condition condition = ConditionOf(Take(isl_ast_node_if_get_cond(node.get())));
    NestNode choice =
        NestNode::If(condition, Read(Take(isl_ast_node_if_get_then_node(node.get()))));
    if (!IsTrue(isl_ast_node_if_has_else_node(node.get()))) return choice;
    NestNode otherwise =
        NestNode::If(!condition, Read(Take(isl_ast_node_if_get_else_node(node.get()))));
    return NestNode::Block({std::move(choice), std::move(otherwise)});
  }

  NestNode Block(const Owner<isl_ast_node>& node) {
    std::vector<NestNode> children;
    const auto list = Take(isl_ast_node_block_get_children(node.get()));
    const int size = isl_ast_node_list_n_ast_node(list.get());
    for (int i = 0; i < size; ++i) {
      children.push_back(Read(Take(isl_ast_node_list_get_ast_node(list.get(), i))));
    }
    return NestNode::Block(std::move(children));
  }

  NestNode Call(const Owner<isl_ast_node>& node) const {
    const auto call = Take(isl_ast_node_user_get_expr(node.get()));
    const int size = isl_ast_expr_get_op_n_arg(call.get());
    const std::string name = NameOf(Operand(call, 0));
    const auto found =
        std::find_if(scop_.statements.begin(), scop_.statements.end(),
                     [&](const ScopStatement& statement) { return statement.name == name; });
    EXH_CHECK(found != scop_.statements.end());
    std::vector<Index> arguments;
    for (int i = 1; i < size; ++i) arguments.push_back(IndexOf(Operand(call, i)));
    return NestNode::Call(static_cast<int>(found - scop_.statements.begin()), std::move(arguments));
  }

  Index IndexOf(const Expression& of) const {
    switch (isl_ast_expr_get_type(of.get())) {
      case isl_ast_expr_int:
        return isl_val_get_num_si(Take(isl_ast_expr_get_val(of.get())).get());
      case isl_ast_expr_id: {
        const std::string name = NameOf(of);
        const auto found = std::ranges::find(variables_, name, &IndexVariable::name);
        EXH_CHECK(found != variables_.end());
        return Index(*found);
      }
      default:
        break;
    }
    const auto operand = [&](int which) { return IndexOf(Operand(of, which)); };
    const auto number = [&](int which) { return operand(which).number().value(); };
    const auto all = [&](Index (*join)(const Index&, const Index&)) {
      Index joined = operand(0);
      for (int i = 1; i < isl_ast_expr_get_op_n_arg(of.get()); ++i)
        joined = join(joined, operand(i));
      return joined;
    };
    switch (isl_ast_expr_get_op_type(of.get())) {
      case isl_ast_expr_op_minus:
        return operand(0) * -1;
      case isl_ast_expr_op_add:
        return operand(0) + operand(1);
      case isl_ast_expr_op_sub:
        return operand(0) - operand(1);
      case isl_ast_expr_op_mul:
        return operand(0).number() ? operand(1) * number(0) : operand(0) * number(1);
      case isl_ast_expr_op_div:
      case isl_ast_expr_op_fdiv_q:
      case isl_ast_expr_op_pdiv_q:
        return operand(0).Div(number(1));
      case isl_ast_expr_op_pdiv_r:
      case isl_ast_expr_op_zdiv_r:
        return operand(0).Mod(number(1));
      case isl_ast_expr_op_min:
        return all(Index::Min);
      case isl_ast_expr_op_max:
        return all(Index::Max);
      case isl_ast_expr_op_cond:
      case isl_ast_expr_op_select:
        return Index::Choice(ConditionOf(Operand(of, 0)), operand(1), operand(2));
      default:
        ThrowIslError("a number of a kind that no schedule asks for");
    }
  }

  Condition ConditionOf(const Expression& of) const {
    const auto compared = [&](Relation relation) {
      return Condition(IndexOf(Operand(of, 0)), relation, IndexOf(Operand(of, 1)));
    };
    const auto part = [&](int which) { return ConditionOf(Operand(of, which)); };
    switch (isl_ast_expr_get_op_type(of.get())) {
      case isl_ast_expr_op_and:
      case isl_ast_expr_op_and_then:
        return part(0) && part(1);
      case isl_ast_expr_op_or:
      case isl_ast_expr_op_or_else:
        return part(0) || part(1);
      case isl_ast_expr_op_lt:
        return compared(Relation::kLess);
      case isl_ast_expr_op_le:
        return compared(Relation::kAtMost);
      case isl_ast_expr_op_eq:
        return compared(Relation::kEqual);
      case isl_ast_expr_op_ge:
        return compared(Relation::kAtLeast);
      case isl_ast_expr_op_gt:
        return compared(Relation::kGreater);
      default:
        ThrowIslError("a condition of a kind that no schedule asks for");
    }
  }

  const Scop& scop_;
  std::vector<IndexVariable> variables_;  ///< Of the loops around.
};

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

NestNode LoopTreeOf(const Scop& scop, const Schedule& schedule) {
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
