// SPDX-License-Identifier: MIT
//
// `.fun`: functional programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "functional/functional.h"
#include "functional/meaning/built_ins.h"
#include "functional/syntax/expected.h"
#include "functional/syntax/names.h"
#include "functional/syntax/parse.h"
#include "lsp/languages/language.h"

namespace exh::lsp {
namespace {

using functional::Statement;

constexpr std::size_t kMostValues = 12;  ///< Of a parameter, that are listed.

SymbolKind KindOf(Statement::Kind kind) {
  switch (kind) {
    case Statement::Kind::kSize:
    case Statement::Kind::kParam:
    case Statement::Kind::kLimit:
      return SymbolKind::kConstant;
    case Statement::Kind::kRequire:
      return SymbolKind::kRequirement;
    case Statement::Kind::kDef:
    case Statement::Kind::kUser:
      return SymbolKind::kFunction;
    case Statement::Kind::kInput:
      return SymbolKind::kVariable;
    case Statement::Kind::kKernel:
      return SymbolKind::kKernel;
  }
  return SymbolKind::kVariable;
}

std::string WordsOf(const functional::ProgramParameter& parameter) {
  const auto& values = parameter.values;
  const std::size_t shown = std::min(values.size(), kMostValues);
  return fmt::format(
      "{} value{}{}: {}{}", values.size(), values.size() == 1 ? "" : "s",
      parameter.is_inferred ? ", found" : "",
      fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < values.size() ? ", …" : "");
}

/// What is inferred, by name; nothing where the program has a mistake.
std::map<std::string, std::string> Inferred(const functional::Program* program) {
  std::map<std::string, std::string> words;
  if (program == nullptr) return words;
  for (const functional::ProgramParameter& parameter : program->parameters) {
    words[parameter.name] = WordsOf(parameter);
  }
  for (const functional::ProgramKernel& kernel : program->kernels) {
    words[kernel.name] = AsCode(functional::TextOf(*kernel.result->type, program->terms));
  }
  for (const functional::ProgramRequirement& requirement : program->requirements) {
    std::string& text = words[requirement.label];
    text += (text.empty() ? "" : "\n\n") + requirement.why;
  }
  return words;
}

class Programs : public Language {
 public:
  std::string_view id() const override { return "exhaust-fun"; }
  std::string_view suffix() const override { return ".fun"; }

  Analysis Analyse(const std::string& path, const OpenTexts& texts) const override {
    Analysis analysis;
    dsl::SourceSet& sources = analysis.sink().sources();
    const auto text = texts.find(path);
    if (text != texts.end()) sources.AddInMemory(path, text->second);
    const auto program = functional::ReadFile(path, {}, analysis.sink());
    std::string error;
    const auto file = sources.Open(path, std::nullopt, &error);
    if (!file) return analysis;  // Which is said.
    dsl::DiagnosticSink unread;
    unread.sources().AddInMemory("program", sources.file(*file).text);
    const auto copy = unread.sources().Open("program", std::nullopt, &error);
    const functional::File tree = functional::Parse(*copy, unread);
    const std::map<std::string, std::string> inferred = Inferred(program.get());
    for (const Statement& statement : tree.statements) {
      Symbol symbol;
      symbol.kind = KindOf(statement.kind);
      symbol.name = statement.name.text;
      symbol.range = symbol.whole = statement.name.range;
      symbol.head = dsl::LineAt(sources.file(*file).text, symbol.range.begin);
      const auto words = inferred.find(symbol.name);
      if (words != inferred.end()) symbol.words = words->second;
      analysis.Add(std::move(symbol));
    }
    analysis.Take(functional::NamesOf(tree));
    return analysis;
  }

  dsl::Expected ExpectedBehind(std::string_view text) const override {
    return functional::ExpectedBehind(text);
  }
  std::vector<std::string> KnownNames() const override {
    std::vector<std::string> names = functional::BuiltIns();
    names.insert(names.end(), {"float", "int", "vector"});
    return names;
  }
  std::vector<dsl::SourceRange> KeywordsOf(std::string_view text) const override {
    return functional::KeywordsOf(text);
  }

  std::string ProblemOfName(const Symbol& symbol, const std::string& name) const override {
    const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    const bool is_name = !name.empty() && std::ranges::all_of(name, is_letter) &&
                         std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    if (!is_name) return "a name consists of letters, digits and '_', and begins with no digit";
    if (!functional::KeywordsOf(name).empty() || functional::IsBuiltIn(name)) {
      return "'" + name + "' is a word of the language";
    }
    const bool is_parameter =
        symbol.kind == SymbolKind::kConstant || symbol.kind == SymbolKind::kRequirement;
    return is_parameter && functional::IsWordOfExh(name)
               ? "'" + name + "' is a word of .exh, of which this becomes a name"
               : "";
  }

  std::optional<std::string> Format(const std::string&, const std::string&,
                                    std::string*) const override {
    return std::nullopt;  // Nobody has written one.
  }
};

}  // namespace

std::unique_ptr<Language> FunctionalLanguage() {
  return std::make_unique<Programs>();
}

}  // namespace exh::lsp
