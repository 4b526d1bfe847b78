// SPDX-License-Identifier: MIT
//
// With parse_tree.cc the only file of this folder that sees ANTLR. Texts are always cut from the
// source, never asked of ANTLR. The parser gets one statement at a time; it stops at the first
// error in it.
#include "dsl/syntax/parse.h"

#include <antlr4-runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ExhLexer.h"
#include "ExhParser.h"
#include "base/spelling.h"
#include "dsl/syntax/antlr_support.h"
#include "dsl/syntax/parse_tree.h"
#include "dsl/syntax/splice.h"
#include "dsl/syntax/split.h"

namespace exh::dsl {
namespace {

using grammar::ExhLexer;
using grammar::ExhParser;

// ---- lexer

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

// Appends the tokens from byte `begin` on.
void LexFrom(const SourceSet& sources, std::uint32_t file, std::size_t begin,
             std::vector<Token>& tokens) {
  for (const LexedToken& lexed : LexedTokens<ExhLexer>(sources, file, begin)) {
    Token& token = tokens.emplace_back();
    token.type = lexed.type;
    token.kind = KindOf(token.type);
    token.range = lexed.range;
    token.text = TokenText(token.kind, sources.Text(token.range));
  }
}

// Whether a line of code, but not the first, begins as lines of the language do: then the quote
// before it was not closed, and the one after it begins the next code.
bool SwallowsStatements(std::string_view code) {
  constexpr std::string_view kWords[] = {"alias ",    "base ",     "choice ",       "decide ",
                                         "define ",   "disjoint:", "end",           "extern ",
                                         "forall ",   "host ",     "include ",      "id_getter",
                                         "id_type",   "let ",      "item_getter",   "mul ",
                                         "item_type", "iterator",  "from_superset", "new_objs",
                                         "quotient ", "require",   "set ",          "var_prefix",
                                         "sum ",      "trigger ",  "value ",        "//",
                                         "minimize ", "maximize ", "lower_bound "};
  for (std::size_t line = code.find('\n'); line != std::string_view::npos;
       line = code.find('\n', line + 1)) {
    if (line > 0 && code[line - 1] == '\\') continue;  // Goes on, and says so.
    const std::size_t begin = code.find_first_not_of(" \t\r\n", line);
    if (begin == std::string_view::npos) return false;
    const std::string_view rest = code.substr(begin);
    if (std::ranges::any_of(kWords, [&](auto word) { return rest.starts_with(word); })) return true;
  }
  return false;
}

// A file with a quote too many ends within code, wherever the mistake is. The place is the first
// code that holds statements; it ends with its line, and what comes after it is read again.
std::vector<Token> LexFile(const SourceSet& sources, std::uint32_t file) {
  const std::string_view text = sources.file(file).text;
  std::vector<Token> tokens;
  std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // A byte order mark.
  constexpr int kMostRetries = 8;  // Each reads the rest of the file once more.
  for (int retry = 0;; ++retry) {
    const std::size_t first = tokens.size();
    LexFrom(sources, file, begin, tokens);
    const bool cut = tokens.size() > first && tokens.back().kind == TokenKind::kOpenCode;
    if (!cut || retry == kMostRetries) return tokens;
    auto open = tokens.begin() + static_cast<std::ptrdiff_t>(first);
    while (open + 1 != tokens.end() &&
           (open->kind != TokenKind::kCode || !SwallowsStatements(open->text))) {
      ++open;
    }
    const std::size_t newline = text.find('\n', open->range.begin);
    open->kind = TokenKind::kOpenCode;
    tokens.erase(open + 1, tokens.end());
    if (newline == std::string_view::npos) return tokens;
    begin = newline;
  }
}

// ---- errors

// `formula`: where one may stand, a term need not.
TypeWords Wording(TokenKind statement, bool formula) {
  TypeWords words;
  // A term that may go on may also end, which is what the reader needs to know.
  words.groups = {{{ExhParser::PLUS, ExhParser::MINUS, ExhParser::STAR, ExhParser::SLASH,
                    ExhParser::PERCENT, ExhParser::DIV},
                   ""}};
  if (!formula) {
    words.groups.push_back({{ExhParser::NEGATIVE, ExhParser::LPAR, ExhParser::MIN, ExhParser::MAX,
                             ExhParser::CHOICE_ID, ExhParser::CODE, ExhParser::NUMBER,
                             ExhParser::CONSTANT_NAME, ExhParser::VAR},
                            "a term"});
    words.groups.push_back({{ExhParser::CHOICE_ID, ExhParser::CONSTANT_NAME}, "a constant"});
  }
  words.names = {
      {ExhParser::CHOICE_ID,
       statement == TokenKind::kHost ? "'backbone', 'header'" : "a choice name"},
      {ExhParser::VALUE_ID, "a value name"},
      {ExhParser::SET_ID, "a set name"},
      {ExhParser::VAR, "a variable"},
      {ExhParser::NUMBER, "a number"},
      {ExhParser::CODE, "code in quotes"},
      {ExhParser::KEY, "a key"},
      {ExhParser::DOC, "a doc comment"},
      {ExhParser::ADDS, "'adds'"},
      {ExhParser::HOST, "'host'"},
      {ExhParser::LET, "'let'"},
      {ExhParser::EXTERN, "'extern'"},
      {ExhParser::DYNAMIC, "'dynamic'"},
      {ExhParser::PREDICATE, "'predicate'"},
      {ExhParser::CONSTANT, "'constant'"},
      {ExhParser::WHERE, "'where'"},
      {ExhParser::ONCE, "'once'"},
      {ExhParser::CANONICAL, "'canonical'"},
      {ExhParser::DECIDE, "'decide'"},
      {ExhParser::MINIMIZE, "'minimize'"},
      {ExhParser::MAXIMIZE, "'maximize'"},
      {ExhParser::LOWER_BOUND, "'lower_bound'"},
      {ExhParser::NEGATIVE, "'-'"},
      {ExhParser::DIV, "'div'"},
      {ExhParser::MIN, "'min'"},
      {ExhParser::MAX, "'max'"},
      {ExhParser::CONSTANT_NAME, "a constant"},
  };
  words.end = "the next statement";
  return words;
}

std::string ExpectedInWords(const antlr4::misc::IntervalSet& expected, TokenKind statement) {
  return dsl::ExpectedInWords(expected,
                              Wording(statement, expected.contains(std::size_t{ExhParser::NOT})),
                              ExhParser(nullptr).getVocabulary());
}

std::string TokenInWords(const Token& token) {
  if (token.kind == TokenKind::kCode) return "code";
  if (token.kind == TokenKind::kDoc) return "a doc comment";
  const std::string text = dsl::TokenInWords(token.text);
  switch (token.type) {
    case ExhParser::CHOICE_ID:
      return "name " + text;
    case ExhParser::VALUE_ID:
      return "value name " + text;
    case ExhParser::SET_ID:
      return "set name " + text;
    case ExhParser::VAR:
      return "variable " + text;
    default:
      return text;
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
  return DidYouMean(token.text,
                    {"set", "quotient", "define", "choice", "require", "trigger", "let", "extern",
                     "host", "decide", "include", "minimize", "maximize", "lower_bound"});
}

bool IsReservedWord(const Token& token) {
  return token.kind != TokenKind::kCode && token.kind != TokenKind::kDoc &&
         token.type != ExhParser::CHOICE_ID && !token.text.empty() && token.text[0] >= 'a' &&
         token.text[0] <= 'z';
}

// What is likely meant by a token that cannot stand there.
std::string Hint(const antlr4::misc::IntervalSet& expected, const Token& token,
                 const Chunk& chunk) {
  const bool name = expected.contains(std::size_t{ExhParser::CHOICE_ID}) ||
                    expected.contains(std::size_t{ExhParser::SET_ID}) ||
                    expected.contains(std::size_t{ExhParser::VALUE_ID});
  if (name && IsReservedWord(token) && expected.size() <= 4) {
    return ReservedWordHint(token.text);
  }
  const bool conditions = chunk.start == TokenKind::kRequire || chunk.start == TokenKind::kDefine ||
                          chunk.start == TokenKind::kLet || chunk.start == TokenKind::kTrigger;
  if (token.type == ExhParser::ASSIGN && conditions) return "; did you mean '=='?";
  return NameClassHint(expected, token);
}

void Report(const SyntaxError& error, const Chunk& chunk, DiagnosticSink& sink) {
  static const antlr4::misc::IntervalSet kNothing;
  const auto& expected = error.expected ? *error.expected : kNothing;
  // A misplaced doc comment is noticed at it, or at the token that it documents.
  for (const std::size_t at : {error.at - 1, error.at}) {
    if (at >= chunk.tokens.size() || chunk.tokens[at].kind != TokenKind::kDoc) continue;
    sink.Report(
        Diag::kMisplacedDoc, chunk.tokens[at].range,
        "a doc comment may stand only before 'set', 'quotient', 'define', 'choice', 'value', "
        "'alias', 'let', 'extern' or 'require'; write '//'");
    return;
  }
  if (error.at < chunk.tokens.size()) {
    const Token& token = chunk.tokens[error.at];
    std::string got = TokenInWords(token);
    if (expected.contains(kEndOfInput)) got += StatementHint(token);
    sink.Report(Diag::kUnexpectedToken, token.range,
                MismatchInWords(ExpectedInWords(expected, chunk.start), got) +
                    Hint(expected, token, chunk));
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

// The parser recurses once for each open parenthesis, and what comes after it once for each `not`
// and `=>`, too: `a => b => c` is `a => (b => c)`.
constexpr int kMostNested = 100;

bool StartsTerm(std::size_t type) {
  return type == ExhParser::NOT || type == ExhParser::LPAR || type == ExhParser::CHOICE_ID ||
         type == ExhParser::CODE || type == ExhParser::NUMBER || type == ExhParser::TRUE ||
         type == ExhParser::FALSE || type == ExhParser::VAR;
}

bool EndsTerm(std::size_t type) {
  return type == ExhParser::RPAR || type == ExhParser::VALUE_ID || type == ExhParser::NUMBER ||
         type == ExhParser::CHOICE_ID || type == ExhParser::CODE || type == ExhParser::TRUE ||
         type == ExhParser::FALSE || type == ExhParser::VAR;
}

// Where a formula nests too deeply, and what does.
std::optional<std::pair<const Token*, std::string_view>> TooDeep(const Chunk& chunk) {
  int nots = 0;                 // In a row.
  int negatives = 0;            // In a row.
  std::vector<int> implies(1);  // In one formula, by open parenthesis.
  std::size_t before = 0;
  for (const Token& token : chunk.tokens) {
    const bool call = before == ExhParser::CHOICE_ID && token.type == ExhParser::LPAR;
    const bool next_formula = EndsTerm(before) && StartsTerm(token.type) && !call;
    const bool outside = token.type == ExhParser::COLON || token.type == ExhParser::REQUIRES;
    if (next_formula || outside) implies.back() = 0;
    nots = token.type == ExhParser::NOT ? nots + 1 : 0;
    if (nots > kMostNested) return std::pair(&token, "'not' stands");
    negatives = token.kind == TokenKind::kNegative ? negatives + 1 : 0;
    if (negatives > kMostNested) return std::pair(&token, "'-' stands");
    if (token.type == ExhParser::IMPLIES && ++implies.back() > kMostNested) {
      return std::pair(&token, "'=>' stands");
    }
    if (token.type == ExhParser::LPAR) implies.push_back(0);
    if (implies.size() > kMostNested + 1) return std::pair(&token, "'(' is open");
    if (token.type == ExhParser::RPAR && implies.size() > 1) implies.pop_back();
    before = token.type;
  }
  return std::nullopt;
}

// A syntax error that waits for all statements to be read.
struct PendingError {
  SyntaxError error;
  const Chunk* chunk = nullptr;
};

ast::Statement ParseChunk(const Chunk& chunk, std::vector<PendingError>& errors,
                          DiagnosticSink& sink) {
  if (chunk.damaged) return ast::BrokenDecl{DeclaredNames(chunk)};  // Reported with the token.
  if (const auto deep = TooDeep(chunk)) {
    sink.Report(Diag::kNestedTooDeeply, deep->first->range,
                fmt::format("{} more than {} times in one formula; name a part of it with 'let'",
                            deep->second, kMostNested));
    return ast::BrokenDecl{DeclaredNames(chunk)};
  }
  std::vector<std::size_t> types;
  for (const Token& token : chunk.tokens) types.push_back(ParserTypeOf(token));
  ast::Statement statement;
  std::optional<Misplaced> misplaced;
  const auto error = ParseTokens<ExhParser, ExhParser::OneStatementContext>(
      types, &ExhParser::oneStatement, {},
      [&](auto* tree) { statement = BuildStatement(chunk, tree->statement(), misplaced); });
  if (!error && !misplaced) return statement;
  if (error) {
    errors.push_back({*error, &chunk});
  } else {
    sink.Report(misplaced->diag, misplaced->range, misplaced->message);
  }
  return ast::BrokenDecl{DeclaredNames(chunk)};
}

// The name that the statement declares, if the error is at it: it is of the wrong class.
std::optional<std::string> MisspeltName(const PendingError& each) {
  if (each.error.at >= each.chunk->tokens.size()) return std::nullopt;
  const SourceRange place = each.chunk->tokens[each.error.at].range;
  for (const ast::Name& name : DeclaredNames(*each.chunk)) {
    const SourceRange here = name.range;
    if (here == place) return name.text;
  }
  return std::nullopt;
}

// `set statement` declares a name of the wrong class: that is one mistake, and its uses, which are
// syntax errors as well, are not reported again.
void ReportAll(const std::vector<PendingError>& errors, DiagnosticSink& sink) {
  std::set<std::string> wrong;
  for (const PendingError& each : errors) {
    if (auto name = MisspeltName(each)) wrong.insert(std::move(*name));
  }
  for (const PendingError& each : errors) {
    const std::vector<Token>& tokens = each.chunk->tokens;
    const bool use = each.error.at < tokens.size() && wrong.contains(tokens[each.error.at].text);
    if (!use || MisspeltName(each)) Report(each.error, *each.chunk, sink);
  }
}

// From the first token to the last one of the same file: a statement may go on in an included one.
SourceRange PlaceOf(const Chunk& chunk) {
  SourceRange place = chunk.tokens.front().range;
  for (const Token& token : chunk.tokens) {
    if (token.range.file == place.file) place.end = std::max(place.end, token.range.end);
  }
  return place;
}

void ReportStray(const Chunk& chunk, DiagnosticSink& sink) {
  const auto word = std::ranges::find_if(
      chunk.tokens, [](const Token& token) { return token.kind != TokenKind::kDoc; });
  const Token& token = word == chunk.tokens.end() ? chunk.tokens.front() : *word;
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

std::size_t ParserTypeOf(const Token& token) {
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
    case TokenKind::kDecide:
      return ExhParser::DECIDE;
    case TokenKind::kMinimize:
      return ExhParser::MINIMIZE;
    case TokenKind::kMaximize:
      return ExhParser::MAXIMIZE;
    case TokenKind::kLowerBound:
      return ExhParser::LOWER_BOUND;
    case TokenKind::kNegative:
      return ExhParser::NEGATIVE;
    case TokenKind::kDiv:
      return ExhParser::DIV;
    case TokenKind::kMin:
      return ExhParser::MIN;
    case TokenKind::kMax:
      return ExhParser::MAX;
    case TokenKind::kConstantName:
      return ExhParser::CONSTANT_NAME;
    default:
      return token.type;
  }
}

std::vector<std::string> IncludesOf(std::string_view text) {
  std::vector<std::string> paths;
  WithText(text, [&](DiagnosticSink& sink) {
    for (Token& token : LexFile(sink.sources(), 0)) {
      if (token.kind == TokenKind::kInclude) paths.push_back(std::move(token.text));
    }
  });
  return paths;
}

std::vector<Token> Lex(std::uint32_t file, const std::vector<std::string>& include_dirs,
                       DiagnosticSink& sink) {
  std::vector<Token> tokens;
  ReportFailures("the lexer", file, sink,
                 [&] { tokens = SpliceFiles(file, include_dirs, LexFile, sink); });
  return tokens;
}

ast::File Parse(std::uint32_t file, const std::vector<std::string>& include_dirs,
                DiagnosticSink& sink) {
  ast::File result;
  ReportFailures("the parser", file, sink, [&] {
    const std::vector<Chunk> chunks = SplitStatements(Lex(file, include_dirs, sink), sink);
    std::vector<PendingError> errors;
    bool stray = false;
    for (const Chunk& chunk : chunks) {
      result.places.ranges.push_back(PlaceOf(chunk));
      if (chunk.start != TokenKind::kOther) {
        result.statements.push_back(ParseChunk(chunk, errors, sink));
        stray = false;
        continue;
      }
      // What stands between two statements is one mistake, and may have been meant as a
      // declaration.
      if (!chunk.damaged && !stray) ReportStray(chunk, sink);
      stray = true;
      result.statements.push_back(ast::BrokenDecl{DeclaredNames(chunk)});
    }
    ReportAll(errors, sink);
  });
  return result;
}

}  // namespace exh::dsl
