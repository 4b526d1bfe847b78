// SPDX-License-Identifier: MIT
//
// The documents that are open and what is understood of them. Nothing is looked at before somebody
// asks; then it is kept until a text that it was made of changes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lsp/languages/analysis.h"
#include "lsp/languages/language.h"
#include "lsp/text/documents.h"

namespace exh::lsp {

/// A place in a file of an analysis that somebody asks about.
struct AskedPlace {
  const OpenDocument* document = nullptr;
  const Language* language = nullptr;
  std::shared_ptr<const Analysis> analysis;
  std::uint32_t file = 0;    ///< Of the analysis.
  std::uint32_t offset = 0;  ///< In the document.
};

class Workspace {
 public:
  Workspace() : languages_(Languages()) {}

  Documents& documents() { return documents_; }
  const Documents& documents() const { return documents_; }

  /// A text has changed, or what counts instead of it: the document at this path was opened,
  /// changed, saved or closed. `is_on_disk`: files may have come, gone or changed.
  void Changed(const std::string& path, bool is_on_disk);

  /// A document whose diagnostics are not those of its text, once; nothing where all are told.
  std::optional<std::string> NextUntold();

  /// Throws where it is not open, of no language of ours, or has no such line. Without a position
  /// it is the beginning. `roughly`: the analysis may be of an earlier text, which has most of the
  /// names and costs nothing.
  AskedPlace At(const std::string& uri, std::optional<EditorPosition> position = {},
                bool roughly = false);

  /// All spaces that the document is a part of.
  std::vector<std::shared_ptr<const Analysis>> SpacesOf(const OpenDocument& document);
  /// The texts that are open and of the same language.
  OpenTexts TextsOf(const Language& language) const;
  /// Null where the document is of no language of ours.
  const Language* LanguageOf(const OpenDocument& document) const;

 private:
  struct Kept {
    std::shared_ptr<const Analysis> analysis;
    std::set<std::string> files;  ///< RealPath of all that it is made of.
    bool is_of_now = true;
    bool lacks_files = false;
  };

  const std::vector<std::string>& RootsOf(const OpenDocument& document, const Language& language);
  const Kept& Look(const std::string& root, const Language& language, bool roughly);
  std::shared_ptr<const Analysis> AnalysisOf(const OpenDocument& document, const Language& language,
                                             bool roughly);

  std::vector<std::unique_ptr<Language>> languages_;
  Documents documents_;
  std::map<std::string, std::vector<std::string>> roots_;  ///< By path.
  std::map<std::string, Kept> kept_;                       ///< By root.
  std::set<std::string> untold_;                           ///< URIs.
};

}  // namespace exh::lsp
