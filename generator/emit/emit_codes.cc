// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/emit/emit.h"
#include "generator/emit/snippets.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

/// The variables of the scope that the snippet mentions, in scope order.
std::set<int> Mentioned(const dsl::Snippet& snippet) {
  std::set<int> mentioned;
  for (const dsl::SnippetVariable& variable : snippet.variables) {
    if (variable.variable >= 0) mentioned.insert(variable.variable);
  }
  return mentioned;
}

/// const auto exh_yield = [&](const auto& exh_value) {
///   using Value = std::remove_cvref_t<decltype(exh_value)>;
///   static_assert(std::same_as<Value, bool>, "tiny.exh:40: extern is_hot" " must yield a bool");
///   return exh_value;
/// };
void EmitYield(CodeWriter& out, const SpacePlan& plan, const Code& code) {
  const bool predicate = code.yields == Code::Yields::kBool;
  const bool integer = code.yields == Code::Yields::kInteger;
  const auto yield = out.Block("const auto exh_yield = [&](const auto& exh_value)", ";");
  if (code.external != nullptr || integer) {
    const dsl::SourceRange& place =
        code.external != nullptr ? code.external->range : code.snippet->range;
    out.Line("using Value = std::remove_cvref_t<decltype(exh_value)>;");
    out.Line("static_assert({},", predicate ? "std::same_as<Value, bool>"
                                            : "std::integral<Value> && !std::same_as<Value, bool>");
    out.Line("              {}", Quoted(fmt::format("{}: {}", plan.At(place), code.what)));
    out.Line("              {});", Quoted(predicate ? " must yield a bool"
                                          : integer ? " must yield an integer"
                                                    : " must yield a number"));
  }
  if (predicate) {
    out.Line("return exh_value;");
    return;
  }
  out.Assign("static constexpr char kWhere[]",
             Quoted(fmt::format("{}: {}", plan.At(code.snippet->range), code.what)));
  if (integer) {
    out.Line("const auto exh_number = +exh_value;  // At least an int.");
    const CodeWriter::Scope large = out.Block("if (!std::in_range<std::int64_t>(exh_number))");
    out.Line("throw ::exh::runtime::HostError(kWhere, \"yields a number beyond 64 bits\");");
  }
  if (integer) {
    out.Line("return static_cast<std::int64_t>(exh_number);");
    return;
  }
  out.Line("return ::exh::runtime::{}(exh_value, kWhere);",
           code.single ? "OneNumberOf" : "NumbersOf");
}

/// // ---- Code 3, require square_tiles                                      tiny.exh:40
/// bool Code3(const Backbone& fun, const DimsItem& a, const DimsItem& b) {
///   return (a.size == b.size);
/// }
/// Numbers are read, and a pointer is followed, before the full expression of the snippet ends:
/// what it yields may refer to temporaries.
void EmitFunction(CodeWriter& out, const SpacePlan& plan, std::size_t index) {
  const Code& code = plan.codes[index];
  const bool item = code.yields == Code::Yields::kItem;
  const bool predicate = code.yields == Code::Yields::kBool;
  out.Blank();
  out.Title(fmt::format("Code {}, {}", index, code.what), plan.At(code.snippet->range));
  std::vector<std::string> parameters = {"[[maybe_unused]] const Backbone& fun"};
  for (const int variable : Mentioned(*code.snippet)) {
    parameters.push_back(fmt::format("const {}& {}", plan.sets[code.scope[variable].set.set].item,
                                     LocalName(code.scope[variable].name)));
  }
  if (item) {
    out.Line("template <typename ExhUse>");
    parameters.emplace_back("const ExhUse& exh_use");
  }
  const bool integer = code.yields == Code::Yields::kInteger;
  const std::string type = predicate ? "bool "
                           : item    ? "auto "
                           : integer ? "std::int64_t "
                                     : "std::vector<std::uint32_t> ";
  out.Call(type + code.function, parameters, " {");
  const CodeWriter::Scope body(out, "}", 2);
  if (predicate && code.external == nullptr) {
    PrintAround(out, plan, "return (", *code.snippet, ");");
    return;
  }
  if (!item) EmitYield(out, plan, code);
  PrintAround(out, plan, item ? "return exh_use((" : "return exh_yield((", *code.snippet, "));");
}

/// The number of the item that a dynamic predicate yielded.
void EmitFound(CodeWriter& out, const SpacePlan& plan, const Code& code) {
  const int set = code.external->present->set;
  const int root = plan.spec->sets[set].root;
  out.Line("static_assert(runtime::MaybeItem<decltype(value), {}>,", plan.sets[set].item);
  out.Line("              {}",
           Quoted(fmt::format("{}: {}", plan.At(code.external->range), code.what)));
  out.Line("              {});", Quoted(fmt::format(" must yield a pointer to an item of set {}",
                                                    plan.spec->sets[set].name)));
  out.Line("if (!static_cast<bool>(value)) return runtime::kNoObject;");
  out.Line("const {}& item = *value;", plan.sets[set].item);
  out.Line("return {}.Number(snippets::{}(fun_, item), kWhere);", plan.sets[root].objects,
           plan.IdFunction(set));
}

/// case 3:  // tiny.exh:40
///   return snippets::DimsItemOf(fun_, dims_.id(scope[0]), [&](const DimsItem& item0) {
///     return snippets::Code3(fun_, item0);
///   });
void EmitCase(CodeWriter& out, const SpacePlan& plan, std::size_t index) {
  const Code& code = plan.codes[index];
  const std::string at = plan.At(code.snippet->range);
  const bool found = code.yields == Code::Yields::kItem;
  out.Line("case {}: {{  // {}", index, at);
  const CodeWriter::Scope body(out, "}", 2);
  if (found) {
    out.Assign("[[maybe_unused]] static constexpr char kWhere[]",
               Quoted(fmt::format("{}: {}", at, code.what)));
  }
  ItemScope items(out, plan);
  std::vector<std::string> arguments = {"fun_"};
  for (const int variable : Mentioned(*code.snippet)) {
    items.OpenVariable("return ", code.scope, variable);
    arguments.push_back(fmt::format("item{}", variable));
  }
  if (!found) {
    out.Call(fmt::format("return snippets::{}", code.function), arguments, ";");
    return;
  }
  const auto use = out.CallWith(fmt::format("return snippets::{}", code.function), arguments,
                                "[&](const auto& value) -> Object");
  EmitFound(out, plan, code);
}

/// bool SpaceHost::Test(runtime::CodeId code, std::span<const Object> scope) const {
///   switch (code) { … }
///   EXH_UNREACHABLE();
/// }
void EmitDispatch(CodeWriter& out, const SpacePlan& plan, const char* function,
                  Code::Yields yields) {
  const char* code = "[[maybe_unused]] runtime::CodeId code";
  const char* scope = "[[maybe_unused]] std::span<const Object> scope";
  out.Call(function, {code, scope}, " const {");
  const CodeWriter::Scope body(out, "}", 2);
  bool any = false;
  for (const Code& each : plan.codes) any = any || each.yields == yields;
  if (any) {
    auto cases = out.Block("switch (code)");
    for (std::size_t i = 0; i < plan.codes.size(); ++i) {
      if (plan.codes[i].yields == yields) EmitCase(out, plan, i);
    }
  }
  out.Line("EXH_UNREACHABLE();");
}

}  // namespace

bool HasIntegers(const SpacePlan& plan) {
  return std::any_of(plan.codes.begin(), plan.codes.end(),
                     [](const Code& code) { return code.yields == Code::Yields::kInteger; });
}

bool HasDynamicPredicates(const dsl::Spec& spec) {
  return std::any_of(spec.externals.begin(), spec.externals.end(),
                     [](const dsl::External& external) { return external.present.has_value(); });
}

void EmitCodeFunctions(CodeWriter& out, const SpacePlan& plan) {
  for (std::size_t i = 0; i < plan.codes.size(); ++i) EmitFunction(out, plan, i);
}

void EmitEvaluation(CodeWriter& out, const SpacePlan& plan) {
  EmitDispatch(out, plan, "bool SpaceHost::Test", Code::Yields::kBool);
  out.Blank();
  EmitDispatch(out, plan, "std::vector<std::uint32_t> SpaceHost::Numbers", Code::Yields::kNumbers);
  if (HasIntegers(plan)) {
    out.Blank();
    EmitDispatch(out, plan, "std::int64_t SpaceHost::Integer", Code::Yields::kInteger);
  }
  if (!HasDynamicPredicates(*plan.spec)) return;
  out.Blank();
  EmitDispatch(out, plan, "runtime::Object SpaceHost::FindObject", Code::Yields::kItem);
}

}  // namespace exh::generator
