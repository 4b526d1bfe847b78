// SPDX-License-Identifier: MIT
#include "dsl/syntax/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace exh::dsl {
namespace {

constexpr std::size_t kColumns = 100;

enum class Kind : std::uint8_t { kWord, kOperator, kCode, kInclude, kDoc, kLine, kBlock };

struct Piece {
  Kind kind = Kind::kWord;
  std::string text;
  int newlines = 0;     ///< Line breaks before it.
  std::size_t gap = 0;  ///< Blanks before it on its line.
  bool is(std::string_view word) const {
    return (kind == Kind::kWord || kind == Kind::kOperator) && text == word;
  }
  bool comment() const { return kind == Kind::kDoc || kind == Kind::kLine || kind == Kind::kBlock; }
};

template <std::size_t N>
bool OneOf(const Piece& piece, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return piece.is(word); });
}

bool Lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool Upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool Digit(char c) {
  return c >= '0' && c <= '9';
}
bool Blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Cuts text into words and comments.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool Scan(std::vector<Piece>& pieces, FormatError* error) {
    for (;;) {
      Piece piece;
      for (; at_ < text_.size() && Blank(text_[at_]); ++at_) {
        ++piece.gap;
        if (text_[at_] != '\n') continue;
        ++piece.newlines;
        piece.gap = 0;
      }
      if (at_ == text_.size()) return true;
      const std::size_t begin = at_;
      if (const char* message = Next(piece)) {
        const std::string_view before = text_.substr(0, begin);
        error->line = 1 + static_cast<int>(std::ranges::count(before, '\n'));
        error->column = static_cast<int>(begin - (before.rfind('\n') + 1)) + 1;
        error->message = message;
        return false;
      }
      if (piece.text.empty()) piece.text = text_.substr(begin, at_ - begin);
      if (piece.kind == Kind::kLine) {
        piece.text.erase(piece.text.find_last_not_of(" \t\r") + 1);
      }
      pieces.push_back(std::move(piece));
    }
  }

 private:
  char Peek(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }
  void ToLineEnd() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  template <typename Accept>
  void While(Accept accept) {
    while (at_ < text_.size() && accept(text_[at_])) ++at_;
  }

  /// Moves past the next word; null, or what is wrong with it.
  const char* Next(Piece& piece) {
    const char c = text_[at_];
    if (c == '/' && Peek(1) == '/') {
      piece.kind = Peek(2) == '/' ? Kind::kDoc : Kind::kLine;
      ToLineEnd();
      return nullptr;
    }
    if (c == '/' && Peek(1) == '*') {
      piece.kind = Kind::kBlock;
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return "unterminated comment: expected '*/'";
      at_ = end + 2;
      return nullptr;
    }
    if (c == '"') return Code(piece);
    const auto name = [](char x) { return Lower(x) || Upper(x) || Digit(x) || x == '_'; };
    if (Lower(c)) {
      if (Include(piece)) return nullptr;
      While([](char x) { return Lower(x) || Digit(x) || x == '_'; });
      return nullptr;
    }
    if (Upper(c)) {
      While(name);
      return nullptr;
    }
    if (Digit(c)) {
      While(Digit);
      return nullptr;
    }
    if (c == '$') {
      ++at_;
      const std::size_t begin = at_;
      While(name);
      return at_ == begin ? "invalid token '$': expected a name after it" : nullptr;
    }
    return Operator(piece);
  }

  const char* Code(Piece& piece) {
    piece.kind = Kind::kCode;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && Peek(1) == '"') ++at_;
    }
    if (at_ == text_.size()) return "unterminated code: expected '\"'";
    ++at_;
    return nullptr;
  }

  /// `include "…"`, up to the last quote of the line.
  bool Include(Piece& piece) {
    if (!text_.substr(at_).starts_with("include")) return false;
    std::size_t open = at_ + 7;
    while (open < text_.size() && Blank(text_[open])) ++open;
    if (open == text_.size() || text_[open] != '"') return false;
    const std::string_view line = text_.substr(open, text_.find('\n', open) - open);
    const std::size_t close = line.rfind('"');
    if (close == 0) return false;
    piece.kind = Kind::kInclude;
    piece.text = fmt::format("include {}", line.substr(0, close + 1));
    at_ = open + close + 1;
    return true;
  }

  const char* Operator(Piece& piece) {
    piece.kind = Kind::kOperator;
    constexpr std::array<std::string_view, 22> kAll = {
        "||", "&&", "<=", ">=", "==", "!=", "->", "=>", "..", ":", ",",
        "(",  ")",  "|",  "<",  ">",  "=",  "/",  "+",  "-",  "*", "%"};
    for (std::string_view each : kAll) {
      if (!text_.substr(at_).starts_with(each)) continue;
      at_ += each.size();
      return nullptr;
    }
    return "invalid token: no word of the language starts with this byte";
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

enum class Block : std::uint8_t { kNone, kKeys, kEnum, kCounter, kInteger };

/// Lays pieces out in lines.
class Layout {
 public:
  explicit Layout(const std::vector<Piece>& pieces) : pieces_(pieces) {}

  std::string Run() {
    for (std::size_t begin = 0; begin < pieces_.size();) {
      std::size_t end = begin + 1;
      while (end < pieces_.size() && !Breaks(end)) ++end;
      if (begin > 0 && pieces_[begin].newlines > 1) out_ += '\n';
      while (begin < end) begin = Line(begin, end);
    }
    return std::move(out_);
  }

 private:
  const Piece& At(std::size_t i) const {
    static const Piece kNothing{Kind::kOperator, "", 0, 0};
    return i < pieces_.size() ? pieces_[i] : kNothing;
  }

  std::size_t SkipComments(std::size_t i) const {
    while (i < pieces_.size() && pieces_[i].comment()) ++i;
    return i;
  }

  /// The same contextual words as split.cc: what follows decides.
  bool StartsStatement(std::size_t i) const {
    constexpr std::array<std::string_view, 5> kStarts = {"set", "quotient", "define", "require",
                                                         "trigger"};
    constexpr std::array<std::string_view, 5> kKinds = {"enum", "integer", "counter", "half",
                                                        "internal"};
    const Piece& next = At(SkipComments(i + 1));
    const bool name = next.kind == Kind::kWord && Lower(next.text[0]);
    if (At(i).is("set") && i > 0 && At(i - 1).is("extern")) return false;
    return At(i).kind == Kind::kInclude || OneOf(At(i), kStarts) || StartsObjective(i) ||
           (At(i).is("extern") && next.is("set")) || (At(i).is("choice") && OneOf(next, kKinds)) ||
           (At(i).is("host") && next.kind == Kind::kCode) ||
           ((At(i).is("let") || At(i).is("extern") || At(i).is("decide")) && name);
  }

  /// The same for `minimize`, `maximize` and `lower_bound`.
  bool StartsObjective(std::size_t i) const {
    const std::size_t first = SkipComments(i + 1);
    const Piece& next = At(first);
    if (At(i).is("lower_bound")) return At(SkipComments(first + 1)).is(":");
    if (!At(i).is("minimize") && !At(i).is("maximize")) return false;
    const bool name = next.kind == Kind::kWord &&
                      (Lower(next.text[0]) || Digit(next.text[0]) || next.text[0] == '$');
    const bool term =
        name || next.kind == Kind::kCode || next.is("-") || (next.is("(") && !IsCall(i));
    if (!term || i == 0) return term;
    constexpr std::array<std::string_view, 18> kBefore = {
        "integer", "enum", "counter", "let", "constant", "predicate", "(", ",", "<",
        ">",       "<=",   ">=",      "==",  "!=",       "+",         "-", "*", "%"};
    return !OneOf(At(i - 1), kBefore);
  }

  /// `set Rows = 1 .. n`, which has no `end`.
  bool IsNumberSet(std::size_t i) const {
    return At(i).is("set") && At(SkipComments(SkipComments(i + 1) + 1)).is("=");
  }

  bool Breaks(std::size_t i) const {
    const Kind before = At(i - 1).kind;
    return At(i).newlines > 0 || before == Kind::kDoc || before == Kind::kLine ||
           (StartsStatement(i) && before != Kind::kBlock);
  }

  /// Whether the pieces from `begin` to `end` stand on more than one line.
  bool BreaksAfter(std::size_t begin, std::size_t end) const {
    while (++begin <= end) {
      if (Breaks(begin)) return true;
    }
    return false;
  }

  /// Whether an operand of a term may end with piece `i`.
  bool EndsOperand(std::size_t i) const {
    const Piece& piece = At(i);
    constexpr std::array<std::string_view, 15> kOther = {
        "not", "where", "when", "require", "requires", "is",       "in",      "sum",
        "mul", "base",  "true", "false",   "div",      "minimize", "maximize"};
    const bool word = piece.kind == Kind::kWord && !Upper(piece.text[0]) && !OneOf(piece, kOther);
    return piece.is(")") || piece.kind == Kind::kCode || word;
  }

  /// `name(` of a choice: nothing or variables follow.
  bool IsCall(std::size_t i) const {
    const Piece& first = At(SkipComments(i + 2));
    return At(i + 1).is("(") && (first.is(")") || first.text.starts_with('$'));
  }

  /// A `-` with nothing on its left.
  bool IsSign(std::size_t i) const { return i > 0 && At(i).is("-") && !EndsOperand(i - 1); }

  /// `div` between two operands.
  bool IsDiv(std::size_t i) const {
    return i > 0 && At(i).is("div") && EndsOperand(i - 1) && !IsCall(i);
  }

  std::size_t Gap(std::size_t i) const {
    const Piece& before = At(i - 1);
    const Piece& piece = At(i);
    if (piece.kind == Kind::kLine || piece.kind == Kind::kDoc) {
      return std::max<std::size_t>(2, piece.gap);
    }
    if (piece.comment() || before.comment()) return 1;
    if (before.is("(") || piece.is(")") || piece.is(",") || piece.is(":")) return 0;
    if (IsSign(i - 1)) return 0;
    if (IsDiv(i) || IsDiv(i - 1)) return 1;
    constexpr std::array<std::string_view, 16> kWords = {
        "not", "where", "when",   "require", "requires", "is",  "in",       "sum",
        "mul", "base",  "forall", "value",   "adds",     "let", "minimize", "maximize"};
    const bool word = before.kind == Kind::kWord && !OneOf(before, kWords);
    const bool number = before.kind == Kind::kWord && Digit(before.text[0]);
    if (piece.is("(")) return number ? 2 : word ? 0 : 1;
    // Two conditions side by side.
    const bool tested = before.is(")") || before.is("true") || before.is("false") ||
                        (word && std::ranges::none_of(before.text, Lower));
    const bool applies = piece.kind == Kind::kWord && Lower(piece.text[0]) &&
                         !OneOf(piece, kWords) && At(i + 1).is("(");
    if (piece.kind == Kind::kCode) return tested ? 2 : 1;
    return (tested || before.kind == Kind::kCode) && applies ? 2 : 1;
  }

  /// Whether a line that is too long may end before piece `i`.
  bool MayBreak(std::size_t i) const {
    constexpr std::array<std::string_view, 8> kBefore = {"||",       "&&",    "=>",    "when",
                                                         "requires", "value", "alias", "end"};
    if (At(i).comment()) return false;
    if (deciding_ && At(i - 1).is(",")) return true;
    if (listing_ && At(i).is("|")) return true;
    return OneOf(At(i), kBefore) || (At(i - 1).is(":") && depth_at_[i - line_] == 0);
  }

  /// Column indentation of a line that starts with piece `i`, and what follows for later ones.
  std::size_t Indent(std::size_t i) {
    const std::size_t first = i;
    i = SkipComments(i);
    if (StartsStatement(i)) {
      deciding_ = At(i).is("decide");
      listing_ = At(SkipComments(i + 1)).is("integer");
    }
    const auto item = [&](std::size_t indent) {
      item_ = indent;
      extra_ = 0;
      fresh_ = true;
      return indent;
    };
    // A comment above `end` is about the block that ends there.
    if (At(i).is("end") && block_ != Block::kNone && BreaksAfter(first, i)) return item(2);
    if (i == pieces_.size() || StartsStatement(i) || At(i).is("end")) return item(0);
    if (header_) return 4;
    constexpr std::array<std::string_view, 4> kItems = {"value", "alias", "symmetric",
                                                        "antisymmetric"};
    const Piece& next = At(SkipComments(i + 1));
    const Piece& piece = At(i);
    if (block_ == Block::kEnum && OneOf(piece, kItems)) return item(2);
    if (block_ == Block::kEnum && (piece.is("requires") || next.is("->"))) return item(4);
    if (block_ == Block::kKeys && piece.kind == Kind::kWord && Lower(piece.text[0]) &&
        (next.is("=") || next.is("forall") || next.is(":"))) {
      return item(2);
    }
    if (block_ == Block::kInteger) return item(2);
    if (block_ == Block::kCounter && !counting_ &&
        (piece.is("base") || piece.is("forall") || piece.is("sum") || piece.is("mul"))) {
      return item(2);
    }
    fresh_ = false;
    const std::size_t depth = depth_ - (piece.is(")") && depth_ > 0 ? 1 : 0);
    return item_ + 2 + extra_ + 2 * depth;
  }

  /// Follows blocks, headers and parentheses over piece `i`.
  void Pass(std::size_t i) {
    const Piece& piece = At(i);
    if (piece.comment()) return;
    if (StartsStatement(i)) {
      block_ = Block::kNone;
      header_ = (piece.is("set") && !IsNumberSet(i)) || piece.is("quotient") ||
                piece.is("define") || piece.is("choice") || piece.is("host");
      if (header_) block_ = Block::kKeys;
      counting_ = false;
      depth_ = 0;
    }
    if (header_ && piece.is("enum")) block_ = Block::kEnum;
    if (header_ && piece.is("integer")) block_ = Block::kInteger;
    if (header_ && piece.is("counter")) block_ = Block::kCounter;
    if (piece.is("(")) ++depth_;
    if (piece.is(")") && depth_ > 0) --depth_;
    if (!header_ && piece.is("forall")) counting_ = true;
    if (piece.is(":") && depth_ == 0) header_ = false;
    if (piece.is("end")) {
      block_ = Block::kNone;
      header_ = false;
      depth_ = 0;
    }
  }

  /// Writes the pieces from `begin` that fit on one line, at most up to `end`; where the next
  /// starts.
  std::size_t Line(std::size_t begin, std::size_t end) {
    const std::size_t indent = Indent(begin);
    line_ = begin;
    depth_at_.clear();
    std::size_t column = indent;
    std::size_t stop = end;
    std::size_t candidate = end;
    std::size_t depth = depth_;
    for (std::size_t i = begin; i < end; ++i) {
      depth_at_.push_back(depth);
      if (At(i).is("(")) ++depth;
      if (At(i).is(")") && depth > 0) --depth;
      if (i > begin && MayBreak(i)) {
        if (column > kColumns) {
          stop = candidate < end ? candidate : i;
          break;
        }
        candidate = i;
      }
      const std::string& text = At(i).text;
      const std::size_t first = text.find('\n');
      column += (i > begin ? Gap(i) : 0);
      const bool counts = At(i).kind != Kind::kLine && At(i).kind != Kind::kDoc;
      if (counts && column + std::min(first, text.size()) > kColumns && candidate < end) {
        stop = candidate;
        break;
      }
      if (!counts) continue;
      column =
          first == std::string::npos ? column + text.size() : text.size() - text.rfind('\n') - 1;
    }
    out_.append(indent, ' ');
    std::size_t last = begin;
    for (std::size_t i = begin; i < stop; ++i) {
      if (i > begin) out_.append(Gap(i), ' ');
      out_ += At(i).text;
      Pass(i);
      if (!At(i).comment()) last = i;
    }
    out_ += '\n';
    if (!fresh_ && At(last).is(":")) extra_ += 2;
    return stop;
  }

  const std::vector<Piece>& pieces_;
  std::string out_;
  Block block_ = Block::kNone;
  bool header_ = false;    ///< Before the colon that opens a block.
  bool counting_ = false;  ///< The quantifiers of a counter have started.
  bool deciding_ = false;  ///< In the list of `decide`.
  bool listing_ = false;   ///< In the numbers of an integer choice.
  bool fresh_ = true;      ///< The line starts an item; otherwise it continues one.
  std::size_t item_ = 0, extra_ = 0, depth_ = 0, line_ = 0;
  std::vector<std::size_t> depth_at_;
};

bool SameWords(const std::vector<Piece>& a, const std::vector<Piece>& b) {
  return std::ranges::equal(
      a, b, [](const Piece& x, const Piece& y) { return x.kind == y.kind && x.text == y.text; });
}

}  // namespace

std::optional<std::string> FormatText(std::string_view text, FormatError* error) {
  std::vector<Piece> before, after;
  if (!Scanner(text).Scan(before, error)) return std::nullopt;
  std::string formatted = Layout(before).Run();
  if (!Scanner(formatted).Scan(after, error) || !SameWords(before, after)) {
    *error = {1, 1, "formatting would change the words of this file; it is left as it is"};
    return std::nullopt;
  }
  return formatted;
}

}  // namespace exh::dsl
