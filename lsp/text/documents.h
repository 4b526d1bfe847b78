// SPDX-License-Identifier: MIT
//
// The texts that are open in an editor. What is wrong with a change is thrown (wire/rpc_error.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/text/positions.h"

namespace exh::lsp {

struct OpenDocument {
  std::string uri;       ///< As the editor writes it.
  std::string path;      ///< PathOfUri, links of folders followed.
  std::string language;  ///< As the editor calls it.
  std::int64_t version = 0;
  std::string text;
  /// A change could not be made: nobody here knows what the editor shows.
  bool is_lost = false;
};

/// A part of a text and what stands there from now on; without a range it is the whole text.
struct TextChange {
  struct Range {
    EditorPosition start, end;
  };
  std::optional<Range> range;
  std::string text;
};

class Documents {
 public:
  /// Throws where it is open already; it has the new text then all the same.
  OpenDocument& Open(const std::string& uri, const std::string& language, std::int64_t version,
                     std::string text);
  /// Throws where a range lies outside of the text: then the document is lost until it has a whole
  /// text again.
  OpenDocument& Change(const std::string& uri, std::int64_t version,
                       const std::vector<TextChange>& changes);
  /// Throws where it is not open.
  void Close(const std::string& uri);

  /// Throws where it is not open.
  const std::string& PathOf(const std::string& uri) const { return Known(uri).path; }
  /// The same where it is lost.
  const OpenDocument& At(const std::string& uri) const;
  /// Null where no document of this path is open.
  const OpenDocument* OfPath(std::string_view path) const;
  const std::map<std::string, OpenDocument>& all() const { return by_uri_; }

 private:
  const OpenDocument& Known(const std::string& uri) const;

  std::map<std::string, OpenDocument> by_uri_;
};

/// The path with links followed, as far as it exists; two names of one file have one.
std::string RealPath(const std::string& path);

}  // namespace exh::lsp
