// SPDX-License-Identifier: MIT
#include "lsp/languages/space_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "dsl/syntax/print.h"
#include "lsp/languages/language.h"
#include "lsp/languages/space_domains.h"

namespace exh::lsp {
namespace {

namespace ast = dsl::ast;

/// Of a statement without documentation, at most so many lines are shown.
constexpr std::size_t kMostLines = 12;

std::string Trimmed(const std::string& doc) {
  const std::size_t begin = doc.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return doc.substr(begin, doc.find_last_not_of(" \t\r\n") + 1 - begin);
}

std::string FirstLines(const std::string& text) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < kMostLines && end < text.size(); ++line) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  std::string first = text.substr(0, end);
  if (end < text.size()) first += "…";
  while (!first.empty() && first.back() == '\n') first.pop_back();
  return first;
}

/// The statement in canonical form, without its documentation.
template <typename Decl>
std::string HeadOf(Decl decl) {
  if constexpr (requires { decl.doc; }) decl.doc.clear();
  ast::File file;
  file.statements.emplace_back(std::move(decl));
  std::string text = FirstLines(dsl::Print(file));
  constexpr std::string_view kDefine = "define";  // The tree says `choice`, which is the same.
  if (text.starts_with(kDefine)) text.replace(0, kDefine.size(), "choice");
  return text;
}

class Declarer {
 public:
  Declarer(const dsl::SpaceReading& reading, Analysis& analysis)
      : reading_(reading), analysis_(analysis) {}

  void Run() {
    const auto& statements = reading_.tree.statements;
    if (reading_.spec) {
      for (const dsl::Choice& choice : reading_.spec->choices)
        choices_[Key(choice.range)] = &choice;
    }
    for (std::size_t i = 0; i < statements.size(); ++i) {
      place_ = reading_.tree.places.ranges[i];
      std::visit([&](const auto& decl) { Declare(decl); }, statements[i]);
    }
  }

 private:
  using Place = std::tuple<std::uint32_t, std::uint32_t>;
  static Place Key(dsl::SourceRange range) { return {range.file, range.begin}; }

  Symbol& Add(SymbolKind kind, const ast::Name& name, std::string head, std::string words) {
    Symbol symbol;
    symbol.kind = kind;
    symbol.name = name.text;
    symbol.range = name.range;
    symbol.whole = place_;
    symbol.head = std::move(head);
    symbol.words = std::move(words);
    return analysis_.Add(std::move(symbol));
  }

  /// Of a choice, with how many decisions and values it has.
  std::string WordsOf(const std::string& doc, const ast::Name& name) const {
    std::string words = Trimmed(doc);
    const auto choice = choices_.find(Key(name.range));
    const std::string domain =
        choice == choices_.end() ? "" : DomainInWords(*reading_.spec, *choice->second);
    if (!domain.empty()) words += (words.empty() ? "" : "\n\n") + domain;
    return words;
  }

  void Declare(const ast::SetDecl& set) {
    Add(SymbolKind::kSet, set.name, HeadOf(set), Trimmed(set.doc));
  }
  void Declare(const ast::QuotientDecl& quotient) {
    Add(SymbolKind::kSet, quotient.name, HeadOf(quotient), Trimmed(quotient.doc));
    Add(SymbolKind::kChoice, quotient.flag, fmt::format("{}: FALSE or TRUE", quotient.flag.text),
        fmt::format("Whether ${} represents its class in {}.", quotient.item.name.text,
                    AsCode(quotient.name.text)));
    const int self = static_cast<int>(analysis_.symbols().size()) - 1;
    ast::Name no{"FALSE", quotient.flag.range}, yes{"TRUE", quotient.flag.range};
    no.range.end = no.range.begin;  // As the space has them (dsl/meaning/choices.cc).
    yes.range.begin = yes.range.end;
    for (const ast::Name& value : {no, yes}) {
      const std::string head = fmt::format("value {} of {}", value.text, quotient.flag.text);
      Symbol& symbol = Add(SymbolKind::kValue, value, head, "");
      symbol.parent = self;
      symbol.whole = value.range;
    }
  }
  void Declare(const ast::EnumDecl& decl) {
    std::string words = WordsOf(decl.doc, decl.name);
    for (const ast::EnumItem& item : decl.items) {
      const auto* value = std::get_if<ast::ValueItem>(&item);
      if (value == nullptr) continue;
      const std::string doc = Trimmed(value->doc);
      words += fmt::format("{}* {}{}{}", words.empty() ? "" : "\n", AsCode(value->name.text),
                           doc.empty() ? "" : ": ", doc);
    }
    const std::string head =
        fmt::format("choice enum {}", dsl::PrintHead(decl.name, decl.arguments));
    Add(SymbolKind::kChoice, decl.name, head, std::move(words));
    const int self = static_cast<int>(analysis_.symbols().size()) - 1;
    for (const ast::EnumItem& item : decl.items) DeclareItem(item, decl, self);
  }
  void DeclareItem(const ast::EnumItem& item, const ast::EnumDecl& decl, int choice) {
    const auto add = [&](const auto& each, std::string head) {
      Symbol& symbol = Add(SymbolKind::kValue, each.name, std::move(head), Trimmed(each.doc));
      symbol.parent = choice;
      symbol.whole = each.name.range;
      for (const ast::Constraint& required : each.requirements) {
        symbol.words += fmt::format("{}requires {}", symbol.words.empty() ? "" : "\n\n",
                                    AsCode(dsl::Print(required)));
      }
    };
    if (const auto* value = std::get_if<ast::ValueItem>(&item)) {
      add(*value, fmt::format("value {} of {}", value->name.text, decl.name.text));
    } else if (const auto* alias = std::get_if<ast::AliasItem>(&item)) {
      std::string values;
      for (const ast::Name& name : alias->values) {
        values += (values.empty() ? "" : " | ") + name.text;
      }
      add(*alias, fmt::format("alias {} = {}", alias->name.text, values));
    }
  }
  void Declare(const ast::IntegerDecl& decl) {
    Add(SymbolKind::kChoice, decl.name, HeadOf(decl), WordsOf(decl.doc, decl.name));
  }
  void Declare(const ast::CounterDecl& decl) {
    Add(SymbolKind::kChoice, decl.name, HeadOf(decl), Trimmed(decl.doc));
  }
  void Declare(const ast::RequireDecl& decl) {
    DeclareRule(decl, "require", decl.label, Trimmed(decl.doc));
  }
  void Declare(const ast::TriggerDecl& decl) { DeclareRule(decl, "trigger", decl.label, ""); }
  /// What has no label is called after its first word, which stands for it.
  template <typename Decl>
  void DeclareRule(const Decl& decl, const std::string& word, const std::optional<ast::Name>& label,
                   std::string words) {
    ast::Name name{word, decl.range};
    name.range.end = name.range.begin + static_cast<std::uint32_t>(word.size());
    Add(SymbolKind::kRequirement, label ? *label : name, HeadOf(decl), std::move(words));
  }
  void Declare(const ast::LetDecl& decl) {
    Add(SymbolKind::kFunction, decl.name, HeadOf(decl), Trimmed(decl.doc));
  }
  void Declare(const ast::ExternDecl& decl) {
    Add(decl.constant ? SymbolKind::kConstant : SymbolKind::kFunction, decl.name, HeadOf(decl),
        Trimmed(decl.doc));
  }
  /// What it would have declared is known by name, and so that it can be found.
  void Declare(const ast::BrokenDecl& decl) {
    for (const ast::Name& name : decl.declares) {
      const bool is_set = name.text[0] >= 'A' && name.text[0] <= 'Z';
      Add(is_set ? SymbolKind::kSet : SymbolKind::kChoice, name, name.text,
          "Its statement has a mistake.");
    }
  }
  void Declare(const ast::HostDecl&) {}
  void Declare(const ast::DecideDecl&) {}
  void Declare(const ast::ObjectiveDecl&) {}
  void Declare(const ast::LowerBoundDecl&) {}

  const dsl::SpaceReading& reading_;
  Analysis& analysis_;
  dsl::SourceRange place_;  ///< Of the statement.
  std::map<Place, const dsl::Choice*> choices_;
};

}  // namespace

void AddSymbols(const dsl::SpaceReading& reading, Analysis& analysis) {
  Declarer(reading, analysis).Run();
}

}  // namespace exh::lsp
