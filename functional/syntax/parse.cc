// SPDX-License-Identifier: MIT
//
// The only file of this folder that sees ANTLR. The text is cut into parts, each of which begins
// with the word of a statement, first on its line. The parser gets one part at a time and stops at
// its first mistake; then the part is left out. Of a part without mistakes the parser's tree is
// read.
#include "functional/syntax/parse.h"

#include <antlr4-runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "FunLexer.h"
#include "FunParser.h"
#include "base/spelling.h"
#include "dsl/diagnostics/characters.h"
#include "dsl/syntax/antlr_support.h"

namespace exh::functional {
namespace {

using antlr4::tree::ParseTree;
using antlr4::tree::TerminalNode;
using dsl::Diag;
using dsl::SourceRange;
using grammar::FunLexer;
using grammar::FunParser;
using Token = dsl::LexedToken;

/// Numbers of a program: those of terms of a space.
constexpr std::int64_t kLargest = std::int64_t{1} << 31;

SourceRange Join(SourceRange a, SourceRange b) {
  return {a.file, a.begin, std::max(a.end, b.end)};
}

// ---- mistakes

/// A part is given up: what is wrong with it.
struct Mistake {
  Diag diag;
  SourceRange range;
  std::string message;
};

Mistake TooDeep(SourceRange range) {
  return {Diag::kFunTooDeep, range,
          fmt::format("more than {} expressions within each other: name parts of it with 'def'",
                      kMaxDepth)};
}

const std::vector<std::string>& StatementWords() {
  static const std::vector<std::string> words = {"size", "param", "limit", "require",
                                                 "def",  "user",  "input", "kernel"};
  return words;
}

const dsl::TypeWords& Wording() {
  using P = FunParser;
  static const dsl::TypeWords words = {
      {{{P::SIZE, P::PARAM, P::LIMIT, P::REQUIRE, P::DEF, P::USER, P::INPUT, P::KERNEL,
         dsl::kEndOfInput},
        "the next statement"},
       {{P::NUMBER, P::REAL, P::NAME, P::LPAR}, "an expression"},
       {{P::NAME, P::LBRACKET, P::LPAR}, "a type: float, vector(float, 4), [float]n, (float, int)"},
       {{P::NAME, P::LPAR}, "a name or a tuple of names"},
       {{P::LE, P::GE, P::EQ, P::NE, P::LT, P::GT}, "a comparison (<, <=, ==, !=, >=, >)"},
       // What an expression may begin with or go on with says little beside what must come.
       {{P::LET}, ""},
       {{P::MINUS}, ""},
       {{P::PLUS, P::STAR, P::SLASH, P::PERCENT, P::DIV}, ""},
       {{P::PIPE}, ""},
       {{P::ARROW}, ""},
       {{P::AT}, ""},
       {{P::LPAR}, ""}},
      {{P::NAME, "a name"}},
      ""};
  return words;
}

/// `after`: the token behind the part.
Mistake MistakeOf(const dsl::SyntaxError& error, std::span<const Token> part, const Token& after,
                  const dsl::SourceSet& sources) {
  const bool is_inside = error.at < part.size();
  const Token& got = is_inside ? part[error.at] : after;
  if (error.is_too_deep) return TooDeep(got.range);
  const std::string_view text = sources.Text(got.range);
  std::string found = text.empty() ? "the end of the file" : dsl::TokenInWords(text);
  const antlr4::misc::IntervalSet expected = error.expected.value_or(antlr4::misc::IntervalSet());
  const bool is_statement = expected.contains(dsl::kEndOfInput);
  if (is_statement && got.type == FunParser::NAME) found += DidYouMean(text, StatementWords());
  const bool is_word = got.type >= FunParser::DEF && got.type <= FunParser::USER;
  const bool is_name = expected.contains(std::size_t{FunParser::NAME});
  if (is_inside && is_word && is_name) found += dsl::ReservedWordHint(text);
  const std::string wanted =
      error.at == 0 ? "a statement (size, param, limit, require, def, user, input or kernel)"
                    : dsl::ExpectedInWords(expected, Wording(), FunParser(nullptr).getVocabulary());
  return {Diag::kFunWord, got.range, dsl::MismatchInWords(wanted, found)};
}

// ---- from the parser's tree to ours

class TreeReader {
 public:
  TreeReader(std::span<const Token> part, dsl::DiagnosticSink& sink) : part_(part), sink_(sink) {}

  Statement Read(FunParser::StatementContext* c) {
    Statement statement;
    statement.range = part_[c->getStart()->getTokenIndex()].range;
    const SourceRange name = RangeOf(c->NAME());
    statement.name = {TextOf(name), name};
    if (!c->sum().empty()) statement.value = Read(c->sum(0));
    if (c->expression() != nullptr) statement.value = Read(c->expression());
    for (auto* type : c->type()) statement.types.push_back(Read(type));
    for (auto* range : c->range()) statement.ranges.push_back(Read(range));
    statement.has_parameters = c->DEF() != nullptr && c->LPAR() != nullptr;
    for (auto* pattern : c->pattern()) statement.parameters.push_back(ReadPattern(pattern));
    if (!statement.types.empty()) {  // The last one is that of the whole.
      statement.type = std::move(statement.types.back());
      statement.types.pop_back();
    }
    statement.kind = KindOf(c->getStart()->getType());
    if (c->REQUIRE() != nullptr) {
      statement.op = TextOf(RangeOf(c->compare()));
      statement.right = Read(c->sum(1));
      statement.range = Join(statement.value->range, statement.right->range);
    }
    return statement;
  }

 private:
  static Statement::Kind KindOf(std::size_t word) {
    switch (word) {
      case FunParser::SIZE:
        return Statement::Kind::kSize;
      case FunParser::LIMIT:
        return Statement::Kind::kLimit;
      case FunParser::PARAM:
        return Statement::Kind::kParam;
      case FunParser::REQUIRE:
        return Statement::Kind::kRequire;
      case FunParser::DEF:
        return Statement::Kind::kDef;
      case FunParser::USER:
        return Statement::Kind::kUser;
      case FunParser::INPUT:
        return Statement::Kind::kInput;
      default:
        return Statement::Kind::kKernel;
    }
  }

  SourceRange RangeOf(TerminalNode* node) const {
    return part_[node->getSymbol()->getTokenIndex()].range;
  }
  SourceRange RangeOf(antlr4::ParserRuleContext* c) const {
    return Join(part_[c->getStart()->getTokenIndex()].range,
                part_[c->getStop()->getTokenIndex()].range);
  }
  std::string TextOf(SourceRange range) const { return std::string(sink_.sources().Text(range)); }

  // ---- patterns

  /// What a chain of rules with one part each comes down to.
  static ParseTree* Bare(ParseTree* tree) {
    while (tree->children.size() == 1) tree = tree->children.front();
    return tree;
  }
  static bool Is(ParseTree* tree, std::size_t type) {
    auto* const node = dynamic_cast<TerminalNode*>(tree);
    return node != nullptr && node->getSymbol()->getType() == type;
  }
  static bool IsInBrackets(ParseTree* tree) {
    return !tree->children.empty() && Is(tree->children.front(), FunParser::LPAR);
  }

  /// Of a pattern, or of an expression that is none but a name or a tuple of names.
  Pattern ReadPattern(antlr4::ParserRuleContext* tree) {
    ParseTree* const bare = Bare(tree);
    Pattern pattern;
    pattern.range = RangeOf(tree);
    if (Is(bare, FunParser::NAME)) {
      pattern.name = TextOf(pattern.range);
    } else if (IsInBrackets(bare)) {
      pattern.items = PatternsIn(bare);
      if (pattern.items.size() == 1) return Pattern(pattern.items.front());
    } else {
      throw Mistake{Diag::kFunWord, pattern.range,
                    "expected a name or a tuple of names before '->', got '" +
                        Shortened(TextOf(pattern.range), 40) + "'"};
    }
    return pattern;
  }
  std::vector<Pattern> PatternsIn(ParseTree* brackets) {
    std::vector<Pattern> patterns;
    for (ParseTree* child : brackets->children) {
      auto* const item = dynamic_cast<antlr4::ParserRuleContext*>(child);
      if (item != nullptr) patterns.push_back(ReadPattern(item));
    }
    return patterns;
  }

  // ---- expressions

  static ExprPtr Made(Expr expr) {
    for (const ExprPtr& item : expr.items) expr.depth = std::max(expr.depth, item->depth + 1);
    if (expr.depth > kMaxDepth) throw TooDeep(expr.head);
    return std::make_shared<const Expr>(std::move(expr));
  }
  static Expr Begun(Expr::Kind kind, SourceRange range, SourceRange head) {
    Expr expr;
    expr.kind = kind;
    expr.range = range;
    expr.head = head;
    return expr;
  }

  template <typename Trees>
  std::vector<ExprPtr> ReadAll(const Trees& trees) {
    std::vector<ExprPtr> all;
    for (auto* tree : trees) all.push_back(Read(tree));
    return all;
  }

  ExprPtr Read(FunParser::ExpressionContext* c) {
    if (c->sum() == nullptr) {
      Expr let = Begun(Expr::Kind::kLet, RangeOf(c->LET()), RangeOf(c->LET()));
      let.patterns.push_back(ReadPattern(c->pattern()));
      let.items = ReadAll(c->expression());
      let.range = Join(let.range, let.items[1]->range);
      return Made(std::move(let));
    }
    if (c->ARROW() != nullptr) {
      Expr lambda = Begun(Expr::Kind::kLambda, RangeOf(c->sum()), RangeOf(c->ARROW()));
      ParseTree* const before = Bare(c->sum());
      lambda.patterns =
          IsInBrackets(before) ? PatternsIn(before) : std::vector<Pattern>{ReadPattern(c->sum())};
      lambda.items = ReadAll(c->expression());
      lambda.range = Join(lambda.range, lambda.items[0]->range);
      return Made(std::move(lambda));
    }
    ExprPtr value = Read(c->sum());
    for (auto* tree : c->postfix()) {
      const ExprPtr function = Read(tree);
      Expr call = Begun(Expr::Kind::kCall, Join(value->range, function->range), function->head);
      // `x |> f(a)` is `f(a, x)`, `x |> f` is `f(x)`.
      call.items = function->kind == Expr::Kind::kCall ? function->items : std::vector{function};
      call.items.push_back(value);
      value = Made(std::move(call));
    }
    return value;
  }

  /// Operands of operators of one rank, from left to right.
  template <typename Trees>
  ExprPtr Chain(antlr4::ParserRuleContext* c, const Trees& operands) {
    ExprPtr left = Read(operands.front());
    for (std::size_t i = 1; i < operands.size(); ++i) {
      const SourceRange op = RangeOf(dynamic_cast<TerminalNode*>(c->children[2 * i - 1]));
      ExprPtr right = Read(operands[i]);
      Expr binary = Begun(Expr::Kind::kBinary, Join(left->range, right->range), op);
      binary.text = TextOf(op);
      binary.items = {std::move(left), std::move(right)};
      left = Made(std::move(binary));
    }
    return left;
  }
  ExprPtr Read(FunParser::SumContext* c) { return Chain(c, c->product()); }
  ExprPtr Read(FunParser::ProductContext* c) { return Chain(c, c->factor()); }

  ExprPtr Read(FunParser::FactorContext* c) {
    ExprPtr value = Read(c->postfix());
    const std::vector<TerminalNode*> signs = c->MINUS();
    for (std::size_t i = signs.size(); i-- > 0;) {
      const SourceRange head = RangeOf(signs[i]);
      Expr negate = Begun(Expr::Kind::kNegate, Join(head, value->range), head);
      negate.items.push_back(std::move(value));
      value = Made(std::move(negate));
    }
    return value;
  }

  ExprPtr Read(FunParser::PostfixContext* c) {
    ExprPtr value = Read(c->primary());
    for (auto* tree : c->call()) {
      Expr call = Begun(Expr::Kind::kCall, Join(value->range, RangeOf(tree->RPAR())), value->head);
      call.items = ReadAll(tree->expression());
      call.items.insert(call.items.begin(), std::move(value));
      value = Made(std::move(call));
    }
    return value;
  }

  ExprPtr Read(FunParser::PrimaryContext* c) {
    const SourceRange range = RangeOf(c);
    Expr expr = Begun(Expr::Kind::kTuple, range, part_[c->getStart()->getTokenIndex()].range);
    if (c->NUMBER() != nullptr) {
      expr.kind = Expr::Kind::kNumber;
      expr.number = Number(range);
    } else if (c->REAL() != nullptr) {
      expr.kind = Expr::Kind::kReal;
      expr.text = TextOf(range);
    } else if (c->LPAR() == nullptr) {
      expr.kind = Expr::Kind::kName;
      expr.range = expr.head;
      expr.text = TextOf(expr.head);
      if (c->AT() != nullptr) expr.label = TextOf(RangeOf(c->NAME(1)));
    } else {
      expr.items = ReadAll(c->expression());
      if (expr.items.size() == 1) return expr.items.front();
    }
    return Made(std::move(expr));
  }

  std::int64_t Number(SourceRange range) {
    const std::string_view text = sink_.sources().Text(range);
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc() && number <= kLargest) return number;
    sink_.Report(Diag::kFunNumber, range,
                 fmt::format("the number is too large: at most {} (2^31)", kLargest));
    return 1;
  }

  NumberRange Read(FunParser::RangeContext* c) {
    return {Read(c->sum(0)), c->RANGE() == nullptr ? nullptr : Read(c->sum(1))};
  }

  // ---- types

  TypeExprPtr Read(FunParser::TypeContext* c) {
    TypeExpr type;
    type.range = RangeOf(c);
    for (auto* item : c->type()) type.items.push_back(Read(item));
    if (c->sum() != nullptr) type.length = Read(c->sum());
    if (c->NAME() != nullptr) {
      type.name = TextOf(RangeOf(c->NAME()));
      type.kind = type.length == nullptr ? TypeExpr::Kind::kScalar : TypeExpr::Kind::kVector;
      if ((type.name == "vector") != (type.length != nullptr)) {
        throw Mistake{Diag::kFunWord, type.range,
                      "a vector has a type and a length, vector(float, 4); no other type has"};
      }
    } else if (c->LBRACKET() != nullptr) {
      type.kind = TypeExpr::Kind::kArray;
      type.range = Join(RangeOf(c->LBRACKET()), type.length->range);
    } else {
      type.kind = TypeExpr::Kind::kTuple;
      if (type.items.size() == 1) return type.items.front();
    }
    return std::make_shared<const TypeExpr>(std::move(type));
  }

  std::span<const Token> part_;
  dsl::DiagnosticSink& sink_;
};

// ---- parts

/// Whether there are tokens alone in the part; says what is none.
bool IsWhole(std::span<const Token> part, dsl::DiagnosticSink& sink) {
  bool is_whole = true;
  for (const Token& token : part) {
    if (token.type == FunLexer::BAD_NUMBER) {
      sink.Report(Diag::kFunNumber, token.range,
                  "a number ends before a letter: write a blank between them, or '*'");
    } else if (token.type == FunLexer::INVALID) {
      sink.Report(
          Diag::kFunWord, token.range,
          dsl::CharacterInWords(sink.sources().Text(token.range)) + " has no meaning in a program");
    } else {
      continue;
    }
    is_whole = false;
  }
  return is_whole;
}

/// `after`: the token behind the part.
void ParsePart(std::span<const Token> part, const Token& after, File& file,
               dsl::DiagnosticSink& sink) {
  if (!IsWhole(part, sink)) return;
  std::vector<std::size_t> types;
  for (const Token& token : part) types.push_back(token.type);
  const dsl::NestingLimit limit = {
      {FunParser::RuleExpression, FunParser::RuleType, FunParser::RulePattern}, kMaxDepth};
  try {
    const auto error = dsl::ParseTokens<FunParser, FunParser::PartContext>(
        types, &FunParser::part, limit, [&](FunParser::PartContext* tree) {
          TreeReader reader(part, sink);
          for (auto* each : tree->statement()) file.statements.push_back(reader.Read(each));
        });
    if (error) throw MistakeOf(*error, part, after, sink.sources());
  } catch (const Mistake& mistake) {
    sink.Report(mistake.diag, mistake.range, mistake.message);
  }
}

}  // namespace

bool BeginsStatement(std::string_view text) {
  return std::ranges::find(StatementWords(), text) != StatementWords().end();
}

File Parse(std::uint32_t file, dsl::DiagnosticSink& sink) {
  File parsed;
  parsed.file = file;
  dsl::ReportFailures("the parser", file, sink, [&] {
    const std::string_view text = sink.sources().file(file).text;
    std::vector<Token> tokens = dsl::LexedTokens<FunLexer>(sink.sources(), file);
    const auto size = static_cast<std::uint32_t>(text.size());
    tokens.push_back({antlr4::Token::EOF, {file, size, size}});
    std::size_t begin = 0;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      const SourceRange gap = {file, tokens[i - 1].range.end, tokens[i].range.begin};
      const bool begins = BeginsStatement(sink.sources().Text(tokens[i].range)) &&
                          sink.sources().Text(gap).find('\n') != std::string_view::npos;
      if (!begins && i + 1 < tokens.size()) continue;
      ParsePart(std::span(tokens).subspan(begin, i - begin), tokens[i], parsed, sink);
      begin = i;
    }
  });
  return parsed;
}

}  // namespace exh::functional
