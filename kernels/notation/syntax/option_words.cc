// SPDX-License-Identifier: MIT
#include "kernels/notation/syntax/option_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/spelling.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;

class WordNumberer {
 public:
  WordNumberer(Kernel& kernel, dsl::DiagnosticSink& sink) : kernel_(kernel), sink_(sink) {}

  void Run() {
    for (SizeDecl& size : kernel_.sizes) Number(size);
    for (ArrayDecl& array : kernel_.arrays) {
      Number(array.type);
      for (Expr& extent : array.extents) Number(extent);
      for (Expr& stride : array.strides) Number(stride);
      if (array.outside) Number(*array.outside);
      if (array.aligned) Number(*array.aligned);
    }
    for (SizeRequirement& requirement : kernel_.requirements) Number(requirement.condition);
    for (Statement& statement : kernel_.statements) Number(statement.value);
    for (TileHint& hint : kernel_.tiles) {
      for (Expr& level : hint.largest) Number(level);
    }
  }

 private:
  static std::vector<std::string> TextsOf(const std::vector<Name>& words) {
    std::vector<std::string> texts;
    for (const Name& word : words) texts.push_back(word.text);
    return texts;
  }

  void Number(SizeDecl& size) {
    const Name& said = size.default_word;
    if (size.words.empty()) {
      if (said.text.empty()) return;
      sink_.Report(Diag::kNotAWholeNumber, said.range,
                   fmt::format("'{0}' is no number; an option has words where they are listed: "
                               "option {1} = {0} in ({0}, …)",
                               said.text, size.name.text));
      return;
    }
    if (!size.is_option) {
      sink_.Report(Diag::kBadRange, size.name.range,
                   fmt::format("'{}' is a size, which is a number; an option may have words",
                               size.name.text));
    }
    for (auto word = size.words.begin(); word != size.words.end(); ++word) {
      const auto first = std::ranges::find(size.words, word->text, &Name::text);
      if (first == word) continue;
      sink_.Report(Diag::kNameTaken, word->range, fmt::format("'{}' stands twice", word->text))
          .WithNote(first->range, "first here");
    }
    size.min = 0;
    size.max = static_cast<std::int64_t>(size.words.size()) - 1;
    const auto found = std::ranges::find(size.words, said.text, &Name::text);
    const bool is_number = size.default_value.has_value();
    if (is_number || (found == size.words.end() && !said.text.empty())) {
      sink_.Report(
          Diag::kBadRange, is_number ? size.name.range : said.range,
          fmt::format("the default {} of '{}' is none of its words: {}",
                      is_number ? fmt::format("{}", *size.default_value) : "'" + said.text + "'",
                      size.name.text, fmt::join(TextsOf(size.words), ", ")));
    }
    size.default_value = found == size.words.end() ? 0 : found - size.words.begin();
  }

  const SizeDecl* OptionOf(const Expr& expr) const {
    if (expr.kind != Expr::Kind::kName) return nullptr;
    for (const SizeDecl& size : kernel_.sizes) {
      if (size.name.text == expr.text && !size.words.empty()) return &size;
    }
    return nullptr;
  }

  void Number(Expr& expr) {
    if (expr.kind == Expr::Kind::kCall && (expr.text == "==" || expr.text == "!=")) {
      for (const std::size_t option : {0, 1}) {
        const SizeDecl* const size = OptionOf(expr.args[option]);
        Expr& other = expr.args[1 - option];
        if (size != nullptr && other.kind == Expr::Kind::kName) Number(*size, other);
      }
    }
    for (Expr& arg : expr.args) Number(arg);
  }

  /// What stands beside an option.
  void Number(const SizeDecl& option, Expr& word) {
    const auto found = std::ranges::find(option.words, word.text, &Name::text);
    if (found != option.words.end()) {
      word.kind = Expr::Kind::kNumber;
      word.text.clear();
      word.integer = found - option.words.begin();
      word.number = static_cast<double>(*word.integer);
      return;
    }
    const bool is_size = std::ranges::any_of(
        kernel_.sizes, [&](const SizeDecl& size) { return size.name.text == word.text; });
    if (is_size) return;
    const std::vector<std::string> words = TextsOf(option.words);
    sink_.Report(Diag::kUnknownName, word.range,
                 fmt::format("option '{}' has no '{}'; it has {}{}", option.name.text, word.text,
                             fmt::join(words, ", "), DidYouMean(word.text, words)));
  }

  Kernel& kernel_;
  dsl::DiagnosticSink& sink_;
};

}  // namespace

void NumberOptionWords(Kernel& kernel, dsl::DiagnosticSink& sink) {
  WordNumberer(kernel, sink).Run();
}

}  // namespace exh::kernels::notation
