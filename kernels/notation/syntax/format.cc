// SPDX-License-Identifier: MIT
//
// Words are written one after the other as they stand in the text; what is chosen is what goes
// between two of them. So nothing can be lost. What the choice needs to know of the syntax is
// little, because the parser has found it right: how deep the line is, whether a minus has a left
// side, and whether a colon belongs to a question.
#include "kernels/notation/syntax/format.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "kernels/notation/syntax/parse.h"

namespace exh::kernels::notation {
namespace {

constexpr int kIndent = 2, kContinuation = 4;

bool IsComment(std::string_view text) {
  return text.starts_with("//");
}

bool IsDoc(std::string_view text) {
  return text.starts_with("///");
}

class Formatter {
 public:
  Formatter(std::uint32_t file, const dsl::SourceSet& sources) : words_(WordsOf(file, sources)) {
    for (const Word& word : words_) {
      std::string_view text = sources.Text(word.range);
      text.remove_suffix(text.size() - (text.find_last_not_of(" \t\r") + 1));
      texts_.push_back(text);
    }
  }

  std::string Run() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (IsComment(texts_[i])) {
        WriteComment(i);
      } else {
        WriteWord(i);
      }
    }
    return out_ + "\n";
  }

 private:
  void WriteComment(std::size_t i) {
    if (i > 0 && words_[i].breaks == 0) {
      out_ += "  ";
    } else {
      // It is as deep as what it stands before.
      std::size_t next = i;
      while (next < words_.size() && IsComment(texts_[next]) && !IsDoc(texts_[next])) ++next;
      const bool goes_on = next < words_.size() && !words_[next].begins_line;
      NewLine(i, goes_on ? line_depth_ + kContinuation : depth_);
    }
    out_ += texts_[i];
  }

  void WriteWord(std::size_t i) {
    const std::string_view text = texts_[i];
    if (words_[i].begins_line) {
      if (text == "kernel" || text == "end") depth_ = 0;
      line_depth_ = depth_;
      NewLine(i, line_depth_);
      if (text == "kernel") depth_ = kIndent;
      questions_.assign(1, 0);
      before_ = {};
    } else if (words_[i].breaks > 0) {
      NewLine(i, line_depth_ + kContinuation);
    } else if (HasBlankBefore(i)) {
      out_ += ' ';
    }
    out_ += text;
    Remember(i);
  }

  void NewLine(std::size_t i, int depth) {
    if (i > 0) out_.append(words_[i].breaks > 1 ? 2 : 1, '\n');
    out_.append(static_cast<std::size_t>(depth), ' ');
  }

  bool HasBlankBefore(std::size_t i) const {
    const std::string_view text = texts_[i];
    if (before_.text == "(" || before_.text == "[" || before_.text == ".." || before_.is_sign) {
      return false;
    }
    if (text == ")" || text == "]" || text == "," || text == "..") return false;
    if (text == ":") return questions_.back() > 0;
    if (text == "[" && before_.text == ")") return false;  // Behind a choice of types.
    if (text == "(" || text == "[") return !before_.is_name;
    return true;
  }

  void Remember(std::size_t i) {
    const std::string_view text = texts_[i];
    const bool is_sign = text == "-" && !before_.ends_operand;
    const bool is_number =
        std::isdigit(static_cast<unsigned char>(text.front())) != 0 || text == "inf";
    before_ = {text, words_[i].is_name, is_sign,
               words_[i].is_name || is_number || text == ")" || text == "]"};
    if (text == "(" || text == "[") {
      questions_.push_back(0);
    } else if (text == ")" || text == "]") {
      questions_.pop_back();
    } else if (text == "?") {
      ++questions_.back();
    } else if (text == ":" && questions_.back() > 0) {
      --questions_.back();
    }
  }

  struct Before {
    std::string_view text;
    bool is_name = false;
    bool is_sign = false;       ///< A minus without a left side.
    bool ends_operand = false;  ///< What a minus behind it subtracts from.
  };

  const std::vector<Word> words_;
  std::vector<std::string_view> texts_;  ///< By word, without blanks behind it.
  std::string out_;
  int depth_ = 0;               ///< Of a line that would begin here.
  int line_depth_ = 0;          ///< Of the one that has begun.
  Before before_;               ///< The word before, in this line.
  std::vector<int> questions_;  ///< By open bracket: how many wait for their colon.
};

}  // namespace

std::optional<std::string> FormatKernel(const std::string& path, const std::string& text,
                                        dsl::DiagnosticSink& sink) {
  dsl::SourceSet& sources = sink.sources();
  sources.AddInMemory(path, text);
  std::string error;
  const auto file = sources.Open(path, std::nullopt, &error);
  if (!file) {
    sink.Report(dsl::Diag::kUnreadableFile, {sources.AddUnreadable(path), 0, 0},
                fmt::format("cannot read '{}': {}", path, error));
    return std::nullopt;
  }
  ParseKernel(*file, sink);
  if (sink.has_errors()) return std::nullopt;
  return Formatter(*file, sources).Run();
}

std::optional<std::string> FormatKernel(const std::string& path, const std::string& text,
                                        std::string* messages) {
  dsl::DiagnosticSink sink;
  auto formatted = FormatKernel(path, text, sink);
  *messages = dsl::RenderText(sink);
  return formatted;
}

}  // namespace exh::kernels::notation
