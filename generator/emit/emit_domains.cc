// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "generator/emit/emit.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

const char* StorageOf(std::size_t num_values) {
  if (num_values <= 8) return "std::uint8_t";
  if (num_values <= 16) return "std::uint16_t";
  return num_values <= 32 ? "std::uint32_t" : "std::uint64_t";
}

/// enum class DimKind : std::uint8_t {
///   LOOP = 1 << 0,
/// };
void EmitEnum(CodeWriter& out, const SpacePlan& plan, const dsl::Choice& choice,
              const ChoiceNames& names) {
  out.Doc(choice.doc.empty() ? choice.name : choice.doc, plan.At(choice.range));
  {
    auto body = out.Block(
        fmt::format("enum class {} : {}", names.camel, StorageOf(choice.values.size())), ";");
    for (std::size_t i = 0; i < choice.values.size(); ++i) {
      if (!choice.values[i].doc.empty()) out.Doc(choice.values[i].doc, "");
      const char* one = i < 31 ? "1" : "std::uint64_t{1}";
      out.Line("{} = {} << {},", names.values[i], one, i);
    }
  }
}

/// namespace dim_kind_aliases {
/// inline constexpr DimKindDomain PARALLEL = DimKind::BLOCK | DimKind::THREAD;
/// }
void EmitAliases(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Choice& choice = plan.spec->choices[index];
  const ChoiceNames& names = plan.choices[index];
  if (choice.aliases.empty()) return;
  out.Line("/// Names of several values of {}.", choice.name);
  auto space = out.Namespace(names.name + "_aliases");
  for (std::size_t i = 0; i < choice.aliases.size(); ++i) {
    const dsl::Alias& alias = choice.aliases[i];
    out.Doc(alias.doc, plan.At(alias.range));
    out.Line("inline constexpr {} {} = {};", names.domain, names.aliases[i],
             ValuesOf(plan, index, alias.values));
  }
}

/// std::string_view ToString(DimKind value) {
///   switch (value) {
///     case DimKind::LOOP:
///       return "LOOP";
///   }
///   return "?";
/// }
void EmitToStringOf(CodeWriter& out, const dsl::Choice& choice, const ChoiceNames& names) {
  {
    auto body = out.Block(fmt::format("std::string_view ToString({} value)", names.camel));
    {
      auto cases = out.Block("switch (value)");
      for (std::size_t i = 0; i < choice.values.size(); ++i) {
        out.Line("case {}::{}:", names.camel, names.values[i]);
        const auto indented = out.Indented();
        out.Line("return {};", Quoted(choice.values[i].name));
      }
    }
    out.Line("return \"?\";");
  }
  out.Blank();
  auto body = out.Block(fmt::format("std::string ToString({} domain)", names.domain));
  out.Line("std::string text;");
  {
    auto loop = out.Block(fmt::format("for (const {} value : domain)", names.camel));
    out.Line("if (!text.empty()) text += \" | \";");
    out.Line("text += ToString(value);");
  }
  out.Line("return text;");
}

}  // namespace

void EmitEnums(CodeWriter& out, const SpacePlan& plan) {
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    if (plan.spec->choices[i].kind != dsl::ChoiceKind::kEnum) continue;
    out.Blank();
    EmitEnum(out, plan, plan.spec->choices[i], plan.choices[i]);
  }
}

/// template <>
/// struct exh::runtime::EnumTraits<exh::spaces::tiny::DimKind> {
///   static constexpr Bits kAll = 0x7;
/// };
void EmitEnumTraits(CodeWriter& out, const SpacePlan& plan) {
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    const dsl::Choice& choice = plan.spec->choices[i];
    if (choice.kind != dsl::ChoiceKind::kEnum) continue;
    out.Line("template <>");
    auto body = out.Block(fmt::format("struct exh::runtime::EnumTraits<exh::spaces::{}::{}>",
                                      plan.space, plan.choices[i].camel),
                          ";");
    out.Line("static constexpr Bits kAll = {:#x};", AllValues(choice));
  }
}

/// using DimKindDomain = runtime::EnumDomain<DimKind>;
/// constexpr DimKindDomain operator|(DimKind a, DimKind b) { return DimKindDomain(a) | b; }
void EmitDomains(CodeWriter& out, const SpacePlan& plan) {
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    if (plan.spec->choices[i].kind != dsl::ChoiceKind::kEnum) continue;
    const ChoiceNames& names = plan.choices[i];
    out.Blank();
    out.Line("using {} = runtime::EnumDomain<{}>;", names.domain, names.camel);
    {
      auto body = out.Block(
          fmt::format("constexpr {0} operator|({1} a, {1} b)", names.domain, names.camel));
      out.Line("return {}(a) | b;", names.domain);
    }
    out.Line("/// As in the .exh: \"A\" and \"A | B\".");
    out.Line("std::string_view ToString({} value);", names.camel);
    out.Line("std::string ToString({} domain);", names.domain);
    EmitAliases(out, plan, static_cast<int>(i));
  }
}

void EmitToString(CodeWriter& out, const SpacePlan& plan) {
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    if (plan.spec->choices[i].kind != dsl::ChoiceKind::kEnum) continue;
    EmitToStringOf(out, plan.spec->choices[i], plan.choices[i]);
    out.Blank();
  }
}

}  // namespace exh::generator
