// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <set>

#include "generator/emit.h"
#include "generator/names.h"
#include "generator/snippets.h"

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

/// // ---- Code 3, require square_tiles                                      tiny.exh:40
/// bool Code3(const Backbone& fun, const DimsItem& a, const DimsItem& b) {
///   return (a.size == b.size);
/// }
void EmitFunction(CodeWriter& out, const Plan& plan, std::size_t index) {
  const Code& code = plan.codes[index];
  out.Blank();
  out.Title(fmt::format("Code {}, {}", index, code.what), plan.At(code.snippet->range));
  std::vector<std::string> parameters = {"[[maybe_unused]] const Backbone& fun"};
  for (const int variable : Mentioned(*code.snippet)) {
    parameters.push_back(fmt::format("const {}& {}", plan.sets[code.scope[variable].set.set].item,
                                     LocalName(code.scope[variable].name)));
  }
  out.Call((code.predicate ? "bool " : "decltype(auto) ") + code.function, parameters, " {");
  const CodeWriter::Scope body(out, "}", 2);
  PrintAround(out, plan, "return (", *code.snippet, ");");
}

/// case 3:  // tiny.exh:40
///   return Code3(fun_, DimsItemOf(…), DimsItemOf(…));
/// case 4: {
///   static constexpr char kWhere[] = "tiny.exh:41: choice size";
///   const auto& value = Code4(fun_, DimsItemOf(…));
///   return runtime::NumbersOf(value, kWhere);
/// }
void EmitCase(CodeWriter& out, const Plan& plan, std::size_t index) {
  const Code& code = plan.codes[index];
  const std::string at = plan.At(code.snippet->range);
  std::vector<std::string> arguments = {"fun_"};
  for (const int variable : Mentioned(*code.snippet)) {
    arguments.push_back(ItemExpression(plan, code.scope, variable));
  }
  if (code.predicate) {
    out.Line("case {}:  // {}", index, at);
    const CodeWriter::Scope body = out.Indented();
    out.Call("return " + code.function, arguments, ";");
    return;
  }
  auto body = out.Block(fmt::format("case {}:", index));
  out.Assign("static constexpr char kWhere[]", Quoted(fmt::format("{}: {}", at, code.what)));
  out.Call("const auto& value = " + code.function, arguments, ";");
  out.Line("return runtime::NumbersOf(value, kWhere);");
}

/// bool SpaceHost::Test(runtime::CodeId code, std::span<const Object> scope) const {
///   switch (code) { … }
///   EXH_UNREACHABLE();
/// }
void EmitDispatch(CodeWriter& out, const Plan& plan, bool predicates) {
  const char* code = "[[maybe_unused]] runtime::CodeId code";
  const char* scope = "[[maybe_unused]] std::span<const Object> scope";
  out.Call(predicates ? "bool SpaceHost::Test" : "std::vector<std::uint32_t> SpaceHost::Numbers",
           {code, scope}, " const {");
  const CodeWriter::Scope body(out, "}", 2);
  bool any = false;
  for (const Code& each : plan.codes) any = any || each.predicate == predicates;
  if (any) {
    auto cases = out.Block("switch (code)");
    for (std::size_t i = 0; i < plan.codes.size(); ++i) {
      if (plan.codes[i].predicate == predicates) EmitCase(out, plan, i);
    }
  }
  out.Line("EXH_UNREACHABLE();");
}

}  // namespace

void EmitCodeFunctions(CodeWriter& out, const Plan& plan) {
  for (std::size_t i = 0; i < plan.codes.size(); ++i) EmitFunction(out, plan, i);
}

void EmitEvaluation(CodeWriter& out, const Plan& plan) {
  EmitDispatch(out, plan, true);
  out.Blank();
  EmitDispatch(out, plan, false);
}

}  // namespace exh::generator
