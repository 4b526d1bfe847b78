// SPDX-License-Identifier: MIT
#include "dsl/syntax/parse_tree.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace exh::dsl {
namespace {

using grammar::ExhParser;
using Tree = antlr4::tree::TerminalNode;

class Builder {
 public:
  Builder(const Chunk& chunk, std::optional<Misplaced>& misplaced)
      : chunk_(chunk), misplaced_(misplaced) {}

  ast::Statement Statement(ExhParser::StatementContext* c) {
    if (c->setDecl() != nullptr) return Set(c->setDecl());
    if (c->quotientDecl() != nullptr) return Quotient(c->quotientDecl());
    if (c->enumDecl() != nullptr) return Enum(c->enumDecl());
    if (c->integerDecl() != nullptr) return Integer(c->integerDecl());
    if (c->counterDecl() != nullptr) return Counter(c->counterDecl());
    if (c->requireDecl() != nullptr) return Require(c->requireDecl());
    if (c->triggerDecl() != nullptr) return Trigger(c->triggerDecl());
    if (c->letDecl() != nullptr) return Let(c->letDecl());
    if (c->externDecl() != nullptr) return Extern(c->externDecl());
    if (c->hostDecl() != nullptr) return Host(c->hostDecl());
    if (c->objectiveDecl() != nullptr) return Objective(c->objectiveDecl());
    if (c->lowerBoundDecl() != nullptr) return LowerBound(c->lowerBoundDecl());
    return Decide(c->decideDecl());
  }

 private:
  const Token& At(Tree* node) const { return chunk_.tokens[node->getSymbol()->getTokenIndex()]; }

  ast::Where Range(antlr4::ParserRuleContext* c) const {
    // An empty rule (a requirement with no condition) stops before it starts.
    const std::size_t start = c->getStart()->getTokenIndex();
    const std::size_t stop = c->getStop() == nullptr ? start : c->getStop()->getTokenIndex();
    const std::size_t last = chunk_.tokens.size() - 1;
    SourceRange range = chunk_.tokens[std::min(start, last)].range;
    const SourceRange end = chunk_.tokens[std::min(stop, last)].range;
    if (stop >= start && end.file == range.file && end.end > range.begin) range.end = end.end;
    return range;
  }

  ast::Name Name(Tree* node) const { return {At(node).text, At(node).range}; }

  ast::Name Variable(Tree* node) const { return {At(node).text.substr(1), At(node).range}; }

  std::vector<ast::Name> Names(const std::vector<Tree*>& nodes) const {
    std::vector<ast::Name> names;
    for (Tree* node : nodes) names.push_back(Name(node));
    return names;
  }

  std::string Doc(Tree* node) const { return node == nullptr ? "" : At(node).text; }

  ast::Code Code(Tree* node) const {
    const Token& token = At(node);
    return {token.text, token.range, token.pieces};
  }

  ast::SetRef SetRef(ExhParser::SetRefContext* c) const {
    ast::SetRef ref{Name(c->SET_ID()), std::nullopt, Range(c)};
    if (c->VAR() != nullptr) ref.parameter = Variable(c->VAR());
    return ref;
  }

  ast::VarDef VarDef(ExhParser::VarDefContext* c) const {
    return {Variable(c->VAR()), SetRef(c->setRef())};
  }

  std::vector<ast::VarDef> VarDefs(const std::vector<ExhParser::VarDefContext*>& all) const {
    std::vector<ast::VarDef> defs;
    for (auto* c : all) defs.push_back(VarDef(c));
    return defs;
  }

  std::vector<ast::Quantifier> Foralls(const std::vector<ExhParser::ForallContext*>& all) const {
    std::vector<ast::Quantifier> quantifiers;
    for (auto* c : all) {
      ast::Quantifier& quantifier = quantifiers.emplace_back();
      for (Tree* variable : c->VAR()) quantifier.names.push_back(Variable(variable));
      quantifier.ascending = !c->LT().empty();
      quantifier.set = SetRef(c->setRef());
      if (c->formula() != nullptr) quantifier.where = Formula(c->formula());
    }
    return quantifiers;
  }

  ast::Instance Instance(ExhParser::InstanceContext* c) const {
    ast::Instance instance{Name(c->CHOICE_ID()), {}, Range(c)};
    for (Tree* node : c->VAR()) instance.arguments.push_back(Variable(node));
    return instance;
  }

  static CompareOp Op(ExhParser::CompareContext* c) {
    if (c->LT() != nullptr) return CompareOp::kLt;
    if (c->GT() != nullptr) return CompareOp::kGt;
    if (c->LE() != nullptr) return CompareOp::kLe;
    if (c->GE() != nullptr) return CompareOp::kGe;
    return c->EQ() != nullptr ? CompareOp::kEq : CompareOp::kNe;
  }

  std::vector<ast::NumberRange> Numbers(ExhParser::NumbersContext* c) const {
    std::vector<ast::NumberRange> ranges;
    for (auto* range : c->range()) {
      ranges.push_back({Name(range->NUMBER(0)), std::nullopt});
      if (range->RANGE() != nullptr) ranges.back().last = Name(range->NUMBER(1));
    }
    return ranges;
  }

  // ---- terms

  using TermKind = ast::TermNode::Kind;

  void Misplace(Diag diag, const ast::Where& range, const char* message) const {
    if (!misplaced_) misplaced_ = Misplaced{diag, range, message};
  }

  /// The factor that the term is, if it is one and nothing else.
  static ExhParser::FactorContext* OnlyFactor(ExhParser::TermContext* c) {
    if (c->product().size() != 1 || c->product(0)->factor().size() != 1) return nullptr;
    ExhParser::FactorContext* const factor = c->product(0)->factor(0);
    return factor->NEGATIVE().empty() ? factor : nullptr;
  }

  /// The term that the formula in parentheses is; null after a report.
  ExhParser::TermContext* TermIn(ExhParser::FormulaContext* c) const {
    auto* const disjunction = c->disjunction(0);
    auto* const negation = disjunction->conjunction(0)->negation(0);
    auto* const condition = negation->condition();
    if (c->disjunction().size() == 1 && disjunction->conjunction().size() == 1 &&
        disjunction->conjunction(0)->negation().size() == 1 && negation->NOT().empty() &&
        condition->term().size() == 1 && condition->IS() == nullptr) {
      return condition->term(0);
    }
    Misplace(Diag::kConditionInTerm, Range(c),
             "this is a condition and no number: it cannot be a part of a term");
    return nullptr;
  }

  ast::TermNode Operand(ExhParser::FactorContext* c) const {
    if (c->instance() != nullptr) {
      return {TermKind::kInstance, Instance(c->instance()), Range(c->instance())};
    }
    if (c->NUMBER() != nullptr) {
      return {TermKind::kNumber, ast::WrittenNumber{Name(c->NUMBER())}, At(c->NUMBER()).range};
    }
    if (c->CODE() != nullptr) return {TermKind::kCode, Code(c->CODE()), At(c->CODE()).range};
    if (c->VAR() != nullptr) return {TermKind::kVariable, Variable(c->VAR()), At(c->VAR()).range};
    return {TermKind::kCode, Name(c->CONSTANT_NAME()), At(c->CONSTANT_NAME()).range};
  }

  /// From the first token of `from` to the last node of the term.
  ast::Where Since(antlr4::ParserRuleContext* from, const ast::Term& term) const {
    ast::Where range = Range(from);
    if (!term.empty() && term.back().range.file == range.file) range.end = term.back().range.end;
    return range;
  }

  void AddFactor(ExhParser::FactorContext* c, ast::Term& term) const {
    if (c->formula() != nullptr) {
      if (auto* const inner = TermIn(c->formula())) AddTerm(inner, term);
    } else if (c->MIN() != nullptr || c->MAX() != nullptr) {
      for (auto* side : c->term()) AddTerm(side, term);
      term.push_back({c->MIN() != nullptr ? TermKind::kMin : TermKind::kMax, {}, Range(c)});
    } else {
      term.push_back(Operand(c));
    }
    for (std::size_t i = c->NEGATIVE().size(); i-- > 0;) {
      ast::Where range = Range(c);
      range.begin = At(c->NEGATIVE(i)).range.begin;
      term.push_back({TermKind::kNegate, {}, range});
    }
  }

  TermKind Operation(std::size_t type) const {
    switch (type) {
      case ExhParser::PLUS:
        return TermKind::kAdd;
      case ExhParser::MINUS:
        return TermKind::kSubtract;
      case ExhParser::STAR:
        return TermKind::kMultiply;
      case ExhParser::SLASH:
        return TermKind::kDivide;
      case ExhParser::DIV:
        return TermKind::kDiv;
      default:
        return TermKind::kMod;
    }
  }

  /// The operators stand between the operands, so that every second child is one.
  TermKind OperationBefore(antlr4::ParserRuleContext* c, std::size_t operand) const {
    auto* const node = static_cast<Tree*>(c->children[2 * operand - 1]);
    return Operation(node->getSymbol()->getType());
  }

  void AddProduct(ExhParser::ProductContext* c, ast::Term& term) const {
    const auto factors = c->factor();
    for (std::size_t i = 0; i < factors.size(); ++i) {
      AddFactor(factors[i], term);
      if (i > 0) term.push_back({OperationBefore(c, i), {}, Since(c, term)});
    }
  }

  void AddTerm(ExhParser::TermContext* c, ast::Term& term) const {
    const auto products = c->product();
    for (std::size_t i = 0; i < products.size(); ++i) {
      AddProduct(products[i], term);
      if (i > 0) term.push_back({OperationBefore(c, i), {}, Since(c, term)});
    }
  }

  ast::Term Term(ExhParser::TermContext* c) const {
    ast::Term term;
    AddTerm(c, term);
    return term;
  }

  // ---- formulas

  ast::Formula Of(ast::Condition condition) const {
    ast::Formula formula;
    formula.range = condition.range;
    formula.condition = std::move(condition);
    return formula;
  }

  ast::Formula Condition(ExhParser::ConditionContext* c) const {
    ast::Condition condition{c->TRUE() != nullptr, Range(c)};
    if (c->term().empty()) return Of(std::move(condition));
    ExhParser::FactorContext* const only = OnlyFactor(c->term(0));
    if (c->compare() != nullptr) {
      condition.kind = ast::TermComparison{Term(c->term(0)), Op(c->compare()), Term(c->term(1))};
    } else if (c->IS() != nullptr) {
      if (only == nullptr || only->instance() == nullptr) {
        Misplace(Diag::kTermAlone, Range(c->term(0)),
                 "'is' tests one choice; a term is compared, with '==' and '||'");
        return Of(std::move(condition));
      }
      ast::IsTest test{Instance(only->instance()), c->NOT() != nullptr, {}, {}};
      if (c->numbers() != nullptr) {
        test.numbers = Numbers(c->numbers());
      } else {
        test.values = Names(c->values()->VALUE_ID());
      }
      condition.kind = std::move(test);
    } else if (only != nullptr && only->formula() != nullptr) {
      return Formula(only->formula());
    } else if (only != nullptr && only->CODE() != nullptr) {
      condition.kind = Code(only->CODE());
    } else if (only != nullptr && only->instance() != nullptr) {
      condition.kind = Instance(only->instance());
    } else {
      Misplace(Diag::kTermAlone, condition.range,
               "this is a term and says nothing by itself; compare it");
    }
    return Of(std::move(condition));
  }

  ast::Formula Negation(ExhParser::NegationContext* c) const {
    ast::Formula formula = Condition(c->condition());
    for (std::size_t i = c->NOT().size(); i-- > 0;) {
      ast::Formula inner = std::move(formula);
      formula = {ast::Formula::Kind::kNot, std::nullopt, {}, Range(c)};
      formula.range.begin = At(c->NOT(i)).range.begin;
      formula.parts.push_back(std::move(inner));
    }
    return formula;
  }

  /// One part is itself.
  ast::Formula Joined(ast::Formula::Kind kind, std::vector<ast::Formula> parts,
                      ast::Where range) const {
    if (parts.size() == 1) return std::move(parts.front());
    return {kind, std::nullopt, std::move(parts), range};
  }

  ast::Formula Conjunction(ExhParser::ConjunctionContext* c) const {
    std::vector<ast::Formula> parts;
    for (auto* negation : c->negation()) parts.push_back(Negation(negation));
    return Joined(ast::Formula::Kind::kAnd, std::move(parts), Range(c));
  }

  ast::Formula Disjunction(ExhParser::DisjunctionContext* c) const {
    std::vector<ast::Formula> parts;
    for (auto* conjunction : c->conjunction()) parts.push_back(Conjunction(conjunction));
    return Joined(ast::Formula::Kind::kOr, std::move(parts), Range(c));
  }

  /// `a => b => c` is `a => (b => c)`.
  ast::Formula Formula(ExhParser::FormulaContext* c) const {
    ast::Formula formula = Disjunction(c->disjunction().back());
    for (std::size_t i = c->disjunction().size() - 1; i-- > 0;) {
      std::vector<ast::Formula> parts = {Disjunction(c->disjunction(i)), std::move(formula)};
      ast::Where range = parts[0].range;
      if (parts[1].range.file == range.file) range.end = parts[1].range.end;
      formula = Joined(ast::Formula::Kind::kImplies, std::move(parts), range);
    }
    return formula;
  }

  std::vector<ast::Formula> Formulas(const std::vector<ExhParser::FormulaContext*>& all) const {
    std::vector<ast::Formula> formulas;
    for (auto* c : all) formulas.push_back(Formula(c));
    return formulas;
  }

  ast::Constraint Constraint(ExhParser::ConstraintContext* c) const {
    return {Foralls(c->forall()), Formulas(c->formula()), Range(c)};
  }

  std::vector<ast::Constraint> Requirements(
      const std::vector<ExhParser::RequirementContext*>& all) const {
    std::vector<ast::Constraint> constraints;
    for (auto* c : all) constraints.push_back(Constraint(c->constraint()));
    return constraints;
  }

  std::vector<ast::Key> Keys(const std::vector<ExhParser::KeyContext*>& all) const {
    std::vector<ast::Key> keys;
    for (auto* c : all) {
      ast::Key key{Name(c->KEY()), std::nullopt, Code(c->CODE())};
      if (key.word.text == "type") key.word.text = "item_type";  // The paper's spelling.
      if (c->varDef() != nullptr) key.forall = VarDef(c->varDef());
      keys.push_back(std::move(key));
    }
    return keys;
  }

  std::vector<ast::Name> Disjoint(ExhParser::DisjointContext* c) const {
    return c == nullptr ? std::vector<ast::Name>() : Names(c->SET_ID());
  }

  ast::SetDecl Set(ExhParser::SetDeclContext* c) const {
    ast::SetDecl set;
    set.doc = Doc(c->DOC());
    set.name = Name(c->SET_ID());
    set.disjoint = Disjoint(c->disjoint());
    set.keys = Keys(c->key());
    if (c->varDef() != nullptr) set.parameter = VarDef(c->varDef());
    if (c->setRef() != nullptr) set.superset = SetRef(c->setRef());
    if (!c->term().empty()) set.numbers = ast::Span{Term(c->term(0)), Term(c->term(1))};
    return set;
  }

  ast::QuotientDecl Quotient(ExhParser::QuotientDeclContext* c) const {
    ast::QuotientDecl quotient;
    quotient.doc = Doc(c->DOC());
    quotient.canonical = c->CANONICAL() != nullptr;
    quotient.name = Name(c->SET_ID());
    if (c->varDef().size() > 1) quotient.parameter = VarDef(c->varDef(0));
    quotient.item = VarDef(c->varDef().back());
    quotient.flag = Name(c->CHOICE_ID(0));
    if (c->formula() != nullptr) quotient.dividend = Formula(c->formula());
    quotient.equivalence = Name(c->CHOICE_ID(1));
    quotient.values = Names(c->values()->VALUE_ID());
    quotient.disjoint = Disjoint(c->disjoint());
    quotient.keys = Keys(c->key());
    return quotient;
  }

  ast::EnumItem EnumItem(ExhParser::EnumItemContext* c) const {
    if (auto* value = c->valueItem(); value != nullptr) {
      return ast::ValueItem{Doc(c->DOC()), Name(value->VALUE_ID()),
                            Requirements(value->requirement())};
    }
    if (auto* alias = c->aliasItem(); alias != nullptr) {
      return ast::AliasItem{Doc(c->DOC()), Name(alias->VALUE_ID()),
                            Names(alias->values()->VALUE_ID()), Requirements(alias->requirement())};
    }
    if (c->SYMMETRIC() != nullptr) return ast::SymmetricItem{At(c->SYMMETRIC()).range};
    ast::AntisymmetricItem item{{}, At(c->ANTISYMMETRIC()).range};
    for (auto* pair : c->inversePair()) {
      item.pairs.push_back({Name(pair->VALUE_ID(0)), Name(pair->VALUE_ID(1))});
    }
    return item;
  }

  ast::EnumDecl Enum(ExhParser::EnumDeclContext* c) const {
    ast::EnumDecl choice{
        Doc(c->DOC()), Name(c->CHOICE_ID()), VarDefs(c->arguments()->varDef()), {}};
    for (auto* item : c->enumItem()) choice.items.push_back(EnumItem(item));
    return choice;
  }

  /// A number and nothing else.
  static const ast::WrittenNumber* OnlyNumber(const ast::Term& term) {
    return ast::Only<ast::WrittenNumber>(term);
  }

  void Universe(const std::vector<ExhParser::SpanContext*>& all, ast::IntegerDecl& choice) const {
    std::vector<ast::Span> spans;
    std::vector<ast::NumberRange> numbers;
    for (auto* c : all) {
      ast::Span& span = spans.emplace_back();
      span.first = Term(c->term(0));
      if (c->term().size() > 1) span.last = Term(c->term(1));
      const ast::WrittenNumber* const first = OnlyNumber(span.first);
      const ast::WrittenNumber* const last = span.last ? OnlyNumber(*span.last) : first;
      if (first == nullptr || last == nullptr) continue;
      numbers.push_back({first->digits, std::nullopt});
      if (span.last) numbers.back().last = last->digits;
    }
    if (numbers.size() == spans.size()) {
      choice.universe = std::move(numbers);
    } else {
      choice.universe = std::move(spans);
    }
  }

  ast::IntegerDecl Integer(ExhParser::IntegerDeclContext* c) const {
    ast::IntegerDecl choice{
        Doc(c->DOC()), Name(c->CHOICE_ID()), VarDefs(c->arguments()->varDef()), {}};
    if (c->CODE() != nullptr) {
      choice.universe = Code(c->CODE());
    } else {
      Universe(c->span(), choice);
    }
    return choice;
  }

  ast::CounterDecl Counter(ExhParser::CounterDeclContext* c) const {
    ast::CounterDecl counter;
    counter.doc = Doc(c->DOC());
    if (c->HALF() != nullptr) counter.visibility = Visibility::kHalf;
    if (c->INTERNAL() != nullptr) counter.visibility = Visibility::kInternal;
    counter.name = Name(c->CHOICE_ID());
    counter.arguments = VarDefs(c->arguments()->varDef());
    if (c->CODE() != nullptr) {
      counter.base = Code(c->CODE());
    } else if (c->NUMBER() != nullptr) {
      counter.base = ast::WrittenNumber{Name(c->NUMBER()), c->NEGATIVE() != nullptr};
    } else if (c->CONSTANT_NAME() != nullptr) {
      counter.base = Name(c->CONSTANT_NAME());
    } else if (c->instance() != nullptr) {
      counter.base = Instance(c->instance());
    }
    counter.over = Foralls(c->forall());
    counter.product = c->MUL() != nullptr;
    counter.weight = Term(c->term());
    counter.when = Formulas(c->formula());
    return counter;
  }

  std::optional<ast::Name> Label(ExhParser::LabelContext* c) const {
    if (c == nullptr) return std::nullopt;
    return Name(c->CHOICE_ID());
  }

  ast::RequireDecl Require(ExhParser::RequireDeclContext* c) const {
    // Documentation is not part of the place: a reader is sent to the word `require`.
    SourceRange range = Range(c);
    range.begin = At(c->REQUIRE()).range.begin;
    return {Doc(c->DOC()), Label(c->label()), Constraint(c->constraint()), range};
  }

  ast::TriggerDecl Trigger(ExhParser::TriggerDeclContext* c) const {
    ast::TriggerDecl trigger{c->ONCE() != nullptr,
                             Label(c->label()),
                             Foralls(c->forall()),
                             std::nullopt,
                             Code(c->CODE()),
                             Formula(c->formula()),
                             Range(c)};
    if (c->adds() != nullptr) trigger.adds = Names(c->adds()->SET_ID());
    return trigger;
  }

  ast::LetDecl Let(ExhParser::LetDeclContext* c) const {
    return {Doc(c->DOC()), Name(c->CHOICE_ID()), VarDefs(c->arguments()->varDef()),
            Formula(c->formula())};
  }

  ast::SetDecl GivenSet(ExhParser::ExternDeclContext* c) const {
    ast::SetDecl set;
    set.doc = Doc(c->DOC());
    set.name = Name(c->SET_ID());
    if (c->varDef() != nullptr) set.parameter = VarDef(c->varDef());
    if (c->setRef() != nullptr) set.superset = SetRef(c->setRef());
    set.given = true;
    return set;
  }

  ast::Statement Extern(ExhParser::ExternDeclContext* c) const {
    if (c->SET() != nullptr) return GivenSet(c);
    ast::ExternDecl external;
    external.doc = Doc(c->DOC());
    external.constant = c->CONSTANT() != nullptr;
    external.name = Name(c->CHOICE_ID());
    if (c->arguments() != nullptr) external.arguments = VarDefs(c->arguments()->varDef());
    if (c->setRef() != nullptr) external.present = SetRef(c->setRef());
    if (c->CODE() != nullptr) external.code = Code(c->CODE());
    if (c->NUMBER() != nullptr) {
      external.number = ast::WrittenNumber{Name(c->NUMBER()), c->NEGATIVE() != nullptr};
    }
    return external;
  }

  ast::HostDecl Host(ExhParser::HostDeclContext* c) const {
    ast::HostDecl host{Code(c->CODE()), {}, Range(c)};
    for (auto* entry : c->hostEntry()) {
      host.entries.push_back({Name(entry->CHOICE_ID()), Code(entry->CODE())});
    }
    return host;
  }

  ast::DecideDecl Decide(ExhParser::DecideDeclContext* c) const {
    return {Names(c->CHOICE_ID()), Range(c)};
  }

  ast::ObjectiveDecl Objective(ExhParser::ObjectiveDeclContext* c) const {
    return {c->MAXIMIZE() != nullptr, Term(c->term()), Range(c)};
  }

  ast::LowerBoundDecl LowerBound(ExhParser::LowerBoundDeclContext* c) const {
    return {Name(c->CHOICE_ID()), Term(c->term()), Range(c)};
  }

  const Chunk& chunk_;
  std::optional<Misplaced>& misplaced_;
};

}  // namespace

ast::Statement BuildStatement(const Chunk& chunk, ExhParser::StatementContext* tree,
                              std::optional<Misplaced>& misplaced) {
  return Builder(chunk, misplaced).Statement(tree);
}

}  // namespace exh::dsl
