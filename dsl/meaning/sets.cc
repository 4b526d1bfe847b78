// SPDX-License-Identifier: MIT
//
// Sets: parameters, supersets, keys, and the variables that range over them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "base/spelling.h"
#include "dsl/meaning/names.h"
#include "dsl/meaning/snippet.h"
#include "dsl/syntax/print.h"
#include "dsl/syntax/words.h"

namespace exh::dsl {
namespace {

// The words of the language that may stand in the snippet of a key: docs/dsl.md, the table of keys.
std::vector<std::string> KeyWords(SetKey key) {
  switch (key) {
    case SetKey::kItemGetter:
      return {"fun", "id"};
    case SetKey::kIdGetter:
    case SetKey::kFromSuperset:
    case SetKey::kAddToSet:
      return {"fun", "item"};
    case SetKey::kIterator:
    case SetKey::kReverse:
      return {"fun"};
    case SetKey::kNewObjs:
      return {"objs"};
    case SetKey::kItemType:
    case SetKey::kIdType:
    case SetKey::kVarPrefix:
      return {};
  }
  return {};
}

// Whether the snippet of a key may also name the parameter of its set.
bool SeesParameter(SetKey key) {
  return key == SetKey::kItemGetter || key == SetKey::kIterator || key == SetKey::kFromSuperset ||
         key == SetKey::kAddToSet;
}

void CheckNotBackbone(const ast::Name& name, Resolution& r) {
  if (name.text != "fun") return;
  r.sink.Report(Diag::kReservedVariable, name.range,
                "'$fun' is the backbone; give the variable another name");
}

void DeclareLocal(const ast::VarDef& def, Resolution& r) {
  if (r.names == nullptr) return;
  r.Use(def.name.range, def.name.range);
  r.names->locals.push_back({def.name.range, Print(def)});
}

void DefineReverseVariable(const ast::Key& key, const Scope& parameter, Set& set, Resolution& r) {
  if (!key.forall) {
    r.sink.Report(Diag::kReverseWithoutVariable, key.word.range,
                  "'reverse' needs a variable: reverse forall $x in Superset = \"…\"");
    return;
  }
  CheckNotBackbone(key.forall->name, r);
  Variable variable{key.forall->name.text, ResolveSetRef(key.forall->set, parameter, r),
                    key.forall->name.range};
  DeclareLocal(*key.forall, r);
  set.reverse_variable = variable;
}

void DefineKeys(const std::vector<ast::Key>& keys, Set& set, Resolution& r) {
  const Scope parameter = set.parameter ? Scope{*set.parameter} : Scope{};
  std::map<std::string, SourceRange> seen;
  for (const ast::Key& key : keys) {
    const auto word = std::ranges::find(kSetKeyWords, key.word.text);
    if (word == kSetKeyWords.end()) {
      r.sink.Report(
          Diag::kUnknownSetKey, key.word.range,
          fmt::format("unknown key '{}' in set '{}'{}", key.word.text, set.name,
                      DidYouMean(key.word.text, {kSetKeyWords.begin(), kSetKeyWords.end()})));
      continue;
    }
    const auto [first, fresh] = seen.emplace(key.word.text, key.word.range);
    if (!fresh) {
      r.sink
          .Report(Diag::kRepeatedSetKey, key.word.range,
                  fmt::format("key '{}' is given twice in set '{}'", key.word.text, set.name))
          .WithNote(first->second, "given here");
      continue;
    }
    const auto id = static_cast<SetKey>(word - kSetKeyWords.begin());
    Scope scope = SeesParameter(id) ? parameter : Scope{};
    if (id == SetKey::kReverse) {
      DefineReverseVariable(key, parameter, set, r);
      if (set.reverse_variable) scope = {*set.reverse_variable};
    } else if (key.forall) {
      r.sink.Report(
          Diag::kForallOnKey, key.forall->name.range,
          fmt::format("'forall' is allowed after 'reverse' only, not after '{}'", key.word.text));
    }
    set.keys[static_cast<std::size_t>(id)] =
        ResolveSnippet(key.code, KeyWords(id), scope, r.sink, r.names);
  }
}

void DefineParameter(const ast::VarDef& def, Set& set, Resolution& r) {
  for (const std::string_view word : {"fun", "id", "item", "objs"}) {
    if (def.name.text != word || (set.given && word != "fun")) continue;  // It has no keys.
    r.sink.Report(Diag::kReservedVariable, def.name.range,
                  fmt::format("'${}' has a meaning of its own in the keys of a set; "
                              "give the parameter another name",
                              word));
  }
  // The parameter is resolved without a scope, so its set can only be plain.
  DeclareLocal(def, r);
  set.parameter = Variable{def.name.text, ResolveSetRef(def.set, {}, r), def.name.range};
}

void DefineSuperset(const ast::SetRef& ref, SetIndex self, Resolution& r) {
  Set& set = r.set(self);
  SetRef superset = ResolveSetRef(ref, set.parameter ? Scope{*set.parameter} : Scope{}, r);
  // A cycle is reported where names are declared; cutting it here keeps every chain finite.
  if (superset.set >= self) superset.set = -1;
  set.superset = superset;
  set.root = self;
  if (superset.set < 0) return;
  set.root = r.set(superset.set).root;
  set.depth = r.set(superset.set).depth + 1;
}

// What a subset does not say about its objects, its superset says: they are the same objects.
void InheritKeys(Set& set, Resolution& r) {
  if (!set.superset || set.superset->set < 0) return;
  const Set& superset = r.set(set.superset->set);
  for (const SetKey key : {SetKey::kItemType, SetKey::kIdType, SetKey::kItemGetter,
                           SetKey::kIdGetter, SetKey::kVarPrefix}) {
    auto& own = set.keys[static_cast<std::size_t>(key)];
    if (!own) own = superset.keys[static_cast<std::size_t>(key)];
  }
}

void DefineDisjoint(const std::vector<ast::Name>& names, SetIndex self, Resolution& r) {
  Set& set = r.set(self);
  for (const ast::Name& name : names) {
    const SetIndex other = FindSet(name, r);
    if (other < 0) continue;
    set.disjoint.push_back(other);
    if (other == self) {
      r.sink.Report(Diag::kDisjointFromItself, name.range,
                    fmt::format("set '{}' is declared disjoint from itself", set.name));
    } else if (IsSubset(self, other, r) || IsSubset(other, self, r)) {
      r.sink.Report(Diag::kNeverDisjoint, name.range,
                    fmt::format("'{}' and '{}' cannot be disjoint: one is a subset of the other",
                                set.name, name.text));
    } else if (r.set(other).root != set.root) {
      r.sink.Report(Diag::kUselessDisjoint, name.range,
                    fmt::format("'{}' and '{}' have no common superset, so their "
                                "objects are never compared anyway",
                                set.name, name.text));
    }
  }
}

}  // namespace

SetRef ResolveSetRef(const ast::SetRef& ref, const Scope& scope, Resolution& r) {
  SetRef result{FindSet(ref.set, r), -1};
  if (result.set < 0) return result;
  const Set& set = r.set(result.set);
  const bool parametric = std::visit([](const auto* d) { return d->parameter.has_value(); },
                                     r.set_sources[static_cast<std::size_t>(result.set)]);
  if (!ref.parameter) {
    if (parametric) {
      r.sink
          .Report(Diag::kMissingParameter, ref.range,
                  fmt::format("set '{}' needs a parameter: {}($x)", set.name, set.name))
          .WithNote(set.range, fmt::format("'{}' is declared here", set.name));
      result.set = -1;
    }
    return result;
  }
  if (!parametric) {
    r.sink
        .Report(Diag::kSurplusParameter, ref.range,
                fmt::format("set '{}' has no parameter", set.name))
        .WithNote(set.range, fmt::format("'{}' is declared here", set.name));
    return result;
  }
  const auto variable = std::ranges::find(scope, ref.parameter->text, &Variable::name);
  if (variable == scope.end()) {
    std::vector<std::string> names;
    for (const Variable& v : scope) names.push_back("$" + v.name);
    r.sink.Report(
        Diag::kUnknownVariable, ref.parameter->range,
        fmt::format("unknown variable '${}': a parameter must be declared before its use{}",
                    ref.parameter->text, DidYouMean("$" + ref.parameter->text, names)));
    return {-1, -1};
  }
  result.parameter = static_cast<int>(variable - scope.begin());
  r.Use(ref.parameter->range, variable->range);
  const SetIndex needed = set.parameter ? set.parameter->set.set : -1;
  if (!IsSubset(variable->set.set, needed, r)) {
    r.sink
        .Report(Diag::kWrongParameterSet, ref.parameter->range,
                fmt::format("set '{}' needs a parameter in '{}', but '${}' is in '{}'", set.name,
                            r.set(needed).name, variable->name, r.set(variable->set.set).name))
        .WithNote(variable->range, fmt::format("'${}' is declared here", variable->name));
  }
  return result;
}

void AddVariables(const std::vector<ast::VarDef>& defs, Scope& scope, Resolution& r) {
  for (const ast::VarDef& def : defs) {
    const auto first = std::ranges::find(scope, def.name.text, &Variable::name);
    if (first != scope.end()) {
      r.sink
          .Report(Diag::kRepeatedVariable, def.name.range,
                  fmt::format("variable '${}' is declared twice", def.name.text))
          .WithNote(first->range, "declared here");
    } else {
      CheckNotBackbone(def.name, r);
    }
    DeclareLocal(def, r);
    scope.push_back({def.name.text, ResolveSetRef(def.set, scope, r), def.name.range});
  }
}

void DefineNumberSets(Resolution& r) {
  for (std::size_t i = 0; i < r.spec.sets.size(); ++i) {
    const auto* const* decl = std::get_if<const ast::SetDecl*>(&r.set_sources[i]);
    if (decl == nullptr || !(*decl)->numbers) continue;
    auto first = ResolveKnownTerm((*decl)->numbers->first, {}, "a bound of a set", r);
    auto last = ResolveKnownTerm(*(*decl)->numbers->last, {}, "a bound of a set", r);
    r.spec.sets[i].numbers = {first.value_or(Term()), last.value_or(Term())};
  }
}

void DefineSets(Resolution& r) {
  for (std::size_t i = 0; i < r.spec.sets.size(); ++i) {
    const auto self = static_cast<SetIndex>(i);
    Set& set = r.spec.sets[i];
    set.root = self;
    if (const auto* const* decl = std::get_if<const ast::SetDecl*>(&r.set_sources[i])) {
      set.doc = CleanDoc((*decl)->doc);
      set.given = (*decl)->given;
      if ((*decl)->parameter) DefineParameter(*(*decl)->parameter, set, r);
      if ((*decl)->superset) DefineSuperset(*(*decl)->superset, self, r);
    } else {
      const auto* quotient = std::get<const ast::QuotientDecl*>(r.set_sources[i]);
      set.doc = CleanDoc(quotient->doc);
      set.is_quotient = true;
      if (quotient->parameter) DefineParameter(*quotient->parameter, set, r);
      DefineSuperset(quotient->item.set, self, r);
    }
  }
  // Keys and disjointness may refer to any set, so they come when all sets have their supersets.
  for (std::size_t i = 0; i < r.spec.sets.size(); ++i) {
    Set& set = r.spec.sets[i];
    std::visit(
        [&](const auto* decl) {
          DefineDisjoint(decl->disjoint, static_cast<SetIndex>(i), r);
          DefineKeys(decl->keys, set, r);
        },
        r.set_sources[i]);
    InheritKeys(set, r);
  }
}

}  // namespace exh::dsl
