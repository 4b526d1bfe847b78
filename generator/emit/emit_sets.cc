// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "generator/emit/emit.h"
#include "generator/emit/snippets.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

using dsl::SetKey;

/// "const Backbone& fun, const TileDimsId& id, const DimsItem& l": `first` and the set's parameter.
std::vector<std::string> Parameters(const SpacePlan& plan, int set, const std::string& first,
                                    const std::string& parameter_type) {
  std::vector<std::string> parameters = {"[[maybe_unused]] const Backbone& fun"};
  if (!first.empty()) parameters.push_back("[[maybe_unused]] const " + first);
  const auto& parameter = plan.spec->sets[set].parameter;
  if (parameter) {
    parameters.push_back(
        fmt::format("[[maybe_unused]] const {}& {}", parameter_type, LocalName(parameter->name)));
  }
  return parameters;
}

std::string Text(const SpacePlan& plan, int set, SetKey key) {
  return "'" + plan.Key(set, key).text + "'";
}

/// The function of one key. Whatever the snippet yields is used before the full expression that it
/// is part of ends, so that it may refer to temporaries: `$fun.plan().jobs()` with `plan()` by
/// value.
struct KeyFunction {
  SetKey key;
  const char* name = "";  ///< "id_getter".
  std::string function;
  std::vector<std::string> parameters;
  std::string result;     ///< "DimsId"; "auto" when a function `use` gets what the snippet yields.
  std::string value;      ///< "const auto&", or "auto&&" for ranges: some have no const begin().
  std::string condition;  ///< Of the type Yield.
  std::string must;       ///< "yield a range of 'Dim'".
  std::vector<std::string> body;  ///< What becomes of exh_value.
};

/// // ---- Dims.id_getter                                                      tiny.exh:7
/// DimsId DimsIdOf(const Backbone& fun, const DimsItem& item) {
///   const auto exh_yield = [&](const auto& exh_value) -> DimsId {
///     static_assert(std::convertible_to<decltype(exh_value), DimsId>,
///                   "tiny.exh:7: id_getter of set Dims"
///                   " must yield 'ir::DimId'");
///     return exh_value;
///   };
///   return exh_yield((item.id));
/// }
void EmitFunction(CodeWriter& out, const SpacePlan& plan, int set, const KeyFunction& key) {
  const dsl::Snippet& snippet = plan.Key(set, key.key);
  const std::string of = fmt::format("{} of set {}", key.name, plan.spec->sets[set].name);
  const bool uses = key.result == "auto";
  out.Blank();
  out.Title(fmt::format("{}.{}", plan.spec->sets[set].name, key.name), plan.At(snippet.range));
  if (uses) out.Line("template <typename ExhUse>");
  std::vector<std::string> parameters = key.parameters;
  if (uses) parameters.emplace_back("const ExhUse& exh_use");
  out.Call(fmt::format("[[maybe_unused]] {} {}", key.result, key.function), parameters, " {");
  const CodeWriter::Scope body(out, "}", 2);
  {
    const std::string result = uses ? "" : " -> " + key.result;
    const auto yield = out.Block(
        fmt::format("const auto exh_yield = [&]({} exh_value){}", key.value, result), ";");
    out.Line("static_assert({},", key.condition);
    out.Line("              {}", Quoted(fmt::format("{}: {}", plan.At(snippet.range), of)));
    out.Line("              {});", Quoted(" must " + key.must));
    for (const std::string& line : key.body) out.Text(line);
  }
  PrintAround(out, plan, "return exh_yield((", snippet, "));");
}

/// The keys that yield an item, an id and a pointer to an item.
void EmitObjectKeys(CodeWriter& out, const SpacePlan& plan, int index,
                    const std::string& owner_item, const std::vector<SetKey>& own) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  const auto is_own = [&own](SetKey key) { return std::ranges::find(own, key) != own.end(); };
  if (is_own(SetKey::kItemGetter)) {
    EmitFunction(out, plan, index,
                 {SetKey::kItemGetter,
                  "item_getter",
                  names.item + "Of",
                  Parameters(plan, index, names.id + "& id", owner_item),
                  "auto",
                  "const auto&",
                  fmt::format("std::convertible_to<decltype(exh_value), const {}&>", names.item),
                  "yield " + Text(plan, index, SetKey::kItemType),
                  {"return exh_use(exh_value);"}});
  }
  if (is_own(SetKey::kIdGetter)) {
    EmitFunction(out, plan, index,
                 {SetKey::kIdGetter,
                  "id_getter",
                  names.id + "Of",
                  Parameters(plan, index, names.item + "& item", owner_item),
                  names.id,
                  "const auto&",
                  fmt::format("std::convertible_to<decltype(exh_value), {}>", names.id),
                  "yield " + Text(plan, index, SetKey::kIdType),
                  {"return exh_value;"}});
  }
  if (is_own(SetKey::kFromSuperset) && set.superset && !set.is_quotient) {
    EmitFunction(
        out, plan, index,
        {SetKey::kFromSuperset,
         "from_superset",
         names.name + "FromSuperset",
         Parameters(plan, index, plan.sets[set.superset->set].item + "& item", owner_item),
         "bool",
         "const auto&",
         fmt::format("::exh::runtime::MaybeItem<decltype(exh_value), {}>", names.item),
         "yield a pointer to " + Text(plan, index, SetKey::kItemType) + ", null for no member",
         {"return static_cast<bool>(exh_value);"}});
  }
}

/// A key that yields a range: `use` gets the elements, one after the other.
void EmitRangeKey(CodeWriter& out, const SpacePlan& plan, int index, SetKey key,
                  const char* key_name, const std::string& function,
                  std::vector<std::string> parameters, int of) {
  EmitFunction(out, plan, index,
               {key,
                key_name,
                function,
                std::move(parameters),
                "auto",
                "auto&&",
                fmt::format("::exh::runtime::RangeOf<decltype(exh_value), {}>", plan.sets[of].item),
                "yield a range of " + Text(plan, of, SetKey::kItemType),
                {"for (const auto& exh_element : exh_value) exh_use(exh_element);"}});
}

/// Checked by the compiler, and never run.
void EmitAddToSet(CodeWriter& out, const SpacePlan& plan, int index, const std::string& owner_id) {
  const SetNames& names = plan.sets[index];
  const dsl::Snippet& snippet = plan.Key(index, SetKey::kAddToSet);
  out.Blank();
  out.Title(plan.spec->sets[index].name + ".add_to_set", plan.At(snippet.range));
  out.Call("[[maybe_unused]] void AddTo" + names.name,
           Parameters(plan, index, names.id + "& item", owner_id), " {");
  const CodeWriter::Scope body(out, "}", 2);
  PrintAround(out, plan, "static_cast<void>(", snippet, ");");
}

void EmitOneSet(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  const std::string owner_item = set.parameter ? plan.sets[set.parameter->set.set].item : "";
  const std::string owner_id = set.parameter ? plan.sets[set.parameter->set.set].id : "";
  std::vector<SetKey> own;
  for (const SetKey key : {SetKey::kItemGetter, SetKey::kIdGetter, SetKey::kAddToSet,
                           SetKey::kIterator, SetKey::kFromSuperset}) {
    if (plan.FindKey(index, key) != nullptr && plan.KeyOwner(index, key) == index) {
      own.push_back(key);
    }
  }
  EmitObjectKeys(out, plan, index, owner_item, own);
  const auto is_own = [&own](SetKey key) { return std::ranges::find(own, key) != own.end(); };
  if (set.is_quotient) {
    if (is_own(SetKey::kAddToSet)) EmitAddToSet(out, plan, index, owner_id);
    return;
  }
  if (is_own(SetKey::kIterator)) {
    EmitRangeKey(out, plan, index, SetKey::kIterator, "iterator", "Iterate" + names.name,
                 Parameters(plan, index, "", owner_item), index);
  }
  if (set.reverse_variable) {
    const dsl::Variable& variable = *set.reverse_variable;
    EmitRangeKey(out, plan, index, SetKey::kReverse, "reverse", names.name + "Reverse",
                 {"[[maybe_unused]] const Backbone& fun",
                  fmt::format("[[maybe_unused]] const {}& {}", plan.sets[variable.set.set].item,
                              LocalName(variable.name))},
                 set.parameter->set.set);
  }
}

/// static_assert(std::totally_ordered<DimsId>,
///               "tiny.exh:7: id_type of set Dims"
///               " must have a total order");
void EmitAssert(CodeWriter& out, const SpacePlan& plan, int set, SetKey key, const char* key_name,
                const std::string& condition, const std::string& must) {
  const dsl::Snippet* snippet = plan.FindKey(set, key);
  if (snippet == nullptr || plan.KeyOwner(set, key) != set) return;
  out.Line("static_assert({},", condition);
  out.Line("              {}", Quoted(fmt::format("{}: {} of set {}", plan.At(snippet->range),
                                                  key_name, plan.spec->sets[set].name)));
  out.Line("              {});", Quoted(" must " + must));
}

/// What a quotient set is made of is kept by the engine; its items are those of its superset.
void EmitQuotientAsserts(CodeWriter& out, const SpacePlan& plan, int index) {
  const SetNames& names = plan.sets[index];
  const int base = plan.HostSet(index);
  EmitAssert(out, plan, index, SetKey::kItemType, "item_type",
             fmt::format("std::same_as<{}, {}>", names.item, plan.sets[base].item),
             "be " + Text(plan, base, SetKey::kItemType) + ", as in the set it is a quotient of");
  EmitAssert(out, plan, index, SetKey::kIdType, "id_type",
             fmt::format("std::same_as<{}, {}>", names.id, plan.sets[base].id),
             "be " + Text(plan, base, SetKey::kIdType) + ", as in the set it is a quotient of");
}

/// What is known of the types alone; what the snippets yield is checked where they stand.
void EmitAsserts(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  out.Blank();
  EmitAssert(out, plan, index, SetKey::kIdType, "id_type",
             fmt::format("std::totally_ordered<{}>", names.id), "have a total order");
  if (set.is_quotient) {
    EmitQuotientAsserts(out, plan, index);
  } else if (set.superset) {
    const int super = set.superset->set;
    EmitAssert(out, plan, index, SetKey::kIdType, "id_type",
               fmt::format("std::convertible_to<{}, {}>", names.id, plan.sets[super].id),
               "convert to " + Text(plan, super, SetKey::kIdType) + ", the ids of its superset");
  }
}

}  // namespace

void EmitTypes(CodeWriter& out, const SpacePlan& plan) {
  out.Line(
      "// The types that the .exh names. They stand here, and the snippets in the same namespace,");
  out.Line("// so that no name of ours hides one that the .exh means.");
  auto types = out.Namespace(plan.outside);
  out.Line("using Backbone = {};", plan.spec->host->backbone.text);
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    const int set = static_cast<int>(i);
    out.Line("using {} = {};", plan.sets[i].id, plan.Key(set, SetKey::kIdType).text);
    out.Line("using {} = {};", plan.sets[i].item, plan.Key(set, SetKey::kItemType).text);
  }
}

void EmitSetTypes(CodeWriter& out, const SpacePlan& plan) {
  out.Title("Sets", "");
  out.Line("/// What `$fun` is in the snippets.");
  out.Line("using Backbone = {}::Backbone;", plan.outside);
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    const dsl::Set& set = plan.spec->sets[i];
    out.Blank();
    out.Doc(set.doc.empty() ? set.name : set.doc, plan.At(set.range));
    out.Line("using {0} = {1}::{0};", plan.sets[i].id, plan.outside);
    out.Line("using {0} = {1}::{0};", plan.sets[i].item, plan.outside);
  }
}

void EmitNumbers(CodeWriter& out, const SpacePlan& plan) {
  const auto number = [&](const char* name, const auto& things) {
    out.Line("/// Numbers of the {} in GetSpace().", name);
    auto space = out.Namespace(name);
    for (std::size_t i = 0; i < things.size(); ++i) {
      out.Line("inline constexpr int {} = {};", things[i].name, i);
    }
  };
  number("choices", plan.choices);
  out.Blank();
  number("sets", plan.sets);
}

void EmitTypeChecks(CodeWriter& out, const SpacePlan& plan) {
  if (!plan.options.line_directives) return;
  out.Line(
      "// The types that the .exh names come before everything else, so that a mistake in one");
  out.Line("// is reported there.");
  PrintAround(out, plan, "static_assert(sizeof(", plan.spec->host->backbone, ") > 0);");
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    const int set = static_cast<int>(i);
    for (const SetKey key : {SetKey::kItemType, SetKey::kIdType}) {
      if (plan.KeyOwner(set, key) != set) continue;
      PrintAround(out, plan, "static_assert(sizeof(", plan.Key(set, key), ") > 0);");
    }
  }
}

void EmitSetFunctions(CodeWriter& out, const SpacePlan& plan) {
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    EmitOneSet(out, plan, static_cast<int>(i));
    EmitAsserts(out, plan, static_cast<int>(i));
  }
}

}  // namespace exh::generator
