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
//
// The builder converts operands to the type that they have in common, literals aside. A cast is
// written where more than that is meant: 0.5 beside a bool, a count beside a float.
#include "kernels/notation/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/check.h"
#include "kernels/ir/ops.h"
#include "kernels/notation/axes/late_reads.h"
#include "kernels/notation/lower/affine_index.h"
#include "kernels/notation/lower/conditions.h"
#include "kernels/notation/lower/emitter.h"
#include "kernels/notation/lower/operand.h"
#include "kernels/notation/lower/subscript.h"
#include "kernels/notation/words.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;
using ir::Op;
using ir::Type;

class Lowerer : Emitter {
 public:
  Lowerer(const Kernel& kernel, const ResolvedKernel& resolution, ir::Builder& builder,
          dsl::DiagnosticSink& sink)
      : Emitter(kernel, resolution, builder, sink),
        late_reads_(kernel, resolution),
        values_(kernel.statements.size()) {}

  bool Run() {
    for (std::size_t i = 0; i < kernel_.statements.size(); ++i) {
      if (!resolution_.needed[i]) continue;
      reductions_ += CountReductions(kernel_.statements[i].value);
      FindWays(kernel_.statements[i].value);
    }
    if (!is_good_) return false;
    std::size_t at = 0;
    const std::vector<bool> in_place = late_reads_.InPlace(builder_);
    try {
      Arguments();
      for (; at < kernel_.statements.size() && is_good_; ++at) {
        if (in_place[at]) LowerStatement(at);
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

  /// Which side of `option ? a : b` is meant; null where elements decide.
  const Expr* Chosen(const Expr& expr) const {
    const auto chosen = resolution_.chosen.find(&expr);
    return chosen == resolution_.chosen.end() ? nullptr : chosen->second;
  }

  // ---- ways along axes

  /// Scans take their steps in one order. Where the axis of some runs down, all that has this axis
  /// goes through it from its end: iteration 0 is the last index.
  void FindWays(const Expr& expr) {
    if (const Expr* const chosen = Chosen(expr)) return FindWays(*chosen);
    if (expr.is_scan()) {
      const int axis = resolution_.reductions.at(&expr).front()->axis;
      const auto [way, is_new] = runs_down_.try_emplace(axis, expr.runs_down());
      if (!is_new && way->second != expr.runs_down()) {
        Fail(Diag::kNotBuilt, expr.range,
             fmt::format("this axis is scanned in both directions, '{}' here; that cannot be built "
                         "yet: write two kernels",
                         expr.comparison));
      }
    }
    for (const Expr& arg : expr.args) FindWays(arg);
  }
  // ---- arguments

  void Arguments() {
    for (const ArrayShape& shape : resolution_.arrays) {
      const auto elements = static_cast<std::uint64_t>(shape.elements);
      const Type type = shape.type;
      arrays_.push_back(
          shape.decl->is_output
              ? builder_.OutputArray(shape.decl->name.text, elements, type, shape.alignment)
              : builder_.InputArray(shape.decl->name.text, elements, type, shape.alignment));
    }
    for (const ScalarDecl& scalar : kernel_.scalars) {
      const Type type = TypeOf(scalar.type, resolution_);
      builder_.Scalar(scalar.name.text, ir::Rounded(type, NumberOf(scalar)), type);
    }
  }

  // ---- names

  int CountReductions(const Expr& expr) const {
    if (const Expr* const chosen = Chosen(expr)) return CountReductions(*chosen);
    int count = expr.kind == Expr::Kind::kReduce ? 1 : 0;
    for (const Expr& arg : expr.args) count += CountReductions(arg);
    return count;
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
    known_.clear();
    const Statement& statement = kernel_.statements[number];
    const Scope& scope = resolution_.left[number];
    for (const Index* index : scope) Axis(index);
    late_ = late_reads_.In(statement.value, {});
    TextOperand value = ValueOfStatement(number);
    if (!is_good_) return;
    const int output = resolution_.output_of[number];
    if (output < 0) {
      values_[number] = std::move(value);
      return;
    }
    const ArrayShape& shape = resolution_.arrays[static_cast<std::size_t>(output)];
    if (value.is_constant()) {
      const Type type = ir::ComputeTypeOf(shape.type);
      value = Emit("copy", Op::kConst, scope, {value}, value.typed.type.value_or(type));
    } else if (value.is_number || (value.is_load && value.axes.size() < scope.size())) {
      value = Emit("copy", Op::kConst, scope, {value});
    }
    ir::Strides strides;
    std::int64_t offset = 0;
    for (const auto& [index, stride] : resolution_.left_strides[number]) {
      strides.emplace_back(Axis(index), WayAlong(index, stride, offset));
    }
    builder_.Store(Unique("store_" + shape.decl->name.text),
                   arrays_[static_cast<std::size_t>(output)], strides, Connect(value, scope),
                   offset);
  }

  TextOperand ValueOfStatement(std::size_t number) {
    const Statement& statement = kernel_.statements[number];
    TextOperand value = Value(statement.value, resolution_.left[number]);
    if (is_good_ && !statement.type.text.empty()) {
      value = As(value, TypeOf(statement.type, resolution_), "cast_" + statement.target.text);
    }
    // Readers of an index that is a value may be far apart.
    if (resolution_.output_of[number] < 0) value.is_load |= std::exchange(value.is_index, false);
    return value;
  }
  /// A value, or what stands in its place where it is read too late for registers to hold it.
  TextOperand ValueAt(const Expr& read, std::size_t number) {
    const auto late = late_.find(&read);
    if (late == late_.end()) return values_[number];
    const LateReads::Ended before = late->second;
    const Kept kept = late_reads_.KeptUntil(read, before, builder_);
    TextOperand value = values_[number];
    value.is_load |= kept == Kept::kInMemory;
    if (kept != Kept::kNowhere) return value;
    const std::size_t reader = std::exchange(statement_, number);
    auto others = std::exchange(late_, late_reads_.In(kernel_.statements[number].value, before));
    value = ValueOfStatement(number);
    statement_ = reader;
    late_ = std::move(others);
    return value;
  }

  // ---- expressions

  TextOperand Value(const Expr& expr, const Scope& scope) {
    switch (expr.kind) {
      case Expr::Kind::kNumber:
        return OperandOf(NumberOf(expr));
      case Expr::Kind::kName:
      case Expr::Kind::kRead:
        return Read(expr, scope);
      case Expr::Kind::kCall:
        return Call(expr, scope, "");
      case Expr::Kind::kCast: {
        const Expr& arg = expr.args.front();
        const bool has_name = arg.kind == Expr::Kind::kRead || arg.kind == Expr::Kind::kName;
        const TextOperand operand = Value(arg, scope);
        if (!is_good_) return {};
        return As(operand, TypeOf(expr.type, resolution_), has_name ? "cast_" + arg.text : "cast");
      }
      case Expr::Kind::kReduce:
        if (expr.is_scan()) return Scan(expr, scope);
        return IsArgReduction(expr.text) ? ArgReduce(expr, scope) : Reduce(expr, scope, nullptr);
    }
    return {};
  }

  TextOperand Read(const Expr& expr, const Scope& scope) {
    const auto number = resolution_.numbers.find(&expr);
    if (number != resolution_.numbers.end()) return IndexValue({0, {{number->second, 1}}});
    const auto found = resolution_.reads.find(&expr);
    if (found == resolution_.reads.end()) {
      const auto size = resolution_.sizes.find(expr.text);
      if (size != resolution_.sizes.end()) return OperandOf(size->second);
      TextOperand scalar;
      scalar.scalar = expr.text;
      scalar.typed = resolution_.types.at(&expr);
      return scalar;
    }
    const ResolvedAccess& access = found->second;
    if (access.statement >= 0) {
      TextOperand value = ValueAt(expr, static_cast<std::size_t>(access.statement));
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

  TextOperand Load(const ResolvedAccess& access, const Scope& scope) {
    // The same element of the same axes, as deep in reductions: one load serves both.
    std::vector<std::pair<int, std::int64_t>> key = {{access.array, depth_}, {-1, access.offset}};
    ir::Strides strides;
    Scope moving;
    TextOperand load;
    std::int64_t offset = access.offset;
    for (const auto& [index, stride] : access.strides) {
      key.emplace_back(index->axis, stride);
      strides.emplace_back(Axis(index), WayAlong(index, stride, offset));
      moving.push_back(index);
    }
    std::vector<ir::Guard> guards;
    for (const Leaving& leaving : access.leaves) {
      guards.push_back({leaving.offset, {}, leaving.extent});
      ir::Guard& guard = guards.back();
      key.insert(key.end(), {{-1, leaving.offset}, {-1, leaving.extent}});
      for (const auto& [index, factor] : leaving.factors) {
        key.emplace_back(index->axis, factor);
        guard.strides.emplace_back(Axis(index), WayAlong(index, factor, guard.offset));
        if (Has(moving, index)) continue;  // It moves no element, and yet decides.
        strides.emplace_back(Axis(index), 0);
        moving.push_back(index);
      }
    }
    const ArrayShape& shape = resolution_.arrays[static_cast<std::size_t>(access.array)];
    TextOperand number;
    if (!access.computed.empty()) {
      number = NumberOfElement(access, scope, guards);
      if (!is_good_) return {};
      key.insert(key.end(), {{-2, number.value.inst.value}});
      for (const Index* index : number.axes) {
        if (Has(moving, index)) continue;  // It moves what is computed.
        strides.emplace_back(Axis(index), 0);
        moving.push_back(index);
      }
    }
    for (const Index* index : scope) {
      if (Has(moving, index)) load.axes.push_back(index);
    }
    load.is_number = false;
    load.is_load = true;
    load.typed.type = shape.type;
    const auto known = loads_.find(key);
    if (known != loads_.end()) {
      load.value = known->second;
      return load;
    }
    const bool gathers = !access.computed.empty();
    const std::string name = Unique((gathers ? "gather_" : "load_") + shape.decl->name.text);
    const ir::ArrayId array = arrays_[static_cast<std::size_t>(access.array)];
    const ir::Number outside = shape.outside.value_or(0);
    load.value = gathers ? builder_.Gather(name, array, strides, offset, Connect(number, load.axes),
                                           guards, outside)
                         : builder_.Load(name, array, strides, offset, guards, outside);
    loads_.emplace(std::move(key), load.value);
    return load;
  }

  /// The sum of all computed subscripts times their strides, as an i32. Where one is outside of its
  /// dimension and the array has something there, no element has the number, or a guard says so.
  TextOperand NumberOfElement(const ResolvedAccess& access, const Scope& scope,
                              std::vector<ir::Guard>& guards) {
    const ArrayShape& shape = resolution_.arrays[static_cast<std::size_t>(access.array)];
    TextOperand sum, is_there, rest;
    const auto add = [&](Op op, TextOperand& all, const TextOperand& one) {
      all = all.is_number ? one : Apply(op, {all, one}, scope);
    };
    std::vector<SubscriptParts> all_parts;
    std::int64_t divisors = 1;
    for (const ComputedSubscript& subscript : access.computed) {
      const std::int64_t extent = shape.extents[subscript.dimension];
      SubscriptParts& parts = all_parts.emplace_back(SubscriptParts{subscript.expr});
      if (shape.outside) parts = PartsOf(*subscript.expr, extent, resolution_, scope);
      if (parts.exact) divisors += parts.exact->divisor;
    }
    // What remainders are multiplied by must fit an i32.
    const bool may_be_exact = divisors <= ir::kLargestExtent / shape.elements - 1;
    ++subscripts_;
    for (std::size_t i = 0; i < all_parts.size(); ++i) {
      const SubscriptParts& parts = all_parts[i];
      const std::int64_t extent = shape.extents[access.computed[i].dimension];
      const std::int64_t stride = shape.strides[access.computed[i].dimension];
      TextOperand number, is_inside;
      if (parts.exact && may_be_exact) {
        number = Quotient(*parts.exact, extent, scope, guards, rest);
      } else {
        number = Value(*parts.number, scope);
        for (const Expr* one : parts.conditions) add(Op::kAnd, is_inside, Value(*one, scope));
        if (!is_good_) return {};
        if (number.is_number) number = Cast(number, Type::kI32);
        // Of the only dimension, outside of it is outside of the array; unless an i64 lost its
        // upper bits.
        const bool is_only =
            shape.extents.size() == 1 && stride == 1 && number.typed.type != Type::kI64;
        const bool is_checked = shape.outside && !is_only;
        if (is_checked && parts.may_be_below && ir::InfoOf(*number.typed.type).lowest < 0) {
          add(Op::kAnd, is_inside, Apply(Op::kLess, {OperandOf(-1), number}, scope));
        }
        if (is_checked && parts.may_be_beyond) {
          add(Op::kAnd, is_inside, Apply(Op::kLess, {number, OperandOf(extent)}, scope));
        }
      }
      if (!is_inside.is_number) add(Op::kAnd, is_there, is_inside);
      if (number.typed.type != Type::kI32) number = Cast(number, Type::kI32);
      if (stride != 1) number = Apply(Op::kMul, {number, OperandOf(stride)}, scope);
      add(Op::kAdd, sum, number);
    }
    if (!rest.is_number) sum = Apply(Op::kMad, {rest, OperandOf(shape.elements), sum}, scope);
    if (!is_there.is_number) {
      sum = Apply(Op::kSelect, {is_there, sum, OperandOf(-shape.elements)}, scope);
    }
    --subscripts_;
    return sum;
  }
  /// Where the guard holds, `rest` becomes more than it was unless the quotient is exact.
  TextOperand Quotient(const ExactQuotient& exact, std::int64_t extent, const Scope& scope,
                       std::vector<ir::Guard>& guards, TextOperand& rest) {
    const TextOperand dividend = IndexValue(exact.dividend);
    const TextOperand quotient = Apply(Op::kDiv, {dividend, OperandOf(exact.divisor)}, scope);
    const TextOperand own = Apply(Op::kMad, {quotient, OperandOf(-exact.divisor), dividend}, scope);
    rest = rest.is_number ? own : Apply(Op::kAdd, {rest, own}, scope);
    ir::Guard& guard = guards.emplace_back();
    guard.offset = exact.dividend.offset;
    guard.extent = exact.divisor * extent;
    for (const auto& [index, factor] : exact.dividend.factors) {
      guard.strides.emplace_back(Axis(index), WayAlong(index, factor, guard.offset));
    }
    return quotient;
  }

  static bool IsCall(const Expr& expr, std::string_view op) {
    return expr.kind == Expr::Kind::kCall && expr.text == op;
  }
  static bool IsSum(const Expr& expr) {
    return expr.kind == Expr::Kind::kReduce && expr.text == "sum" && !expr.is_scan();
  }

  /// `name`: of its instruction; empty: as the operator is called.
  TextOperand Call(const Expr& expr, const Scope& scope, const std::string& name) {
    const std::string& op = expr.text;
    if (subscripts_ > 0) {
      if (const auto index = AffineIndexOf(expr, resolution_, scope)) return IndexValue(*index);
    }
    if (op == "?") return Choose(expr, scope);
    if (op == "+") return Add(expr, scope, name);
    if (op == "%" && IsOfSizes(expr, resolution_)) {
      const auto value = numbers_.Value(expr);
      if (!value) is_good_ = false;
      return OperandOf(value.value_or(0));
    }
    std::vector<TextOperand> args;
    for (const Expr& arg : expr.args) args.push_back(Value(arg, scope));
    if (!is_good_) return {};
    if (op == "*") return Apply(Op::kMul, args, scope, name);
    if (op == "-") return Apply(Op::kSub, args, scope, name);
    if (op == "/") return Apply(Op::kDiv, args, scope, name);
    if (op == "%") return Remainder(args[0], args[1], scope);
    if (op == "<") return Apply(Op::kLess, args, scope, name);
    if (op == ">") return Apply(Op::kLess, {args[1], args[0]}, scope);
    if (op == "<=" || op == ">=") {
      if (op == ">=") std::swap(args[0], args[1]);
      return Apply(Op::kOr, {Apply(Op::kLess, args, scope), Apply(Op::kEqual, args, scope)}, scope);
    }
    if (op == "==") return Apply(Op::kEqual, args, scope, name);
    if (op == "!=") return Not(Apply(Op::kEqual, args, scope), scope);
    if (op == "not") return Not(args[0], scope);
    const auto word = ir::OpOfWord(op);
    EXH_CHECK(word.has_value());
    return Apply(*word, args, scope, name);
  }
  /// Of options and sizes: the one that is meant. Else both are computed.
  TextOperand Choose(const Expr& expr, const Scope& scope) {
    if (const Expr* const chosen = Chosen(expr)) return Value(*chosen, scope);
    const auto note = NoteOfCondition(expr.args[0], resolution_, scope, sink_);
    if (note) builder_.AddNote(*note);
    std::vector<TextOperand> args;
    for (const Expr& arg : expr.args) args.push_back(Value(arg, scope));
    return is_good_ ? Apply(Op::kSelect, args, scope) : TextOperand{};
  }

  TextOperand Add(const Expr& expr, const Scope& scope, const std::string& name) {
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
      std::vector<TextOperand> args;
      if (product == 1) args.push_back(Value(other, scope));
      for (const Expr& factor : factors.args) args.push_back(Value(factor, scope));
      if (product == 1) {
        std::rotate(args.begin(), args.begin() + 1, args.end());
      } else {
        args.push_back(Value(other, scope));
      }
      if (!is_good_) return {};
      const bool is_product = args[0].is_constant() && args[1].is_constant();
      if (is_product || !AddsTo(args)) {
        return Apply(Op::kAdd, {Apply(Op::kMul, {args[0], args[1]}, scope), args[2]}, scope);
      }
      return Apply(Op::kMad, args, scope, name);
    }
    const std::vector<TextOperand> args = {Value(expr.args[0], scope), Value(expr.args[1], scope)};
    return is_good_ ? Apply(Op::kAdd, args, scope, name) : TextOperand{};
  }
  /// Of two factors and what is added to them: does the product have the type of the sum?
  static bool AddsTo(const std::vector<TextOperand>& args) {
    const std::vector<Typed> factors = {args[0].typed, args[1].typed};
    const Typed product = ResultOf(Op::kMul, Common(factors), factors);
    return product.is_count || Common({product, args[2].typed}) == *product.type;
  }

  /// `begin`: what it begins with; null: the identity.
  TextOperand Reduce(const Expr& expr, const Scope& outer, const Expr* begin) {
    const Expr& body = expr.args.front();
    const std::string& word = expr.text;
    Scope scope = outer;
    const auto& own = resolution_.reductions.at(&expr);
    scope.insert(scope.end(), own.begin(), own.end());
    Op op = OpOfReduction(word);
    const Type type = *resolution_.types.at(&expr).type;
    ++depth_;
    std::vector<TextOperand> inputs;
    if (op == Op::kAdd && IsCall(body, "*")) {
      op = Op::kMad;
      for (const Expr& factor : body.args) inputs.push_back(Factor(factor, scope, expr, type));
    } else {
      inputs.push_back(Value(body, scope));
    }
    --depth_;
    if (!is_good_) return {};
    const ReductionNest nest = NestOf(inputs, own, scope);
    const std::string suffix = Suffix(expr);
    TextOperand first = OperandOf(ir::IdentityOf(op, type));
    bool begins_apart = false, is_operation = false;
    if (begin != nullptr) {
      // A wider one would lose what it has more.
      const Typed& typed = resolution_.types.at(begin);
      const bool widens =
          !typed.type || typed.is_count || ir::CommonType(*typed.type, type) == type;
      is_operation = IsOperation(*begin) && (!typed.type || *typed.type == type);
      first = is_operation ? Call(*begin, outer, "init" + suffix) : Value(*begin, outer);
      begins_apart = !widens || !std::ranges::all_of(first.axes, [&](const Index* index) {
        return Has(nest.kept, index);
      });
    }
    if (!is_good_) return {};
    const TextOperand apart = first;
    if (begins_apart) first = OperandOf(ir::IdentityOf(op, type));
    // What a sum begins with is an instruction over the axes that it keeps.
    const bool is_instruction =
        is_operation && !first.is_number && !begins_apart && first.axes.size() == nest.kept.size();
    if (!is_instruction) first = Emit("init" + suffix, Op::kConst, nest.kept, {first}, type);
    const std::string name = op == Op::kAdd   ? "sum"
                             : op == Op::kMul ? "prod"
                                              : std::string(ir::InfoOf(op).word);
    const TextOperand result = Accumulate(name + suffix, op, type, nest, own, first, inputs);
    return begins_apart ? Apply(Op::kAdd, {apart, result}, outer) : result;
  }

  /// Of the terms each step of an index around them. Its axis is that index, under another name.
  TextOperand Scan(const Expr& expr, const Scope& outer) {
    const Index* const step = resolution_.reductions.at(&expr).front();
    const Op op = OpOfReduction(expr.text);
    const Type type = *resolution_.types.at(&expr).type;
    Scope scope;
    for (const Index* index : outer) scope.push_back(index->axis == step->axis ? step : index);
    ++depth_;
    const TextOperand term = Value(expr.args.front(), scope);
    --depth_;
    if (!is_good_) return {};
    Scope axes, kept;
    TextOperand result;
    for (std::size_t i = 0; i < scope.size(); ++i) {
      const bool is_step = scope[i] == step;
      if (!is_step && !Has(term.axes, scope[i])) continue;
      axes.push_back(scope[i]);
      if (!is_step) kept.push_back(scope[i]);
      result.axes.push_back(outer[i]);
    }
    const std::string suffix = Suffix(expr);
    const TextOperand first =
        Emit("init" + suffix, Op::kConst, kept, {OperandOf(ir::IdentityOf(op, type))}, type);
    result.is_number = false;
    result.is_load = true;  // Readers may want it in another order.
    result.has_sum = true;
    result.typed.type = type;
    if (term.has_sum) builder_.KnowSizes();
    const bool is_before = expr.comparison == "<" || expr.comparison == ">";
    const ir::Keeps keeps = is_before ? ir::Keeps::kBefore : ir::Keeps::kEach;
    result.value = builder_.Scan(Unique("scan" + suffix), op, Axes(axes), Axis(step), keeps,
                                 first.value, Connect(Widening(term, type), axes), type);
    return result;
  }

  /// A factor of a sum of products. Where the text says what the sum is computed in, products in it
  /// are, too.
  TextOperand Factor(const Expr& expr, const Scope& scope, const Expr& sum, Type type) {
    const auto own = resolution_.types.at(&expr).type;
    if (sum.type.text.empty() || !IsCall(expr, "*") || !own || *own == type) {
      return Value(expr, scope);
    }
    std::vector<TextOperand> factors;
    for (const Expr& factor : expr.args) factors.push_back(Factor(factor, scope, sum, type));
    if (!is_good_) return {};
    bool has_type = false;
    for (TextOperand& factor : factors) {
      factor = Widening(factor, type);
      has_type |= !factor.is_constant() && *factor.typed.type == type;
    }
    if (!has_type) {
      TextOperand& one = factors[factors[0].is_constant() ? 1 : 0];
      one = Cast(one, type);
    }
    return Apply(Op::kMul, factors, scope);
  }

  /// `first`: an instruction of this type.
  TextOperand Accumulate(const std::string& name, Op op, Type type, const ReductionNest& nest,
                         const Scope& own, const TextOperand& first,
                         const std::vector<TextOperand>& inputs) {
    TextOperand result;
    result.is_number = false;
    result.axes = nest.kept;
    result.has_sum = true;
    result.typed.type = type;
    std::vector<ir::Input> connected;
    for (const TextOperand& input : inputs) {
      connected.push_back(Connect(Widening(input, type), nest.axes));
      // One loop over a sum's axis would have to be inside of one over what the other sum keeps:
      // the paper's space cannot say how it is implemented otherwise.
      if (input.has_sum) builder_.KnowSizes();
    }
    result.value =
        builder_.Reduce(Unique(name), op, Axes(nest.axes), Axes(own), first.value, connected, type);
    return result;
  }

  /// The smallest step at which the largest element is: the least of all steps whose element is
  /// equal to the largest.
  TextOperand ArgReduce(const Expr& expr, const Scope& outer) {
    const Expr& body = expr.args.front();
    const Scope& own = resolution_.reductions.at(&expr);
    const Index* const index = own.front();
    Scope scope = outer;
    scope.push_back(index);
    const Op op = expr.text == "argmax" ? Op::kMax : Op::kMin;
    const std::string suffix = Suffix(expr);
    // What finds the largest one is done with its load before the other one begins.
    ++depth_;
    const auto shared = loads_;
    std::vector<TextOperand> elements = {Value(body, scope)};
    loads_ = shared;
    known_.clear();
    elements.push_back(Value(body, scope));
    --depth_;
    if (!is_good_) return {};
    for (TextOperand& element : elements) element.is_load = true;
    const ReductionNest nest = NestOf(elements, own, scope);
    const Type type = ir::ResultType(op, *elements[0].typed.type);
    const TextOperand from =
        Emit("init" + suffix, Op::kConst, nest.kept, {OperandOf(ir::IdentityOf(op, type))}, type);
    const TextOperand best = Accumulate(std::string(ir::InfoOf(op).word) + suffix, op, type, nest,
                                        own, from, {elements[0]});
    const TextOperand is_best = Apply(Op::kEqual, {elements[1], best}, scope);
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const TextOperand none = OperandOf(static_cast<double>(std::min(*index->extent, kMost)));
    const TextOperand step =
        Apply(Op::kSelect, {is_best, IndexValue({0, {{index, 1}}}), none}, scope);
    const Type of_steps = *step.typed.type;
    const TextOperand last = Emit("init" + suffix, Op::kConst, nest.kept,
                                  {OperandOf(ir::IdentityOf(Op::kMin, of_steps))}, of_steps);
    return Accumulate(expr.text + suffix, Op::kMin, of_steps, nest, own, last, {step});
  }

  /// Does it become an instruction of its own, whose name may be chosen?
  bool IsOperation(const Expr& expr) const {
    if (expr.kind != Expr::Kind::kCall || expr.text == "?") return false;
    static constexpr std::string_view kNamed[] = {"<=", ">=", "!=", "not", "and", "or", ">"};
    return std::ranges::find(kNamed, expr.text) == std::end(kNamed);
  }

  const LateReads late_reads_;
  std::map<const Expr*, LateReads::Ended> late_;  ///< Of the expression that is being lowered.
  std::vector<ir::ArrayId> arrays_;
  std::vector<TextOperand> values_;                                       ///< By statement.
  std::map<std::vector<std::pair<int, std::int64_t>>, ir::Value> loads_;  ///< Of this statement.
  std::size_t statement_ = 0;
  bool is_good_ = true;
};

}  // namespace

bool Lower(const Kernel& kernel, const ResolvedKernel& resolution, ir::Builder& builder,
           dsl::DiagnosticSink& sink) {
  return Lowerer(kernel, resolution, builder, sink).Run();
}

}  // namespace exh::kernels::notation
