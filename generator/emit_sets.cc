// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "generator/emit.h"
#include "generator/names.h"
#include "generator/snippets.h"

namespace exh::generator {
namespace {

using dsl::SetKey;

/// "const Backbone& fun, const TileDimsId& id, const DimsItem& l": `first` and the set's parameter.
std::vector<std::string> Parameters(const Plan& plan, int set, const std::string& first,
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

/// // Dims.item_getter                                                        tiny.exh:6
/// decltype(auto) DimsItemOf(const Backbone& fun, const DimsId& id) {
///   return (fun.dim(id));
/// }
void EmitFunction(CodeWriter& out, const Plan& plan, int set, SetKey key, const char* key_name,
                  const std::string& function, const std::vector<std::string>& parameters) {
  const dsl::Snippet& snippet = plan.Key(set, key);
  out.Blank();
  out.Title(fmt::format("{}.{}", plan.spec->sets[set].name, key_name), plan.At(snippet.range));
  out.Call("[[maybe_unused]] decltype(auto) " + function, parameters, " {");
  const CodeWriter::Scope body(out, "}", 2);
  PrintAround(out, plan, "return (", snippet, ");");
}

void EmitOneSet(CodeWriter& out, const Plan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  const std::string owner_item = set.parameter ? plan.sets[set.parameter->set.set].item : "";
  const std::string owner_id = set.parameter ? plan.sets[set.parameter->set.set].id : "";
  const auto function = [&](SetKey key, const char* key_name, const std::string& name,
                            const std::string& first, const std::string& owner) {
    if (plan.FindKey(index, key) == nullptr || plan.KeyOwner(index, key) != index) return;
    EmitFunction(out, plan, index, key, key_name, name, Parameters(plan, index, first, owner));
  };
  function(SetKey::kItemGetter, "item_getter", names.item + "Of", names.id + "& id", owner_item);
  function(SetKey::kIdGetter, "id_getter", names.id + "Of", names.item + "& item", owner_item);
  if (set.is_quotient) {
    function(SetKey::kAddToSet, "add_to_set", "AddTo" + names.name, names.id + "& item", owner_id);
    return;
  }
  function(SetKey::kIterator, "iterator", "Iterate" + names.name, "", owner_item);
  if (set.superset) {
    function(SetKey::kFromSuperset, "from_superset", names.name + "FromSuperset",
             plan.sets[set.superset->set].item + "& item", owner_item);
  }
  if (set.reverse_variable) {
    const dsl::Variable& variable = *set.reverse_variable;
    EmitFunction(out, plan, index, SetKey::kReverse, "reverse", names.name + "Reverse",
                 {"[[maybe_unused]] const Backbone& fun",
                  fmt::format("[[maybe_unused]] const {}& {}", plan.sets[variable.set.set].item,
                              LocalName(variable.name))});
  }
}

/// static_assert(std::convertible_to<ResultOf<DimsIdOf>, DimsId>,
///               "tiny.exh:7: id_getter of set Dims"
///               " must yield 'ir::DimId'");
void EmitAssert(CodeWriter& out, const Plan& plan, int set, SetKey key, const char* key_name,
                const std::string& condition, const std::string& must) {
  const dsl::Snippet* snippet = plan.FindKey(set, key);
  if (snippet == nullptr || plan.KeyOwner(set, key) != set) return;
  out.Line("static_assert({},", condition);
  out.Line("              {}", Quoted(fmt::format("{}: {} of set {}", plan.At(snippet->range),
                                                  key_name, plan.spec->sets[set].name)));
  out.Line("              {});", Quoted(" must " + must));
}

std::string Text(const Plan& plan, int set, SetKey key) {
  return "'" + plan.Key(set, key).text + "'";
}

/// What a quotient set is made of is kept by the engine; its items are those of its superset.
void EmitQuotientAsserts(CodeWriter& out, const Plan& plan, int index) {
  const SetNames& names = plan.sets[index];
  const int base = plan.HostSet(index);
  EmitAssert(out, plan, index, SetKey::kItemType, "item_type",
             fmt::format("std::same_as<{}, {}>", names.item, plan.sets[base].item),
             "be " + Text(plan, base, SetKey::kItemType) + ", as in the set it is a quotient of");
  EmitAssert(out, plan, index, SetKey::kIdType, "id_type",
             fmt::format("std::same_as<{}, {}>", names.id, plan.sets[base].id),
             "be " + Text(plan, base, SetKey::kIdType) + ", as in the set it is a quotient of");
}

void EmitSubsetAsserts(CodeWriter& out, const Plan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  if (set.superset) {
    const int super = set.superset->set;
    EmitAssert(out, plan, index, SetKey::kIdType, "id_type",
               fmt::format("std::convertible_to<{}, {}>", names.id, plan.sets[super].id),
               "convert to " + Text(plan, super, SetKey::kIdType) + ", the ids of its superset");
    EmitAssert(
        out, plan, index, SetKey::kFromSuperset, "from_superset",
        fmt::format("runtime::MaybeItem<ResultOf<{}FromSuperset>, {}>", names.name, names.item),
        "yield a pointer to " + Text(plan, index, SetKey::kItemType) + ", null for no member");
  }
  if (set.reverse_variable) {
    const int owner = set.parameter->set.set;
    EmitAssert(
        out, plan, index, SetKey::kReverse, "reverse",
        fmt::format("runtime::RangeOf<ResultOf<{}Reverse>, {}>", names.name, plan.sets[owner].item),
        "yield a range of " + Text(plan, owner, SetKey::kItemType));
  }
}

void EmitAsserts(CodeWriter& out, const Plan& plan, int index) {
  const SetNames& names = plan.sets[index];
  const std::string item_type = Text(plan, index, SetKey::kItemType);
  out.Blank();
  EmitAssert(out, plan, index, SetKey::kItemGetter, "item_getter",
             fmt::format("std::convertible_to<ResultOf<{0}Of>, const {0}&>", names.item),
             "yield " + item_type);
  EmitAssert(out, plan, index, SetKey::kIdGetter, "id_getter",
             fmt::format("std::convertible_to<ResultOf<{0}Of>, {0}>", names.id),
             "yield " + Text(plan, index, SetKey::kIdType));
  EmitAssert(out, plan, index, SetKey::kIdType, "id_type",
             fmt::format("std::totally_ordered<{}>", names.id), "have a total order");
  if (plan.spec->sets[index].is_quotient) {
    EmitQuotientAsserts(out, plan, index);
    return;
  }
  EmitAssert(out, plan, index, SetKey::kIterator, "iterator",
             fmt::format("runtime::RangeOf<ResultOf<Iterate{}>, {}>", names.name, names.item),
             "yield a range of " + item_type);
  EmitSubsetAsserts(out, plan, index);
}

}  // namespace

void EmitSetNames(CodeWriter& out, const Plan& plan) {
  out.Title("Sets", "");
  out.Line("/// What `$fun` is in the snippets.");
  out.Line("using Backbone = {};", plan.spec->host->backbone.text);
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    const dsl::Set& set = plan.spec->sets[i];
    out.Blank();
    out.Doc(set.doc.empty() ? set.name : set.doc, plan.At(set.range));
    out.Line("using {} = {};", plan.sets[i].id,
             plan.Key(static_cast<int>(i), SetKey::kIdType).text);
    out.Line("using {} = {};", plan.sets[i].item,
             plan.Key(static_cast<int>(i), SetKey::kItemType).text);
  }
  out.Blank();
  out.Line("/// Numbers of the sets in GetSpace().");
  auto space = out.Namespace("sets");
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    out.Line("inline constexpr int {} = {};", plan.sets[i].name, i);
  }
}

void EmitTypeChecks(CodeWriter& out, const Plan& plan) {
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

void EmitSetFunctions(CodeWriter& out, const Plan& plan) {
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    EmitOneSet(out, plan, static_cast<int>(i));
    EmitAsserts(out, plan, static_cast<int>(i));
  }
}

}  // namespace exh::generator
