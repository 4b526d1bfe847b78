// SPDX-License-Identifier: MIT
#include "dsl/syntax/splice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "dsl/diagnostics/characters.h"

namespace exh::dsl {
namespace {

// There is no include guard, so files that include each other twice grow exponentially.
constexpr int kMaxIncludes = 2000;
constexpr std::size_t kMaxDepth = 100;

class Splicer {
 public:
  Splicer(const std::vector<std::string>& include_dirs, const LexFunction& lex,
          DiagnosticSink& sink)
      : include_dirs_(include_dirs), lex_(lex), sink_(sink) {}

  void File(std::uint32_t file) {
    num_bytes_ += sink_.sources().file(file).text.size();
    stack_.push_back(file);
    for (Token& token : lex_(sink_.sources(), file)) Add(std::move(token));
    stack_.pop_back();
  }

  std::vector<Token> Take() { return std::move(tokens_); }

 private:
  void Add(Token token) {
    switch (token.kind) {
      case TokenKind::kInclude:
        return Include(token);
      case TokenKind::kCode:
        return Code(std::move(token));
      case TokenKind::kDoc:
        return Doc(std::move(token));
      case TokenKind::kInvalid:
        return Invalid(std::move(token));
      case TokenKind::kOpenCode:
        return Open(std::move(token), Diag::kOpenCode, "unterminated code: expected '\"'");
      case TokenKind::kOpenComment:
        return Open(std::move(token), Diag::kOpenComment, "unterminated comment: expected '*/'");
      default:
        tokens_.push_back(std::move(token));
    }
  }

  void Include(const Token& token) {
    if (too_many_) return;
    const SourceSet& sources = sink_.sources();
    const std::string beside = sources.file(token.range.file).path;
    std::string path = Find(token.text, beside);
    std::string error;
    const auto file = sink_.sources().Open(path, token.range, &error);
    if (!file) {
      sink_.Report(Diag::kUnreadableFile, token.range,
                   fmt::format("cannot read '{}': {}", token.text, error));
      return;
    }
    if (std::ranges::find(stack_, *file) != stack_.end()) {
      auto& cycle = sink_.Report(Diag::kIncludeCycle, token.range,
                                 fmt::format("'{}' includes itself", sources.file(*file).display));
      for (std::size_t i = stack_.size(); i-- > 1 && stack_[i] != *file;) {
        cycle.WithNote(*sources.file(stack_[i]).included_from, "included from here");
      }
      return;
    }
    const bool large = num_bytes_ + sources.file(*file).text.size() > kLargestText;
    if (++num_includes_ > kMaxIncludes || stack_.size() > kMaxDepth || large) {
      too_many_ = true;
      sink_.Report(Diag::kTooManyIncludes, token.range, "too many files are included");
      return;
    }
    File(*file);
  }

  std::string Find(const std::string& name, const std::string& includer) const {
    namespace fs = std::filesystem;
    const std::string first = (fs::path(includer).parent_path() / name).string();
    if (fs::path(name).is_absolute() || sink_.sources().Exists(first)) return first;
    for (const std::string& dir : include_dirs_) {
      const std::string candidate = (fs::path(dir) / name).string();
      if (sink_.sources().Exists(candidate)) return candidate;
    }
    return first;
  }

  // Removes the quotes, the backslash of every backslash-quote, and every backslash-newline with
  // the blanks that start the next line. What is left is appended to the literal before it when
  // nothing but blanks and comments separates them.
  void Code(Token token) {
    CheckIsText(token, "code");
    const std::string_view raw = token.text;
    const std::uint32_t first = token.range.begin + 1;
    std::string text;
    std::vector<ast::CodePiece> pieces;
    std::size_t begin = 0;
    const auto keep = [&](std::size_t end) {
      if (end == begin) return;
      SourceRange range = token.range;
      range.begin = first + static_cast<std::uint32_t>(begin);
      range.end = first + static_cast<std::uint32_t>(end);
      pieces.push_back({static_cast<std::uint32_t>(text.size()), range});
      text += raw.substr(begin, end - begin);
    };
    for (std::size_t i = 0; i + 1 < raw.size(); ++i) {
      if (raw[i] == '\\' && raw[i + 1] == '"') {
        keep(i);
        begin = ++i;
        continue;
      }
      const bool carriage = raw[i + 1] == '\r' && i + 2 < raw.size() && raw[i + 2] == '\n';
      if (raw[i] != '\\' || (raw[i + 1] != '\n' && !carriage)) continue;
      keep(i);
      begin = std::min(raw.find_first_not_of(" \t", i + (carriage ? 3 : 2)), raw.size());
      i = begin - 1;
    }
    keep(raw.size());
    if (text.empty()) return;
    token.range.begin = pieces.front().range.begin;
    token.range.end = pieces.back().range.end;
    Token* last = tokens_.empty() ? nullptr : &tokens_.back();
    if (last != nullptr && last->kind == TokenKind::kCode && last->range.file == token.range.file) {
      for (ast::CodePiece& piece : pieces) {
        piece.offset += static_cast<std::uint32_t>(last->text.size());
      }
      if (sink_.lints()) {
        sink_
            .Report(Diag::kFusedCode, token.range,
                    "this is read as one snippet with the one before")
            .WithNote(last->range, "the snippet before");
      }
      last->text += text;
      last->pieces.insert(last->pieces.end(), pieces.begin(), pieces.end());
      last->range.end = token.range.end;
      return;
    }
    token.text = std::move(text);
    token.pieces = std::move(pieces);
    tokens_.push_back(std::move(token));
  }

  void Doc(Token token) {
    if (token.text.empty()) return;
    CheckIsText(token, "a doc comment");
    Token* last = tokens_.empty() ? nullptr : &tokens_.back();
    if (last != nullptr && last->kind == TokenKind::kDoc && last->range.file == token.range.file) {
      last->text += token.text;
      last->range.end = token.range.end;
      return;
    }
    tokens_.push_back(std::move(token));
  }

  // A run of bad bytes is one mistake; so is every byte of one UTF-8 character.
  void Invalid(Token token) {
    Token* last = tokens_.empty() ? nullptr : &tokens_.back();
    if (last != nullptr && last->kind == TokenKind::kInvalid &&
        last->range.file == token.range.file && last->range.end == token.range.begin) {
      last->range.end = token.range.end;
      if (last_invalid_ != nullptr) {
        last_invalid_->range = last->range;
        last_invalid_->message = InvalidMessage(last->range);
      }
      return;
    }
    last_invalid_ = &sink_.Report(Diag::kInvalidToken, token.range, InvalidMessage(token.range));
    tokens_.push_back(std::move(token));
  }

  std::string InvalidMessage(SourceRange range) const {
    const std::string_view text = sink_.sources().Text(range);
    const Utf8 first = FirstCharacter(text);
    if (first.length == text.size()) {
      const std::string hint = text == "&"   ? "; did you mean '&&'?"
                               : text == "!" ? "; did you mean 'not'?"
                                             : "";
      return fmt::format("invalid token {}{}", CharacterInWords(text), hint);
    }
    const bool printable = text.size() <= 20 && IsPrintable(text);
    if (printable) return fmt::format("invalid token '{}'", text);
    return fmt::format("invalid token of {} bytes, which begins with {}", text.size(),
                       CharacterInWords(text));
  }

  // What goes into generated C++ must be text: nobody sees where another byte is.
  void CheckIsText(const Token& token, std::string_view what) {
    const std::string_view text = sink_.sources().Text(token.range);
    for (std::size_t at = 0; at < text.size();) {
      const Utf8 next = FirstCharacter(text.substr(at));
      if (next.code && *next.code != 0) {
        at += next.length;
        continue;
      }
      SourceRange range = token.range;
      range.begin += static_cast<std::uint32_t>(at);
      range.end = range.begin + static_cast<std::uint32_t>(next.length);
      sink_.Report(Diag::kNotText, range,
                   fmt::format("{} holds {}", what, CharacterInWords(text.substr(at))));
      return;
    }
  }

  void Open(Token token, Diag diag, std::string message) {
    token.range.end = token.range.begin + (token.kind == TokenKind::kOpenCode ? 1 : 2);
    sink_.Report(diag, token.range, std::move(message));
    token.kind = TokenKind::kInvalid;  // Whatever it was part of is damaged.
    last_invalid_ = nullptr;
    tokens_.push_back(std::move(token));
  }

  const std::vector<std::string>& include_dirs_;
  const LexFunction& lex_;
  DiagnosticSink& sink_;
  std::vector<std::uint32_t> stack_;
  std::vector<Token> tokens_;
  Diagnostic* last_invalid_ = nullptr;
  int num_includes_ = 0;
  std::size_t num_bytes_ = 0;
  bool too_many_ = false;
};

}  // namespace

std::vector<Token> SpliceFiles(std::uint32_t file, const std::vector<std::string>& include_dirs,
                               const LexFunction& lex, DiagnosticSink& sink) {
  Splicer splicer(include_dirs, lex, sink);
  splicer.File(file);
  return splicer.Take();
}

}  // namespace exh::dsl
