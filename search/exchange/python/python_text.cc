// SPDX-License-Identifier: MIT
#include "search/exchange/python/python_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "base/spelling.h"

namespace exh::search {
namespace {

using Kind = PythonNode::Kind;

/// Elements of a list, and expressions within each other.
constexpr std::size_t kMostElements = 1 << 16;
constexpr int kDeepest = 100;

struct PythonToken {
  enum class Kind { kEnd, kNumber, kText, kWord, kSign };
  Kind kind = Kind::kEnd;
  std::string text;   ///< Of a text what it holds.
  PythonValue value;  ///< Of a number.
  std::size_t begin = 0, end = 0;
};

[[noreturn]] void RefuseAt(std::size_t at, const std::string& what) {
  throw UsageError(fmt::format("column {}: {}", at + 1, what));
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class PythonLexer {
 public:
  PythonLexer(const std::string& text, PythonWords words) : text_(text), words_(words) {}

  std::vector<PythonToken> All() {
    std::vector<PythonToken> tokens;
    do {
      tokens.push_back(Next());
    } while (tokens.back().kind != PythonToken::Kind::kEnd);
    return tokens;
  }

 private:
  char At(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  PythonToken Next() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string::npos) {
      ++at_;
    }
    PythonToken token;
    token.begin = at_;
    if (at_ == text_.size()) {
      token.end = at_;
      return token;
    }
    const char c = text_[at_];
    if (IsDigit(c) || (c == '.' && IsDigit(At(at_ + 1)))) {
      Number(token);
    } else if (IsLetter(c)) {
      while (IsLetter(At(at_)) || IsDigit(At(at_))) ++at_;
      token.kind = PythonToken::Kind::kWord;
      token.text = text_.substr(token.begin, at_ - token.begin);
      if (At(at_) == '\'' || At(at_) == '"') {
        RefuseAt(token.begin, fmt::format("texts with a letter before them ('{}') are not "
                                          "understood; write it without",
                                          token.text));
      }
    } else if (c == '\'' || c == '"') {
      Text(token, c);
    } else {
      Sign(token);
    }
    token.end = at_;
    return token;
  }

  void Number(PythonToken& token) {
    token.kind = PythonToken::Kind::kNumber;
    const std::size_t begin = at_;
    while (IsDigit(At(at_))) ++at_;
    bool is_whole = true;
    if (At(at_) == '.') {
      is_whole = false;
      for (++at_; IsDigit(At(at_));) ++at_;
    }
    const bool has_sign = At(at_ + 1) == '+' || At(at_ + 1) == '-';
    if ((At(at_) == 'e' || At(at_) == 'E') && IsDigit(At(at_ + (has_sign ? 2 : 1)))) {
      is_whole = false;
      for (at_ += has_sign ? 2 : 1; IsDigit(At(at_));) ++at_;
    }
    token.text = text_.substr(begin, at_ - begin);
    if (IsLetter(At(at_)) || IsDigit(At(at_))) {
      RefuseAt(begin, fmt::format("'{}{}…' is no decimal number", token.text, At(at_)));
    }
    const char* const end = token.text.data() + token.text.size();
    if (!is_whole) {
      const double number = std::strtod(token.text.c_str(), nullptr);
      if (!std::isfinite(number)) RefuseAt(begin, token.text + " is too large");
      token.value = {number};
      return;
    }
    std::int64_t number = 0;
    const bool starts_with_zero = token.text.size() > 1 && token.text.front() == '0';
    if (std::from_chars(token.text.data(), end, number).ec != std::errc() || starts_with_zero) {
      RefuseAt(begin, starts_with_zero ? token.text + ": no number of Python begins with 0"
                                       : token.text + " has more than 64 bits");
    }
    token.value = {number};
  }

  void Text(PythonToken& token, char quote) {
    token.kind = PythonToken::Kind::kText;
    if (At(at_ + 1) == quote && At(at_ + 2) == quote) {
      RefuseAt(at_, "texts in three quotes are not understood; write one quote");
    }
    for (++at_; At(at_) != quote || at_ >= text_.size(); ++at_) {
      if (at_ >= text_.size()) RefuseAt(token.begin, "the text has no end");
      char c = text_[at_];
      if (c == '\\') {
        constexpr std::string_view kKnown = "\\'\"nt", kMeans = "\\'\"\n\t";
        const std::size_t which = kKnown.find(At(++at_));
        if (at_ >= text_.size() || which == std::string_view::npos) {
          RefuseAt(at_ - 1, "of signs behind a backslash \\\\, \\', \\\", \\n and \\t are known");
        }
        c = kMeans[which];
      }
      token.text += c;
    }
    ++at_;
  }

  void Sign(PythonToken& token) {
    constexpr std::array<std::string_view, 29> kSigns = {
        "**", "//", "<=", ">=", "==", "!=", "+", "-", "*",   "/", "%", "<", ">", "(", ")",
        "[",  "]",  ",",  "!",  "=",  "&",  "|", "@", "...", ".", ":", "~", "{", "}"};
    constexpr std::size_t kOfAll = 22;
    token.kind = PythonToken::Kind::kSign;
    for (std::size_t i = 0; i < (words_ == PythonWords::kTuning ? kOfAll : kSigns.size()); ++i) {
      const std::string_view sign = kSigns[i];
      if (!std::string_view(text_).substr(at_).starts_with(sign)) continue;
      token.text = sign;
      at_ += sign.size();
      return;
    }
    RefuseAt(at_, fmt::format("'{}' is not understood", text_[at_]));
  }

  const std::string& text_;
  const PythonWords words_;
  std::size_t at_ = 0;
};

/// One function for each strength of Python's operators, the weakest first.
class PythonParser {
 public:
  PythonParser(const std::string& text, PythonWords words)
      : is_reference_(words == PythonWords::kReference), tokens_(PythonLexer(text, words).All()) {}

  PythonNode Whole() {
    PythonNode node = Or();
    if (Now().kind != PythonToken::Kind::kEnd) Unexpected();
    return node;
  }

 private:
  const PythonToken& Now() const { return tokens_[at_]; }
  bool Is(std::string_view text) const {
    const bool is_named =
        Now().kind == PythonToken::Kind::kSign || Now().kind == PythonToken::Kind::kWord;
    return is_named && Now().text == text;
  }
  bool Take(std::string_view text) {
    if (!Is(text)) return false;
    ++at_;
    return true;
  }
  void Expect(std::string_view text) {
    if (!Take(text)) {
      RefuseAt(Now().begin, fmt::format("'{}' is missing before {}", text, Shown()));
    }
  }
  std::string Shown() const {
    return Now().kind == PythonToken::Kind::kEnd ? "the end"
                                                 : fmt::format("'{}'", Shortened(Now().text, 40));
  }
  [[noreturn]] void Unexpected() const {
    if (is_reference_) RefuseAt(Now().begin, fmt::format("{} is not understood", Shown()));
    RefuseAt(Now().begin,
             fmt::format("{} is not understood; numbers, texts, names, + - * / // % **, "
                         "comparisons, in, and, or, not, lists, range, list, min, max, abs and len "
                         "are",
                         Shown()));
  }

  PythonNode Begun(Kind kind, std::size_t begin) const {
    PythonNode node;
    node.kind = kind;
    node.begin = begin;
    return node;
  }
  PythonNode Ended(PythonNode node) const {
    node.end = tokens_[at_ - 1].end;
    return node;
  }

  /// `part and part and part`.
  template <typename Part>
  PythonNode Joined(Kind kind, std::string_view word, const Part& part) {
    PythonNode first = part();
    if (!Is(word)) return first;
    PythonNode node = Begun(kind, first.begin);
    node.parts.push_back(std::move(first));
    while (Take(word)) node.parts.push_back(part());
    return Ended(std::move(node));
  }
  PythonNode Or() {
    return Joined(Kind::kOr, "or", [this] { return And(); });
  }
  PythonNode And() {
    return Joined(Kind::kAnd, "and", [this] { return Not(); });
  }
  PythonNode Not() {
    const std::size_t begin = Now().begin;
    if (!Take("not")) return Comparison();
    const Deeper deeper(*this);
    PythonNode node = Begun(Kind::kNot, begin);
    node.parts.push_back(Not());
    return Ended(std::move(node));
  }

  /// The operator that stands here, taken; empty: none.
  std::string TakenComparison() {
    for (const char* const op : {"<=", ">=", "==", "!=", "<", ">", "in"}) {
      if (Take(op)) return op;
    }
    if (!Take("not")) return "";
    Expect("in");
    return "not in";
  }
  PythonNode Comparison() {
    PythonNode first = Bits();
    std::string op = TakenComparison();
    if (op.empty()) return first;
    PythonNode node = Begun(Kind::kCompare, first.begin);
    node.parts.push_back(std::move(first));
    for (; !op.empty(); op = TakenComparison()) {
      node.operators.push_back(op);
      node.parts.push_back(Bits());
    }
    return Ended(std::move(node));
  }

  template <typename Part>
  PythonNode FromTheLeft(std::initializer_list<const char*> operators, const Part& part) {
    PythonNode left = part();
    for (;;) {
      const auto* const op =
          std::ranges::find_if(operators, [&](const char* one) { return Take(one); });
      if (op == operators.end()) return left;
      PythonNode node = Begun(Kind::kCalculate, left.begin);
      node.word = *op;
      node.parts.push_back(std::move(left));
      node.parts.push_back(part());
      left = Ended(std::move(node));
    }
  }
  PythonNode Bits() {
    if (!is_reference_) return Sum();
    const auto both = [this] { return FromTheLeft({"&"}, [this] { return Sum(); }); };
    return FromTheLeft({"|"}, both);
  }
  PythonNode Sum() {
    return FromTheLeft({"+", "-"}, [this] { return Product(); });
  }
  PythonNode Product() {
    if (is_reference_) {
      return FromTheLeft({"*", "//", "/", "%", "@"}, [this] { return Signed(); });
    }
    return FromTheLeft({"*", "//", "/", "%"}, [this] { return Signed(); });
  }
  PythonNode Signed() {
    const std::size_t begin = Now().begin;
    const Deeper deeper(*this);
    if (Take("+")) return Signed();
    const bool is_turned = is_reference_ && Take("~");
    if (!is_turned && !Take("-")) return Power();
    PythonNode node = Begun(is_turned ? Kind::kNot : Kind::kNegate, begin);
    node.parts.push_back(Signed());
    return Ended(std::move(node));
  }
  PythonNode Power() {
    PythonNode base = is_reference_ ? Primary() : Element();
    if (!Take("**")) return base;
    PythonNode node = Begun(Kind::kCalculate, base.begin);
    node.word = "**";
    node.parts.push_back(std::move(base));
    node.parts.push_back(Signed());
    return Ended(std::move(node));
  }

  /// Names with members, calls and subscripts behind them.
  PythonNode Primary() {
    PythonNode node = Atom();
    for (;;) {
      if (!Is(".") && !Is("(") && !Is("[")) return node;
      const Deeper deeper(*this);
      PythonNode outer = Begun(Kind::kMember, node.begin);
      outer.parts.push_back(std::move(node));
      if (Take(".")) {
        if (Now().kind != PythonToken::Kind::kWord) Unexpected();
        outer.word = Now().text;
        ++at_;
      } else if (Take("(")) {
        outer.kind = Kind::kApply;
        for (bool more = !Is(")"); more; more = Take(",") && !Is(")")) Argument(outer);
        Expect(")");
      } else {
        Expect("[");
        outer.kind = Kind::kElement;
        for (bool more = !Is("]"); more; more = Take(",") && !Is("]")) {
          outer.parts.push_back(Place());
        }
        Expect("]");
      }
      node = Ended(std::move(outer));
    }
  }
  void Argument(PythonNode& call) {
    const bool is_named = Now().kind == PythonToken::Kind::kWord && tokens_[at_ + 1].text == "=" &&
                          tokens_[at_ + 1].kind == PythonToken::Kind::kSign;
    call.operators.push_back(is_named ? Now().text : "");
    if (is_named) at_ += 2;
    call.parts.push_back(Or());
  }
  /// Between the brackets behind an array.
  PythonNode Place() {
    const std::size_t begin = Now().begin;
    const auto nothing = [&] { return Begun(Kind::kNothing, begin); };
    PythonNode first = Is(":") ? nothing() : Or();
    if (!Take(":")) return first;
    PythonNode slice = Begun(Kind::kSlice, begin);
    slice.parts.push_back(std::move(first));
    const auto ends = [&] { return Is(":") || Is(",") || Is("]"); };
    slice.parts.push_back(ends() ? nothing() : Or());
    slice.parts.push_back(Take(":") && !ends() ? Or() : nothing());
    return Ended(std::move(slice));
  }

  /// A value, and an element of it.
  PythonNode Element() {
    PythonNode node = Atom();
    while (Take("[")) {
      const Deeper deeper(*this);
      PythonNode element = Begun(Kind::kElement, node.begin);
      element.parts.push_back(std::move(node));
      element.parts.push_back(Or());
      Expect("]");
      node = Ended(std::move(element));
    }
    return node;
  }

  PythonNode Atom() {
    const PythonToken token = Now();
    if (is_reference_ && (Take("None") || Take("..."))) {
      PythonNode node = Begun(Kind::kNothing, token.begin);
      if (token.text == "...") node.word = token.text;
      return Ended(std::move(node));
    }
    if (is_reference_ && Take("{")) return Dictionary(token.begin);
    if (token.kind == PythonToken::Kind::kNumber || token.kind == PythonToken::Kind::kText) {
      ++at_;
      PythonNode node = Begun(Kind::kValue, token.begin);
      node.value = token.kind == PythonToken::Kind::kNumber ? token.value : PythonValue{token.text};
      return Ended(std::move(node));
    }
    if (Take("(")) return Parenthesis(token.begin);
    if (Take("[")) return List(token.begin);
    if (token.kind != PythonToken::Kind::kWord) Unexpected();
    return Word(token);
  }

  PythonNode Word(const PythonToken& token) {
    constexpr std::array<std::string_view, 17> kOthers = {
        "and",  "or",    "not",   "in",    "is",    "if",    "else",   "for", "lambda",
        "None", "yield", "await", "async", "while", "break", "import", "def"};
    if (std::ranges::find(kOthers, token.text) != kOthers.end()) Unexpected();
    ++at_;
    if (token.text == "True" || token.text == "False") {
      PythonNode node = Begun(Kind::kValue, token.begin);
      node.value = {token.text == "True"};
      return Ended(std::move(node));
    }
    PythonNode node = Begun(Kind::kName, token.begin);
    node.word = token.text;
    if (is_reference_ || !Take("(")) return Ended(std::move(node));
    const std::vector<std::string> known = {"range", "list", "min", "max", "abs", "len"};
    if (std::ranges::find(known, token.text) == known.end()) {
      RefuseAt(token.begin, UnknownName("function", token.text, known));
    }
    node.kind = Kind::kCall;
    const Deeper deeper(*this);
    for (bool more = !Is(")"); more; more = Take(",") && !Is(")")) node.parts.push_back(Or());
    Expect(")");
    return Ended(std::move(node));
  }

  /// A list with a name for each part.
  PythonNode Dictionary(std::size_t begin) {
    const Deeper deeper(*this);
    PythonNode list = Begun(Kind::kList, begin);
    for (bool more = !Is("}"); more; more = Take(",") && !Is("}")) {
      if (Now().kind != PythonToken::Kind::kText) Unexpected();
      list.operators.push_back(Now().text);
      ++at_;
      Expect(":");
      list.parts.push_back(Or());
    }
    Expect("}");
    return Ended(std::move(list));
  }

  PythonNode Parenthesis(std::size_t begin) {
    const Deeper deeper(*this);
    PythonNode tuple = Begun(Kind::kList, begin);
    bool has_comma = false;
    while (!Is(")")) {
      tuple.parts.push_back(Or());
      if (!Take(",")) break;
      has_comma = true;
    }
    Expect(")");
    if (has_comma || tuple.parts.empty()) return Ended(std::move(tuple));
    PythonNode inner = std::move(tuple.parts.front());
    inner.begin = begin;  // With its parentheses.
    return Ended(std::move(inner));
  }

  PythonNode List(std::size_t begin) {
    const Deeper deeper(*this);
    PythonNode list = Begun(Kind::kList, begin);
    for (bool more = !Is("]"); more; more = Take(",") && !Is("]")) list.parts.push_back(Or());
    if (list.parts.size() == 1 && Take("for")) {
      list.kind = Kind::kListOfEach;
      if (Now().kind != PythonToken::Kind::kWord) Unexpected();
      list.word = Now().text;
      ++at_;
      Expect("in");
      list.parts.push_back(Or());
      if (Take("if")) list.parts.push_back(Or());
    }
    Expect("]");
    return Ended(std::move(list));
  }

  /// What calls itself.
  class Deeper {
   public:
    explicit Deeper(PythonParser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepest) RefuseAt(parser_.Now().begin, "it is nested too deeply");
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    PythonParser& parser_;
  };

  const bool is_reference_;
  std::vector<PythonToken> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

std::int64_t WholeIn(const PythonValue& value) {
  if (!value.is_whole()) throw PythonError("range takes whole numbers");
  return value.whole();
}

PythonValue Range(const std::vector<PythonValue>& arguments) {
  if (arguments.empty() || arguments.size() > 3) throw PythonError("range takes 1 to 3 numbers");
  const std::int64_t first = arguments.size() == 1 ? 0 : WholeIn(arguments[0]);
  const std::int64_t end = WholeIn(arguments[arguments.size() == 1 ? 0 : 1]);
  const std::int64_t step = arguments.size() == 3 ? WholeIn(arguments[2]) : 1;
  if (step == 0) throw PythonError("the step of range is 0");
  PythonList list;
  std::int64_t number = first;
  while (step > 0 ? number < end : number > end) {
    if (list.size() == kMostElements) throw PythonError("a range has more than 65536 numbers");
    list.push_back({number});
    if (__builtin_add_overflow(number, step, &number)) break;
  }
  return {list};
}

PythonValue Call(const std::string& function, const std::vector<PythonValue>& arguments) {
  if (function == "range") return Range(arguments);
  const bool is_of_list = arguments.size() == 1 && arguments.front().is_list();
  if (function == "list" || function == "len") {
    if (!is_of_list) throw PythonError(function + " takes one list");
    if (function == "list") return arguments.front();
    return {static_cast<std::int64_t>(arguments.front().list().size())};
  }
  if (function == "abs") {
    if (arguments.size() != 1) throw PythonError("abs takes one number");
    return Compared(arguments.front(), "<", {std::int64_t{0}})
               ? Negated(arguments.front())
               : Calculated(arguments.front(), "+", {std::int64_t{0}});
  }
  const PythonList& of = is_of_list ? arguments.front().list() : arguments;
  if (of.empty()) throw PythonError(function + " of nothing");
  PythonValue best = of.front();
  for (const PythonValue& one : of) {
    if (Compared(one, function == "min" ? "<" : ">", best)) best = one;
  }
  return best;
}

PythonValue ElementOf(const PythonValue& of, const PythonValue& index) {
  if (!of.is_list()) throw PythonError("what stands before '[' is no list");
  if (!index.is_whole()) throw PythonError("what stands within '[ ]' is no whole number");
  const auto size = static_cast<std::int64_t>(of.list().size());
  const std::int64_t at = index.whole() < 0 ? index.whole() + size : index.whole();
  if (at < 0 || at >= size) {
    throw PythonError(fmt::format("[{}] of a list of {}", index.whole(), size));
  }
  return of.list()[static_cast<std::size_t>(at)];
}

PythonValue EvaluateEach(const PythonNode& node, std::vector<PythonValue>& values) {
  const PythonValue over = Evaluate(node.parts[1], values);
  if (!over.is_list()) throw PythonError("what stands behind 'in' is no list");
  PythonList list;
  for (const PythonValue& one : over.list()) {
    values.push_back(one);
    struct Back {
      std::vector<PythonValue>& values;
      ~Back() { values.pop_back(); }
    } const back{values};
    const bool counts = node.parts.size() < 3 || IsTrue(Evaluate(node.parts[2], values));
    if (counts) list.push_back(Evaluate(node.parts[0], values));
  }
  return {list};
}

void Bind(PythonNode& node, std::vector<std::string>& names) {
  if (node.kind == Kind::kName) {
    // The last of a name is the nearest one.
    const auto found = std::find(names.rbegin(), names.rend(), node.word);
    if (found == names.rend()) {
      RefuseAt(node.begin, UnknownName("parameter", node.word, names));
    }
    node.variable = static_cast<int>(names.rend() - found) - 1;
    return;
  }
  if (node.kind != Kind::kListOfEach) {
    for (PythonNode& part : node.parts) Bind(part, names);
    return;
  }
  Bind(node.parts[1], names);
  names.push_back(node.word);
  for (std::size_t i = 0; i < node.parts.size(); ++i) {
    if (i != 1) Bind(node.parts[i], names);
  }
  names.pop_back();
}

/// `inner`: the first index that is no name of the list, but a variable of the expression itself.
void Collect(const PythonNode& node, std::set<int>& found) {
  if (node.kind == Kind::kName) found.insert(node.variable);
  for (const PythonNode& part : node.parts) Collect(part, found);
}

}  // namespace

PythonNode ParsePython(const std::string& text, PythonWords words) {
  constexpr std::size_t kLongest = 1 << 20;
  if (text.size() > kLongest) throw UsageError("the expression has more than 1 MiB");
  return PythonParser(text, words).Whole();
}

void BindNames(PythonNode& node, const std::vector<std::string>& names) {
  std::vector<std::string> all = names;
  Bind(node, all);
}

PythonValue Evaluate(const PythonNode& node, std::vector<PythonValue>& values) {
  const auto part = [&](std::size_t i) { return Evaluate(node.parts[i], values); };
  switch (node.kind) {
    case Kind::kValue:
      return node.value;
    case Kind::kName:
      return values.at(static_cast<std::size_t>(node.variable));
    case Kind::kNegate:
      return Negated(part(0));
    case Kind::kNot:
      return {!IsTrue(part(0))};
    case Kind::kCalculate:
      return Calculated(part(0), node.word, part(1));
    case Kind::kCompare: {
      PythonValue left = part(0);
      for (std::size_t i = 0; i < node.operators.size(); ++i) {
        PythonValue right = part(i + 1);
        if (!Compared(left, node.operators[i], right)) return {false};
        left = std::move(right);
      }
      return {true};
    }
    case Kind::kAnd:
    case Kind::kOr: {
      PythonValue last;
      for (std::size_t i = 0; i < node.parts.size(); ++i) {
        last = part(i);
        if (IsTrue(last) == (node.kind == Kind::kOr)) break;
      }
      return last;
    }
    case Kind::kListOfEach:
      return EvaluateEach(node, values);
    case Kind::kElement:
      return ElementOf(part(0), part(1));
    case Kind::kNothing:
    case Kind::kMember:
    case Kind::kApply:
    case Kind::kSlice:
      throw PythonError("what references alone may have is not calculated");
    case Kind::kCall:
    case Kind::kList:
      break;
  }
  PythonList list;
  for (std::size_t i = 0; i < node.parts.size(); ++i) list.push_back(part(i));
  if (node.kind == Kind::kList) return {list};
  return Call(node.word, list);
}

std::vector<int> VariablesOf(const PythonNode& node) {
  std::set<int> found;
  Collect(node, found);
  return {found.begin(), found.end()};
}

}  // namespace exh::search
