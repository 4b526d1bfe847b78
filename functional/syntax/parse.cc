// SPDX-License-Identifier: MIT
//
// Recursive descent. Of each bracket the partner is known before parsing begins, so that `(a, b)`
// is told from `(a, b) -> …` by one look, and time is linear. A mistake throws out of its statement
// (Stop, caught in Run) after it was reported.
#include "functional/syntax/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "functional/syntax/token.h"

namespace exh::functional {
namespace {

using dsl::Diag;
using dsl::SourceRange;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::array<std::string_view, 6> kComparisons = {"<=", ">=", "==", "!=", "<", ">"};

/// A statement is given up.
struct Stop {};

SourceRange Join(SourceRange a, SourceRange b) {
  return {a.file, a.begin, std::max(a.end, b.end)};
}

std::string Shown(const Token& token) {
  return token.kind == Token::Kind::kEnd ? "the end of the file" : "'" + token.text + "'";
}

class Parser {
 public:
  Parser(std::uint32_t file, dsl::DiagnosticSink& sink) : sink_(sink), tokens_(Tokens(file, sink)) {
    file_.file = file;
    FindPartners();
  }

  File Run() {
    while (Now().kind != Token::Kind::kEnd) {
      const std::size_t before = at_;
      try {
        file_.statements.push_back(ParseStatement());
      } catch (const Stop&) {
        if (at_ == before) ++at_;
        while (Now().kind != Token::Kind::kEnd &&
               !(Now().first_of_line && BeginsStatement(Now()))) {
          ++at_;
        }
      }
    }
    return std::move(file_);
  }

 private:
  void FindPartners() {
    partner_.assign(tokens_.size(), kNone);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].Is("(")) open.push_back(i);
      if (BeginsStatement(tokens_[i]) && tokens_[i].first_of_line) open.clear();
      if (!tokens_[i].Is(")") || open.empty()) continue;
      partner_[open.back()] = i;
      open.pop_back();
    }
  }

  const Token& Now() const { return tokens_[at_]; }
  const Token& After() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const Token& Take() { return tokens_[Now().kind == Token::Kind::kEnd ? at_ : at_++]; }
  bool TakeIf(std::string_view word) {
    if (!Now().Is(word)) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void Fail(const std::string& wanted) {
    sink_.Report(Diag::kFunWord, Now().range,
                 fmt::format("{} must stand here, not {}", wanted, Shown(Now())));
    throw Stop();
  }
  void Expect(std::string_view word, std::string_view what) {
    if (!TakeIf(word)) Fail(fmt::format("'{}' {}", word, what));
  }
  [[noreturn]] void FailDeep(SourceRange range) {
    sink_.Report(Diag::kFunTooDeep, range,
                 fmt::format("more than {} expressions within each other: name parts of it with "
                             "'def'",
                             kMaxDepth));
    throw Stop();
  }

  Name TakeName(const char* what) {
    if (Now().kind == Token::Kind::kWord) {
      Fail(fmt::format("{} (words of the language are no names)", what));
    }
    if (Now().kind != Token::Kind::kName) Fail(what);
    const Token& token = Take();
    return {token.text, token.range};
  }

  // ---- Expressions. Each level takes one from `left_`, the depth that is left.

  struct Deeper {
    explicit Deeper(Parser& owner) : parser(owner) {
      if (--parser.left_ < 0) parser.FailDeep(parser.Now().range);
    }
    ~Deeper() { ++parser.left_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser& parser;
  };

  ExprPtr Made(Expr expr) {
    for (const ExprPtr& item : expr.items) expr.depth = std::max(expr.depth, item->depth + 1);
    if (expr.depth > kMaxDepth) FailDeep(expr.head);
    return std::make_shared<const Expr>(std::move(expr));
  }

  Pattern ParsePattern() {
    const Deeper deeper(*this);
    Pattern pattern;
    pattern.range = Now().range;
    if (!TakeIf("(")) {
      pattern.name = TakeName("a name or a tuple of names").text;
      return pattern;
    }
    do {
      pattern.items.push_back(ParsePattern());
    } while (TakeIf(","));
    pattern.range = Join(pattern.range, Now().range);
    Expect(")", "at the end of the tuple");
    if (pattern.items.size() > 1) return pattern;
    Pattern only = std::move(pattern.items.front());
    return only;
  }

  /// `x ->` or `(…) ->` comes next.
  bool IsLambda() const {
    if (Now().kind == Token::Kind::kName) return After().Is("->");
    if (!Now().Is("(") || partner_[at_] == kNone) return false;
    return tokens_[partner_[at_] + 1].Is("->");
  }

  ExprPtr ParseLambda() {
    Expr lambda;
    lambda.kind = Expr::Kind::kLambda;
    lambda.range = Now().range;
    if (Now().kind == Token::Kind::kName) {
      lambda.patterns.push_back(ParsePattern());
    } else {
      Take();
      do {
        lambda.patterns.push_back(ParsePattern());
      } while (TakeIf(","));
      Expect(")", "after the parameters");
    }
    lambda.head = Now().range;
    Expect("->", "before what the function yields");
    lambda.items.push_back(ParseExpr());
    lambda.range = Join(lambda.range, lambda.items[0]->range);
    return Made(std::move(lambda));
  }

  ExprPtr ParseLet() {
    Expr let;
    let.kind = Expr::Kind::kLet;
    let.range = let.head = Take().range;
    let.patterns.push_back(ParsePattern());
    Expect("=", "before the value that is bound");
    let.items.push_back(ParseExpr());
    Expect("in", "before what uses the names");
    let.items.push_back(ParseExpr());
    let.range = Join(let.range, let.items[1]->range);
    return Made(std::move(let));
  }

  ExprPtr ParseExpr() {
    const Deeper deeper(*this);
    if (Now().Is("let")) return ParseLet();
    if (IsLambda()) return ParseLambda();
    ExprPtr value = ParseSum();
    while (Now().Is("|>")) {
      Take();
      ExprPtr function = ParsePostfix();
      Expr call;
      call.kind = Expr::Kind::kCall;
      call.range = Join(value->range, function->range);
      call.head = function->head;
      // `x |> f(a)` is `f(a, x)`, `x |> f` is `f(x)`.
      if (function->kind == Expr::Kind::kCall) {
        call.items = function->items;
      } else {
        call.items.push_back(function);
      }
      call.items.push_back(value);
      value = Made(std::move(call));
    }
    return value;
  }

  ExprPtr BinaryOf(const Token& op, ExprPtr left, ExprPtr right) {
    Expr binary;
    binary.kind = Expr::Kind::kBinary;
    binary.text = op.text;
    binary.head = op.range;
    binary.range = Join(left->range, right->range);
    binary.items = {std::move(left), std::move(right)};
    return Made(std::move(binary));
  }

  ExprPtr ParseSum() {
    ExprPtr left = ParseProduct();
    while (Now().Is("+") || Now().Is("-")) {
      const Token& op = Take();
      left = BinaryOf(op, left, ParseProduct());
    }
    return left;
  }

  ExprPtr ParseProduct() {
    ExprPtr left = ParseUnary();
    while (Now().Is("*") || Now().Is("/") || Now().Is("%") || Now().Is("div")) {
      const Token& op = Take();
      left = BinaryOf(op, left, ParseUnary());
    }
    return left;
  }

  ExprPtr ParseUnary() {
    const Deeper deeper(*this);
    if (!Now().Is("-")) return ParsePostfix();
    Expr negate;
    negate.kind = Expr::Kind::kNegate;
    negate.range = negate.head = Take().range;
    negate.items.push_back(ParseUnary());
    negate.range = Join(negate.range, negate.items[0]->range);
    return Made(std::move(negate));
  }

  ExprPtr ParsePostfix() {
    ExprPtr value = ParsePrimary();
    while (Now().Is("(")) {
      Take();
      Expr call;
      call.kind = Expr::Kind::kCall;
      call.head = value->head;
      call.items.push_back(value);
      if (!Now().Is(")")) {
        do {
          call.items.push_back(ParseExpr());
        } while (TakeIf(","));
      }
      call.range = Join(value->range, Now().range);
      Expect(")", "or ',' after an argument");
      value = Made(std::move(call));
    }
    return value;
  }

  ExprPtr ParsePrimary() {
    Expr expr;
    expr.range = expr.head = Now().range;
    switch (Now().kind) {
      case Token::Kind::kNumber:
        expr.number = Take().number;
        return Made(std::move(expr));
      case Token::Kind::kReal:
        expr.kind = Expr::Kind::kReal;
        expr.text = Take().text;
        return Made(std::move(expr));
      case Token::Kind::kName:
        expr.kind = Expr::Kind::kName;
        expr.text = Take().text;
        if (TakeIf("@")) expr.label = TakeName("a name for the map").text;
        return Made(std::move(expr));
      default:
        break;
    }
    if (!Now().Is("(")) Fail("an expression");
    Take();
    expr.kind = Expr::Kind::kTuple;
    do {
      expr.items.push_back(ParseExpr());
    } while (TakeIf(","));
    expr.range = Join(expr.range, Now().range);
    Expect(")", "or ',' after an expression");
    if (expr.items.size() == 1) {
      return expr.items[0];
    }
    return Made(std::move(expr));
  }

  // ---- Types.

  TypeExprPtr ParseType() {
    const Deeper deeper(*this);
    TypeExpr type;
    type.range = Now().range;
    if (TakeIf("[")) {
      type.kind = TypeExpr::Kind::kArray;
      type.items.push_back(ParseType());
      Expect("]", "after the type of the elements");
      type.length = ParseSum();
      type.range = Join(type.range, type.length->range);
      return std::make_shared<const TypeExpr>(std::move(type));
    }
    if (TakeIf("(")) {
      type.kind = TypeExpr::Kind::kTuple;
      do {
        type.items.push_back(ParseType());
      } while (TakeIf(","));
      type.range = Join(type.range, Now().range);
      Expect(")", "or ',' after a type");
      if (type.items.size() == 1) return type.items[0];
      return std::make_shared<const TypeExpr>(std::move(type));
    }
    type.name = TakeName("a type: float, vector(float, 4), [float]n or (float, float)").text;
    if (type.name == "vector") {
      type.kind = TypeExpr::Kind::kVector;
      Expect("(", "after 'vector'");
      type.items.push_back(ParseType());
      Expect(",", "before the length of the vector");
      type.length = ParseSum();
      type.range = Join(type.range, Now().range);
      Expect(")", "after the length of the vector");
    }
    return std::make_shared<const TypeExpr>(std::move(type));
  }

  // ---- Statements.

  Statement ParseStatement() {
    left_ = kMaxDepth;
    if (!BeginsStatement(Now())) {
      Fail("a statement (size, param, limit, require, def, user, input or kernel)");
    }
    const Token& word = Take();
    Statement statement;
    statement.range = word.range;
    if (word.text == "size" || word.text == "limit") {
      statement.kind = word.text == "size" ? Statement::Kind::kSize : Statement::Kind::kLimit;
      statement.name = TakeName("a name");
      Expect("=", "before the number");
      statement.value = ParseSum();
    } else if (word.text == "param") {
      statement.kind = Statement::Kind::kParam;
      statement.name = TakeName("a name");
      if (TakeIf("in")) ParseRanges(statement);
    } else if (word.text == "require") {
      ParseRequire(statement);
    } else if (word.text == "def") {
      ParseDef(statement);
    } else if (word.text == "user") {
      ParseUser(statement);
    } else if (word.text == "input") {
      statement.kind = Statement::Kind::kInput;
      statement.name = TakeName("a name");
      Expect(":", "before the type");
      statement.type = ParseType();
    } else {
      statement.kind = Statement::Kind::kKernel;
      statement.name = TakeName("a name");
      if (TakeIf(":")) statement.type = ParseType();
      Expect("=", "before what the kernel yields");
      statement.value = ParseExpr();
    }
    if (Now().kind != Token::Kind::kEnd && !BeginsStatement(Now())) Fail("the next statement");
    return statement;
  }

  void ParseRanges(Statement& statement) {
    do {
      NumberRange range;
      range.first = ParseSum();
      if (TakeIf("..")) range.last = ParseSum();
      statement.ranges.push_back(std::move(range));
    } while (TakeIf("|"));
  }

  void ParseRequire(Statement& statement) {
    statement.kind = Statement::Kind::kRequire;
    statement.name = TakeName("a label");
    Expect(":", "after the label");
    statement.value = ParseSum();
    const auto op = std::ranges::find_if(kComparisons, [&](auto each) { return Now().Is(each); });
    if (op == kComparisons.end()) Fail("a comparison (<, <=, ==, !=, >=, >)");
    statement.op = Take().text;
    statement.right = ParseSum();
    statement.range = Join(statement.value->range, statement.right->range);
  }

  void ParseDef(Statement& statement) {
    statement.kind = Statement::Kind::kDef;
    statement.name = TakeName("a name");
    if (TakeIf("(")) {
      statement.has_parameters = true;
      do {
        statement.parameters.push_back(ParsePattern());
      } while (TakeIf(","));
      Expect(")", "after the parameters");
    }
    Expect("=", "before what the name stands for");
    statement.value = ParseExpr();
  }

  void ParseUser(Statement& statement) {
    statement.kind = Statement::Kind::kUser;
    statement.name = TakeName("a name");
    Expect("(", "before the types of the arguments");
    do {
      statement.types.push_back(ParseType());
    } while (TakeIf(","));
    Expect(")", "after the types of the arguments");
    Expect(":", "before the type of the result");
    statement.type = ParseType();
  }

  dsl::DiagnosticSink& sink_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partner_;  ///< Of each `(`.
  std::size_t at_ = 0;
  int left_ = kMaxDepth;
  File file_;
};

}  // namespace

File Parse(std::uint32_t file, dsl::DiagnosticSink& sink) {
  return Parser(file, sink).Run();
}

}  // namespace exh::functional
