// SPDX-License-Identifier: MIT
#include "dsl/meaning/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/meaning/names.h"
#include "dsl/syntax/words.h"

namespace exh::dsl {
namespace {

const Choice& ChoiceOf(const Spec& spec, const Instance& instance) {
  return spec.choices[static_cast<std::size_t>(instance.choice)];
}

const std::optional<Snippet>& KeyOf(const Set& set, SetKey key) {
  return set.keys[static_cast<std::size_t>(key)];
}

std::string_view WordOf(SetKey key) {
  return kSetKeyWords[static_cast<std::size_t>(key)];
}

template <typename Function>
void ForEachCondition(const Spec& spec, Function function) {
  for (const Choice& choice : spec.choices) {
    for (const Condition& condition : choice.when) function(condition);
  }
  for (const Requirement& requirement : spec.requirements) {
    for (const auto& clause : requirement.clauses) {
      for (const Condition& condition : clause) function(condition);
    }
  }
  for (const Quotient& quotient : spec.quotients) {
    for (const Condition& condition : quotient.dividend) function(condition);
  }
  for (const Trigger& trigger : spec.triggers) {
    for (const Condition& condition : trigger.when) function(condition);
  }
}

// A root set says what its objects are and how to reach them. A subset has that from its superset
// (sets.cc) and says which objects are its own; a quotient set follows from its flag.
void CheckMandatoryKeys(const Spec& spec, const Set& set, DiagnosticSink& sink) {
  if (set.is_quotient || set.given || set.numbers) return;
  std::vector<SetKey> wanted = {SetKey::kItemType, SetKey::kIdType, SetKey::kItemGetter,
                                SetKey::kIdGetter, SetKey::kIterator};
  wanted.push_back(set.superset ? SetKey::kFromSuperset : SetKey::kNewObjs);
  // What an unknown superset would have given is not missing as well.
  const Set* last = &set;
  while (last->superset && last->superset->set >= 0) {
    last = &spec.sets[static_cast<std::size_t>(last->superset->set)];
  }
  if (last->superset) wanted = {SetKey::kIterator, SetKey::kFromSuperset};
  std::vector<std::string> missing;
  for (const SetKey key : wanted) {
    if (!KeyOf(set, key)) missing.push_back(fmt::format("'{}'", WordOf(key)));
  }
  if (missing.empty()) return;
  sink.Report(Diag::kMissingKeys, set.range,
              fmt::format("set '{}' lacks the key{} {}", set.name, missing.size() == 1 ? "" : "s",
                          fmt::join(missing, ", ")));
}

// A key that nothing reads is a misunderstanding.
void CheckUselessKeys(const Set& set, DiagnosticSink& sink) {
  if (const auto& key = KeyOf(set, SetKey::kFromSuperset); key && !set.superset) {
    sink.Report(Diag::kUselessFromSuperset, key->range,
                fmt::format("'from_superset' is not used: '{}' has no superset", set.name));
  }
  if (const auto& key = KeyOf(set, SetKey::kAddToSet); key && !set.is_quotient) {
    sink.Report(Diag::kUselessAddToSet, key->range,
                fmt::format("'add_to_set' is not used: '{}' is not a quotient set", set.name));
  }
}

// A reverse set lists the parameters of an object, so there must be a parameter and a larger set
// that the object comes from, with objects of the same kind.
void CheckReverse(const Spec& spec, const Set& set, DiagnosticSink& sink) {
  if (!set.reverse_variable) return;
  const Variable& variable = *set.reverse_variable;
  if (!set.parameter || !set.superset) {
    sink.Report(Diag::kReverseWithoutSuperset, variable.range,
                fmt::format("'reverse' needs a set with a parameter and a superset; "
                            "'{}' has no {}",
                            set.name, set.parameter ? "superset" : "parameter"))
        .WithNote(set.range, fmt::format("'{}' is declared here", set.name));
    return;
  }
  if (variable.set.set < 0) return;
  SetIndex ancestor = set.superset->set;
  while (ancestor >= 0 && ancestor != variable.set.set) {
    const auto& superset = spec.sets[static_cast<std::size_t>(ancestor)].superset;
    if (!superset) break;
    ancestor = superset->set;
  }
  if (ancestor < 0) return;
  const Set& from = spec.sets[static_cast<std::size_t>(variable.set.set)];
  if (ancestor != variable.set.set) {
    sink.Report(Diag::kReverseOverOtherSet, variable.range,
                fmt::format("'reverse' must range over a superset of '{}', which "
                            "'{}' is not",
                            set.name, from.name))
        .WithNote(set.range, fmt::format("'{}' is declared here", set.name));
    return;
  }
  for (const SetKey key : {SetKey::kItemType, SetKey::kIdType}) {
    const auto& own = KeyOf(set, key);
    const auto& other = KeyOf(from, key);
    if (!own || !other || own->text == other->text) continue;
    sink.Report(Diag::kReverseTypes, own->range,
                fmt::format("'{}' of '{}' must be that of '{}', which 'reverse' ranges "
                            "over",
                            WordOf(key), set.name, from.name))
        .WithNote(other->range, "given here");
  }
}

// An enum without values can never be decided.
void CheckEnumHasValues(const Choice& choice, DiagnosticSink& sink) {
  if (choice.kind != ChoiceKind::kEnum || !choice.values.empty()) return;
  sink.Report(Diag::kNoValues, choice.range, fmt::format("enum '{}' has no values", choice.name));
}

// The C++ type of an enum is its name in camel case: `foo_1` and `foo1` would be one type.
void CheckTypeNames(const Spec& spec, DiagnosticSink& sink) {
  std::map<std::string, const Choice*> types;
  for (const Choice& choice : spec.choices) {
    if (choice.kind != ChoiceKind::kEnum) continue;
    std::string type;
    bool upper = true;
    for (const char c : choice.name) {
      if (c != '_') {
        type += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      }
      upper = c == '_';
    }
    const auto [first, fresh] = types.emplace(type, &choice);
    if (fresh) continue;
    sink.Report(Diag::kTypeNameClash, choice.range,
                fmt::format("'{}' and '{}' would both become the C++ type '{}'",
                            first->second->name, choice.name, type))
        .WithNote(first->second->range, fmt::format("'{}' is declared here", first->second->name));
  }
}

// A counter adds or multiplies numbers: integers, and counters that can tell what is needed.
void CheckCounterWeight(const Spec& spec, const Choice& counter, DiagnosticSink& sink) {
  if (!counter.weight || counter.weight->choice < 0) return;
  const Choice& weight = ChoiceOf(spec, *counter.weight);
  const auto report = [&](Diag diag, std::string message) {
    sink.Report(diag, counter.weight->range, std::move(message))
        .WithNote(weight.range, fmt::format("'{}' is declared here", weight.name));
  };
  if (weight.kind == ChoiceKind::kEnum) {
    report(Diag::kEnumWeight,
           fmt::format("a counter adds numbers, but '{}' is an enum", weight.name));
    return;
  }
  if (weight.kind != ChoiceKind::kCounter) return;
  if (counter.product && !weight.product) {
    report(Diag::kProductOfSum,
           fmt::format("'mul' of the sum '{}' is not possible: a sum may be 0", weight.name));
  }
  const bool no_maximum = weight.visibility == Visibility::kHalf;
  const bool hidden_maximum = weight.visibility == Visibility::kInternal;
  if (counter.visibility != Visibility::kHalf && no_maximum) {
    report(
        Diag::kNeedsMaximum,
        fmt::format("'{}' needs the maximum of '{}', but a half counter has none; make '{}' half",
                    counter.name, weight.name, counter.name));
  } else if (counter.visibility == Visibility::kFull && hidden_maximum) {
    report(Diag::kShowsMaximum,
           fmt::format("'{}' would show the maximum of the internal counter '{}'; make '{}' "
                       "internal or half",
                       counter.name, weight.name, counter.name));
  }
}

std::string_view WordOf(Visibility visibility) {
  return visibility == Visibility::kHalf ? "half" : "internal";
}

bool IsHidden(const Choice& choice) {
  return choice.kind == ChoiceKind::kCounter && choice.visibility != Visibility::kFull;
}

// A term has a largest value, which a counter whose maximum may grow does not give it.
void CheckTerms(const Spec& spec, DiagnosticSink& sink) {
  for (const Choice& counter : spec.choices) {
    for (const TermNode& node : counter.weight_term) {
      if (node.kind != TermNode::Kind::kInstance) continue;
      const Choice& read = ChoiceOf(spec, node.instance);
      if (!IsHidden(read)) continue;
      sink.Report(Diag::kHiddenCounterInWeight, node.range,
                  fmt::format("'{}' is {} and cannot be a part of what '{}' adds; it may be all of "
                              "it, in a half counter",
                              read.name, WordOf(read.visibility), counter.name))
          .WithNote(read.range, fmt::format("'{}' is declared here", read.name));
    }
  }
  std::vector<const Term*> stated;
  if (spec.objective) stated.push_back(&spec.objective->term);
  if (spec.lower_bound) stated.push_back(&spec.lower_bound->term);
  for (const BesideTerm& beside : spec.terms) stated.push_back(&beside.term);
  for (const Term* term : stated) {
    for (const TermNode& node : *term) {
      if (node.kind != TermNode::Kind::kInstance) continue;
      const Choice& read = ChoiceOf(spec, node.instance);
      if (!IsHidden(read)) continue;
      sink.Report(Diag::kHiddenCounterInTerm, node.range,
                  fmt::format("'{}' is {} and has no largest value to calculate with; declare a "
                              "full counter",
                              read.name, WordOf(read.visibility)))
          .WithNote(read.range, fmt::format("'{}' is declared here", read.name));
    }
  }
  ForEachCondition(spec, [&](const Condition& condition) {
    ForEachTermNode(condition, [&](const TermNode& node) {
      if (node.kind != TermNode::Kind::kInstance) return;
      const Choice& read = ChoiceOf(spec, node.instance);
      if (!IsHidden(read)) return;
      sink.Report(
              Diag::kHiddenCounterInTerm, node.range,
              fmt::format("'{0}' is {1}: only '<' and '<=' with a number or with code act on it, "
                          "and it is no part of a term; write {0}({2}) <= \"…\"",
                          read.name, WordOf(read.visibility), read.arguments.empty() ? "" : "…"))
          .WithNote(read.range, fmt::format("'{}' is declared here", read.name));
    });
  });
}

// The maximum of a half or internal counter may grow, so nothing may be concluded from it.
void CheckCounterTests(const Spec& spec, DiagnosticSink& sink) {
  ForEachCondition(spec, [&](const Condition& condition) {
    const bool code = condition.kind == Condition::Kind::kCompareCode;
    if (!code && condition.kind != Condition::Kind::kCompare) return;
    if (condition.lhs.choice < 0) return;
    const Choice& choice = ChoiceOf(spec, condition.lhs);
    if (!IsHidden(choice)) return;
    const std::string_view word = WordOf(choice.visibility);
    if (!code) {
      sink.Report(Diag::kTwoHiddenCounters, condition.range,
                  fmt::format("two {} counters cannot be compared: one side would "
                              "need a maximum",
                              word))
          .WithNote(choice.range, fmt::format("'{}' is declared here", choice.name));
    } else if (condition.op != CompareOp::kLt && condition.op != CompareOp::kLe) {
      sink.Report(Diag::kUselessCounterTest, condition.range,
                  fmt::format("this test would never restrict anything: '{}' is {}, so "
                              "only '<' and '<=' act on it",
                              choice.name, word))
          .WithNote(choice.range, fmt::format("'{}' is declared here", choice.name));
    }
  });
}

// Whether the trigger may add objects to the set, or to one that it is a part of.
bool MayAdd(const Spec& spec, const Trigger& trigger, SetIndex set) {
  while (set >= 0) {
    if (std::ranges::find(trigger.adds, set) != trigger.adds.end()) return true;
    const auto& superset = spec.sets[static_cast<std::size_t>(set)].superset;
    set = superset ? superset->set : -1;
  }
  return false;
}

// The trigger that may add an object to what the counter adds over, when there is one already. What
// appears together with the object whose counter it is counts.
const Trigger* AdderOf(const Spec& spec, const Choice& counter, const SetRef& over) {
  const auto number = static_cast<std::size_t>(over.parameter);
  const bool of_argument = over.parameter >= 0 && number < counter.arguments.size();
  for (const Trigger& trigger : spec.triggers) {
    if (!MayAdd(spec, trigger, over.set)) continue;
    if (of_argument && MayAdd(spec, trigger, counter.arguments[number].set.set)) continue;
    return &trigger;
  }
  return nullptr;
}

// Whether a snippet says for which of the objects the counter adds: those that appear may be left
// out by it, and then nothing is lost.
bool IsFiltered(const Choice& counter, int variable) {
  return std::ranges::any_of(counter.when, [&](const Condition& condition) {
    const auto is_it = [&](int each) { return each == variable; };
    const auto names_it = [&](const dsl::Snippet& code) {
      return std::ranges::any_of(code.variables, is_it, &SnippetVariable::variable);
    };
    if (condition.kind == Condition::Kind::kTerms && IsKnown(condition)) {
      bool names = false;
      ForEachTermNode(condition, [&](const TermNode& node) {
        names = names || names_it(node.code) || std::ranges::any_of(node.instance.arguments, is_it);
      });
      return names;
    }
    if (condition.kind != Condition::Kind::kCode) return false;
    if (condition.external >= 0) return std::ranges::any_of(condition.lhs.arguments, is_it);
    return names_it(condition.code);
  });
}

// A full counter shows its maximum, so nothing that appears later may raise it: where the
// conditions hold for an object that a trigger adds, there is no implementation.
void CheckCounterOverAdded(const Spec& spec, const Choice& counter, DiagnosticSink& sink) {
  if (counter.kind != ChoiceKind::kCounter || counter.visibility != Visibility::kFull) return;
  for (std::size_t i = 0; i < counter.over.size(); ++i) {
    const Variable& variable = counter.over[i];
    const Trigger* const trigger = AdderOf(spec, counter, variable.set);
    const int number = static_cast<int>(counter.arguments.size() + i);
    if (trigger == nullptr || IsFiltered(counter, number)) continue;
    const Set& set = spec.sets[static_cast<std::size_t>(variable.set.set)];
    sink.Report(Diag::kCounterOverAdded, variable.range,
                fmt::format("a full counter never counts an object that appears later, so every "
                            "implementation where '{}' would count one of '{}' is lost; declare it "
                            "'half' or 'internal', or leave such objects out with 'where'",
                            counter.name, set.name))
        .WithNote(trigger->range, fmt::format("trigger '{}' adds objects", trigger->label));
    return;
  }
}

// What a dynamic predicate says follows from the triggers that have fired.
void CheckDynamicPredicates(const Spec& spec, DiagnosticSink& sink) {
  for (const External& external : spec.externals) {
    if (!external.present || external.present->set < 0) continue;
    const Set& set = spec.sets[static_cast<std::size_t>(external.present->set)];
    if (!set.is_quotient) continue;
    sink.Report(
            Diag::kMisplacedDynamic, external.range,
            fmt::format("'{}' cannot ask for members of the quotient set '{}': those follow from "
                        "its flag",
                        external.name, set.name))
        .WithNote(set.range, fmt::format("'{}' is declared here", set.name));
  }
  for (const Trigger& trigger : spec.triggers) {
    for (const Condition& condition : trigger.when) {
      if (condition.kind != Condition::Kind::kPresent) continue;
      const External& external = spec.externals[static_cast<std::size_t>(condition.external)];
      sink.Report(
              Diag::kMisplacedDynamic, condition.range,
              fmt::format("a trigger cannot wait for '{}': what it asks for is what triggers add",
                          external.name))
          .WithNote(external.range, fmt::format("'{}' is declared here", external.name));
    }
  }
}

// A trigger that waits for no decision fires before the search starts.
void CheckTriggerWaits(const Trigger& trigger, DiagnosticSink& sink) {
  for (const Condition& condition : trigger.when) {
    if (!IsKnown(condition)) return;
  }
  if (trigger.when.empty()) return;  // All its conditions are reported already.
  sink.Report(Diag::kTriggerWithoutDecision, trigger.range,
              fmt::format("trigger '{}' depends on no decision, so it fires at the "
                          "start or never",
                          trigger.label));
}

}  // namespace

void CheckSpec(const Spec& spec, DiagnosticSink& sink) {
  for (const Set& set : spec.sets) {
    CheckMandatoryKeys(spec, set, sink);
    CheckUselessKeys(set, sink);
    CheckReverse(spec, set, sink);
  }
  for (const Choice& choice : spec.choices) {
    CheckEnumHasValues(choice, sink);
    CheckCounterWeight(spec, choice, sink);
  }
  CheckTypeNames(spec, sink);
  CheckCounterTests(spec, sink);
  CheckTerms(spec, sink);
  CheckDynamicPredicates(spec, sink);
  for (const Trigger& trigger : spec.triggers) CheckTriggerWaits(trigger, sink);
  if (sink.has_errors()) return;  // Which triggers add what may be a part of the mistake.
  for (const Choice& choice : spec.choices) CheckCounterOverAdded(spec, choice, sink);
}

}  // namespace exh::dsl
