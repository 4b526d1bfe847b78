// SPDX-License-Identifier: MIT
//
// From expressions to instructions. Numbers are folded. A product that is added to something is one
// multiply-add. A sum that is added to something begins with it, which saves a nest. An array that
// the same statement reads twice at the same place is loaded once.
//
// Names of instructions are what decisions are written with, so they are short: load_a, mad, init,
// store_c. Where there are several reductions, each has the name of its statement (mad_e), or of
// the array that it reads first, when a statement has several (mad_a).
//
// A value travels in registers from where it is computed to where the same points read it. It may
// also go through a temporary array when it was loaded, and when its reader has more axes than it.
#include "kernels/notation/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/check.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;
using ir::Op;

/// An operand: a number, a scalar argument, or what an instruction computes.
struct Operand {
  bool is_number = true;
  double number = 0;
  std::string scalar;  ///< Of a number: its name, where it is an argument.
  ir::Value value;
  std::vector<const Index*> axes;  ///< In the order of the scope.
  bool is_load = false;
  bool has_sum = false;  ///< A reduction is behind it.

  bool is_constant() const { return is_number && scalar.empty(); }
};

using Scope = std::vector<const Index*>;

class Lowerer {
 public:
  Lowerer(const Kernel& kernel, const Resolution& resolution, ir::Builder& builder,
          dsl::DiagnosticSink& sink)
      : kernel_(kernel),
        resolution_(resolution),
        builder_(builder),
        sink_(sink),
        numbers_(resolution.sizes, sink),
        axes_(static_cast<std::size_t>(resolution.num_axes)),
        values_(kernel.statements.size()) {}

  bool Run() {
    FindNeeded();
    for (std::size_t i = 0; i < kernel_.statements.size(); ++i) {
      if (needed_[i]) reductions_ += CountReductions(kernel_.statements[i].value);
    }
    std::size_t at = 0;
    try {
      Arguments();
      for (; at < kernel_.statements.size() && is_good_; ++at) {
        if (needed_[at]) LowerStatement(at);
      }
      if (is_good_) builder_.Finish();
    } catch (const ir::BackboneError& error) {
      at = std::min(at, kernel_.statements.size() - 1);
      sink_.Report(Diag::kNotBuilt, kernel_.statements[at].range,
                   fmt::format("this cannot be built: {}", error.what()));
      return false;
    }
    return is_good_;
  }

 private:
  void Fail(Diag diag, SourceRange range, std::string why) {
    if (is_good_) sink_.Report(diag, range, std::move(why));
    is_good_ = false;
  }

  /// A value that only the other side of an option reads is not computed.
  void FindNeeded() {
    needed_.assign(kernel_.statements.size(), false);
    for (std::size_t i = kernel_.statements.size(); i-- > 0;) {
      if (resolution_.output_of[i] >= 0) needed_[i] = true;
      if (needed_[i]) NeedReads(kernel_.statements[i].value);
    }
  }
  void NeedReads(const Expr& expr) {
    if (const Expr* const chosen = Chosen(expr)) return NeedReads(*chosen);
    const auto read = resolution_.reads.find(&expr);
    if (read != resolution_.reads.end() && read->second.statement >= 0) {
      needed_[static_cast<std::size_t>(read->second.statement)] = true;
    }
    for (const Expr& arg : expr.args) NeedReads(arg);
  }
  /// Which side of `option ? a : b` is meant; null where elements decide, or nothing can be known.
  const Expr* Chosen(const Expr& expr) {
    if (!IsCall(expr, "?") || !IsOfSizes(expr.args[0])) return nullptr;
    const auto value = numbers_.Value(expr.args[0]);
    if (!value) is_good_ = false;
    return &expr.args[value.value_or(0) != 0 ? 1 : 2];
  }

  // ---- arguments

  void Arguments() {
    for (const ArrayShape& shape : resolution_.arrays) {
      const auto elements = static_cast<std::uint64_t>(shape.elements);
      arrays_.push_back(shape.decl->is_output
                            ? builder_.OutputArray(shape.decl->name.text, elements)
                            : builder_.InputArray(shape.decl->name.text, elements));
    }
    for (const ScalarDecl& scalar : kernel_.scalars) {
      builder_.Scalar(scalar.name.text, static_cast<float>(scalar.value));
    }
  }

  ir::AxisRef Axis(const Index* index) {
    auto& axis = axes_[static_cast<std::size_t>(index->axis)];
    if (axis) return *axis;
    std::string name = index->name;
    for (int other = 2; axis_names_.count(name) != 0; ++other) {
      name = fmt::format("{}_{}", index->name, other);
    }
    axis_names_.insert(name);
    axis = builder_.Axis(name, static_cast<std::uint32_t>(*index->extent), Tiles(index));
    return *axis;
  }
  std::vector<ir::AxisRef> Axes(const Scope& scope) {
    std::vector<ir::AxisRef> axes;
    for (const Index* index : scope) axes.push_back(Axis(index));
    return axes;
  }

  /// What the text says, or levels that fit most kernels: with one axis on the left
  /// side tiles are long, with two they are those of matrices, and with more there is one level
  /// each.
  ir::Tiling Tiles(const Index* index) {
    for (const TileHint& hint : kernel_.tiles) {
      // Under any of the names that the axis has.
      const auto is_it = [&](const Index& other) {
        return other.axis == index->axis &&
               std::ranges::find(hint.indices, other.name, &Name::text) != hint.indices.end();
      };
      if (!std::ranges::any_of(resolution_.indices, is_it)) continue;
      ir::Tiling tiling;
      for (const Expr& level : hint.largest) {
        const auto largest = static_cast<std::uint32_t>(numbers_.Value(level).value_or(1));
        if (largest > 1) tiling.push_back({2, largest});
      }
      return tiling;
    }
    const bool is_left = std::ranges::any_of(resolution_.left, [&](const auto& left) {
      return std::ranges::any_of(left, [&](const Index* own) { return own->axis == index->axis; });
    });
    std::size_t rank = 0;
    for (const auto& left : resolution_.left) rank = std::max(rank, left.size());
    if (rank > 2) return {{2, 64}};
    if (rank == 1 && reductions_ == 0) return {{2, 1024}, {2, 16}};
    if (!is_left) return {{2, rank == 1 ? 128u : 32u}};
    return {{2, rank == 1 ? 128u : 32u}, {2, 16}};
  }

  // ---- names

  int CountReductions(const Expr& expr) {
    if (const Expr* const chosen = Chosen(expr)) return CountReductions(*chosen);
    int count = expr.kind == Expr::Kind::kReduce ? 1 : 0;
    for (const Expr& arg : expr.args) count += CountReductions(arg);
    return count;
  }
  std::string Unique(const std::string& name) {
    std::string unique = name;
    for (int other = 2; !inst_names_.insert(unique).second; ++other) {
      unique = fmt::format("{}_{}", name, other);
    }
    return unique;
  }
  std::string Suffix(const Expr& reduction) {
    if (reductions_ == 1) return "";
    const Statement& statement = kernel_.statements[statement_];
    if (CountReductions(statement.value) == 1) return "_" + statement.target.text;
    const std::string array = FirstRead(reduction.args.front());
    return "_" + (array.empty() ? statement.target.text : array);
  }
  static std::string FirstRead(const Expr& expr) {
    if (expr.kind == Expr::Kind::kRead) return expr.text;
    for (const Expr& arg : expr.args) {
      std::string first = FirstRead(arg);
      if (!first.empty()) return first;
    }
    return "";
  }

  // ---- statements

  void LowerStatement(std::size_t number) {
    statement_ = number;
    loads_.clear();
    const Statement& statement = kernel_.statements[number];
    const Scope& scope = resolution_.left[number];
    for (const Index* index : scope) Axis(index);
    Operand value = Value(statement.value, scope);
    if (!is_good_) return;
    const int output = resolution_.output_of[number];
    if (output < 0) {
      values_[number] = std::move(value);
      return;
    }
    if (value.is_number || (value.is_load && value.axes.size() < scope.size())) {
      value = Emit("copy", Op::kConst, scope, {value});
    }
    const ArrayShape& shape = resolution_.arrays[static_cast<std::size_t>(output)];
    ir::Strides strides;
    for (std::size_t i = 0; i < scope.size(); ++i) {
      strides.emplace_back(Axis(scope[i]), shape.strides[i]);
    }
    builder_.Store(Unique("store_" + shape.decl->name.text),
                   arrays_[static_cast<std::size_t>(output)], strides, Connect(value, scope));
  }

  // ---- operands

  static Operand Number(double number) {
    Operand operand;
    operand.number = number;
    return operand;
  }

  static Scope Union(const std::vector<Operand>& operands, const Scope& scope) {
    Scope all;
    for (const Index* index : scope) {
      const bool has = std::ranges::any_of(
          operands, [&](const Operand& operand) { return Has(operand.axes, index); });
      if (has) all.push_back(index);
    }
    return all;
  }
  static bool Has(const Scope& axes, const Index* index) {
    return std::ranges::any_of(axes, [&](const Index* own) { return own->axis == index->axis; });
  }

  static ir::Input Connect(const Operand& operand, const Scope& reader) {
    if (operand.is_number) {
      return operand.scalar.empty() ? ir::Literal(static_cast<float>(operand.number))
                                    : ir::ScalarArg(operand.scalar);
    }
    const bool may_stage = operand.is_load || operand.axes.size() < reader.size();
    return may_stage ? ir::MayStage(operand.value) : ir::InRegisters(operand.value);
  }

  Operand Emit(const std::string& name, Op op, const Scope& axes,
               const std::vector<Operand>& operands) {
    Operand result;
    result.is_number = false;
    result.axes = axes;
    std::vector<ir::Input> inputs;
    for (const Operand& operand : operands) {
      inputs.push_back(Connect(operand, axes));
      result.has_sum |= operand.has_sum;
    }
    result.value = builder_.Compute(Unique(name), op, Axes(axes), inputs);
    return result;
  }

  /// The operator over the axes of its operands; numbers are folded.
  Operand Apply(Op op, const std::vector<Operand>& operands, const Scope& scope,
                std::string name = "") {
    if (std::ranges::all_of(operands, &Operand::is_constant)) {
      const auto at = [&](std::size_t i) { return i < operands.size() ? operands[i].number : 0; };
      return Number(ir::Evaluate(op, at(0), at(1), at(2)));
    }
    if (name.empty()) name = NameOf(op, operands);
    return Emit(name, op, Union(operands, scope), operands);
  }
  std::string NameOf(Op op, const std::vector<Operand>& operands) const {
    const auto is_number = [](const Operand& operand) { return operand.is_number; };
    const auto is_zero = [](const Operand& o) { return o.is_constant() && o.number == 0; };
    if (op == Op::kMul && std::ranges::any_of(operands, is_number)) return "scale";
    if (op == Op::kMax && std::ranges::any_of(operands, is_zero)) return "relu";
    if (op == Op::kMad && reductions_ > 0) return "add";
    return std::string(ir::InfoOf(op).word);
  }

  // ---- expressions

  Operand Value(const Expr& expr, const Scope& scope) {
    switch (expr.kind) {
      case Expr::Kind::kNumber:
        return Number(expr.number);
      case Expr::Kind::kName:
      case Expr::Kind::kRead:
        return Read(expr, scope);
      case Expr::Kind::kCall:
        return Call(expr, scope, "");
      case Expr::Kind::kReduce:
        return Reduce(expr, scope, nullptr);
    }
    return {};
  }

  Operand Read(const Expr& expr, const Scope& scope) {
    const auto found = resolution_.reads.find(&expr);
    if (found == resolution_.reads.end()) {
      const auto size = resolution_.sizes.find(expr.text);
      if (size != resolution_.sizes.end()) return Number(static_cast<double>(size->second));
      Operand scalar;
      scalar.scalar = expr.text;
      return scalar;
    }
    const Access& access = found->second;
    if (access.statement >= 0) {
      Operand value = values_[static_cast<std::size_t>(access.statement)];
      // Its axes, as they are called here.
      Scope axes;
      for (const Index* index : scope) {
        if (Has(value.axes, index)) axes.push_back(index);
      }
      value.axes = std::move(axes);
      return value;
    }
    return Load(access, scope);
  }

  Operand Load(const Access& access, const Scope& scope) {
    // The same element of the same axes, as deep in reductions: one load serves both.
    std::vector<std::pair<int, std::int64_t>> key = {{access.array, depth_}, {-1, access.offset}};
    ir::Strides strides;
    Operand load;
    for (const auto& [index, stride] : access.strides) {
      key.emplace_back(index->axis, stride);
      strides.emplace_back(Axis(index), stride);
    }
    for (const Index* index : scope) {
      const auto has = [&](const auto& stride) { return stride.first->axis == index->axis; };
      if (std::ranges::any_of(access.strides, has)) load.axes.push_back(index);
    }
    load.is_number = false;
    load.is_load = true;
    const auto known = loads_.find(key);
    if (known != loads_.end()) {
      load.value = known->second;
      return load;
    }
    const std::string& array =
        resolution_.arrays[static_cast<std::size_t>(access.array)].decl->name.text;
    load.value =
        builder_.Load(Unique("load_" + array), arrays_[static_cast<std::size_t>(access.array)],
                      strides, access.offset);
    loads_.emplace(std::move(key), load.value);
    return load;
  }

  static bool IsCall(const Expr& expr, std::string_view op) {
    return expr.kind == Expr::Kind::kCall && expr.text == op;
  }
  static bool IsSum(const Expr& expr) {
    return expr.kind == Expr::Kind::kReduce && expr.text == "sum";
  }

  /// `name`: of its instruction; empty: as the operator is called.
  Operand Call(const Expr& expr, const Scope& scope, const std::string& name) {
    const std::string& op = expr.text;
    if (op == "?") return Choose(expr, scope);
    if (op == "+") return Add(expr, scope, name);
    if (op == "%") {  // Of sizes.
      const auto value = numbers_.Value(expr);
      if (!value) is_good_ = false;
      return Number(static_cast<double>(value.value_or(0)));
    }
    std::vector<Operand> args;
    for (const Expr& arg : expr.args) args.push_back(Value(arg, scope));
    if (!is_good_) return {};
    if (op == "*") return Apply(Op::kMul, args, scope, name);
    if (op == "-") return Apply(Op::kSub, args, scope, name);
    if (op == "/") return Apply(Op::kDiv, args, scope, name);
    if (op == "<") return Apply(Op::kLess, args, scope, name);
    if (op == ">") return Apply(Op::kLess, {args[1], args[0]}, scope);
    if (op == "<=" || op == ">=") {
      if (op == ">=") std::swap(args[0], args[1]);
      return Apply(Op::kAdd, {Apply(Op::kLess, args, scope), Apply(Op::kEqual, args, scope)},
                   scope);
    }
    if (op == "==") return Apply(Op::kEqual, args, scope, name);
    if (op == "!=") return Not(Apply(Op::kEqual, args, scope), scope);
    if (op == "not") return Not(args[0], scope);
    if (op == "and") return Apply(Op::kMul, args, scope, "and");
    if (op == "or") return Apply(Op::kMax, args, scope, "or");
    const auto word = ir::OpOfWord(op);
    EXH_CHECK(word.has_value());
    return Apply(*word, args, scope, name);
  }
  Operand Not(const Operand& operand, const Scope& scope) {
    return Apply(Op::kSub, {Number(1), operand}, scope, "not");
  }

  /// Of options and sizes: the one that is meant. Else both are computed.
  Operand Choose(const Expr& expr, const Scope& scope) {
    if (const Expr* const chosen = Chosen(expr)) return Value(*chosen, scope);
    std::vector<Operand> args;
    for (const Expr& arg : expr.args) args.push_back(Value(arg, scope));
    return is_good_ ? Apply(Op::kSelect, args, scope) : Operand{};
  }
  bool IsOfSizes(const Expr& expr) const {
    switch (expr.kind) {
      case Expr::Kind::kNumber:
        return expr.integer.has_value();
      case Expr::Kind::kName:
        return resolution_.sizes.count(expr.text) != 0 && resolution_.reads.count(&expr) == 0;
      case Expr::Kind::kCall:
        return std::ranges::all_of(expr.args, [&](const Expr& arg) { return IsOfSizes(arg); });
      default:
        return false;
    }
  }

  Operand Add(const Expr& expr, const Scope& scope, const std::string& name) {
    for (const int sum : {1, 0}) {
      const Expr& reduction = expr.args[static_cast<std::size_t>(sum)];
      const Expr& other = expr.args[static_cast<std::size_t>(1 - sum)];
      if (!IsSum(reduction) || IsSum(other)) continue;
      return Reduce(reduction, scope, &other);
    }
    for (const int product : {1, 0}) {
      const Expr& factors = expr.args[static_cast<std::size_t>(product)];
      const Expr& other = expr.args[static_cast<std::size_t>(1 - product)];
      // Of two products the second one is the multiply-add, of x * y + z the only one.
      if (!IsCall(factors, "*") || (product == 0 && IsCall(other, "*"))) continue;
      std::vector<Operand> args;
      if (product == 1) args.push_back(Value(other, scope));
      for (const Expr& factor : factors.args) args.push_back(Value(factor, scope));
      if (product == 1) {
        std::rotate(args.begin(), args.begin() + 1, args.end());
      } else {
        args.push_back(Value(other, scope));
      }
      if (!is_good_) return {};
      if (args[0].is_constant() && args[1].is_constant()) {
        return Apply(Op::kAdd, {Apply(Op::kMul, {args[0], args[1]}, scope), args[2]}, scope);
      }
      return Apply(Op::kMad, args, scope, name);
    }
    const std::vector<Operand> args = {Value(expr.args[0], scope), Value(expr.args[1], scope)};
    return is_good_ ? Apply(Op::kAdd, args, scope, name) : Operand{};
  }

  /// `begin`: what it begins with; null: the identity.
  Operand Reduce(const Expr& expr, const Scope& outer, const Expr* begin) {
    const Expr& body = expr.args.front();
    const std::string& word = expr.text;
    Scope scope = outer;
    const auto& own = resolution_.reductions.at(&expr);
    scope.insert(scope.end(), own.begin(), own.end());
    Op op = word == "sum"                    ? Op::kAdd
            : word == "prod"                 ? Op::kMul
            : word == "max" || word == "any" ? Op::kMax
                                             : Op::kMin;
    ++depth_;
    std::vector<Operand> inputs;
    if (op == Op::kAdd && IsCall(body, "*")) {
      op = Op::kMad;
      for (const Expr& factor : body.args) inputs.push_back(Value(factor, scope));
    } else {
      inputs.push_back(Value(body, scope));
    }
    --depth_;
    if (!is_good_) return {};
    Scope axes = Union(inputs, scope);
    Scope kept;
    for (const Index* index : axes) {
      if (!Has(own, index)) kept.push_back(index);
    }
    for (const Index* index : own) {
      if (Has(axes, index)) continue;
      Fail(Diag::kMissingAxis, index->range,
           fmt::format("nothing in the reduction has index '{}' at these sizes", index->name));
      return {};
    }
    const std::string suffix = Suffix(expr);
    Operand first = Number(ir::IdentityOf(op));
    if (begin != nullptr && IsOperation(*begin)) {
      first = Call(*begin, outer, "init" + suffix);
    } else if (begin != nullptr) {
      first = Value(*begin, outer);
    }
    if (!is_good_) return {};
    const bool begins_apart =
        !std::ranges::all_of(first.axes, [&](const Index* index) { return Has(kept, index); });
    const Operand apart = first;
    if (begins_apart) first = Number(ir::IdentityOf(op));
    // What a sum begins with is an instruction over the axes that it keeps.
    const bool is_instruction = begin != nullptr && IsOperation(*begin) && !first.is_number &&
                                !begins_apart && first.axes.size() == kept.size();
    if (!is_instruction) first = Emit("init" + suffix, Op::kConst, kept, {first});
    Operand result;
    result.is_number = false;
    result.axes = kept;
    result.has_sum = true;
    std::vector<ir::Input> connected;
    for (const Operand& input : inputs) {
      connected.push_back(Connect(input, axes));
      // One loop over a sum's axis would have to be inside of one over what the other sum keeps:
      // the paper's space cannot say how it is implemented otherwise.
      if (input.has_sum) builder_.KnowSizes();
    }
    std::vector<ir::AxisRef> reduced;
    for (const Index* index : own) reduced.push_back(Axis(index));
    const std::string name = op == Op::kAdd   ? "sum"
                             : op == Op::kMul ? "prod"
                                              : std::string(ir::InfoOf(op).word);
    result.value =
        builder_.Reduce(Unique(name + suffix), op, Axes(axes), reduced, first.value, connected);
    return begins_apart ? Apply(Op::kAdd, {apart, result}, outer) : result;
  }

  /// Does it become an instruction of its own, whose name may be chosen?
  bool IsOperation(const Expr& expr) const {
    if (expr.kind != Expr::Kind::kCall || expr.text == "?") return false;
    static constexpr std::string_view kSeveral[] = {"<=", ">=", "!=", "not", "and", "or", ">"};
    return std::ranges::find(kSeveral, expr.text) == std::end(kSeveral);
  }

  const Kernel& kernel_;
  const Resolution& resolution_;
  ir::Builder& builder_;
  dsl::DiagnosticSink& sink_;
  Numbers numbers_;
  std::vector<ir::ArrayId> arrays_;
  std::vector<std::optional<ir::AxisRef>> axes_;
  std::vector<Operand> values_;  ///< By statement.
  std::set<std::string> axis_names_, inst_names_;
  std::map<std::vector<std::pair<int, std::int64_t>>, ir::Value> loads_;  ///< Of this statement.
  std::vector<bool> needed_;                                              ///< By statement.
  std::size_t statement_ = 0;
  int reductions_ = 0;  ///< In the whole kernel.
  int depth_ = 0;       ///< Of reductions around.
  bool is_good_ = true;
};

}  // namespace

bool Lower(const Kernel& kernel, const Resolution& resolution, ir::Builder& builder,
           dsl::DiagnosticSink& sink) {
  return Lowerer(kernel, resolution, builder, sink).Run();
}

}  // namespace exh::kernels::notation
