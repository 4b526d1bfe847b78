// SPDX-License-Identifier: MIT
#include "dsl/syntax/print.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace exh::dsl {
namespace {

// A backslash before a newline or before the closing quote would mean something, so a continued
// line of nothing follows it.
std::string Literal(const ast::Code& code) {
  std::string text = "\"";
  for (std::size_t i = 0; i < code.text.size(); ++i) {
    const std::string_view rest = std::string_view(code.text).substr(i + 1);
    if (code.text[i] == '"') text += '\\';
    text += code.text[i];
    const bool means = rest.empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
    if (code.text[i] == '\\' && means) text += "\\\n";
  }
  return text + "\"";
}

std::string Doc(const std::string& doc, std::string_view indent) {
  return doc.empty() ? "" : fmt::format("{}///{}\n", indent, doc);
}

template <typename Range, typename Function>
std::string Joined(const Range& range, std::string_view separator, Function print) {
  std::string text;
  for (const auto& item : range) {
    if (!text.empty()) text += separator;
    text += print(item);
  }
  return text;
}

std::string Names(const std::vector<ast::Name>& names, std::string_view separator) {
  return Joined(names, separator, [](const ast::Name& name) { return name.text; });
}

std::string SetRefText(const ast::SetRef& ref) {
  return ref.parameter ? fmt::format("{}(${})", ref.set.text, ref.parameter->text) : ref.set.text;
}

std::string VarDef(const ast::VarDef& def) {
  return fmt::format("${} in {}", def.name.text, SetRefText(def.set));
}

std::string Arguments(const std::vector<ast::VarDef>& defs) {
  return fmt::format("({})", Joined(defs, ", ", VarDef));
}

std::string Foralls(const std::vector<ast::Quantifier>& quantifiers) {
  std::string text;
  for (const ast::Quantifier& q : quantifiers) {
    const std::string names =
        Joined(q.names, q.ascending ? " < " : ", ",
               [](const ast::Name& name) { return fmt::format("${}", name.text); });
    text += fmt::format("forall {} in {}{}: ", names, SetRefText(q.set),
                        q.where ? " where " + Print(*q.where) : "");
  }
  return text;
}

std::string Instance(const ast::Instance& instance) {
  return fmt::format(
      "{}({})", instance.choice.text,
      Joined(instance.arguments, ", ", [](const ast::Name& name) { return "$" + name.text; }));
}

std::string_view Op(CompareOp op) {
  switch (op) {
    case CompareOp::kLt:
      return "<";
    case CompareOp::kGt:
      return ">";
    case CompareOp::kLe:
      return "<=";
    case CompareOp::kGe:
      return ">=";
    case CompareOp::kEq:
      return "==";
    case CompareOp::kNe:
      return "!=";
  }
  return "";
}

std::string Numbers(const std::vector<ast::NumberRange>& ranges) {
  return Joined(ranges, " | ", [](const ast::NumberRange& range) {
    return range.last ? fmt::format("{} .. {}", range.first.text, range.last->text)
                      : range.first.text;
  });
}

std::string Signed(const ast::WrittenNumber& number) {
  return (number.negative ? "-" : "") + number.digits.text;
}

// A name that would mean something else before what follows it is in parentheses.
std::string Constant(const std::string& name) {
  for (const std::string_view word : {"div", "min", "max", "let", "extern", "decide", "host",
                                      "minimize", "maximize", "lower_bound"}) {
    if (name == word) return fmt::format("({})", name);
  }
  return name;
}

struct OperandPrinter {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const ast::WrittenNumber& number) const { return Signed(number); }
  std::string operator()(const ast::Code& code) const { return Literal(code); }
  std::string operator()(const ast::Name& constant) const { return Constant(constant.text); }
  std::string operator()(const ast::Instance& instance) const { return Instance(instance); }
};

// How closely an operation binds; an operand binds closest.
enum Binding : int { kSum = 1, kProduct, kSign, kOperand };

struct Operation {
  std::string_view word;
  Binding binding = kOperand;
};

Operation OperationOf(ast::TermNode::Kind kind) {
  using Kind = ast::TermNode::Kind;
  switch (kind) {
    case Kind::kNumber:
    case Kind::kCode:
    case Kind::kInstance:
    case Kind::kVariable:
      return {"", kOperand};
    case Kind::kNegate:
      return {"-", kSign};
    case Kind::kAdd:
      return {"+", kSum};
    case Kind::kSubtract:
      return {"-", kSum};
    case Kind::kMultiply:
      return {"*", kProduct};
    case Kind::kDivide:
      return {"/", kProduct};
    case Kind::kDiv:
      return {"div", kProduct};
    case Kind::kMod:
      return {"%", kProduct};
    case Kind::kMin:
      return {"min", kOperand};
    case Kind::kMax:
      return {"max", kOperand};
  }
  return {};
}

// Texts of parts of a term with how closely they bind. A chain of sums grows at its left end.
class TermPrinter {
 public:
  std::string Print(const ast::Term& term) {
    for (const ast::TermNode& node : term) Add(node);
    return parts_.empty() ? "" : std::move(parts_.back().text);
  }

 private:
  struct Part {
    std::string text;
    Binding binding = kOperand;
  };

  static bool IsVariable(const std::string& text) {
    return text.starts_with('$') && text.find(' ') == std::string::npos;
  }

  Part Take() {
    if (parts_.empty()) return {};
    Part part = std::move(parts_.back());
    parts_.pop_back();
    return part;
  }

  static std::string Within(Part part, int least) {
    return part.binding < least ? fmt::format("({})", part.text) : std::move(part.text);
  }

  void Add(const ast::TermNode& node) {
    using Kind = ast::TermNode::Kind;
    const auto [word, binding] = OperationOf(node.kind);
    if (node.kind == Kind::kVariable) {
      parts_.push_back({"$" + std::get<ast::Name>(node.operand).text, kOperand});
    } else if (word.empty()) {
      parts_.push_back({std::visit(OperandPrinter(), node.operand), kOperand});
    } else if (binding == kSign) {
      parts_.push_back({"-" + Within(Take(), kSign), kSign});
    } else {
      Part right = Take();
      Part left = Take();
      if (node.kind == Kind::kMin || node.kind == Kind::kMax) {
        // `min($a, $b)` is the use of a choice.
        if (IsVariable(left.text) && IsVariable(right.text)) left.text = "(" + left.text + ")";
        parts_.push_back({fmt::format("{}({}, {})", word, left.text, right.text), kOperand});
        return;
      }
      std::string text = Within(std::move(left), binding);
      text.append(" ").append(word).append(" ").append(Within(std::move(right), binding + 1));
      parts_.push_back({std::move(text), binding});
    }
  }

  std::vector<Part> parts_;
};

std::string SpanText(const ast::Span& span) {
  return span.last ? fmt::format("{} .. {}", Print(span.first), Print(*span.last))
                   : Print(span.first);
}

struct UniversePrinter {
  std::string operator()(const ast::Code& code) const { return Literal(code); }
  std::string operator()(const std::vector<ast::NumberRange>& numbers) const {
    return Numbers(numbers);
  }
  std::string operator()(const std::vector<ast::Span>& spans) const {
    return Joined(spans, " | ", SpanText);
  }
};

struct ConditionPrinter {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const ast::Code& code) const { return Literal(code); }
  std::string operator()(const ast::IsTest& test) const {
    return fmt::format("{} is {}{}", Instance(test.instance), test.negated ? "not " : "",
                       test.numbers.empty() ? Names(test.values, " | ") : Numbers(test.numbers));
  }
  std::string operator()(const ast::TermComparison& comparison) const {
    return fmt::format("{} {} {}", Print(comparison.left), Op(comparison.op),
                       Print(comparison.right));
  }
  std::string operator()(const ast::Instance& instance) const { return Instance(instance); }
};

/// Formulas side by side. Where a formula would go on with the next one, that is in parentheses.
std::string SideBySide(const std::vector<ast::Formula>& formulas, std::string_view separator) {
  std::string text;
  for (const ast::Formula& formula : formulas) {
    std::string next = Print(formula);
    if (!text.empty()) {
      const bool code = text.ends_with('"') && next.starts_with('"');
      const bool sign = next.starts_with('-');
      if (code || sign) next = fmt::format("({})", next);
      text += separator;
    }
    text += next;
  }
  return text;
}

/// In parentheses when it binds no closer than what it stands in.
std::string Part(const ast::Formula& part, bool parentheses) {
  return parentheses ? fmt::format("({})", Print(part)) : Print(part);
}

std::string Disjoint(const std::vector<ast::Name>& sets) {
  return sets.empty() ? "" : fmt::format("  disjoint: {}\n", Names(sets, ", "));
}

std::string Keys(const std::vector<ast::Key>& keys) {
  std::string text;
  for (const ast::Key& key : keys) {
    const std::string forall = key.forall ? " forall " + VarDef(*key.forall) : "";
    text += fmt::format("  {}{} = {}\n", key.word.text, forall, Literal(key.code));
  }
  return text;
}

std::string Requirements(const std::vector<ast::Constraint>& requirements) {
  std::string text;
  for (const ast::Constraint& c : requirements) text += fmt::format("    requires {}\n", Print(c));
  return text;
}

struct EnumItemPrinter {
  std::string operator()(const ast::ValueItem& item) const {
    return fmt::format("{}  value {}:\n{}", Doc(item.doc, "  "), item.name.text,
                       Requirements(item.requirements));
  }
  std::string operator()(const ast::AliasItem& item) const {
    return fmt::format("{}  alias {} = {}:\n{}", Doc(item.doc, "  "), item.name.text,
                       Names(item.values, " | "), Requirements(item.requirements));
  }
  std::string operator()(const ast::SymmetricItem&) const { return "  symmetric\n"; }
  std::string operator()(const ast::AntisymmetricItem& item) const {
    std::string text = "  antisymmetric:\n";
    for (const ast::InversePair& pair : item.pairs) {
      text += fmt::format("    {} -> {}\n", pair.from.text, pair.to.text);
    }
    return text;
  }
};

std::string_view Word(Visibility visibility) {
  switch (visibility) {
    case Visibility::kFull:
      return "";
    case Visibility::kHalf:
      return "half ";
    case Visibility::kInternal:
      return "internal ";
  }
  return "";
}

struct StatementPrinter {
  std::string operator()(const ast::SetDecl& set) const {
    const std::string parameter = set.parameter ? fmt::format("({})", VarDef(*set.parameter)) : "";
    const std::string superset = set.superset ? " subsetof " + SetRefText(*set.superset) : "";
    if (set.numbers) {
      return fmt::format("{}set {} = {}\n", Doc(set.doc, ""), set.name.text,
                         SpanText(*set.numbers));
    }
    if (set.given) {
      return fmt::format("{}extern set {}{}{}\n", Doc(set.doc, ""), set.name.text, parameter,
                         superset);
    }
    return fmt::format("{}set {}{}{}:\n{}{}end\n", Doc(set.doc, ""), set.name.text, parameter,
                       superset, Disjoint(set.disjoint), Keys(set.keys));
  }
  std::string operator()(const ast::QuotientDecl& q) const {
    const std::string parameter = q.parameter ? fmt::format("({})", VarDef(*q.parameter)) : "";
    const std::string dividend = q.dividend ? Print(*q.dividend) : "";
    return fmt::format("{}quotient {}{}{} of {}:\n  {} = {} / {} is {}\n{}{}end\n", Doc(q.doc, ""),
                       q.canonical ? "canonical " : "", q.name.text, parameter, VarDef(q.item),
                       q.flag.text, dividend, q.equivalence.text, Names(q.values, " | "),
                       Disjoint(q.disjoint), Keys(q.keys));
  }
  std::string operator()(const ast::EnumDecl& choice) const {
    std::string text = fmt::format("{}define enum {}{}:\n", Doc(choice.doc, ""), choice.name.text,
                                   Arguments(choice.arguments));
    for (const ast::EnumItem& item : choice.items) text += std::visit(EnumItemPrinter(), item);
    return text + "end\n";
  }
  std::string operator()(const ast::IntegerDecl& choice) const {
    return fmt::format("{}define integer {}{}:\n  {}\nend\n", Doc(choice.doc, ""), choice.name.text,
                       Arguments(choice.arguments), std::visit(UniversePrinter(), choice.universe));
  }
  std::string operator()(const ast::CounterDecl& counter) const {
    std::string text =
        fmt::format("{}define {}counter {}{}:\n", Doc(counter.doc, ""), Word(counter.visibility),
                    counter.name.text, Arguments(counter.arguments));
    if (counter.base) {
      const auto* constant = std::get_if<ast::Name>(&*counter.base);
      text += fmt::format("  base {}\n", constant != nullptr
                                             ? constant->text
                                             : std::visit(OperandPrinter(), *counter.base));
    }
    text += fmt::format("  {}{} {} when:\n", Foralls(counter.over), counter.product ? "mul" : "sum",
                        Print(counter.weight));
    if (!counter.when.empty()) text += fmt::format("    {}\n", SideBySide(counter.when, "\n    "));
    return text + "end\n";
  }
  std::string operator()(const ast::RequireDecl& require) const {
    const std::string label = require.label ? require.label->text + ": " : "";
    return fmt::format("{}require {}{}\n", Doc(require.doc, ""), label, Print(require.constraint));
  }
  std::string operator()(const ast::TriggerDecl& trigger) const {
    const std::string label = trigger.label ? trigger.label->text + ": " : "";
    const std::string adds =
        trigger.adds ? fmt::format("adds {} ", Names(*trigger.adds, ", ")) : "";
    return fmt::format("trigger {}{}{}{}{} when {}\n", trigger.once ? "once " : "", label,
                       Foralls(trigger.foralls), adds, Literal(trigger.code), Print(trigger.when));
  }
  std::string operator()(const ast::LetDecl& let) const {
    return fmt::format("{}let {}{} = {}\n", Doc(let.doc, ""), let.name.text,
                       Arguments(let.arguments), Print(let.body));
  }
  std::string operator()(const ast::ExternDecl& e) const {
    const std::string code = e.code     ? " = " + Literal(*e.code)
                             : e.number ? " = " + Signed(*e.number)
                                        : "";
    if (e.constant) {
      return fmt::format("{}extern constant {}{}{}\n", Doc(e.doc, ""), e.name.text,
                         e.arguments.empty() ? "" : Arguments(e.arguments), code);
    }
    return fmt::format("{}extern {}predicate {}{}{}{}\n", Doc(e.doc, ""),
                       e.present ? "dynamic " : "", e.name.text, Arguments(e.arguments),
                       e.present ? " of " + SetRefText(*e.present) : "", code);
  }
  std::string operator()(const ast::HostDecl& host) const {
    std::string text = fmt::format("host {}:\n", Literal(host.language));
    for (const ast::HostEntry& entry : host.entries) {
      text += fmt::format("  {} = {}\n", entry.word.text, Literal(entry.code));
    }
    return text + "end\n";
  }
  std::string operator()(const ast::DecideDecl& decide) const {
    return fmt::format("decide {}\n", Names(decide.choices, ", "));
  }
  std::string operator()(const ast::ObjectiveDecl& objective) const {
    return fmt::format("{} {}\n", objective.maximize ? "maximize" : "minimize",
                       Print(objective.term));
  }
  std::string operator()(const ast::LowerBoundDecl& bound) const {
    return fmt::format("lower_bound {}: {}\n", bound.unit.text, Print(bound.term));
  }
  std::string operator()(const ast::BrokenDecl&) const { return ""; }
};

}  // namespace

std::string Print(const ast::VarDef& def) {
  return VarDef(def);
}

std::string PrintHead(const ast::Name& name, const std::vector<ast::VarDef>& arguments) {
  return name.text + Arguments(arguments);
}

std::string Print(const ast::Term& term) {
  return TermPrinter().Print(term);
}

std::string Print(const ast::Condition& condition) {
  return std::visit(ConditionPrinter(), condition.kind);
}

std::string Print(const ast::Formula& formula) {
  using Kind = ast::Formula::Kind;
  switch (formula.kind) {
    case Kind::kCondition:
      return Print(*formula.condition);
    case Kind::kNot: {
      const Kind inner = formula.parts[0].kind;
      return "not " + Part(formula.parts[0], inner != Kind::kCondition && inner != Kind::kNot);
    }
    case Kind::kAnd:
    case Kind::kOr:
      return Joined(
          formula.parts, formula.kind == Kind::kAnd ? " && " : " || ",
          [&](const ast::Formula& part) { return Part(part, part.kind >= formula.kind); });
    case Kind::kImplies:
      return Part(formula.parts[0], formula.parts[0].kind == Kind::kImplies) + " => " +
             Print(formula.parts[1]);
  }
  return "";
}

std::string Print(const ast::Constraint& constraint) {
  std::string text = Foralls(constraint.foralls);
  text += SideBySide(constraint.clauses, "  ");
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string Print(const ast::File& file) {
  std::string text;
  for (const ast::Statement& statement : file.statements) {
    const std::string printed = std::visit(StatementPrinter(), statement);
    if (!text.empty() && !printed.empty()) text += '\n';
    text += printed;
  }
  return text;
}

}  // namespace exh::dsl
