// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/editing/expected.h"
#include "dsl/source_range.h"
#include "lsp/languages/analysis.h"

namespace exh::lsp {

/// Texts by path that are open, and count instead of those on the disk.
using OpenTexts = std::map<std::string, std::string>;

/// A language of the tree, as an editor sees it. Each is a thin layer over the front end that
/// compiles it.
class Language {
 public:
  Language() = default;
  Language(const Language&) = delete;
  Language& operator=(const Language&) = delete;
  virtual ~Language() = default;

  /// As editors call it: "exh".
  virtual std::string_view id() const = 0;
  /// How its files end: ".exh".
  virtual std::string_view suffix() const = 0;

  /// The files that say what the one at `path` means: itself, or those that include it.
  virtual std::vector<std::string> RootsOf(const std::string& path, const OpenTexts& texts) const;
  /// What is understood of a file; what cannot be read is in its diagnostics.
  virtual Analysis Analyse(const std::string& path, const OpenTexts& texts) const = 0;

  virtual dsl::Expected ExpectedBehind(std::string_view text) const = 0;
  /// Names that a text need not declare, for where any name may stand.
  virtual std::vector<std::string> KnownNames() const { return {}; }
  virtual std::vector<dsl::SourceRange> KeywordsOf(std::string_view text) const = 0;

  /// Why the symbol cannot be called so; empty: it can.
  virtual std::string ProblemOfName(const Symbol& symbol, const std::string& name) const = 0;

  /// The text in the style of the tree. Nothing where there is no formatter, or where the text has
  /// a mistake; then `*problem` says which.
  virtual std::optional<std::string> Format(const std::string& path, const std::string& text,
                                            std::string* problem) const = 0;
};

/// All of them.
std::vector<std::unique_ptr<Language>> Languages();
std::unique_ptr<Language> SpaceLanguage();
std::unique_ptr<Language> KernelLanguage();
std::unique_ptr<Language> FunctionalLanguage();

/// The first mistake of a sink, with its line, for a person who asked for something else.
std::string FirstMistake(const dsl::DiagnosticSink& sink);

/// Markdown: ` `name` ` and the like.
std::string AsCode(std::string_view text);

}  // namespace exh::lsp
