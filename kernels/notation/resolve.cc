// SPDX-License-Identifier: MIT
//
// Three walks. The first one, over declarations, gives names their meaning and arrays their shapes.
// The second one, over statements in order, binds indices and finds the extent of each from where
// it stands alone in a subscript. The third one holds every subscript against the bounds. An index
// that reads a value is the same axis as the index that the value was stated with.
#include "kernels/notation/resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "base/spelling.h"
#include "kernels/ir/tiling.h"
#include "kernels/notation/axes/shared_axes.h"
#include "kernels/notation/bounds.h"
#include "kernels/notation/check_types.h"
#include "kernels/notation/options/chosen.h"
#include "kernels/notation/options/requirements.h"
#include "kernels/notation/shapes.h"
#include "kernels/notation/words.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;
using dsl::DiagnosticSink;

constexpr std::size_t kMostTileLevels = 8;

class Resolver {
 public:
  Resolver(const Kernel& kernel, const Sizes& given, DiagnosticSink& sink)
      : kernel_(kernel), sink_(sink), numbers_(out_.sizes, sink) {
    for (const SizeDecl& size : kernel.sizes) {
      const auto found = given.find(size.name.text);
      out_.sizes[size.name.text] = found == given.end() ? DefaultOf(size) : found->second;
    }
  }

  std::optional<ResolvedKernel> Run() {
    is_good_ &= CheckSizes(kernel_, out_.sizes, sink_);
    Declare();
    if (is_good_ && !CheckRequirements(kernel_, out_.sizes, sink_)) Fail();
    for (std::size_t i = 0; i < kernel_.arrays.size() && is_good_; ++i) Shape(i);
    // With names that mean nothing, each statement would be reported again.
    const std::size_t bound = is_good_ ? kernel_.statements.size() : 0;
    for (std::size_t i = 0; i < bound; ++i) BindStatement(i);
    if (is_good_) CheckUses();
    if (is_good_) SettleWaiting();
    if (is_good_) ShareAxes();
    if (is_good_ && !CheckTypes(kernel_, out_, sink_)) Fail();
    if (is_good_) KeepChosen(kernel_, out_);
    CheckTiles();
    if (!is_good_) return std::nullopt;
    for (std::size_t i = 0; i < out_.left.size(); ++i) {
      auto& strides = out_.left_strides.emplace_back();
      if (out_.output_of[i] < 0) continue;
      const ArrayShape& shape = out_.arrays[static_cast<std::size_t>(out_.output_of[i])];
      for (std::size_t d = 0; d < out_.left[i].size(); ++d) {
        strides.emplace_back(out_.left[i][d], shape.strides[d]);
      }
    }
    return std::move(out_);
  }

 private:
  enum class Kind { kSize, kScalar, kArray, kValue };
  struct Meaning {
    Kind kind = Kind::kSize;
    int number = 0;
    SourceRange range;
  };
  using Scope = std::vector<Index*>;

  /// Two indices of one axis of a value: where it is stated, and where it is read.
  struct Reading {
    Index* stated;
    Index* read;
    SourceRange range;
  };

  dsl::Diagnostic& Report(Diag diag, SourceRange range, std::string message) {
    is_good_ = false;
    return sink_.Report(diag, range, std::move(message));
  }

  // ---- declarations

  void DeclareName(const Name& name, Kind kind, int number) {
    const auto [place, is_new] = names_.try_emplace(name.text, Meaning{kind, number, name.range});
    if (is_new) return;
    Report(Diag::kNameTaken, name.range, fmt::format("there is already a '{}'", name.text))
        .WithNote(place->second.range, "declared here");
  }

  void CheckType(const Name& type) {
    if (type.text.empty() || out_.open_types.contains(type.text)) return;
    const auto option = std::ranges::find(kernel_.sizes, type.text,
                                          [](const SizeDecl& size) { return size.name.text; });
    if (ir::TypeOfWord(type.text) || option == kernel_.sizes.end() || option->words.empty()) {
      const std::string problem = ProblemOfType(type.text);
      if (!problem.empty()) Report(Diag::kUnknownType, type.range, problem);
      return;
    }
    for (const Name& word : option->words) {
      if (ir::TypeOfWord(word.text)) continue;
      Report(Diag::kUnknownType, type.range,
             fmt::format("option '{}' is no type: its '{}' is none", type.text, word.text))
          .WithNote(word.range, "listed here");
      return;
    }
    const std::int64_t value = out_.sizes.at(type.text);
    if (value < 0 || value > *option->max) return;  // That is said already.
    const std::string& word = option->words[static_cast<std::size_t>(value)].text;
    out_.open_types[type.text] = *ir::TypeOfWord(word);
  }
  /// Of an array: a name, or a choice of types.
  void CheckType(const Expr& type) {
    if (type.kind == Expr::Kind::kName) return CheckType(Name{type.text, type.range});
    if (type.kind == Expr::Kind::kCall && type.text == "?") {
      CheckType(type.args[1]);
      CheckType(type.args[2]);
      return;
    }
    Report(Diag::kUnknownType, type.range,
           "here stands a type, or a choice of two: (op == max ? f32 : i32)");
  }
  /// Nothing when the condition of a choice is wrong, which is reported.
  std::optional<ir::Type> TypeOfArray(const Expr& type) {
    if (type.kind == Expr::Kind::kName) return TypeOf({type.text, type.range}, out_);
    const auto condition = numbers_.Value(type.args[0]);
    if (!condition) return std::nullopt;
    return TypeOfArray(type.args[*condition != 0 ? 1 : 2]);
  }

  void Declare() {
    for (std::size_t i = 0; i < kernel_.sizes.size(); ++i) {
      DeclareName(kernel_.sizes[i].name, Kind::kSize, static_cast<int>(i));
    }
    for (std::size_t i = 0; i < kernel_.scalars.size(); ++i) {
      DeclareName(kernel_.scalars[i].name, Kind::kScalar, static_cast<int>(i));
      CheckType(kernel_.scalars[i].type);
    }
    for (std::size_t i = 0; i < kernel_.arrays.size(); ++i) {
      DeclareName(kernel_.arrays[i].name, Kind::kArray, static_cast<int>(i));
      CheckType(kernel_.arrays[i].type);
    }
    out_.output_of.assign(kernel_.statements.size(), -1);
    for (std::size_t i = 0; i < kernel_.statements.size(); ++i) {
      const Statement& statement = kernel_.statements[i];
      CheckType(statement.type);
      const auto found = names_.find(statement.target.text);
      const bool is_array = found != names_.end() && found->second.kind == Kind::kArray;
      if (!is_array) {
        DeclareName(statement.target, Kind::kValue, static_cast<int>(i));
        continue;
      }
      const ArrayDecl& array = kernel_.arrays[static_cast<std::size_t>(found->second.number)];
      if (!array.is_output) {
        Report(Diag::kWrongUse, statement.target.range,
               fmt::format("'{}' is an input and cannot be written", array.name.text))
            .WithNote(array.name.range, "declared here");
        continue;
      }
      for (std::size_t before = 0; before < i; ++before) {
        if (out_.output_of[before] != found->second.number) continue;
        Report(Diag::kWrittenTwice, statement.target.range,
               fmt::format("output '{}' is written twice", array.name.text))
            .WithNote(kernel_.statements[before].target.range, "first here");
      }
      out_.output_of[i] = found->second.number;
    }
    for (std::size_t i = 0; i < kernel_.arrays.size(); ++i) {
      const ArrayDecl& array = kernel_.arrays[i];
      const bool written =
          std::ranges::find(out_.output_of, static_cast<int>(i)) != out_.output_of.end();
      if (array.is_output && !written) {
        Report(Diag::kNotWritten, array.name.range,
               fmt::format("nothing writes output '{}'", array.name.text));
      }
    }
    const bool any = std::ranges::any_of(kernel_.arrays, &ArrayDecl::is_output);
    if (!any && is_good_) {
      Report(Diag::kNotWritten, kernel_.name.range,
             "the kernel has no output: there is nothing to compute");
    }
  }

  void Shape(std::size_t number) {
    const ArrayDecl& array = kernel_.arrays[number];
    const auto type = TypeOfArray(array.type);
    if (!type) return Fail();
    auto shape = ShapeOf(array, *type, numbers_, sink_);
    if (!shape) return Fail();
    out_.arrays.push_back(std::move(*shape));
  }
  void Fail() { is_good_ = false; }

  // ---- statements

  Index* NewIndex(const Name& name, const Scope& scope) {
    const auto taken = names_.find(name.text);
    if (taken != names_.end() && taken->second.kind != Kind::kSize) {
      Report(Diag::kNameTaken, name.range,
             fmt::format("index '{}' has the name of something else", name.text))
          .WithNote(taken->second.range, "declared here");
    }
    for (const Index* other : scope) {
      if (other->name != name.text) continue;
      Report(Diag::kRepeatedIndex, name.range, fmt::format("index '{}' is bound twice", name.text))
          .WithNote(other->range, "first here");
    }
    Index& index = out_.indices.emplace_back();
    index.name = name.text;
    index.range = name.range;
    index.axis = axes_.New();
    return &index;
  }

  void Propose(Index& index, std::int64_t extent, SourceRange range) {
    if (!index.extent) {
      index.extent = extent;
      index.extent_range = range;
    } else if (*index.extent != extent) {
      Report(Diag::kExtentsDisagree, range,
             fmt::format("index '{}' has {} steps here and {} elsewhere", index.name, extent,
                         *index.extent))
          .WithNote(index.extent_range, fmt::format("here it has {}", *index.extent));
    }
  }

  /// A mistake in one hides none in others, unless these read it.
  void BindStatement(std::size_t number) {
    const bool was_good = std::exchange(is_good_, true);
    Bind(number);
    out_.left.resize(number + 1);
    if (!is_good_) {
      failed_.insert(static_cast<int>(number));
      pending_.clear();  // Others do not wait for what it read.
    }
    is_good_ &= was_good;
  }

  void Bind(std::size_t number) {
    const Statement& statement = kernel_.statements[number];
    const int output = out_.output_of[number];
    Scope scope;
    for (const Expr& subscript : statement.indices) {
      if (subscript.kind != Expr::Kind::kName) {
        Report(Diag::kNotAnIndex, subscript.range,
               "on the left side stands the name of an index; reads have index maps");
        return;
      }
      Index* const index = NewIndex({subscript.text, subscript.range}, scope);
      scope.push_back(index);
    }
    if (output >= 0) {
      const ArrayShape& array = out_.arrays[static_cast<std::size_t>(output)];
      if (!CheckRank(statement.target, statement.indices.size(), array.extents.size())) return;
      for (std::size_t i = 0; i < scope.size(); ++i) {
        Propose(*scope[i], array.extents[i], statement.indices[i].range);
      }
    }
    moved_.clear();
    FindMoved(statement.value);
    Walk(statement.value, scope, number);
    axes_.AddPlace(scope);
    for (Index* const index : scope) {
      TakeSize(*index);
      // Of a value, who reads it may say.
      if (!index->extent) waiting_.push_back(index);
    }
    for (const Reading& reading : readings_) Hand(reading);
    if (is_good_) CheckBounds();
    out_.left.emplace_back(scope.begin(), scope.end());
    stated_.emplace(static_cast<int>(number), scope);
  }

  /// What one of both has, the other one has as well.
  void Hand(const Reading& reading) {
    if (reading.stated->extent) {
      Propose(*reading.read, *reading.stated->extent, reading.range);
    } else if (reading.read->extent) {
      Propose(*reading.stated, *reading.read->extent, reading.range);
    }
  }

  /// Gives the indices of values that nothing in their statements gave an extent that of whoever
  /// reads them, from the last reader to the first.
  void SettleWaiting() {
    for (std::size_t i = readings_.size(); i-- > 0 && is_good_;) Hand(readings_[i]);
    for (const Reading& reading : readings_) {
      if (is_good_) Hand(reading);
    }
    for (Index* const index : waiting_) {
      if (is_good_) Settle(*index);
    }
    if (is_good_) CheckBounds();
  }
  /// Of all reads whose indices have extents.
  void CheckBounds() {
    std::vector<PendingRead> wait;
    for (PendingRead& read : pending_) {
      if (!IsKnown(read)) {
        wait.push_back(std::move(read));
      } else if (!notation::CheckBounds(read, out_, sink_)) {
        Fail();
      }
    }
    pending_ = std::move(wait);
  }

  /// Notes which dimension of which array is read at a distance of which index: beside x[i + 1],
  /// x[i] does not say that i runs over all of x.
  void FindMoved(const Expr& expr) {
    if (expr.kind == Expr::Kind::kRead) {
      for (std::size_t i = 0; i < expr.args.size(); ++i) {
        if (expr.args[i].kind == Expr::Kind::kCall) NoteMoved(expr.text, i, expr.args[i]);
      }
    }
    for (const Expr& arg : expr.args) FindMoved(arg);
  }
  void NoteMoved(const std::string& array, std::size_t dimension, const Expr& subscript) {
    if (subscript.kind == Expr::Kind::kName) moved_.insert({array, dimension, subscript.text});
    for (const Expr& arg : subscript.args) NoteMoved(array, dimension, arg);
  }

  bool CheckRank(const Name& name, std::size_t got, std::size_t wanted) {
    if (got == wanted) return true;
    Report(Diag::kSubscripts, name.range,
           fmt::format("'{}' has {} dimension{}, and {} subscript{} here", name.text, wanted,
                       wanted == 1 ? "" : "s", got, got == 1 ? "" : "s"));
    return false;
  }

  /// An index that stands alone nowhere has the extent of the size of its name, if there is one.
  void TakeSize(Index& index) {
    const auto size = out_.sizes.find(index.name);
    if (index.extent || size == out_.sizes.end()) return;
    index.extent = size->second;
    index.extent_range = index.range;
    if (size->second >= 1 && size->second <= ir::kLargestExtent) return;
    Report(size->second < 1 ? Diag::kBadExtent : Diag::kTooLarge, index.range,
           fmt::format("index '{}' has {} steps at these sizes; it must have 1 to {}", index.name,
                       size->second, ir::kLargestExtentText));
  }
  void Settle(Index& index) {
    TakeSize(index);
    if (index.extent) return;
    Report(Diag::kUnknownExtent, index.range,
           fmt::format("nothing says how many steps index '{0}' has; it should stand alone in a "
                       "subscript, or be the name of a size: size {0} = 3",
                       index.name));
  }

  void Walk(const Expr& expr, Scope& scope, std::size_t statement) {
    switch (expr.kind) {
      case Expr::Kind::kNumber:
        return;
      case Expr::Kind::kName:
        return WalkName(expr, scope, statement);
      case Expr::Kind::kRead:
        return WalkRead(expr, scope, statement);
      case Expr::Kind::kCall:
        if (!CheckCall(expr)) return;
        for (const Expr& arg : expr.args) Walk(arg, scope, statement);
        return;
      case Expr::Kind::kCast:
        CheckType(expr.type);
        return Walk(expr.args.front(), scope, statement);
      case Expr::Kind::kReduce:
        return WalkReduction(expr, scope, statement);
    }
  }

  /// False: what is in the brackets may have been meant otherwise.
  bool CheckCall(const Expr& expr) {
    if (!expr.type.text.empty()) {
      Report(Diag::kNotAccumulated, expr.type.range,
             fmt::format("a type in brackets is what a reduction is computed in, and {}(…) has no "
                         "operand behind it; a conversion is cast({}, …)",
                         expr.text, expr.type.text));
      return false;
    }
    if (expr.text == "cast") {
      if (expr.args.size() != 2) {
        Report(Diag::kArguments, expr.range,
               fmt::format("cast takes a type and a value, cast(f32, x), got {} argument{}",
                           expr.args.size(), expr.args.size() == 1 ? "" : "s"));
      } else {
        Report(Diag::kUnknownType, expr.args.front().range,
               "here stands the type that the other argument becomes: cast(f32, x)");
      }
      return false;
    }
    if (IsOperatorWord(expr.text)) {
      if (expr.text == "neg" && expr.args.size() != 1) {
        Report(Diag::kArguments, expr.range,
               fmt::format("neg takes 1 argument, got {}", expr.args.size()));
      }
      return true;
    }
    const auto function = FunctionOf(expr.text);
    if (!function) {
      const bool reduces = IsReduction(expr.text);
      Report(Diag::kUnknownFunction, expr.range,
             reduces ? fmt::format("behind {}(…) stands what it reduces, in the same line: "
                                   "{}(k) a[i, k]",
                                   expr.text, expr.text)
                     : fmt::format("there is no function '{}'{}", expr.text,
                                   DidYouMean(expr.text, CallWords())));
      return !reduces;
    }
    if (static_cast<int>(expr.args.size()) != function->arguments) {
      Report(Diag::kArguments, expr.range,
             fmt::format("{} takes {} argument{}, got {}{}", expr.text, function->arguments,
                         function->arguments == 1 ? "" : "s", expr.args.size(),
                         IsReduction(expr.text)
                             ? "; or behind it stands what it reduces: " + expr.text + "(k) a[i, k]"
                             : ""));
      return !IsReduction(expr.text);
    }
    return true;
  }

  void WalkReduction(const Expr& expr, Scope& scope, std::size_t statement) {
    if (!IsReduction(expr.text)) {
      Report(Diag::kUnknownFunction, expr.range,
             FunctionOf(expr.text) || expr.text == "cast"
                 ? fmt::format("'{0}' is no reduction; is an operator missing behind {0}(…)?",
                               expr.text)
                 : fmt::format("there is no reduction '{}'{}", expr.text,
                               DidYouMean(expr.text, ReductionWords())));
      return;
    }
    CheckType(expr.type);
    if (IsArgReduction(expr.text) && expr.indices.size() != 1) {
      Report(Diag::kArguments, expr.range,
             fmt::format("{} finds the step of one index, got {}", expr.text, expr.indices.size()));
      return;
    }
    if (expr.is_scan()) return WalkScan(expr, scope, statement);
    const std::size_t outer = scope.size();
    std::vector<const Index*> own;
    for (const Name& name : expr.indices) {
      Index* const index = NewIndex(name, scope);
      scope.push_back(index);
      own.push_back(index);
    }
    Walk(expr.args.front(), scope, statement);
    for (std::size_t i = outer; i < scope.size(); ++i) {
      if (used_.count(scope[i]) == 0 && is_good_) {
        Report(Diag::kMissingAxis, scope[i]->range,
               fmt::format("nothing in the reduction has index '{}'", scope[i]->name));
      }
      if (is_good_) Settle(*scope[i]);
    }
    axes_.AddPlace(scope);
    scope.resize(outer);
    out_.reductions[&expr] = std::move(own);
  }

  /// Its steps are those of an index around it, which has no place inside.
  void WalkScan(const Expr& expr, const Scope& scope, std::size_t statement) {
    if (IsArgReduction(expr.text)) {
      Report(Diag::kNotBuilt, expr.range,
             fmt::format("a scan keeps sum, prod, min, max, any or all, and no {}", expr.text));
      return;
    }
    const auto until =
        std::ranges::find(scope, expr.until.text, [](const Index* index) { return index->name; });
    if (until == scope.end()) {
      Report(Diag::kFreeIndex, expr.until.range,
             fmt::format("a scan has a value at each step of an index around it, and '{}' is none: "
                         "y[i] = scan({}, {} {} i) …",
                         expr.until.text, expr.text, expr.indices.front().text, expr.comparison));
      return;
    }
    Index& last = **until;
    used_.insert(&last);
    if (Mentions(expr.args.front(), last.name)) {
      Report(Diag::kWrongUse, expr.args.front().range,
             fmt::format("the terms of a scan are the same for each '{0}' that has them, so '{0}' "
                         "has no place in them; they have '{1}'",
                         last.name, expr.indices.front().text));
      return;
    }
    Scope inside = scope;
    Index* const step = NewIndex(expr.indices.front(), scope);
    inside[static_cast<std::size_t>(until - scope.begin())] = step;
    axes_.Unite(*step, last);
    if (last.extent) Propose(*step, *last.extent, expr.until.range);
    Walk(expr.args.front(), inside, statement);
    if (is_good_) Settle(*step);
    if (is_good_) Propose(last, *step->extent, expr.indices.front().range);
    axes_.AddPlace(inside);
    out_.reductions[&expr] = {step};
  }
  void WalkName(const Expr& expr, const Scope& scope, std::size_t statement) {
    for (const Index* index : scope) {  // It hides a size of its name.
      if (index->name != expr.text) continue;
      used_.insert(index);
      out_.numbers[&expr] = index;
      return;
    }
    const auto found = Find(expr, scope);
    if (!found || found->kind == Kind::kSize || found->kind == Kind::kScalar) return;
    ReadOf(expr, *found, {}, scope, statement);
  }

  std::optional<Meaning> Find(const Expr& expr, const Scope& scope) {
    const auto found = names_.find(expr.text);
    if (found != names_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, meaning] : names_) names.push_back(name);
    for (const Index* index : scope) names.push_back(index->name);
    Report(Diag::kUnknownName, expr.range,
           fmt::format("there is no '{}'{}", expr.text, DidYouMean(expr.text, names)));
    return std::nullopt;
  }

  void WalkRead(const Expr& expr, Scope& scope, std::size_t statement) {
    const auto found = Find(expr, scope);
    if (!found) return;
    if (found->kind == Kind::kSize || found->kind == Kind::kScalar) {
      Report(Diag::kWrongUse, expr.range,
             fmt::format("'{}' is a {} and has no subscripts", expr.text,
                         found->kind == Kind::kSize ? "size" : "scalar"))
          .WithNote(found->range, "declared here");
      return;
    }
    const auto is_index = [&](std::string_view name) {
      return std::ranges::any_of(scope, [&](const Index* i) { return i->name == name; });
    };
    const auto is_read = [&](std::string_view name) {
      const auto what = names_.find(name);
      const bool is_array = what != names_.end() && what->second.kind == Kind::kArray;
      const bool is_value = what != names_.end() && what->second.kind == Kind::kValue;
      return (is_array || is_value) && !is_index(name);
    };
    std::vector<IndexMap> maps;
    std::vector<ComputedSubscript> computed;
    for (const Expr& written : expr.args) {
      const Expr* const chosen = ChosenSubscript(written, scope);
      if (chosen == nullptr) return Fail();
      const Expr& subscript = *chosen;
      if (found->kind == Kind::kArray && IsComputed(subscript, is_read, is_index)) {
        computed.push_back({&subscript, maps.size()});
        maps.emplace_back();
        Walk(subscript, scope, statement);
        continue;
      }
      if (!KnowsNames(subscript, scope)) return;
      auto map = numbers_.Map(subscript, is_index);
      if (!map) return Fail();
      maps.push_back(std::move(*map));
    }
    ReadOf(expr, *found, maps, scope, statement, std::move(computed));
  }

  /// Of `stride == 1 ? i : i / stride` what is meant at these sizes; null: its condition is wrong,
  /// which is reported.
  const Expr* ChosenSubscript(const Expr& subscript, const Scope& scope) {
    if (subscript.kind != Expr::Kind::kCall || subscript.text != "?") return &subscript;
    const Expr& condition = subscript.args[0];
    const bool has_index = std::ranges::any_of(
        scope, [&](const Index* index) { return Mentions(condition, index->name); });
    if (has_index || !IsOfSizes(condition, out_)) return &subscript;
    const auto value = numbers_.Value(condition);
    return value ? ChosenSubscript(subscript.args[*value != 0 ? 1 : 2], scope) : nullptr;
  }

  /// Says of a name in a subscript that is neither a size nor an index what is missing.
  bool KnowsNames(const Expr& expr, const Scope& scope) {
    if (expr.kind == Expr::Kind::kName) {
      const auto is_it = [&](const Index* index) { return index->name == expr.text; };
      if (std::ranges::any_of(scope, is_it) || out_.sizes.count(expr.text) != 0) return true;
      std::vector<std::string> names;
      for (const Index* index : scope) names.push_back(index->name);
      for (const auto& [name, value] : out_.sizes) names.push_back(name);
      // Of names of one letter each is near to each.
      const std::string hint = expr.text.size() > 1 ? DidYouMean(expr.text, names) : "";
      Report(
          Diag::kFreeIndex, expr.range,
          fmt::format("nothing runs over '{}': it stands neither on the left side nor in a "
                      "reduction{}",
                      expr.text, hint.empty() ? fmt::format(", like sum({})", expr.text) : hint));
      return false;
    }
    return std::ranges::all_of(expr.args, [&](const Expr& arg) { return KnowsNames(arg, scope); });
  }

  /// `computed`: the subscripts that no map says.
  void ReadOf(const Expr& expr, const Meaning& what, const std::vector<IndexMap>& maps,
              const Scope& scope, std::size_t statement,
              std::vector<ComputedSubscript> computed = {}) {
    const auto index_of = [&](const std::string& name) {
      return *std::ranges::find_if(scope, [&](const Index* i) { return i->name == name; });
    };
    for (const IndexMap& map : maps) {
      for (const auto& [name, factor] : map.factors) used_.insert(index_of(name));
    }
    ResolvedAccess access;
    if (what.kind == Kind::kValue) {
      access.statement = what.number;
      if (failed_.count(what.number) != 0) return Fail();
      const auto stated = stated_.find(what.number);
      if (stated == stated_.end()) {
        const bool itself = static_cast<std::size_t>(what.number) == statement;
        Report(Diag::kUsedBeforeStated, expr.range,
               itself ? fmt::format("'{}' is stated with itself", expr.text)
                      : fmt::format("'{}' is used before it is stated", expr.text))
            .WithNote(what.range, "stated here");
        return;
      }
      const Scope& own = stated->second;
      if (!CheckRank({expr.text, expr.range}, maps.size(), own.size())) return;
      for (std::size_t i = 0; i < maps.size(); ++i) {
        if (!maps[i].is_plain_index()) {
          Report(Diag::kNotBuilt, expr.args[i].range,
                 fmt::format("'{}' is a value on its way, and read index by index; only arrays "
                             "have index maps",
                             expr.text));
          return;
        }
        Index& index = *index_of(maps[i].factors.front().first);
        readings_.push_back({own[i], &index, expr.args[i].range});
        Hand(readings_.back());
        if (own[i]->extent) readings_.pop_back();
        access.strides.emplace_back(&index, 1);
        axes_.Unite(index, *own[i]);
      }
      read_.insert(what.number);
    } else {
      access.array = what.number;
      const ArrayShape& array = out_.arrays[static_cast<std::size_t>(what.number)];
      if (array.decl->is_output) {
        Report(Diag::kWrongUse, expr.range,
               fmt::format("'{}' is an output and cannot be read; give the value a name of its "
                           "own, and write it to the output",
                           expr.text));
        return;
      }
      if (!CheckRank({expr.text, expr.range}, maps.size(), array.extents.size())) return;
      if (!computed.empty() && array.elements > ir::kLargestExtent) {
        Report(Diag::kTooLarge, computed.front().expr->range,
               fmt::format("'{}' has {} elements; where a subscript is computed there may be 2^31",
                           expr.text, array.elements));
        return;
      }
      access.computed = std::move(computed);
      for (std::size_t i = 0; i < maps.size(); ++i) {
        const auto in = std::ranges::find(access.computed, i, &ComputedSubscript::dimension);
        if (in != access.computed.end()) continue;
        const std::int64_t stride = array.strides[i];
        access.offset = Sum(access.offset, Product(maps[i].offset, stride));
        for (const auto& [name, factor] : maps[i].factors) {
          AddStride(access, index_of(name), Product(factor, stride));
        }
        if (!maps[i].is_plain_index()) continue;
        const std::string& index = maps[i].factors.front().first;
        if (moved_.count({expr.text, i, index}) != 0) continue;
        Propose(*index_of(index), array.extents[i], expr.args[i].range);
      }
      inputs_read_.insert(what.number);
      pending_.push_back({&expr, what.number, maps, scope});
    }
    out_.reads[&expr] = std::move(access);
  }

  /// Modulo 2^64: what matters of a read that is in bounds fits.
  static std::int64_t Product(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
  static std::int64_t Sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }

  static void AddStride(ResolvedAccess& access, const Index* index, std::int64_t stride) {
    if (stride == 0) return;
    const auto found =
        std::ranges::find(access.strides, index, [](const auto& way) { return way.first; });
    if (found == access.strides.end()) {
      access.strides.emplace_back(index, stride);
      return;
    }
    found->second = Sum(found->second, stride);
    if (found->second == 0) access.strides.erase(found);
  }

  // ---- uses and axes

  void CheckUses() {
    for (std::size_t i = 0; i < kernel_.arrays.size(); ++i) {
      const ArrayDecl& array = kernel_.arrays[i];
      if (array.is_output || inputs_read_.count(static_cast<int>(i)) != 0) continue;
      Report(Diag::kNotRead, array.name.range,
             fmt::format("nothing reads input '{}'", array.name.text));
    }
    for (std::size_t i = 0; i < kernel_.statements.size(); ++i) {
      const Name& target = kernel_.statements[i].target;
      if (out_.output_of[i] >= 0 || read_.count(static_cast<int>(i)) != 0) continue;
      Report(Diag::kNotRead, target.range, fmt::format("nothing reads value '{}'", target.text));
    }
  }

  void ShareAxes() {
    if (const auto pair = axes_.Clash()) {
      Report(
          Diag::kNotBuilt, pair->second->range,
          fmt::format("indices '{}' and '{}' are one axis here, for something reads both with one "
                      "index, as in t[i, i]; only arrays are read along a diagonal",
                      pair->first->name, pair->second->name));
      return;
    }
    out_.num_axes = axes_.Number(out_.indices);
  }

  void CheckTiles() {
    std::map<std::string_view, SourceRange> tiled;
    for (const TileHint& hint : kernel_.tiles) {
      if (hint.largest.size() > kMostTileLevels) {
        Report(Diag::kBadTile, hint.largest[kMostTileLevels].range,
               fmt::format("more than {} levels of tiles", kMostTileLevels));
      }
      for (const Name& name : hint.indices) {
        const auto [place, is_new] = tiled.try_emplace(name.text, name.range);
        if (!is_new) {
          Report(Diag::kBadTile, name.range,
                 fmt::format("index '{}' has its tiles already", name.text))
              .WithNote(place->second, "first here");
        }
        const bool known = std::ranges::any_of(
            out_.indices, [&](const Index& index) { return index.name == name.text; });
        if (known || !is_good_) continue;
        std::vector<std::string> names;
        for (const Index& index : out_.indices) names.push_back(index.name);
        Report(Diag::kUnknownName, name.range,
               fmt::format("there is no index '{}'{}", name.text, DidYouMean(name.text, names)));
      }
      for (const Expr& level : hint.largest) {
        const auto value = numbers_.Value(level);
        if (!value) return Fail();
        if (*value >= 1 && *value <= 1024) continue;
        Report(Diag::kBadTile, level.range,
               fmt::format("a tile of at most {} is not possible; it is 1 to 1024", *value));
      }
    }
  }

  const Kernel& kernel_;
  DiagnosticSink& sink_;
  ResolvedKernel out_;
  Numbers numbers_;
  bool is_good_ = true;
  std::map<std::string, Meaning, std::less<>> names_;
  std::set<const Index*> used_;
  std::map<int, Scope> stated_;  ///< Statements, with their indices.
  std::set<int> failed_, read_, inputs_read_;
  std::vector<PendingRead> pending_;
  std::vector<Reading> readings_;  ///< Of values with indices that wait.
  std::vector<Index*> waiting_;    ///< For an extent, which readers say.
  std::set<std::tuple<std::string, std::size_t, std::string>> moved_;  ///< In this statement.
  SharedAxes axes_;
};

}  // namespace

std::optional<ResolvedKernel> Resolve(const Kernel& kernel, const Sizes& given,
                                      DiagnosticSink& sink) {
  return Resolver(kernel, given, sink).Run();
}

}  // namespace exh::kernels::notation
