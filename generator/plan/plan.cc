// SPDX-License-Identifier: MIT
#include "generator/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

using dsl::Condition;
using dsl::Snippet;
using dsl::Variable;

/// Numbers the snippets. The same text over the same variables is one snippet: `requires` bodies
/// and negations repeat them, and the host evaluates each once per tuple.
class CodeNumbering {
 public:
  explicit CodeNumbering(SpacePlan& plan) : plan_(plan) {}

  void Add(const Snippet& snippet, const std::vector<Variable>& scope, Code::Yields yields,
           const std::string& what, bool single = false) {
    std::string key = fmt::format("{}|{}|{}", static_cast<int>(yields), single, snippet.text);
    for (const Variable& variable : scope) {
      key += fmt::format("|{} {} {}", variable.name, variable.set.set, variable.set.parameter);
    }
    const auto [known, fresh] = by_key_.emplace(key, static_cast<int>(plan_.codes.size()));
    if (fresh) {
      plan_.codes.push_back({&snippet, scope, yields, what,
                             fmt::format("Code{}", plan_.codes.size()), nullptr, single});
    }
    plan_.code_ids[&snippet] = known->second;
  }

  void AddConditions(const std::vector<Condition>& conditions, const std::vector<Variable>& scope,
                     const std::string& what) {
    for (const Condition& condition : conditions) {
      AddTerm(condition.left, scope, what);
      AddTerm(condition.right, scope, what);
      if (condition.external >= 0) continue;
      if (condition.kind == Condition::Kind::kCode) {
        Add(condition.code, scope, Code::Yields::kBool, what);
      } else if (condition.kind == Condition::Kind::kCompareCode && condition.numbers.empty()) {
        Add(condition.code, scope, Code::Yields::kNumbers, what, condition.single);
      }
    }
  }

  void AddTerm(const dsl::Term& term, const std::vector<Variable>& scope, const std::string& what) {
    for (const dsl::TermNode& node : term) {
      if (node.kind != dsl::TermNode::Kind::kCode) continue;
      if (node.external < 0) {
        Add(node.code, scope, Code::Yields::kInteger, what);
        continue;
      }
      const dsl::External& external = plan_.spec->externals[node.external];
      if (plan_.integer_ids.contains(&external.code)) continue;
      plan_.integer_ids[&external.code] = static_cast<int>(plan_.codes.size());
      plan_.codes.push_back({&external.code, external.arguments, Code::Yields::kInteger,
                             "extern " + external.name, fmt::format("Code{}", plan_.codes.size()),
                             &external});
    }
  }

  /// An extern is a snippet of its own even if another has the same text: its type is checked.
  void AddExternal(const dsl::External& external) {
    plan_.code_ids[&external.code] = static_cast<int>(plan_.codes.size());
    const Code::Yields yields = external.constant  ? Code::Yields::kNumbers
                                : external.present ? Code::Yields::kItem
                                                   : Code::Yields::kBool;
    plan_.codes.push_back({&external.code, external.arguments, yields, "extern " + external.name,
                           fmt::format("Code{}", plan_.codes.size()), &external});
  }

 private:
  SpacePlan& plan_;
  std::map<std::string, int> by_key_;
};

void NumberCodes(SpacePlan& plan) {
  CodeNumbering numbering(plan);
  constexpr auto kNumbers = Code::Yields::kNumbers;
  for (const dsl::External& external : plan.spec->externals) numbering.AddExternal(external);
  for (const dsl::Choice& choice : plan.spec->choices) {
    const std::string what = "choice " + choice.name;
    if (choice.kind == dsl::ChoiceKind::kInteger && choice.numbers.empty()) {
      numbering.Add(choice.universe, choice.arguments, kNumbers, what);
    }
    if (choice.kind != dsl::ChoiceKind::kCounter) continue;
    std::vector<Variable> scope = choice.arguments;
    scope.insert(scope.end(), choice.over.begin(), choice.over.end());
    if (choice.base) numbering.Add(*choice.base, choice.arguments, Code::Yields::kInteger, what);
    if (choice.weight_code) numbering.Add(*choice.weight_code, scope, kNumbers, what);
    numbering.AddTerm(choice.weight_term, scope, what);
    numbering.AddConditions(choice.when, scope, what);
  }
  for (const dsl::Requirement& requirement : plan.spec->requirements) {
    for (const std::vector<Condition>& clause : requirement.clauses) {
      numbering.AddConditions(clause, requirement.variables, "require " + requirement.label);
    }
  }
  for (const dsl::Quotient& quotient : plan.spec->quotients) {
    numbering.AddConditions(quotient.dividend, quotient.variables,
                            "quotient " + plan.spec->sets[quotient.set].name);
  }
  if (plan.spec->objective) numbering.AddTerm(plan.spec->objective->term, {}, "objective");
  if (plan.spec->lower_bound) numbering.AddTerm(plan.spec->lower_bound->term, {}, "lower bound");
  for (const dsl::Trigger& trigger : plan.spec->triggers) {
    numbering.AddConditions(trigger.when, trigger.variables, "trigger " + trigger.label);
  }
}

void NameEverything(SpacePlan& plan) {
  NameScope space;
  for (const char* name :
       {"Backbone", "GetSpace",   "SpaceHost",  "View",        "ToString",  "Object",  "Bits",
        "Choice",   "CompareOp",  "CounterMay", "CounterThat", "EqualTo",   "Hull",    "IntDomain",
        "Interval", "MayBeEqual", "MayDiffer",  "Member",      "OtherThan", "Planned", "ResultOf",
        "Space",    "Universe",   "Variable",   "runtime",     "sets",      "choices", "filters",
        "snippets", "exh",        "std"}) {
    space.Reserve(name);
  }
  if (HasTerms(*plan.spec)) {  // What their tables are written with.
    for (const char* name :
         {"CodeNode", "ConstantNode", "Number", "Op", "TermNode", "Terms", "Use"}) {
      space.Reserve(name);
    }
  }
  NameScope members;  // Of SpaceHost; getters of View.
  for (const char* name : {"fun_", "fun", "host", "candidate", "host_", "candidate_", "instance"}) {
    members.Reserve(name);
  }
  for (const dsl::Set& set : plan.spec->sets) {
    SetNames names;
    names.name = Identifier(set.name);
    names.id = space.Unique(set.name + "Id");
    names.item = space.Unique(set.name + "Item");
    names.table = members.Unique(SnakeCase(set.name) + "_");
    names.objects = members.Unique(SnakeCase(set.name) + "_objects_");
    plan.sets.push_back(names);
  }
  for (const dsl::Choice& choice : plan.spec->choices) {
    ChoiceNames names;
    names.name = members.Unique(choice.name);
    names.camel = space.Unique(CamelCase(choice.name));
    names.domain = space.Unique(names.camel + "Domain");
    NameScope values;
    for (const dsl::EnumValue& value : choice.values) {
      names.values.push_back(values.Unique(value.name));
    }
    for (const dsl::Alias& alias : choice.aliases) {
      names.aliases.push_back(values.Unique(alias.name));
    }
    plan.choices.push_back(names);
  }
  NameScope labels;
  for (const char* name : {"filters", "runtime", "sets", "choices", "space", "variables"}) {
    labels.Reserve(name);
  }
  for (const dsl::Requirement& requirement : plan.spec->requirements) {
    plan.requirements.push_back(labels.Unique(requirement.label));
  }
}

/// Hash of the sources, so that a log can tell which text made its space.
std::string FingerprintOf(const dsl::Spec& spec) {
  std::uint64_t hash = kFnvStart;
  for (const dsl::Spec::File& file : spec.files) hash = Fnv1a64("\xFF", Fnv1a64(file.text, hash));
  return fmt::format("{:016x}", hash);
}

}  // namespace

int SpacePlan::HostSet(int set) const {
  while (spec->sets[set].is_quotient) set = spec->sets[set].superset->set;
  return set;
}

int SpacePlan::KeyOwner(int set, dsl::SetKey key) const {
  const dsl::Set& self = spec->sets[set];
  if (!self.superset || FindKey(set, key) == nullptr) return set;
  const Snippet* inherited = FindKey(self.superset->set, key);
  const bool same = inherited != nullptr && inherited->range == FindKey(set, key)->range;
  return same ? KeyOwner(self.superset->set, key) : set;
}

std::string SpacePlan::ItemFunction(int set) const {
  return sets[KeyOwner(HostSet(set), dsl::SetKey::kItemGetter)].item + "Of";
}

std::string SpacePlan::IdFunction(int set) const {
  return sets[KeyOwner(HostSet(set), dsl::SetKey::kIdGetter)].id + "Of";
}

const Snippet* SpacePlan::FindKey(int set, dsl::SetKey key) const {
  const auto& found = spec->sets[set].keys[static_cast<std::size_t>(key)];
  return found ? &*found : nullptr;
}

const Snippet& SpacePlan::Key(int set, dsl::SetKey key) const {
  const Snippet* found = FindKey(set, key);
  EXH_CHECK(found != nullptr);
  return *found;
}

const std::string& SpacePlan::File(const dsl::SourceRange& range) const {
  return spec->files.at(range.file).path;
}

int SpacePlan::LineOf(const dsl::SourceRange& range) const {
  const std::string& text = spec->files.at(range.file).text;
  const auto end = text.begin() + std::min<std::ptrdiff_t>(range.begin, std::ssize(text));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

int SpacePlan::ColumnOf(const dsl::SourceRange& range) const {
  const std::string& text = spec->files.at(range.file).text;
  if (range.begin == 0) return 0;
  const std::size_t newline = text.rfind('\n', range.begin - 1);
  return static_cast<int>(range.begin - (newline == std::string::npos ? 0 : newline + 1));
}

std::string SpacePlan::At(const dsl::SourceRange& range) const {
  return fmt::format("{}:{}", File(range), LineOf(range));
}

SpacePlan MakePlan(const dsl::Spec& spec, const Options& options) {
  SpacePlan plan;
  plan.spec = &spec;
  plan.options = options;
  plan.space = options.space.empty() ? SpaceNameOf(spec.files.at(0).path) : options.space;
  // The namespace exh::spaces::std would hide what generated code names.
  if (plan.space == "std" || plan.space == "exh" || plan.space == "runtime") plan.space += '_';
  if (plan.options.prefix.empty()) plan.options.prefix = plan.space + ".exh";
  plan.outside = "exh_space_" + plan.space;
  plan.fingerprint = FingerprintOf(spec);
  NameEverything(plan);
  NumberCodes(plan);
  return plan;
}

std::vector<Refusal> FindRefusals(const dsl::Spec& spec) {
  std::vector<Refusal> refusals;
  for (const dsl::Set& set : spec.sets) {
    if (!set.given && !set.numbers) continue;
    refusals.push_back({dsl::Diag::kNeedsData, set.range,
                        "set '" + set.name +
                            "' has no backbone: a space with it is loaded with its data (search "
                            "solve), not built"});
  }
  if (!refusals.empty()) return refusals;
  if (!spec.host) {
    refusals.push_back(
        {dsl::Diag::kBuildWithoutHost,
         {0, 0, 0},
         "a space needs a host statement to be built: add host \"c++\": backbone = \"the type of "
         "$fun\" header = \"the header that declares it\" end"});
  }
  for (const dsl::Choice& choice : spec.choices) {
    if (choice.kind == dsl::ChoiceKind::kEnum && choice.values.empty()) {
      refusals.push_back({dsl::Diag::kBuildWithoutValues, choice.range,
                          "choice '" + choice.name +
                              "' has no values: a space with it has no candidate "
                              "and is not built"});
    }
  }
  return refusals;
}

const char* OperatorText(dsl::CompareOp op) {
  switch (op) {
    case dsl::CompareOp::kLt:
      return "<";
    case dsl::CompareOp::kGt:
      return ">";
    case dsl::CompareOp::kLe:
      return "<=";
    case dsl::CompareOp::kGe:
      return ">=";
    case dsl::CompareOp::kEq:
      return "==";
    case dsl::CompareOp::kNe:
      return "!=";
  }
  EXH_UNREACHABLE();
}

std::uint64_t AllValues(const dsl::Choice& choice) {
  return choice.values.size() == 64 ? ~std::uint64_t{0}
                                    : (std::uint64_t{1} << choice.values.size()) - 1;
}

namespace {

/// "($a, $b)".
std::string ArgumentsText(const std::vector<Variable>& scope, const std::vector<int>& arguments) {
  std::string text = "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    text += (i == 0 ? "$" : ", $") + scope[arguments[i]].name;
  }
  return text + ")";
}

}  // namespace

const char* OperationText(dsl::TermNode::Kind kind) {
  using Kind = dsl::TermNode::Kind;
  switch (kind) {
    case Kind::kNumber:
    case Kind::kCode:
    case Kind::kInstance:
    case Kind::kVariable:
      return "";
    case Kind::kNegate:
    case Kind::kSubtract:
      return "-";
    case Kind::kAdd:
      return "+";
    case Kind::kMultiply:
      return "*";
    case Kind::kDivide:
      return "/";
    case Kind::kDiv:
      return "div";
    case Kind::kMod:
      return "%";
    case Kind::kMin:
      return "min";
    case Kind::kMax:
      return "max";
  }
  EXH_UNREACHABLE();
}

bool HasTerms(const dsl::Spec& spec) {
  const auto any = [](const auto& things, auto conditions) {
    return std::any_of(things.begin(), things.end(),
                       [&](const auto& thing) { return HasTerms(conditions(thing)); });
  };
  const bool weights =
      std::any_of(spec.choices.begin(), spec.choices.end(),
                  [](const dsl::Choice& choice) { return !choice.weight_term.empty(); });
  const bool clauses = std::any_of(
      spec.requirements.begin(), spec.requirements.end(), [&](const dsl::Requirement& requirement) {
        return any(requirement.clauses, [](const auto& clause) { return clause; });
      });
  return weights || clauses || spec.objective || spec.lower_bound ||
         any(spec.choices, [](const auto& choice) { return choice.when; }) ||
         any(spec.quotients, [](const auto& quotient) { return quotient.dividend; }) ||
         any(spec.triggers, [](const auto& trigger) { return trigger.when; });
}

bool HasTerms(const std::vector<Condition>& clause) {
  return std::any_of(clause.begin(), clause.end(), [](const Condition& condition) {
    return condition.kind == Condition::Kind::kTerms;
  });
}

namespace {

/// A part of a term and how closely it binds: 1 for sums, 2 for products, 3 for a sign, 4 for what
/// needs no parentheses.
struct TermPart {
  std::string text;
  int binding = 4;

  std::string Within(int least) && { return binding < least ? "(" + text + ")" : std::move(text); }
};

/// "limit", "time($a)".
std::string ConstantText(const dsl::Spec& spec, const std::vector<Variable>& scope, int external,
                         const dsl::Instance& asked) {
  const dsl::External& constant = spec.externals[external];
  return constant.arguments.empty() ? constant.name
                                    : constant.name + ArgumentsText(scope, asked.arguments);
}

std::string OperandText(const dsl::Spec& spec, const std::vector<Variable>& scope,
                        const dsl::TermNode& node) {
  if (node.kind == dsl::TermNode::Kind::kNumber) return fmt::format("{}", node.number);
  if (node.kind == dsl::TermNode::Kind::kInstance) return InstanceText(spec, scope, node.instance);
  if (node.kind == dsl::TermNode::Kind::kVariable) {
    return "$" + scope[node.instance.arguments.front()].name;
  }
  return node.external < 0 ? fmt::format("\"{}\"", node.code.text)
                           : ConstantText(spec, scope, node.external, node.instance);
}

}  // namespace

std::string TermText(const dsl::Spec& spec, const std::vector<Variable>& scope,
                     const dsl::Term& term) {
  using Kind = dsl::TermNode::Kind;
  std::vector<TermPart> parts;
  const auto take = [&parts] {
    TermPart part = std::move(parts.back());
    parts.pop_back();
    return part;
  };
  for (const dsl::TermNode& node : term) {
    const std::string word = OperationText(node.kind);
    if (word.empty()) {
      parts.push_back({OperandText(spec, scope, node), 4});
    } else if (node.kind == Kind::kNegate) {
      parts.push_back({"-" + take().Within(3), 3});
    } else {
      TermPart right = take();
      TermPart left = take();
      if (node.kind == Kind::kMin || node.kind == Kind::kMax) {
        parts.push_back({fmt::format("{}({}, {})", word, left.text, right.text), 4});
        continue;
      }
      const int binding = node.kind == Kind::kAdd || node.kind == Kind::kSubtract ? 1 : 2;
      std::string text = std::move(left).Within(binding);
      text.append(" ").append(word).append(" ").append(std::move(right).Within(binding + 1));
      parts.push_back({std::move(text), binding});
    }
  }
  return parts.empty() ? "" : std::move(parts.back().text);
}

std::string NumbersText(const std::vector<std::uint32_t>& numbers, const char* separator) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (last < i + 2) last = i;
    text += text.empty() ? "" : separator;
    text += last == i ? fmt::format("{}", numbers[i])
                      : fmt::format("{} .. {}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string InstanceText(const dsl::Spec& spec, const std::vector<Variable>& scope,
                         const dsl::Instance& instance) {
  return spec.choices[instance.choice].name + ArgumentsText(scope, instance.arguments);
}

namespace {

std::string ValuesText(const dsl::Choice& choice, std::uint64_t values) {
  const std::uint64_t all = AllValues(choice);
  const bool negated =
      __builtin_popcountll(all & ~values) < __builtin_popcountll(values) && values != all;
  std::string text = negated ? "is not" : "is";
  std::uint64_t shown = negated ? all & ~values : values;
  const char* separator = " ";
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    if (((shown >> i) & 1) == 0) continue;
    text += separator + choice.values[i].name;
    separator = " | ";
  }
  if (values == 0) text += " nothing";
  return text;
}

}  // namespace

namespace {

/// `size($d) <= "…"`, `size($d) <= limit`, `size($d) <= 4`, `size($d) is 2 | 4`.
std::string CompareCodeText(const dsl::Spec& spec, const std::vector<Variable>& scope,
                            const std::string& lhs, const Condition& condition) {
  if (condition.numbers.size() > 1) {
    return fmt::format("{} {} {}", lhs, condition.op == dsl::CompareOp::kEq ? "is" : "is not",
                       NumbersText(condition.numbers, " | "));
  }
  const std::string rhs = !condition.numbers.empty() ? fmt::format("{}", condition.numbers[0])
                          : condition.external >= 0
                              ? ConstantText(spec, scope, condition.external, condition.rhs)
                              : fmt::format("\"{}\"", condition.code.text);
  return fmt::format("{} {} {}", lhs, OperatorText(condition.op), rhs);
}

}  // namespace

std::string ConditionText(const dsl::Spec& spec, const std::vector<Variable>& scope,
                          const Condition& condition) {
  switch (condition.kind) {
    case Condition::Kind::kIs:
      return InstanceText(spec, scope, condition.lhs) + " " +
             ValuesText(spec.choices[condition.lhs.choice], condition.values);
    case Condition::Kind::kCompare:
      return fmt::format("{} {} {}", InstanceText(spec, scope, condition.lhs),
                         OperatorText(condition.op), InstanceText(spec, scope, condition.rhs));
    case Condition::Kind::kCompareCode:
      return CompareCodeText(spec, scope, InstanceText(spec, scope, condition.lhs), condition);
    case Condition::Kind::kCode:
    case Condition::Kind::kPresent:
      return (condition.negated ? "not " : "") +
             (condition.external < 0 ? fmt::format("\"{}\"", condition.code.text)
                                     : spec.externals[condition.external].name +
                                           ArgumentsText(scope, condition.lhs.arguments));
    case Condition::Kind::kAscending:
      return fmt::format("${} {} ${}", scope[condition.lhs.arguments[0]].name,
                         condition.negated ? ">" : "<", scope[condition.lhs.arguments[1]].name);
    case Condition::Kind::kTerms:
      return fmt::format("{}{} {} {}", condition.negated ? "not " : "",
                         TermText(spec, scope, condition.left), OperatorText(condition.op),
                         TermText(spec, scope, condition.right));
    case Condition::Kind::kConstant:
      return condition.constant ? "true" : "false";
  }
  EXH_UNREACHABLE();
}

}  // namespace exh::generator
