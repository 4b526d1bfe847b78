// SPDX-License-Identifier: MIT
//
// The tables that a generated space fills, as text: numbers where the engine sees numbers, names
// beside them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "generator/emit/emit.h"

namespace exh::generator {
namespace {

using Kind = dsl::Condition::Kind;

class TableWriter {
 public:
  explicit TableWriter(const SpacePlan& plan) : plan_(plan), spec_(*plan.spec) {}

  std::string Write();

 private:
  template <typename... Args>
  void Line(int indent, fmt::format_string<Args...> format, Args&&... args) {
    text_.append(static_cast<std::size_t>(indent) * 2, ' ');
    text_ += fmt::format(format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void WriteSets();
  void WriteChoice(int index);
  void WriteValues(const dsl::Choice& choice);
  void WriteCounter(const dsl::Choice& choice);
  void WriteCodes();
  void WriteRequirements();
  void WriteQuotients();
  void WriteTriggers();
  void WriteOrder();
  void WriteObjective();

  const std::string& NameOf(int set) const { return spec_.sets.at(set).name; }
  std::string Scope(const std::vector<dsl::Variable>& scope) const;
  std::string Use(const dsl::Instance& use) const;
  static std::string Asked(const dsl::Instance& asked);
  std::string Term(const dsl::Term& term) const;
  std::string Mask(int choice, std::uint64_t values) const;
  std::string Condition(const dsl::Condition& condition) const;

  const SpacePlan& plan_;
  const dsl::Spec& spec_;
  std::string text_;
};

/// "0 a in Dims, 1 b in TileDims(0)".
std::string TableWriter::Scope(const std::vector<dsl::Variable>& scope) const {
  std::string text;
  for (std::size_t i = 0; i < scope.size(); ++i) {
    const dsl::SetRef& set = scope[i].set;
    text += fmt::format("{}{} {} in {}", i == 0 ? "" : ", ", i, scope[i].name, NameOf(set.set));
    if (set.parameter >= 0) text += fmt::format("({})", set.parameter);
  }
  return text.empty() ? "nothing" : text;
}

/// "order(0, 1)".
std::string TableWriter::Use(const dsl::Instance& use) const {
  return fmt::format("{}({})", spec_.choices.at(use.choice).name, fmt::join(use.arguments, ", "));
}

/// "(0, 1)": what an extern is asked for; "" without anything.
std::string TableWriter::Asked(const dsl::Instance& asked) {
  return asked.arguments.empty() ? "" : fmt::format("({})", fmt::join(asked.arguments, ", "));
}

/// "size(0) 4 * code 3 +": operands first, as the engine reads it.
std::string TableWriter::Term(const dsl::Term& term) const {
  std::string text;
  for (const dsl::TermNode& node : term) {
    if (!text.empty()) text += ' ';
    switch (node.kind) {
      case dsl::TermNode::Kind::kNumber:
        text += fmt::format("{}", node.number);
        break;
      case dsl::TermNode::Kind::kCode:
        text += fmt::format("code {}{}", plan_.CodeId(node), Asked(node.instance));
        break;
      case dsl::TermNode::Kind::kInstance:
        text += Use(node.instance);
        break;
      case dsl::TermNode::Kind::kVariable:
        text += fmt::format("number {}", node.instance.arguments.front());
        break;
      case dsl::TermNode::Kind::kNegate:
        text += "negated";
        break;
      default:
        text += OperationText(node.kind);
    }
  }
  return text;
}

/// "0x1e {AFTER, INNER, OUTER, MERGED}".
std::string TableWriter::Mask(int choice, std::uint64_t values) const {
  const dsl::Choice& owner = spec_.choices.at(choice);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < owner.values.size(); ++i) {
    if ((values >> i) & 1) names.push_back(owner.values[i].name);
  }
  return fmt::format("0x{:02x} {{{}}}", values & AllValues(owner), fmt::join(names, ", "));
}

std::string TableWriter::Condition(const dsl::Condition& condition) const {
  switch (condition.kind) {
    case Kind::kIs:
      return fmt::format("{} in {}", Use(condition.lhs),
                         Mask(condition.lhs.choice, condition.values));
    case Kind::kCompare:
      return fmt::format("{} {} {}", Use(condition.lhs), OperatorText(condition.op),
                         Use(condition.rhs));
    case Kind::kCompareCode:
      if (!condition.numbers.empty()) {
        return fmt::format("{} {} {{{}}}", Use(condition.lhs), OperatorText(condition.op),
                           fmt::join(condition.numbers, ", "));
      }
      return fmt::format("{} {} code {}{}", Use(condition.lhs), OperatorText(condition.op),
                         plan_.CodeId(condition), Asked(condition.rhs));
    case Kind::kCode:
    case Kind::kPresent:
      return fmt::format(
          "{}{} {}{}", condition.negated ? "not " : "",
          condition.kind == Kind::kCode ? "code" : "present", plan_.CodeId(condition),
          condition.external < 0 ? ""
                                 : fmt::format("({})", fmt::join(condition.lhs.arguments, ", ")));
    case Kind::kAscending:
      return fmt::format("{}ascending({})", condition.negated ? "not " : "",
                         fmt::join(condition.lhs.arguments, ", "));
    case Kind::kTerms:
      return fmt::format("{}[{}] {} [{}]", condition.negated ? "not " : "", Term(condition.left),
                         OperatorText(condition.op), Term(condition.right));
    case Kind::kConstant:
      return condition.constant ? "true" : "false";
  }
  EXH_UNREACHABLE();
}

void TableWriter::WriteSets() {
  Line(0, "\nsets");
  for (std::size_t i = 0; i < spec_.sets.size(); ++i) {
    const dsl::Set& set = spec_.sets[i];
    std::string text = fmt::format("{} {}", i, set.name);
    if (set.parameter)
      text += fmt::format(", one per object of {}", NameOf(set.parameter->set.set));
    if (set.superset) text += fmt::format(", part of {}", NameOf(set.superset->set));
    if (set.root >= 0) text += fmt::format(", numbered as {}", NameOf(set.root));
    for (const int other : set.disjoint) text += fmt::format(", disjoint from {}", NameOf(other));
    Line(1, "{}{}", text, set.is_quotient ? ", quotient" : "");
  }
}

void TableWriter::WriteValues(const dsl::Choice& choice) {
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    std::string inverse;
    if (choice.symmetry == dsl::Symmetry::kAntisymmetric) {
      inverse = ", swapped " + choice.values.at(choice.inverse[i]).name;
    }
    Line(2, "0x{:02x} {}{}", std::uint64_t{1} << i, choice.values[i].name, inverse);
  }
}

const char* Word(dsl::Visibility visibility) {
  switch (visibility) {
    case dsl::Visibility::kFull:
      return "full";
    case dsl::Visibility::kHalf:
      return "half";
    case dsl::Visibility::kInternal:
      return "internal";
  }
  EXH_UNREACHABLE();
}

void TableWriter::WriteCounter(const dsl::Choice& choice) {
  std::vector<dsl::Variable> scope = choice.arguments;
  scope.insert(scope.end(), choice.over.begin(), choice.over.end());
  if (choice.base) Line(2, "starts at code {}", plan_.CodeId(*choice.base));
  if (choice.base_number) Line(2, "starts at {}", *choice.base_number);
  if (!choice.over.empty()) Line(2, "over {}", Scope(scope));
  Line(2, "{} {}", choice.product ? "multiplies" : "adds",
       choice.weight        ? Use(*choice.weight)
       : choice.weight_code ? fmt::format("code {}", plan_.CodeId(*choice.weight_code))
                            : fmt::format("[{}]", Term(choice.weight_term)));
  for (const dsl::Condition& condition : choice.when) Line(2, "when {}", Condition(condition));
}

void TableWriter::WriteChoice(int index) {
  const dsl::Choice& choice = spec_.choices[index];
  const std::string head = fmt::format("{} {}: {{}} over {}  [{}]", index, choice.name,
                                       Scope(choice.arguments), plan_.At(choice.range));
  const auto line = [&](const std::string& kind) {
    Line(1, "{}", fmt::format(fmt::runtime(head), kind));
  };
  switch (choice.kind) {
    case dsl::ChoiceKind::kEnum:
      switch (choice.symmetry) {
        case dsl::Symmetry::kNone:
          line("enum");
          break;
        case dsl::Symmetry::kSymmetric:
          line("symmetric enum");
          break;
        case dsl::Symmetry::kAntisymmetric:
          line("antisymmetric enum");
          break;
      }
      WriteValues(choice);
      break;
    case dsl::ChoiceKind::kInteger:
      line(choice.numbers.empty()
               ? fmt::format("integer from code {}", plan_.CodeId(choice.universe))
               : fmt::format("integer of {{{}}}", NumbersText(choice.numbers, ", ")));
      break;
    case dsl::ChoiceKind::kCounter:
      line(fmt::format("{} counter", Word(choice.visibility)));
      WriteCounter(choice);
      break;
  }
}

const char* Word(Code::Yields yields) {
  switch (yields) {
    case Code::Yields::kBool:
      return "predicate";
    case Code::Yields::kNumbers:
      return "numbers";
    case Code::Yields::kItem:
      return "item";
    case Code::Yields::kInteger:
      return "integer";
  }
  EXH_UNREACHABLE();
}

void TableWriter::WriteCodes() {
  Line(0, "\ncodes");
  for (std::size_t i = 0; i < plan_.codes.size(); ++i) {
    const Code& code = plan_.codes[i];
    Line(1, "{} {} over {}  [{}]", i, Word(code.yields), Scope(code.scope),
         plan_.At(code.snippet->range));
    Line(2, "{}", code.snippet->text);
  }
}

void TableWriter::WriteRequirements() {
  Line(0, "\nrequirements");
  std::size_t number = 0;
  for (std::size_t i = 0; i < spec_.requirements.size(); ++i) {
    const dsl::Requirement& requirement = spec_.requirements[i];
    Line(1, "{} {}: over {}  [{}]", i, requirement.label, Scope(requirement.variables),
         plan_.At(requirement.range));
    for (const std::vector<dsl::Condition>& clause : requirement.clauses) {
      std::vector<std::string> conditions;
      for (const dsl::Condition& condition : clause) conditions.push_back(Condition(condition));
      Line(2, "clause {}: {}", number++,
           conditions.empty() ? "false" : fmt::format("{}", fmt::join(conditions, " || ")));
    }
  }
}

void TableWriter::WriteQuotients() {
  if (spec_.quotients.empty()) return;
  Line(0, "\nquotients");
  for (const dsl::Quotient& quotient : spec_.quotients) {
    Line(1, "{}: over {}  [{}]", NameOf(quotient.set), Scope(quotient.variables),
         plan_.At(quotient.range));
    Line(2, "flag {}", spec_.choices.at(quotient.flag).name);
    for (const dsl::Condition& condition : quotient.dividend)
      Line(2, "when {}", Condition(condition));
    Line(2, "equivalent when {} in {}", spec_.choices.at(quotient.equivalence).name,
         Mask(quotient.equivalence, quotient.equivalence_values));
  }
}

void TableWriter::WriteTriggers() {
  if (spec_.triggers.empty()) return;
  Line(0, "\ntriggers");
  for (std::size_t i = 0; i < spec_.triggers.size(); ++i) {
    const dsl::Trigger& trigger = spec_.triggers[i];
    Line(1, "{} {}: over {}  [{}]", i, trigger.label, Scope(trigger.variables),
         plan_.At(trigger.range));
    for (const dsl::Condition& condition : trigger.when) Line(2, "when {}", Condition(condition));
    for (const int set : trigger.adds) Line(2, "adds to {}", NameOf(set));
  }
}

void TableWriter::WriteOrder() {
  if (spec_.order.empty()) return;
  Line(0, "\norder");
  for (const int choice : spec_.order) Line(1, "{} {}", choice, spec_.choices.at(choice).name);
}

void TableWriter::WriteObjective() {
  if (spec_.objective) {
    Line(0, "\n{} {}", spec_.objective->maximize ? "maximize" : "minimize",
         Term(spec_.objective->term));
  }
  if (spec_.lower_bound) {
    Line(0, "\nlower bound {} ns * {}", spec_.lower_bound->unit_ns, Term(spec_.lower_bound->term));
  }
}

std::string TableWriter::Write() {
  Line(0, "Generated by exhc from {}: what runtime::Space gets. Do not edit.", spec_.files[0].path);
  Line(0, "space {}, fingerprint {}", plan_.space, plan_.fingerprint);
  WriteSets();
  Line(0, "\nchoices");
  for (std::size_t i = 0; i < spec_.choices.size(); ++i) WriteChoice(static_cast<int>(i));
  WriteCodes();
  WriteRequirements();
  WriteQuotients();
  WriteTriggers();
  WriteOrder();
  WriteObjective();
  return text_;
}

}  // namespace

std::string TableText(const SpacePlan& plan) {
  return TableWriter(plan).Write();
}

}  // namespace exh::generator
