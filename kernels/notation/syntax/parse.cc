// SPDX-License-Identifier: MIT
//
// A text is cut into lines first (lines.h). The parser gets one line at a time and stops at its
// first mistake.
#include "kernels/notation/syntax/parse.h"

#include <antlr4-runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "KernelLexer.h"
#include "KernelParser.h"
#include "base/spelling.h"
#include "dsl/diagnostics/characters.h"
#include "dsl/syntax/antlr_support.h"
#include "kernels/notation/syntax/lines.h"
#include "kernels/notation/syntax/option_words.h"
#include "kernels/notation/syntax/restated.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;
using dsl::DiagnosticSink;
using grammar::KernelLexer;
using grammar::KernelParser;

using Token = dsl::LexedToken;

// ---- mistakes

std::string ExpectedInWords(const antlr4::misc::IntervalSet& expected) {
  static const dsl::TypeWords words = {{{{KernelParser::NUMBER, KernelParser::INF}, "a number"}},
                                       {{KernelParser::NAME, "a name"},
                                        {KernelParser::NUMBER, "a number"},
                                        {KernelParser::DOC, "a doc comment"}},
                                       "the end of the line"};
  return dsl::ExpectedInWords(expected, words, KernelParser(nullptr).getVocabulary());
}

/// Words that stand nowhere else.
bool BeginsLine(std::size_t type) {
  static constexpr std::size_t kWords[] = {
      KernelParser::KERNEL, KernelParser::SIZE,  KernelParser::OPTION,
      KernelParser::SCALAR, KernelParser::INPUT, KernelParser::OUTPUT,
      KernelParser::TILE,   KernelParser::END,   KernelParser::REQUIRE};
  return std::ranges::find(kWords, type) != std::end(kWords);
}

/// `c[i, j] += …`: what adds up says so in brackets, and what it is added to on the right.
bool ReportsAssignment(const Line& line, std::size_t at, DiagnosticSink& sink) {
  const bool is_sign = line[at].type == KernelParser::PLUS ||
                       line[at].type == KernelParser::MINUS ||
                       line[at].type == KernelParser::STAR || line[at].type == KernelParser::SLASH;
  const bool assigns = is_sign && at + 1 < line.size() &&
                       line[at + 1].type == KernelParser::ASSIGN &&
                       line[at].range.end == line[at + 1].range.begin;
  if (!assigns) return false;
  const SourceRange range = {line[at].range.file, line[at].range.begin, line[at + 1].range.end};
  const std::string_view reduction = line[at].type == KernelParser::STAR ? "prod" : "sum";
  sink.Report(Diag::kUnexpectedWord, range,
              fmt::format("a statement has '=' and no '{}': what runs over an index says so, as in "
                          "c[i, j] = {}(k) a[i, k] * b[k, j], and what there was before stands on "
                          "the right, as in c[i, j] = c0[i, j] + sum(k) …",
                          sink.sources().Text(range), reduction));
  return true;
}

/// The parser recurses once for each open bracket, question and reduction, whoever reads an
/// expression once for each operator.
constexpr int kMostOperators = 500;

void Report(const dsl::SyntaxError& error, const Line& line, DiagnosticSink& sink) {
  if (error.is_too_deep) {
    sink.Report(Diag::kTooDeep, line[std::min(error.at, line.size() - 1)].range,
                fmt::format("more than {} brackets, '?' or reductions in one another; give a part "
                            "of it a name",
                            kMostNested));
    return;
  }
  static const antlr4::misc::IntervalSet kNothing;
  const auto& expected = error.expected ? *error.expected : kNothing;
  const std::string words = ExpectedInWords(expected);
  if (error.at >= line.size()) {
    const SourceRange last = line.back().range;
    sink.Report(Diag::kUnfinishedLine, {last.file, last.end, last.end},
                fmt::format("expected {} before the end of the line",
                            words.empty() ? "the rest of it" : words));
    return;
  }
  const Token& token = line[error.at];
  const std::size_t first = line.front().type == KernelParser::DOC ? 1 : 0;
  if (error.at == 1 && first == 1 && BeginsLine(token.type)) {
    sink.Report(Diag::kStrayDoc, line.front().range,
                fmt::format("a doc comment does not speak of '{}'; write '//'",
                            sink.sources().Text(token.range)));
    return;
  }
  // A word that is misspelled is read as the name of a value.
  if (error.at <= first + 1 && line[first].type == KernelParser::NAME) {
    const std::string_view word = sink.sources().Text(line[first].range);
    const std::string meant = DidYouMean(
        word, {"kernel", "size", "option", "scalar", "input", "output", "require", "tile", "end"});
    if (!meant.empty()) {
      sink.Report(Diag::kUnexpectedWord, line[first].range,
                  fmt::format("no line begins with '{}' in this way{}", word, meant));
      return;
    }
  }
  if (ReportsAssignment(line, error.at, sink)) return;
  const std::string_view text = sink.sources().Text(token.range);
  std::string hint;
  int open = 0;
  for (const Token& before : std::span(line).first(error.at)) {
    open += before.type == KernelParser::LPAR || before.type == KernelParser::LBRACKET ? 1 : 0;
    open -= before.type == KernelParser::RPAR || before.type == KernelParser::RBRACKET ? 1 : 0;
  }
  if (open > 0 && BeginsLine(token.type)) {
    const SourceRange gap = {token.range.file, line[error.at - 1].range.end, token.range.begin};
    const bool is_first = sink.sources().Text(gap).find('\n') != std::string_view::npos;
    if (is_first) hint = "; a bracket before it is still open";
  }
  const bool is_word = token.type != KernelParser::NAME && !text.empty() &&
                       std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  if (is_word && hint.empty() && expected.contains(static_cast<ssize_t>(KernelParser::NAME))) {
    hint = dsl::ReservedWordHint(text);
  }
  // `c[i] = a[i] b[i]`: two lines in one, or a sign that is missing.
  if (words.empty() && hint.empty() && error.at > 0 && token.type == KernelParser::NAME) {
    hint = "; is an operator missing before it?";
  }
  sink.Report(Diag::kUnexpectedWord, token.range,
              dsl::MismatchInWords(words, dsl::TokenInWords(text)) + hint);
}

bool TakesOperands(std::size_t type) {
  return type == KernelLexer::NOT ||
         (IsOperator(type) && type != KernelLexer::COMMA && type != KernelLexer::COLON &&
          type != KernelLexer::RANGE && type != KernelLexer::ASSIGN);
}

/// Whether the line can be given to the parser; says what is wrong otherwise.
bool IsParsable(const Line& line, DiagnosticSink& sink) {
  int operators = 0;
  for (const Token& token : line) {
    if (token.type == KernelLexer::INVALID) {
      const std::string_view text = sink.sources().file(token.range.file).text;
      sink.Report(Diag::kUnknownCharacter, token.range,
                  fmt::format("{} has no meaning in a kernel",
                              dsl::CharacterInWords(text.substr(token.range.begin))));
      return false;
    }
    operators += TakesOperands(token.type) ? 1 : 0;
    if (operators <= kMostOperators) continue;
    sink.Report(Diag::kTooDeep, token.range,
                fmt::format("more than {} operators in one line; give a part of it a name",
                            kMostOperators));
    return false;
  }
  return true;
}

// ---- from the parser's tree to ours

class TreeReader {
 public:
  /// `line`: what the parser saw. `docs`: the same with all doc comments.
  TreeReader(const Line& line, const Line& docs, DiagnosticSink& sink)
      : line_(line), docs_(docs), sink_(sink) {}

  void Read(KernelParser::ItemContext* item, Kernel& kernel, bool& has_head, bool& has_end) {
    const std::string doc = item->DOC() ? DocText() : "";
    if (item->head() != nullptr) {
      kernel.name = NameOf(item->head()->NAME());
      kernel.doc = doc;
      has_head = true;
    } else if (item->sizes() != nullptr) {
      ReadSizes(item->sizes(), doc, kernel.sizes);
    } else if (item->scalars() != nullptr) {
      for (auto* scalar : item->scalars()->scalar()) kernel.scalars.push_back(ReadScalar(scalar));
    } else if (item->array() != nullptr) {
      kernel.arrays.push_back(ReadArray(item->array(), doc));
    } else if (item->requirement() != nullptr) {
      kernel.requirements.push_back({Read(item->requirement()->expression()), doc});
    } else if (item->tile() != nullptr) {
      TileHint& hint = kernel.tiles.emplace_back();
      for (auto* name : item->tile()->NAME()) hint.indices.push_back(NameOf(name));
      for (auto* level : item->tile()->expression()) hint.largest.push_back(Read(level));
    } else if (item->statement() != nullptr) {
      kernel.statements.push_back(ReadStatement(item->statement()));
    } else {
      has_end = true;
    }
  }

  SourceRange RangeOfItem(KernelParser::ItemContext* item) const { return RangeOf(item); }

  Statement ReadStatement(KernelParser::StatementContext* tree) {
    Statement statement;
    statement.target = NameOf(tree->NAME(0));
    if (tree->COLON() != nullptr) statement.type = NameOf(tree->NAME(1));
    if (tree->subscripts() != nullptr)
      statement.indices = ReadAll(tree->subscripts()->expression());
    statement.value = Read(tree->expression());
    statement.range = RangeOf(tree);
    return statement;
  }

 private:
  template <typename Trees>
  std::vector<Expr> ReadAll(const Trees& trees) {
    std::vector<Expr> all;
    for (auto* tree : trees) all.push_back(Read(tree));
    return all;
  }

  SourceRange RangeOf(antlr4::tree::TerminalNode* node) const {
    return line_[node->getSymbol()->getTokenIndex()].range;
  }
  SourceRange RangeOf(antlr4::ParserRuleContext* tree) const {
    const SourceRange first = line_[tree->getStart()->getTokenIndex()].range;
    const SourceRange last = line_[tree->getStop()->getTokenIndex()].range;
    return {first.file, first.begin, last.end};
  }
  std::string_view TextOf(SourceRange range) const { return sink_.sources().Text(range); }
  Name NameOf(antlr4::tree::TerminalNode* node) const {
    const SourceRange range = RangeOf(node);
    return {std::string(TextOf(range)), range};
  }

  /// The lines before the item, without their slashes.
  std::string DocText() const {
    std::string text;
    for (const Token& token : docs_) {
      if (token.type != KernelLexer::DOC) break;
      std::string_view words = TextOf(token.range).substr(3);
      words.remove_prefix(std::min(words.find_first_not_of(" \t\r"), words.size()));
      words.remove_suffix(words.size() - (words.find_last_not_of(" \t\r") + 1));
      text += (text.empty() ? "" : " ") + std::string(words);
    }
    return text;
  }

  std::optional<std::int64_t> Whole(SourceRange range, bool minus) {
    const std::string_view text = TextOf(range);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return minus ? -value : value;
  }

  std::int64_t ReadInteger(KernelParser::IntegerContext* tree) {
    const SourceRange range = RangeOf(tree->NUMBER());
    if (const auto value = Whole(range, tree->MINUS() != nullptr)) return *value;
    sink_.Report(Diag::kNotAWholeNumber, range,
                 fmt::format("'{}' is not a whole number below 2^63", TextOf(range)));
    return 1;
  }

  double ReadReal(SourceRange range) {
    double value = 0;
    const std::string_view text = TextOf(range);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    // Too large or too small: infinity or 0, which from_chars does not tell apart.
    if (error != std::errc()) value = std::strtod(std::string(text).c_str(), nullptr);
    return value;
  }

  /// A range behind the last one is that of all that have none. Their doc comment has a part for
  /// each, with semicolons between them, or one for all.
  void ReadSizes(KernelParser::SizesContext* tree, std::string_view doc,
                 std::vector<SizeDecl>& sizes) {
    const std::size_t first = sizes.size();
    const bool is_option = tree->OPTION() != nullptr;  // Looks through the whole line.
    for (auto* size : tree->size()) {
      sizes.push_back(ReadSize(size));
      sizes.back().is_option = is_option;
    }
    const SizeDecl last = sizes.back();
    std::vector<std::string> parts(1);
    for (const char c : doc) {
      if (c == ';') {
        parts.emplace_back();
      } else if (c != ' ' || !parts.back().empty()) {
        parts.back() += c;
      }
    }
    const std::size_t count = sizes.size() - first;
    for (std::size_t i = 0; i < count; ++i) {
      SizeDecl& size = sizes[first + i];
      size.doc = parts.size() == count ? parts[i] : std::string(doc);
      if (!size.min && size.words.empty()) {
        size.min = last.min;
        size.max = last.max;
        size.words = last.words;
      }
      // Of an option no value is too small for an extent.
      if (!size.min && size.is_option)
        size.min = std::min<std::int64_t>(size.default_value.value_or(0), 0);
    }
  }

  SizeDecl ReadSize(KernelParser::SizeContext* tree) {
    SizeDecl size;
    size.name = NameOf(tree->NAME());
    if (KernelParser::ValueContext* const value = tree->value()) {
      if (value->NAME() != nullptr) {
        size.default_word = NameOf(value->NAME());
      } else {
        size.default_value = ReadInteger(value->integer());
      }
    }
    if (tree->words() != nullptr) {
      for (auto* word : tree->words()->NAME()) size.words.push_back(NameOf(word));
    } else if (tree->IN() != nullptr) {
      size.min = ReadInteger(tree->integer(0));
      size.max = ReadInteger(tree->integer(1));
    }
    return size;
  }

  ScalarDecl ReadScalar(KernelParser::ScalarContext* tree) {
    ScalarDecl scalar;
    scalar.name = NameOf(tree->NAME(0));
    if (tree->COLON() != nullptr) scalar.type = NameOf(tree->NAME(1));
    scalar.value = ReadReal(RangeOf(tree->NUMBER())) * (tree->MINUS() != nullptr ? -1 : 1);
    scalar.integer = Whole(RangeOf(tree->NUMBER()), tree->MINUS() != nullptr);
    return scalar;
  }

  Expr ReadType(KernelParser::TypeContext* tree) {
    if (tree->NAME() == nullptr) return Read(tree->expression());
    const Name name = NameOf(tree->NAME());
    Expr type;
    type.kind = Expr::Kind::kName;
    type.range = name.range;
    type.text = name.text;
    return type;
  }

  ArrayDecl ReadArray(KernelParser::ArrayContext* tree, const std::string& doc) {
    ArrayDecl array;
    array.is_output = tree->OUTPUT() != nullptr;
    array.name = NameOf(tree->NAME());
    array.type = ReadType(tree->type());
    array.doc = doc;
    if (tree->subscripts() != nullptr) array.extents = ReadAll(tree->subscripts()->expression());
    if (tree->strides() != nullptr) array.strides = ReadAll(tree->strides()->expression());
    if (tree->outside() != nullptr) array.outside = Read(tree->outside()->expression());
    if (tree->aligned() != nullptr) array.aligned = Read(tree->aligned()->expression());
    return array;
  }

  static Expr Call(std::string name, SourceRange range, std::vector<Expr> args) {
    Expr expr;
    expr.kind = Expr::Kind::kCall;
    expr.range = range;
    expr.text = std::move(name);
    expr.args = std::move(args);
    return expr;
  }
  static Expr Binary(std::string name, Expr a, Expr b) {
    const SourceRange range = {a.range.file, a.range.begin, b.range.end};
    std::vector<Expr> args;
    args.push_back(std::move(a));
    args.push_back(std::move(b));
    return Call(std::move(name), range, std::move(args));
  }

  /// A chain of operators of one rank, from left to right: operands and signs alternate.
  template <typename Tree>
  Expr Chain(Tree* tree) {
    Expr left;
    std::string sign;
    for (antlr4::tree::ParseTree* child : tree->children) {
      if (auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(child)) {
        sign = std::string(TextOf(RangeOf(terminal)));
      } else {
        Expr operand = ReadAny(child);
        left =
            sign.empty() ? std::move(operand) : Binary(sign, std::move(left), std::move(operand));
      }
    }
    return left;
  }

  Expr ReadAny(antlr4::tree::ParseTree* tree) {
    if (auto* t = dynamic_cast<KernelParser::ConjunctionContext*>(tree)) return Chain(t);
    if (auto* t = dynamic_cast<KernelParser::NegationContext*>(tree)) {
      return Repeat("not", t->NOT().size(), RangeOf(t), Chain(t->comparison()));
    }
    if (auto* t = dynamic_cast<KernelParser::SumContext*>(tree)) return Chain(t);
    if (auto* t = dynamic_cast<KernelParser::ProductContext*>(tree)) return Chain(t);
    if (auto* t = dynamic_cast<KernelParser::FactorContext*>(tree)) {
      return Repeat("neg", t->MINUS().size(), RangeOf(t), Read(t->primary()));
    }
    return Read(dynamic_cast<KernelParser::PrimaryContext*>(tree));
  }

  static Expr Repeat(const char* name, std::size_t times, SourceRange range, Expr inner) {
    for (; times > 0; --times) {
      std::vector<Expr> args;
      args.push_back(std::move(inner));
      inner = Call(name, range, std::move(args));
    }
    return inner;
  }

  Expr Read(KernelParser::ExpressionContext* tree) {
    Expr first = Chain(tree->disjunction());
    if (tree->QUESTION() == nullptr) return first;
    std::vector<Expr> args;
    args.push_back(std::move(first));
    args.push_back(Read(tree->expression(0)));
    args.push_back(Read(tree->expression(1)));
    return Call("?", RangeOf(tree), std::move(args));
  }

  Expr Read(KernelParser::PrimaryContext* tree) {
    Expr expr;
    expr.range = RangeOf(tree);
    if (tree->NUMBER() != nullptr) {
      expr.number = ReadReal(expr.range);
      expr.integer = Whole(expr.range, false);
      return expr;
    }
    if (tree->INF() != nullptr) {
      expr.text = TextOf(expr.range);
      expr.number = std::numeric_limits<double>::infinity();
      return expr;
    }
    if (tree->NAME() == nullptr) return Read(tree->expression(0));  // In brackets.
    const Name name = NameOf(tree->NAME());
    expr.text = name.text;
    if (tree->LPAR() == nullptr) {
      expr.kind = tree->subscripts() == nullptr ? Expr::Kind::kName : Expr::Kind::kRead;
      if (tree->subscripts() != nullptr) expr.args = ReadAll(tree->subscripts()->expression());
      return expr;
    }
    std::vector<Expr> args = ReadAll(tree->expression());
    if (tree->computed() != nullptr) expr.type = NameOf(tree->computed()->NAME());
    if (tree->body() == nullptr) {
      const bool is_cast = name.text == "cast" && args.size() == 2 && expr.type.text.empty() &&
                           args.front().kind == Expr::Kind::kName;
      expr.kind = is_cast ? Expr::Kind::kCast : Expr::Kind::kCall;
      if (is_cast) {
        expr.type = {args.front().text, args.front().range};
        args.erase(args.begin());
      }
      expr.args = std::move(args);
      return expr;
    }
    expr.kind = Expr::Kind::kReduce;
    if (name.text == "scan") {
      ReadScan(args, expr);
      expr.args.push_back(Chain(tree->body()));
      return expr;
    }
    std::vector<Expr> ranges;  // sum(j <= i): of the steps of j those with j <= i.
    for (const Expr& index : args) {
      const Expr* const bounded = BoundedIndex(index);
      if (index.kind == Expr::Kind::kName) {
        expr.indices.push_back({index.text, index.range});
      } else if (bounded != nullptr && IdentityOf(name.text)) {
        expr.indices.push_back({bounded->text, bounded->range});
        ranges.push_back(index);
      } else if (bounded != nullptr && (name.text == "argmax" || name.text == "argmin")) {
        sink_.Report(Diag::kNotAnIndex, index.range,
                     fmt::format("{0} takes all steps of an index; what is left out is {1}inf in a "
                                 "value before it: s[i, j] = j <= i ? x[i, j] : {1}inf",
                                 name.text, name.text == "argmax" ? "-" : ""));
      } else {
        sink_.Report(Diag::kNotAnIndex, index.range,
                     fmt::format("{0}(…) with an operand behind it runs over indices, and this is "
                                 "none; write {0}(i) …, or an operator between the two",
                                 name.text));
      }
    }
    expr.args.push_back(Chain(tree->body()));
    for (Expr& range : ranges)
      LeaveOut(std::move(range), *IdentityOf(name.text), expr.args.front());
    return expr;
  }

  /// The index of `j <= i`, whatever stands on the right, or of several such with `and` between
  /// them; null: it is no such range.
  static const Expr* BoundedIndex(const Expr& expr) {
    if (expr.kind == Expr::Kind::kCall && expr.text == "and" && expr.args.size() == 2) {
      const Expr* const first = BoundedIndex(expr.args[0]);
      const Expr* const second = BoundedIndex(expr.args[1]);
      return first != nullptr && second != nullptr && first->text == second->text ? first : nullptr;
    }
    const bool compares = expr.kind == Expr::Kind::kCall && expr.args.size() == 2 &&
                          (expr.text.starts_with('<') || expr.text.starts_with('>'));
    return compares && expr.args[0].kind == Expr::Kind::kName ? &expr.args[0] : nullptr;
  }
  /// What a reduction has where all steps are left out.
  static std::optional<double> IdentityOf(std::string_view reduction) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (reduction == "sum") return 0;
    if (reduction == "prod") return 1;
    if (reduction == "max") return -kInfinity;
    if (reduction == "min") return kInfinity;
    return std::nullopt;
  }
  /// The terms count where the condition holds.
  static void LeaveOut(Expr condition, double identity, Expr& terms) {
    Expr number;
    number.range = condition.range;
    number.number = std::abs(identity);
    if (std::isinf(identity)) {
      number.text = "inf";
    } else {
      number.integer = static_cast<std::int64_t>(identity);
    }
    if (identity < 0) number = Repeat("neg", 1, condition.range, std::move(number));
    const SourceRange range = terms.range;
    std::vector<Expr> args;
    args.push_back(std::move(condition));
    args.push_back(std::move(terms));
    args.push_back(std::move(number));
    terms = Call("?", range, std::move(args));
  }

  /// `scan(sum, j <= i)`.
  void ReadScan(const std::vector<Expr>& args, Expr& expr) {
    const auto is_name = [](const Expr& arg) { return arg.kind == Expr::Kind::kName; };
    const bool has_range = args.size() == 2 && is_name(args[0]) &&
                           args[1].kind == Expr::Kind::kCall && args[1].args.size() == 2 &&
                           std::ranges::all_of(args[1].args, is_name) &&
                           (args[1].text.starts_with('<') || args[1].text.starts_with('>'));
    if (!has_range) {
      sink_.Report(Diag::kNotAnIndex, expr.range,
                   "a scan has a reduction and the steps that it takes in brackets: scan(sum, j <= "
                   "i) x[j] adds up all x[j] until i, and <, >= and > are possible, too");
      return;
    }
    expr.text = args[0].text;
    expr.comparison = args[1].text;
    expr.indices = {{args[1].args[0].text, args[1].args[0].range}};
    expr.until = {args[1].args[1].text, args[1].args[1].range};
  }

  const Line &line_, &docs_;
  DiagnosticSink& sink_;
};

/// Calls `read(reader, item)` with the tree of a line whose syntax is right.
template <typename ReadItem>
void ParseLine(const Line& line, DiagnosticSink& sink, const ReadItem& read) {
  if (!IsParsable(line, sink)) return;
  // Doc comments before an item count as one.
  Line shown;
  std::vector<std::size_t> types;
  for (const Token& token : line) {
    const bool repeats =
        token.type == KernelLexer::DOC && !shown.empty() && shown.back().type == KernelLexer::DOC;
    if (repeats) continue;
    shown.push_back(token);
    types.push_back(token.type);
  }
  // The outermost expression lies in nothing.
  const dsl::NestingLimit limit = {{KernelParser::RuleExpression, KernelParser::RuleBody},
                                   kMostNested + 1};
  const auto error = dsl::ParseTokens<KernelParser, KernelParser::LineContext>(
      types, &KernelParser::line, limit, [&](KernelParser::LineContext* tree) {
        TreeReader reader(shown, line, sink);
        read(reader, tree->item());
      });
  if (error) Report(*error, shown, sink);
}

template <typename ReadItem>
void ParseLines(std::uint32_t file, DiagnosticSink& sink, const ReadItem& read) {
  dsl::ReportFailures("the parser", file, sink, [&] {
    const std::vector<Token> tokens = dsl::LexedTokens<KernelLexer>(sink.sources(), file);
    for (const Line& line : CutLines(tokens, sink.sources())) {
      const bool only_doc = std::ranges::all_of(
          line, [](const Token& token) { return token.type == KernelLexer::DOC; });
      if (!only_doc) {
        ParseLine(line, sink, read);
      } else {
        sink.Report(Diag::kStrayDoc, line.front().range,
                    "a doc comment stands before what it speaks of; write '//'");
      }
    }
  });
}

SourceRange EndOf(std::uint32_t file, const DiagnosticSink& sink) {
  const auto size = static_cast<std::uint32_t>(sink.sources().file(file).text.size());
  return {file, size, size};
}

/// `said`: that there is more or less than one kernel.
Kernel ReadLines(std::uint32_t file, DiagnosticSink& sink, bool& has_head, bool& has_end,
                 bool& said) {
  Kernel kernel;
  ParseLines(file, sink, [&](TreeReader& reader, KernelParser::ItemContext* item) {
    const SourceRange first = reader.RangeOfItem(item);
    if ((item->head() != nullptr) == has_head || has_end) {
      // Without a head because its line has a mistake: that is said already.
      if (!said && (has_head || !sink.has_errors())) {
        sink.Report(Diag::kNoKernel, first,
                    has_end    ? "the kernel has ended; a file holds one kernel"
                    : has_head ? "a kernel stands in a kernel; a file holds one, up to 'end'"
                               : "expected 'kernel NAME' before anything else");
      }
      said = true;
      if (item->head() != nullptr || has_end) return;
    }
    reader.Read(item, kernel, has_head, has_end);
  });
  kernel.end = EndOf(file, sink);
  return kernel;
}

}  // namespace

Kernel WrittenKernel(std::uint32_t file, DiagnosticSink& sink) {
  bool has_head = false, has_end = false, said = false;
  return ReadLines(file, sink, has_head, has_end, said);
}

Kernel ParseKernel(std::uint32_t file, DiagnosticSink& sink) {
  bool has_head = false, has_end = false, said = false;
  Kernel kernel = ReadLines(file, sink, has_head, has_end, said);
  NumberOptionWords(kernel, sink);
  if (!sink.has_errors()) RestateShared(kernel);
  if (!has_head && !said && !sink.has_errors()) {
    sink.Report(Diag::kNoKernel, {file, 0, 0}, "there is no kernel: 'kernel NAME', lines, 'end'");
  } else if (!has_end && !sink.has_errors()) {
    sink.Report(Diag::kNoEnd, kernel.end, "expected 'end' behind the last line of the kernel");
  }
  return kernel;
}

std::vector<Word> WordsOf(std::uint32_t file, const dsl::SourceSet& sources) {
  const std::string_view text = sources.file(file).text;
  const std::vector<Token> tokens = dsl::LexedTokens<KernelLexer>(sources, file);
  std::vector<bool> begins_line;  // By token that is no break.
  for (const Line& line : CutLines(tokens, sources)) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      begins_line.push_back(i == 0 || line[i - 1].type == KernelLexer::DOC);
    }
  }
  std::vector<Word> words;
  std::size_t number = 0;
  std::uint32_t at = 0;
  int breaks = 0;
  bool is_line_empty = true;
  const auto add = [&](SourceRange range, bool is_name, bool begins) {
    words.push_back({range, is_name, begins, breaks});
    breaks = 0;
    is_line_empty = false;
  };
  const auto add_comment = [&](std::uint32_t end) {  // The lexer skips blanks and comments.
    const std::size_t slashes = text.substr(at, end - at).find("//");
    if (slashes == std::string_view::npos) return;
    add({file, at + static_cast<std::uint32_t>(slashes), end}, false, false);
  };
  for (const Token& token : tokens) {
    add_comment(token.range.begin);
    at = token.range.end;
    if (token.type != KernelLexer::BREAK) {
      add(token.range, token.type == KernelLexer::NAME, begins_line[number++]);
    } else if (sources.Text(token.range) == ";") {
      is_line_empty = false;
    } else {
      breaks = is_line_empty ? 2 : std::max(breaks, 1);
      is_line_empty = true;
    }
  }
  add_comment(static_cast<std::uint32_t>(text.size()));
  return words;
}

bool IsName(const std::string& text) {
  dsl::SourceSet sources;
  sources.AddInMemory("name", text);
  std::string error;
  const auto file = sources.Open("name", std::nullopt, &error);
  if (!file) return false;
  const std::vector<Word> words = WordsOf(*file, sources);
  return words.size() == 1 && words[0].is_name && sources.Text(words[0].range) == text;
}

std::vector<Statement> ParseStatements(std::uint32_t file, DiagnosticSink& sink) {
  std::vector<Statement> statements;
  for (const Word& word : WordsOf(file, sink.sources())) {
    if (!sink.sources().Text(word.range).starts_with("//")) continue;
    sink.Report(Diag::kUnexpectedWord, word.range,
                "'//' begins a comment, and nothing behind it would be computed; '/' divides, and "
                "leaves out the remainder of integers");
    return statements;
  }
  ParseLines(file, sink, [&](TreeReader& reader, KernelParser::ItemContext* item) {
    if (item->statement() != nullptr) {
      statements.push_back(reader.ReadStatement(item->statement()));
    } else {
      sink.Report(Diag::kNotAStatement, reader.RangeOfItem(item),
                  "expected a statement like c[i, j] = sum(k) a[i, k] * b[k, j]");
    }
  });
  if (statements.empty() && !sink.has_errors()) {
    sink.Report(Diag::kNotAStatement, EndOf(file, sink),
                "there is no statement, like c[i, j] = sum(k) a[i, k] * b[k, j]");
  }
  return statements;
}

}  // namespace exh::kernels::notation
