// SPDX-License-Identifier: MIT
//
// The only file that sees ANTLR. Bytes are fed to the lexer as if they were Latin-1, so that an
// index is a byte offset and no byte is illegal; texts are always cut from the source, never asked
// of ANTLR. The parser gets one statement at a time; it stops at the first error in it.
#include "dsl/parse.h"

#include <antlr4-runtime.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "ExhLexer.h"
#include "ExhParser.h"
#include "dsl/check_macros.h"
#include "dsl/spelling.h"
#include "dsl/splice.h"
#include "dsl/split.h"

namespace exh::dsl {
namespace {

using grammar::ExhLexer;
using grammar::ExhParser;

// ---- lexer

class ByteStream : public antlr4::ANTLRInputStream {
 public:
  explicit ByteStream(std::string_view bytes) {
    _data.reserve(bytes.size());
    for (const char c : bytes) _data.push_back(static_cast<unsigned char>(c));
  }
};

TokenKind KindOf(std::size_t type) {
  switch (type) {
    case ExhLexer::INCLUDE:
      return TokenKind::kInclude;
    case ExhLexer::CODE:
      return TokenKind::kCode;
    case ExhLexer::DOC:
      return TokenKind::kDoc;
    case ExhLexer::INVALID:
      return TokenKind::kInvalid;
    case ExhLexer::OPEN_CODE:
      return TokenKind::kOpenCode;
    case ExhLexer::OPEN_COMMENT:
      return TokenKind::kOpenComment;
    case ExhLexer::SET:
      return TokenKind::kSet;
    case ExhLexer::QUOTIENT:
      return TokenKind::kQuotient;
    case ExhLexer::DEFINE:
      return TokenKind::kDefine;
    case ExhLexer::REQUIRE:
      return TokenKind::kRequire;
    case ExhLexer::TRIGGER:
      return TokenKind::kTrigger;
    case ExhLexer::END:
      return TokenKind::kEnd;
    case ExhLexer::ENUM:
    case ExhLexer::INTEGER:
    case ExhLexer::COUNTER:
      return TokenKind::kChoiceKind;
    case ExhLexer::HALF:
    case ExhLexer::INTERNAL:
      return TokenKind::kVisibility;
    case ExhLexer::CHOICE_ID:
      return TokenKind::kChoiceName;
    case ExhLexer::SET_ID:
      return TokenKind::kSetName;
    case ExhLexer::KEY:
      return TokenKind::kKey;
    case ExhLexer::COLON:
      return TokenKind::kColon;
    case ExhLexer::ASSIGN:
      return TokenKind::kAssign;
    case ExhLexer::SLASH:
      return TokenKind::kSlash;
    default:
      return TokenKind::kOther;
  }
}

// The type of a token whose kind was changed after the lexer saw it.
std::size_t TypeOf(const Token& token) {
  switch (token.kind) {
    case TokenKind::kDefine:
      return ExhLexer::DEFINE;
    case TokenKind::kHost:
      return ExhParser::HOST;
    case TokenKind::kKey:
      return ExhLexer::KEY;
    case TokenKind::kAdds:
      return ExhParser::ADDS;
    case TokenKind::kLet:
      return ExhParser::LET;
    case TokenKind::kExtern:
      return ExhParser::EXTERN;
    case TokenKind::kDynamic:
      return ExhParser::DYNAMIC;
    case TokenKind::kPredicate:
      return ExhParser::PREDICATE;
    case TokenKind::kConstant:
      return ExhParser::CONSTANT;
    case TokenKind::kWhere:
      return ExhParser::WHERE;
    case TokenKind::kOnce:
      return ExhParser::ONCE;
    case TokenKind::kCanonical:
      return ExhParser::CANONICAL;
    default:
      return token.type;
  }
}

std::string TokenText(TokenKind kind, std::string_view raw) {
  if (kind == TokenKind::kInclude) {
    const std::size_t quote = raw.find('"');
    raw = raw.substr(quote + 1, raw.size() - quote - 2);
  } else if (kind == TokenKind::kCode) {
    raw = raw.substr(1, raw.size() - 2);
  } else if (kind == TokenKind::kDoc) {
    raw.remove_prefix(3);
    if (!raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
  }
  return std::string(raw);
}

std::vector<Token> LexFile(const SourceSet& sources, std::uint32_t file) {
  ByteStream stream(sources.file(file).text);
  ExhLexer lexer(&stream);
  lexer.removeErrorListeners();
  std::vector<Token> tokens;
  while (true) {
    const std::unique_ptr<antlr4::Token> raw = lexer.nextToken();
    if (raw->getType() == antlr4::Token::EOF) return tokens;
    Token& token = tokens.emplace_back();
    token.type = raw->getType();
    token.kind = KindOf(token.type);
    token.range = {file, static_cast<std::uint32_t>(raw->getStartIndex()),
                   static_cast<std::uint32_t>(raw->getStopIndex() + 1)};
    token.text = TokenText(token.kind, sources.Text(token.range));
  }
}

// ---- errors

constexpr ssize_t kEnd = -1;  // ANTLR's number for the end of its input: here, of a statement.

std::string TypeInWords(std::size_t type, TokenKind statement) {
  switch (type) {
    case ExhParser::CHOICE_ID:
      return statement == TokenKind::kHost ? "'backbone', 'header'" : "a choice name";
    case ExhParser::VALUE_ID:
      return "a value name";
    case ExhParser::SET_ID:
      return "a set name";
    case ExhParser::VAR:
      return "a variable";
    case ExhParser::NUMBER:
      return "a number";
    case ExhParser::CODE:
      return "code in quotes";
    case ExhParser::KEY:
      return "a key";
    case ExhParser::DOC:
      return "a doc comment";
    case ExhParser::ADDS:
      return "'adds'";
    case ExhParser::HOST:
      return "'host'";
    case ExhParser::LET:
      return "'let'";
    case ExhParser::EXTERN:
      return "'extern'";
    case ExhParser::DYNAMIC:
      return "'dynamic'";
    case ExhParser::PREDICATE:
      return "'predicate'";
    case ExhParser::CONSTANT:
      return "'constant'";
    case ExhParser::WHERE:
      return "'where'";
    case ExhParser::ONCE:
      return "'once'";
    case ExhParser::CANONICAL:
      return "'canonical'";
    default:
      break;
  }
  return std::string(ExhParser(nullptr).getVocabulary().getLiteralName(type));
}

std::string TokenInWords(const Token& token) {
  constexpr std::size_t kLongest = 40;
  if (token.kind == TokenKind::kCode) return "code";
  if (token.kind == TokenKind::kDoc) return "a doc comment";
  if (token.text.size() > kLongest) return fmt::format("'{}…'", token.text.substr(0, kLongest));
  switch (token.type) {
    case ExhParser::CHOICE_ID:
      return fmt::format("name '{}'", token.text);
    case ExhParser::VALUE_ID:
      return fmt::format("value name '{}'", token.text);
    case ExhParser::SET_ID:
      return fmt::format("set name '{}'", token.text);
    case ExhParser::VAR:
      return fmt::format("variable '{}'", token.text);
    default:
      return fmt::format("'{}'", token.text);
  }
}

// Why a name that looks right is not: its class follows from its letters.
std::string NameClassHint(const antlr4::misc::IntervalSet& expected, const Token& got) {
  const auto expects = [&](std::size_t type) {
    return expected.contains(type) && expected.size() == 1;
  };
  const bool name = got.type == ExhParser::CHOICE_ID || got.type == ExhParser::VALUE_ID ||
                    got.type == ExhParser::SET_ID;
  if (!name) return "";
  if (expects(ExhParser::SET_ID)) {
    return " (a set name starts with an upper-case letter and holds a lower-case one)";
  }
  if (expects(ExhParser::VALUE_ID)) return " (a value name has no lower-case letter)";
  if (expects(ExhParser::CHOICE_ID)) return " (a choice name has no upper-case letter)";
  return "";
}

// A name where the next statement may start is often a misspelt first word of it.
std::string StatementHint(const Token& token) {
  if (token.type != ExhParser::CHOICE_ID) return "";
  return DidYouMean(token.text, {"set", "quotient", "define", "choice", "require", "trigger", "let",
                                 "extern", "host", "include"});
}

struct StatementError {
  std::size_t at = 0;  // Index in the chunk; its size: the end.
  std::optional<antlr4::misc::IntervalSet> expected;
};

// Records the first error and gives up. Unlike ANTLR's own, `sync` checks the next token at every
// decision, so that the expected set names all that could stand there.
class OneErrorStrategy : public antlr4::DefaultErrorStrategy {
 public:
  explicit OneErrorStrategy(std::size_t chunk_size) : chunk_size_(chunk_size) {}

  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override {
    antlr4::Token* const here = parser->getCurrentToken();
    antlr4::Token* const offending = e.getOffendingToken();
    // When the parser looked ahead, what it expected here says nothing about the token it met
    // there.
    const bool looked_ahead = offending != nullptr && offending != here;
    antlr4::Token* const token = looked_ahead ? offending : here;
    StatementError& error = error_.emplace();
    error.at = token->getType() == antlr4::Token::EOF ? chunk_size_ : token->getTokenIndex();
    if (!looked_ahead) error.expected = parser->getExpectedTokens();
  }

  void recover(antlr4::Parser*, std::exception_ptr) override {
    throw antlr4::ParseCancellationException();
  }

  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    throw antlr4::InputMismatchException(parser);  // Caught by the rule, which calls reportError.
  }

  void sync(antlr4::Parser* parser) override {
    const auto next = static_cast<ssize_t>(parser->getTokenStream()->LA(1));
    const antlr4::atn::ATN& atn = parser->getATN();
    if (atn.nextTokens(atn.states[parser->getState()]).contains(next)) return;
    if (parser->getExpectedTokens().contains(next)) return;
    throw antlr4::InputMismatchException(parser);
  }

  const std::optional<StatementError>& error() const { return error_; }

 private:
  std::size_t chunk_size_;
  std::optional<StatementError> error_;
};

std::string ExpectedInWords(const antlr4::misc::IntervalSet& expected, TokenKind statement) {
  constexpr std::size_t kMost = 4;
  if (expected.size() == 0 || expected.size() > kMost) return "";
  std::vector<std::string> words;
  for (const ssize_t type : expected.toList()) {
    if (type != kEnd) words.push_back(TypeInWords(static_cast<std::size_t>(type), statement));
  }
  if (expected.contains(kEnd)) words.push_back("the next statement");
  std::string text = words.back();
  words.pop_back();
  return words.empty() ? text : fmt::format("{} or {}", fmt::join(words, ", "), text);
}

void Report(const StatementError& error, const Chunk& chunk, DiagnosticSink& sink) {
  static const antlr4::misc::IntervalSet kNothing;
  const auto& expected = error.expected ? *error.expected : kNothing;
  // A misplaced doc comment is noticed at it, or at the token that it documents.
  for (const std::size_t at : {error.at - 1, error.at}) {
    if (at >= chunk.tokens.size() || chunk.tokens[at].kind != TokenKind::kDoc) continue;
    sink.Report(
        Diag::kMisplacedDoc, chunk.tokens[at].range,
        "a doc comment may stand only before 'set', 'quotient', 'define', 'value', 'alias', "
        "'let', 'extern' or 'require'; write '//'");
    return;
  }
  if (error.at < chunk.tokens.size()) {
    const Token& token = chunk.tokens[error.at];
    const std::string words = ExpectedInWords(expected, chunk.start);
    std::string got = TokenInWords(token);
    if (expected.contains(kEnd)) got += StatementHint(token);
    if (words.empty()) {
      sink.Report(Diag::kUnexpectedToken, token.range, fmt::format("unexpected {}", got));
    } else {
      sink.Report(Diag::kUnexpectedToken, token.range,
                  fmt::format("expected {}, got {}{}", words, got, NameClassHint(expected, token)));
    }
    return;
  }
  std::string words = ExpectedInWords(expected, chunk.start);
  if (words.empty() && expected.contains(static_cast<std::size_t>(ExhParser::END))) words = "'end'";
  if (words.empty()) words = "the rest of the statement";
  std::size_t start = 0;
  while (start + 1 < chunk.tokens.size() && chunk.tokens[start].kind == TokenKind::kDoc) ++start;
  sink.Report(Diag::kUnfinishedStatement, chunk.end,
              fmt::format("expected {} before {}", words, chunk.before))
      .WithNote(chunk.tokens[start].range, "the statement starts here");
}

// ---- tree -> ast

using Tree = antlr4::tree::TerminalNode;

class Builder {
 public:
  explicit Builder(const Chunk& chunk) : chunk_(chunk) {}

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
    return Host(c->hostDecl());
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

  ast::Condition Condition(ExhParser::ConditionContext* c) const {
    ast::Condition condition{c->TRUE() != nullptr, Range(c)};
    if (c->IS() != nullptr) {
      const bool numbers = c->numbers() != nullptr;
      condition.kind =
          ast::IsTest{Instance(c->instance(0)), c->NOT() != nullptr, numbers,
                      Names(numbers ? c->numbers()->NUMBER() : c->values()->VALUE_ID())};
    } else if (c->compare() != nullptr) {
      ast::Comparison comparison{Instance(c->instance(0)), Op(c->compare()), {}};
      if (c->CODE() != nullptr) {
        comparison.rhs = Code(c->CODE());
      } else if (c->NUMBER() != nullptr) {
        comparison.rhs = ast::Number{Name(c->NUMBER())};
      } else if (c->CHOICE_ID() != nullptr) {
        comparison.rhs = Name(c->CHOICE_ID());
      } else {
        comparison.rhs = Instance(c->instance(1));
      }
      condition.kind = std::move(comparison);
    } else if (c->CODE() != nullptr) {
      condition.kind = Code(c->CODE());
    } else if (!c->instance().empty()) {
      condition.kind = Instance(c->instance(0));
    }
    return condition;
  }

  ast::Formula Term(ExhParser::TermContext* c) const {
    ast::Formula formula;
    if (c->condition() != nullptr) {
      formula.condition = Condition(c->condition());
      formula.range = formula.condition->range;
    } else {
      formula = Formula(c->formula());
    }
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
    for (auto* term : c->term()) parts.push_back(Term(term));
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
    ast::SetDecl set{Doc(c->DOC()), Name(c->SET_ID()),       std::nullopt,
                     std::nullopt,  Disjoint(c->disjoint()), Keys(c->key())};
    if (c->varDef() != nullptr) set.parameter = VarDef(c->varDef());
    if (c->setRef() != nullptr) set.superset = SetRef(c->setRef());
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

  ast::IntegerDecl Integer(ExhParser::IntegerDeclContext* c) const {
    return {Doc(c->DOC()), Name(c->CHOICE_ID()), VarDefs(c->arguments()->varDef()),
            Code(c->CODE())};
  }

  ast::CounterDecl Counter(ExhParser::CounterDeclContext* c) const {
    ast::CounterDecl counter;
    counter.doc = Doc(c->DOC());
    if (c->HALF() != nullptr) counter.visibility = Visibility::kHalf;
    if (c->INTERNAL() != nullptr) counter.visibility = Visibility::kInternal;
    counter.name = Name(c->CHOICE_ID());
    counter.arguments = VarDefs(c->arguments()->varDef());
    std::vector<Tree*> codes = c->CODE();
    if (c->BASE() != nullptr) {
      counter.base = Code(codes.front());
      codes.erase(codes.begin());
    }
    counter.over = Foralls(c->forall());
    counter.product = c->MUL() != nullptr;
    if (c->instance() != nullptr) {
      counter.weight = Instance(c->instance());
    } else {
      counter.weight = Code(codes.front());
    }
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

  ast::ExternDecl Extern(ExhParser::ExternDeclContext* c) const {
    ast::ExternDecl external;
    external.doc = Doc(c->DOC());
    external.constant = c->CONSTANT() != nullptr;
    external.name = Name(c->CHOICE_ID());
    if (c->arguments() != nullptr) external.arguments = VarDefs(c->arguments()->varDef());
    if (c->setRef() != nullptr) external.present = SetRef(c->setRef());
    if (c->CODE() != nullptr) external.code = Code(c->CODE());
    return external;
  }

  ast::HostDecl Host(ExhParser::HostDeclContext* c) const {
    ast::HostDecl host{Code(c->CODE()), {}, Range(c)};
    for (auto* entry : c->hostEntry()) {
      host.entries.push_back({Name(entry->CHOICE_ID()), Code(entry->CODE())});
    }
    return host;
  }

  const Chunk& chunk_;
};

// The parser recurses once for each open parenthesis.
constexpr int kMostParentheses = 100;

const Token* TooDeep(const Chunk& chunk) {
  int depth = 0;
  for (const Token& token : chunk.tokens) {
    if (token.type == ExhParser::LPAR && ++depth > kMostParentheses) return &token;
    if (token.type == ExhParser::RPAR) --depth;
  }
  return nullptr;
}

ast::Statement ParseChunk(const Chunk& chunk, DiagnosticSink& sink) {
  if (chunk.damaged) return ast::BrokenDecl{DeclaredNames(chunk)};  // Reported with the token.
  if (const Token* deep = TooDeep(chunk)) {
    sink.Report(Diag::kNestedTooDeeply, deep->range,
                fmt::format("parentheses are nested more than {} deep", kMostParentheses));
    return ast::BrokenDecl{DeclaredNames(chunk)};
  }
  std::vector<std::unique_ptr<antlr4::Token>> tokens;
  for (const Token& token : chunk.tokens) {
    tokens.push_back(std::make_unique<antlr4::CommonToken>(TypeOf(token)));
  }
  antlr4::ListTokenSource source(std::move(tokens));
  antlr4::CommonTokenStream stream(&source);
  ExhParser parser(&stream);
  parser.removeErrorListeners();
  const auto strategy = std::make_shared<OneErrorStrategy>(chunk.tokens.size());
  parser.setErrorHandler(strategy);
  try {
    ExhParser::OneStatementContext* const tree = parser.oneStatement();
    if (!strategy->error()) return Builder(chunk).Statement(tree->statement());
  } catch (const antlr4::ParseCancellationException&) {
    EXH_DSL_CHECK(strategy->error().has_value());
  }
  Report(*strategy->error(), chunk, sink);
  return ast::BrokenDecl{DeclaredNames(chunk)};
}

void ReportStray(const Chunk& chunk, DiagnosticSink& sink) {
  const Token& token = chunk.tokens.front();
  if (token.kind == TokenKind::kDoc) {
    sink.Report(Diag::kMisplacedDoc, token.range,
                "a doc comment must stand before a statement; write '//'");
    return;
  }
  sink.Report(
      Diag::kNoStatement, token.range,
      fmt::format("expected a statement, got {}{}", TokenInWords(token), StatementHint(token)));
}

}  // namespace

std::vector<Token> Lex(std::uint32_t file, const std::vector<std::string>& include_dirs,
                       DiagnosticSink& sink) {
  try {
    return SpliceFiles(file, include_dirs, LexFile, sink);
  } catch (const std::exception& e) {
    sink.Report(Diag::kParserFailed, {file, 0, 0}, fmt::format("the lexer failed: {}", e.what()));
  } catch (const char* what) {  // ANTLR has thrown C strings in the past.
    sink.Report(Diag::kParserFailed, {file, 0, 0}, fmt::format("the lexer failed: {}", what));
  }
  return {};
}

ast::File Parse(std::uint32_t file, const std::vector<std::string>& include_dirs,
                DiagnosticSink& sink) {
  ast::File result;
  try {
    for (const Chunk& chunk : SplitStatements(Lex(file, include_dirs, sink), sink)) {
      if (chunk.start != TokenKind::kOther) {
        result.statements.push_back(ParseChunk(chunk, sink));
      } else if (!chunk.damaged) {
        ReportStray(chunk, sink);
      }
    }
  } catch (const std::exception& e) {
    sink.Report(Diag::kParserFailed, {file, 0, 0}, fmt::format("the parser failed: {}", e.what()));
  } catch (const char* what) {
    sink.Report(Diag::kParserFailed, {file, 0, 0}, fmt::format("the parser failed: {}", what));
  }
  return result;
}

}  // namespace exh::dsl
