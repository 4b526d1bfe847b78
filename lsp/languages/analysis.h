// SPDX-License-Identifier: MIT
//
// What is understood of a text while somebody writes it: the same for all languages, so that each
// request of an editor is answered in one way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/name_uses.h"
#include "dsl/source_range.h"
#include "lsp/text/positions.h"

namespace exh::lsp {

/// What a name is called by editors: how they draw it.
enum class SymbolKind : std::uint8_t {
  kSet,
  kChoice,
  kValue,
  kFunction,
  kConstant,
  kVariable,
  kKernel,
  kRequirement,
};

/// What a name stands for.
struct Symbol {
  SymbolKind kind = SymbolKind::kVariable;
  std::string name;        ///< As it is written; of what has none, as messages call it.
  dsl::SourceRange range;  ///< Of the name where it is declared.
  dsl::SourceRange whole;  ///< Of all that declares it; the name is in it.
  int parent = -1;         ///< Of a value the number of its choice.
  bool is_local = false;   ///< A statement has it for itself: no part of an outline.
  std::string head;        ///< One or a few lines of the language.
  std::string words;       ///< What there is to say of it, as Markdown; may be empty.

  /// Whether its name does not stand where it is declared: `TRUE` of the flag of a quotient.
  bool is_unwritten() const { return range.begin == range.end; }
};

/// One text, or a space with all that it includes.
class Analysis {
 public:
  Analysis() : sink_(std::make_unique<dsl::DiagnosticSink>()) {}

  dsl::DiagnosticSink& sink() { return *sink_; }
  const dsl::DiagnosticSink& sink() const { return *sink_; }
  const dsl::SourceSet& sources() const { return sink_->sources(); }

  Symbol& Add(Symbol symbol);
  /// Names that symbols do not declare become symbols of their own: local variables.
  void Take(const dsl::NameUses& names);

  const std::vector<Symbol>& symbols() const { return symbols_; }
  /// All places of names, by file and place, each once.
  const std::vector<dsl::NameUse>& uses() const { return uses_; }

  /// Null where no name stands. At the border of two names the one that begins there.
  const dsl::NameUse* UseAt(std::uint32_t file, std::uint32_t offset) const;
  /// Null where nothing is declared at this place.
  const Symbol* Declared(dsl::SourceRange range) const;
  /// The number of the file at this path (RealPath), if it is one of these.
  std::optional<std::uint32_t> FileOf(std::string_view path) const;

  const LineTable& Lines(std::uint32_t file) const;

 private:
  std::unique_ptr<dsl::DiagnosticSink> sink_;  // In one place: lines point into its texts.
  std::vector<Symbol> symbols_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> by_place_;
  std::vector<dsl::NameUse> uses_;
  mutable std::vector<std::unique_ptr<LineTable>> lines_;
};

}  // namespace exh::lsp
