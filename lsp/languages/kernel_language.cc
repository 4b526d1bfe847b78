// SPDX-License-Identifier: MIT
//
// `.kernel`: kernels as text, at the sizes that they have where nothing else is said.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kernels/ir/builder.h"
#include "kernels/ir/function.h"
#include "kernels/notation/axes/joined_axes.h"
#include "kernels/notation/lower/lower.h"
#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/expected.h"
#include "kernels/notation/syntax/format.h"
#include "kernels/notation/syntax/names.h"
#include "kernels/notation/syntax/parse.h"
#include "kernels/notation/words.h"
#include "lsp/languages/language.h"

namespace exh::lsp {
namespace {

namespace notation = kernels::notation;
namespace ir = kernels::ir;

/// Beside the line that declares it.
std::string LineOf(const dsl::SourceSet& sources, dsl::SourceRange range) {
  std::string_view line = dsl::LineAt(sources.file(range.file).text, range.begin);
  const std::size_t begin = line.find_first_not_of(" \t");
  return std::string(begin == std::string_view::npos ? line : line.substr(begin));
}

std::string InDimensions(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t extent : extents) {
    text += fmt::format("{}{}", text.empty() ? "" : " x ", extent);
  }
  return text.empty() ? "one element" : text + " elements";
}

class KernelReader {
 public:
  KernelReader(std::uint32_t file, Analysis& analysis) : analysis_(analysis) {
    dsl::DiagnosticSink& sink = analysis.sink();
    const notation::Kernel checked = notation::ParseKernel(file, sink);
    if (!sink.has_errors()) Resolve(checked);
    // Names are those that are written; what is wrong is said already.
    dsl::DiagnosticSink unread;
    unread.sources().AddInMemory("kernel", analysis.sources().file(file).text);
    std::string error;
    const auto copy = unread.sources().Open("kernel", std::nullopt, &error);
    const notation::Kernel kernel = notation::WrittenKernel(*copy, unread);
    Declare(kernel);
    dsl::NameUses names = notation::NamesOf(kernel);
    for (dsl::LocalName& local : names.locals) local.text += ExtentOf(local);
    analysis.Take(names);
  }

 private:
  void Resolve(const notation::Kernel& kernel) {
    dsl::DiagnosticSink& sink = analysis_.sink();
    auto resolved = notation::Resolve(kernel, {}, sink);
    if (!resolved) return;
    for (const notation::ArrayShape& shape : resolved->arrays) {
      shapes_[shape.decl->name.text] =
          fmt::format("{} of {}", InDimensions(shape.extents), ir::InfoOf(shape.type).word);
    }
    for (const notation::Index& index : resolved->indices) {
      if (index.extent) steps_.try_emplace(index.name, *index.extent);
    }
    notation::JoinAxes(kernel, *resolved);
    ir::Function function;
    ir::Builder builder(function);
    notation::Lower(kernel, *resolved, builder, sink);
  }

  /// What an index runs over.
  std::string ExtentOf(const dsl::LocalName& local) const {
    const auto steps = steps_.find(std::string(analysis_.sources().Text(local.range)));
    return steps == steps_.end() ? "" : fmt::format(": 0 .. {}", steps->second - 1);
  }

  void Add(SymbolKind kind, const notation::Name& name, std::string words) {
    if (name.text.empty()) return;
    Symbol symbol;
    symbol.kind = kind;
    symbol.name = name.text;
    symbol.range = symbol.whole = name.range;
    symbol.head = LineOf(analysis_.sources(), name.range);
    symbol.words = std::move(words);
    analysis_.Add(std::move(symbol));
  }

  static std::string WordsOf(const notation::SizeDecl& size) {
    std::string words = size.doc;
    if (!words.empty()) words += "\n\n";
    if (!size.words.empty()) return words + "an option with names for its values";
    words += fmt::format("{} where nothing else is said", notation::DefaultOf(size));
    if (size.min && size.max) words += fmt::format(", {} to {}", *size.min, *size.max);
    return words;
  }

  void Declare(const notation::Kernel& kernel) {
    Add(SymbolKind::kKernel, kernel.name, kernel.doc);
    for (const notation::SizeDecl& size : kernel.sizes) {
      Add(SymbolKind::kConstant, size.name, WordsOf(size));
    }
    for (const notation::ScalarDecl& scalar : kernel.scalars) {
      Add(SymbolKind::kConstant, scalar.name, "");
    }
    for (const notation::ArrayDecl& array : kernel.arrays) {
      const auto shape = shapes_.find(array.name.text);
      std::string words = array.doc;
      if (shape != shapes_.end()) words += (words.empty() ? "" : "\n\n") + shape->second;
      Add(SymbolKind::kVariable, array.name, std::move(words));
    }
    for (const notation::Statement& statement : kernel.statements) {
      const auto is_it = [&](const Symbol& symbol) {
        return symbol.name == statement.target.text && symbol.kind != SymbolKind::kKernel;
      };
      if (std::ranges::any_of(analysis_.symbols(), is_it)) continue;
      Add(SymbolKind::kVariable, statement.target, "");
    }
  }

  Analysis& analysis_;
  std::map<std::string, std::string> shapes_;  ///< Of arrays, in words.
  std::map<std::string, std::int64_t> steps_;  ///< Of indices.
};

class Kernels : public Language {
 public:
  std::string_view id() const override { return "exhaust-kernel"; }
  std::string_view suffix() const override { return ".kernel"; }

  Analysis Analyse(const std::string& path, const OpenTexts& texts) const override {
    Analysis analysis;
    dsl::SourceSet& sources = analysis.sink().sources();
    const auto text = texts.find(path);
    if (text != texts.end()) sources.AddInMemory(path, text->second);
    std::string error;
    const auto file = sources.Open(path, std::nullopt, &error);
    if (file) {
      KernelReader(*file, analysis);
    } else {
      analysis.sink().Report(dsl::Diag::kUnreadableFile, {sources.AddUnreadable(path), 0, 0},
                             error);
    }
    return analysis;
  }

  dsl::Expected ExpectedBehind(std::string_view text) const override {
    return notation::ExpectedBehind(text);
  }
  std::vector<std::string> KnownNames() const override {
    std::vector<std::string> names = notation::CallWords();
    names.insert(names.end(), {"cast", "select", "scan"});
    for (const ir::TypeInfo& type : ir::AllTypes()) names.emplace_back(type.word);
    return names;
  }
  std::vector<dsl::SourceRange> KeywordsOf(std::string_view text) const override {
    return notation::KeywordsOf(text);
  }

  std::string ProblemOfName(const Symbol&, const std::string& name) const override {
    if (notation::IsName(name)) return "";
    return "a name consists of letters, digits and '_', begins with no digit, and is no reserved "
           "word";
  }

  std::optional<std::string> Format(const std::string& path, const std::string& text,
                                    std::string* problem) const override {
    dsl::DiagnosticSink sink;
    auto formatted = notation::FormatKernel(path, text, sink);
    if (!formatted) *problem = FirstMistake(sink);
    return formatted;
  }
};

}  // namespace

std::unique_ptr<Language> KernelLanguage() {
  return std::make_unique<Kernels>();
}

}  // namespace exh::lsp
