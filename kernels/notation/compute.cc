// SPDX-License-Identifier: MIT
#include "kernels/notation/compute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/parse.h"
#include "kernels/notation/words.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;

class Composer {
 public:
  Composer(const std::vector<Statement>& statements, const std::string& type, const Sizes& sizes,
           dsl::DiagnosticSink& sink)
      : statements_(statements), type_(type), sizes_(sizes), sink_(sink) {}

  std::optional<std::string> Compose(const std::string& name) {
    for (const Statement& statement : statements_) {
      stated_.insert(statement.target.text);
      for (const Expr& index : statement.indices) all_indices_.insert(index.text);
      FindIndices(statement.value);
    }
    for (const Statement& statement : statements_) {
      std::vector<std::string> scope;
      for (const Expr& index : statement.indices) {
        if (index.kind != Expr::Kind::kName) {
          sink_.Report(Diag::kNotAnIndex, index.range, "on the left side stand names of indices");
          return std::nullopt;
        }
        AddIndex(index.text, index.range);
        scope.push_back(index.text);
      }
      moved_.clear();
      FindMoved(statement.value);
      Walk(statement.value, scope, {});
    }
    if (is_good_) CheckRuns();
    if (!is_good_) return std::nullopt;
    return fmt::format("kernel {}\n{}{}{}{}{}end\n", name, SizeLine(), ScalarLine(), InputLines(),
                       OutputLines(), StatementLines());
  }

 private:
  /// How large a read makes a dimension.
  struct Need {
    IndexMap map;
    std::string text;
    SourceRange range;
  };
  struct Input {
    std::string name;
    SourceRange range;
    std::vector<std::vector<Need>> extents;  ///< By dimension.
  };
  /// An index of a reduction that stands alone in a subscript: it runs over the whole dimension.
  struct Run {
    std::string index, input;
    std::size_t dimension = 0;
    SourceRange range;
  };
  using Names = std::vector<std::string>;

  void AddIndex(const std::string& name, SourceRange range) {
    if (std::ranges::find(indices_, name) != indices_.end()) return;
    if (sizes_.count(name) == 0) {
      is_good_ = false;
      sink_.Report(Diag::kUnknownExtent, range,
                   fmt::format("--size says nothing of index '{0}': --size {0}=512", name));
    }
    indices_.push_back(name);
  }

  /// `reduced`: those of `scope` that a reduction runs over.
  void Walk(const Expr& expr, Names scope, Names reduced) {
    if (expr.is_scan()) {  // As many steps as the index around it.
      const Name& step = expr.indices.front();
      const auto until = sizes_.find(expr.until.text);
      if (until != sizes_.end()) sizes_.try_emplace(step.text, until->second);
      AddIndex(step.text, step.range);
      std::ranges::replace(scope, expr.until.text, step.text);
    } else if (expr.kind == Expr::Kind::kReduce) {
      for (const Name& index : expr.indices) {
        AddIndex(index.text, index.range);
        scope.push_back(index.text);
        reduced.push_back(index.text);
      }
    }
    if (expr.kind == Expr::Kind::kName) return ReadName(expr.text);
    if (expr.kind == Expr::Kind::kRead) return Read(expr, scope, reduced);
    for (const Expr& arg : expr.args) Walk(arg, scope, reduced);
  }

  /// Beside x[k + 1], x[k] does not say that k runs over all of x.
  void FindMoved(const Expr& expr) {
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      const Expr& arg = expr.args[i];
      if (expr.kind != Expr::Kind::kRead) {
        FindMoved(arg);
      } else if (arg.kind == Expr::Kind::kCall) {
        NoteMoved(expr.text, i, arg);
      }
    }
  }
  void NoteMoved(const std::string& input, std::size_t dimension, const Expr& subscript) {
    if (subscript.kind == Expr::Kind::kName) moved_.insert({input, dimension, subscript.text});
    for (const Expr& arg : subscript.args) NoteMoved(input, dimension, arg);
  }

  void FindIndices(const Expr& expr) {
    for (const Name& index : expr.indices) all_indices_.insert(index.text);
    for (const Expr& arg : expr.args) FindIndices(arg);
  }

  /// A value without axes, a size, or a scalar.
  void ReadName(const std::string& name) {
    if (stated_.count(name) != 0) {
      read_.insert(name);
    } else if (all_indices_.count(name) == 0 && !IsOtherSize(name)) {
      if (std::ranges::find(scalars_, name) == scalars_.end()) scalars_.push_back(name);
    }
  }
  /// One that --size has a value of, and that is no index.
  bool IsOtherSize(const std::string& name) {
    if (sizes_.count(name) == 0 || all_indices_.count(name) != 0) return false;
    if (std::ranges::find(other_sizes_, name) == other_sizes_.end()) other_sizes_.push_back(name);
    return true;
  }

  void Read(const Expr& expr, const Names& scope, const Names& reduced) {
    read_.insert(expr.text);
    for (const Expr& subscript : expr.args) {
      if (!IsIndex(subscript, scope)) return;
    }
    if (stated_.count(expr.text) != 0) return;
    auto found = std::ranges::find(inputs_, expr.text, &Input::name);
    if (found == inputs_.end()) {
      inputs_.push_back({expr.text, expr.range, {}});
      found = inputs_.end() - 1;
      found->extents.resize(expr.args.size());
    }
    if (found->extents.size() != expr.args.size()) {
      is_good_ = false;
      sink_
          .Report(Diag::kSubscripts, expr.range,
                  fmt::format("'{}' has {} subscript{} here and {} elsewhere", expr.text,
                              expr.args.size(), expr.args.size() == 1 ? "" : "s",
                              found->extents.size()))
          .WithNote(found->range, "here");
      return;
    }
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      const Expr& subscript = expr.args[i];
      const auto is_in_scope = [&](std::string_view name) {
        return std::ranges::find(scope, name) != scope.end();
      };
      if (IsComputed(
              subscript, [](std::string_view) { return false; }, is_in_scope)) {
        is_good_ = false;
        sink_.Report(Diag::kNotBuilt, subscript.range,
                     fmt::format("nothing says how large '{0}' is where a subscript is computed; a "
                                 "kernel in a file does: input {0}: f32[1000, 64]",
                                 expr.text));
        return;
      }
      if (!KnowsNames(subscript, scope)) return;
      const auto map = Numbers(sizes_, sink_).Map(subscript, is_in_scope);
      if (!map) {
        is_good_ = false;
        return;
      }
      AddNeed(found->extents[i], {*map, Extent(subscript, *map, scope), subscript.range});
      if (!map->is_plain_index()) continue;
      const std::string& index = map->factors.front().first;
      const bool runs = std::ranges::find(reduced, index) != reduced.end();
      if (runs && moved_.count({expr.text, i, index}) == 0) {
        runs_.push_back({index, expr.text, i, subscript.range});
      }
    }
  }

  /// A size alone in a subscript would be a number. Who writes that has forgotten a sum.
  bool IsIndex(const Expr& subscript, const Names& scope) {
    if (subscript.kind != Expr::Kind::kName) return true;
    if (std::ranges::find(scope, subscript.text) != scope.end()) return true;
    ReportFree(subscript);
    return false;
  }
  void ReportFree(const Expr& name) {
    is_good_ = false;
    sink_.Report(Diag::kFreeIndex, name.range,
                 fmt::format("nothing runs over '{0}': it stands neither on the left side nor in "
                             "a reduction, like sum({0})",
                             name.text));
  }

  /// How many elements a read asks of a dimension.
  std::int64_t Elements(const Need& need) const {
    __int128 last = need.map.offset;
    for (const auto& [index, factor] : need.map.factors) {
      const auto size = sizes_.find(index);
      if (factor > 0 && size != sizes_.end()) {
        last += static_cast<__int128>(factor) * (size->second - 1);
      }
    }
    constexpr __int128 kMost = std::numeric_limits<std::int64_t>::max() - 1;
    return static_cast<std::int64_t>(std::clamp<__int128>(last, -kMost, kMost)) + 1;
  }

  /// Does each index have the steps that --size says? What is read elsewhere may have made the
  /// dimension larger or smaller than that.
  void CheckRuns() {
    for (const Run& run : runs_) {
      const auto& needs =
          std::ranges::find(inputs_, run.input, &Input::name)->extents[run.dimension];
      const std::int64_t steps = sizes_.find(run.index)->second;
      for (const Need& other : needs) {
        const std::int64_t elements = Elements(other);
        // Of what is no plain index, only the farthest says how large the dimension is.
        const bool agrees = other.map.is_plain_index() ? elements == steps : elements <= steps;
        if (agrees) continue;
        is_good_ = false;
        sink_
            .Report(Diag::kExtentsDisagree, run.range,
                    fmt::format("index '{}' has {} steps by --size and stands alone, so it runs "
                                "over this whole dimension of '{}', which has {} elsewhere",
                                run.index, steps, run.input, elements))
            .WithNote(other.range, fmt::format("here it has {}", elements));
        break;
      }
    }
  }

  /// Of reads that move alike, the farthest.
  static void AddNeed(std::vector<Need>& needs, const Need& need) {
    const auto alike = std::ranges::find_if(
        needs, [&](const Need& other) { return other.map.factors == need.map.factors; });
    if (alike == needs.end()) {
      needs.push_back(need);
    } else if (alike->map.offset < need.map.offset) {
      *alike = need;
    }
  }

  bool KnowsNames(const Expr& expr, const std::vector<std::string>& scope) {
    if (expr.kind == Expr::Kind::kName && std::ranges::find(scope, expr.text) == scope.end() &&
        !IsOtherSize(expr.text)) {
      ReportFree(expr);
      return false;
    }
    return std::ranges::all_of(expr.args, [&](const Expr& arg) { return KnowsNames(arg, scope); });
  }

  /// The subscript at its largest, and one more: of `2 * i - r` that is 2 * (i - 1) - 0 + 1.
  std::string Extent(const Expr& subscript, const IndexMap& map,
                     const std::vector<std::string>& scope) const {
    if (map.is_plain_index()) return map.factors.front().first;
    const auto is_index = [&](std::string_view name) {
      return std::ranges::find(scope, name) != scope.end();
    };
    const auto falls = [&](const std::string& index) {
      return std::ranges::any_of(map.factors, [&](const auto& factor) {
        return factor.first == index && factor.second < 0;
      });
    };
    const std::string_view text = sink_.sources().Text(subscript.range);
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      const auto is_in_name = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
      };
      std::size_t end = i;
      while (end < text.size() && is_in_name(text[end])) ++end;
      if (end == i) {
        out += text[i++];
        continue;
      }
      const std::string word(text.substr(i, end - i));
      out += !is_index(word) ? word : falls(word) ? "0" : fmt::format("({} - 1)", word);
      i = end;
    }
    const bool is_sum = subscript.kind == Expr::Kind::kCall && subscript.text != "?" &&
                        !std::isalpha(static_cast<unsigned char>(subscript.text.front()));
    return (is_sum ? out : "(" + out + ")") + " + 1";
  }

  std::string SizeLine() const {
    std::vector<std::string> sizes;
    for (const std::string& index : indices_) {
      sizes.push_back(fmt::format("{} = {}", index, sizes_.find(index)->second));
    }
    for (const std::string& other : other_sizes_) {
      sizes.push_back(fmt::format("{} = {}", other, sizes_.find(other)->second));
    }
    return sizes.empty() ? "" : fmt::format("  size {}\n", fmt::join(sizes, ", "));
  }

  /// Scalars have different values, so that one that is taken for another is seen. Of bools there
  /// are two alone: beside these, a scalar is a number.
  std::string ScalarLine() const {
    const ir::TypeInfo& info = ir::InfoOf(TypeOfName({type_, {}}));
    const bool says_type = info.type != ir::Type::kF32 && info.type != ir::Type::kBool;
    std::string text;
    double value = info.is_integer() ? 2 : 1.5;
    for (const std::string& scalar : scalars_) {
      text += fmt::format("  scalar {}{} = {}\n", scalar,
                          says_type ? fmt::format(": {}", info.word) : "", value);
      if (info.is_integer()) {
        value = value < info.largest ? value + 1 : 2;
      } else {
        value = value > 0 ? -value / 2 : 1 - value;
      }
    }
    return text;
  }

  std::string InputLines() const {
    std::string text;
    for (const Input& input : inputs_) {
      std::vector<std::string> extents;
      for (const std::vector<Need>& needs : input.extents) {
        // Several indices alone should have one extent; the kernel's text says so if not.
        const auto is_plain = [](const Need& need) { return need.map.is_plain_index(); };
        extents.push_back(std::ranges::all_of(needs, is_plain) ? needs.front().text
                                                               : Largest(needs));
      }
      text += fmt::format("  input {}: {}{}\n", input.name, type_, InBrackets(extents));
    }
    return text;
  }
  /// In halves: few brackets lie in one another.
  static std::string Largest(std::span<const Need> needs) {
    if (needs.size() == 1) return needs.front().text;
    const std::size_t half = needs.size() / 2;
    return fmt::format("max({}, {})", Largest(needs.first(half)), Largest(needs.subspan(half)));
  }
  static std::string InBrackets(const std::vector<std::string>& items) {
    return items.empty() ? "" : fmt::format("[{}]", fmt::join(items, ", "));
  }

  std::string OutputLines() const {
    std::string text;
    for (const Statement& statement : statements_) {
      if (read_.count(statement.target.text) != 0) continue;
      std::vector<std::string> extents;
      for (const Expr& index : statement.indices) extents.push_back(index.text);
      const std::string& said = statement.type.text;
      text += fmt::format("  output {}: {}{}\n", statement.target.text, said.empty() ? type_ : said,
                          InBrackets(extents));
    }
    return text;
  }

  std::string StatementLines() const {
    std::string text;
    for (const Statement& statement : statements_) {
      text += fmt::format("  {}\n", sink_.sources().Text(statement.range));
    }
    return text;
  }

  const std::vector<Statement>& statements_;
  const std::string& type_;
  Sizes sizes_;
  dsl::DiagnosticSink& sink_;
  std::vector<std::string> indices_, other_sizes_, scalars_;
  std::vector<Input> inputs_;
  std::vector<Run> runs_;
  std::set<std::tuple<std::string, std::size_t, std::string>> moved_;  ///< In this statement.
  std::set<std::string> stated_, read_, all_indices_;
  bool is_good_ = true;
};

}  // namespace

std::optional<std::string> KernelOfStatements(std::uint32_t file, const std::string& name,
                                              const std::string& type, const Sizes& sizes,
                                              dsl::DiagnosticSink& sink) {
  const std::vector<Statement> statements = ParseStatements(file, sink);
  const std::string problem = ProblemOfType(type);
  if (!problem.empty()) sink.Report(Diag::kUnknownType, {file, 0, 0}, "--type: " + problem);
  if (sink.has_errors()) return std::nullopt;
  return Composer(statements, type, sizes, sink).Compose(name);
}

}  // namespace exh::kernels::notation
