// SPDX-License-Identifier: MIT
//
// What is told to the author of a `.exh` file. Diagnostics are collected, never thrown: one mistake
// must not hide the next.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "dsl/source.h"
#include "dsl/source_range.h"

namespace exh::dsl {

enum class Severity : std::uint8_t { kError, kWarning };

/// A second place that helps to understand a diagnostic ("declared here").
struct Note {
  SourceRange range;
  std::string message;

  friend bool operator==(const Note&, const Note&) = default;
};

/// One mistake. Messages start in lower case, have no final period, and quote names: 'name'.
struct Diagnostic {
  Severity severity = Severity::kError;
  SourceRange range;
  std::string message;
  std::vector<Note> notes;

  /// Adds a note; returns the diagnostic so that notes can be chained.
  Diagnostic& WithNote(SourceRange where, std::string text);

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Collects the diagnostics of one compilation together with the files that they point into.
class DiagnosticSink {
 public:
  /// Records an error. The reference lives as long as the sink.
  Diagnostic& Error(SourceRange range, std::string message);

  /// Records a warning: the file means something, but hardly what its author wants.
  Diagnostic& Warning(SourceRange range, std::string message);

  bool has_errors() const { return num_errors_ > 0; }

  /// The diagnostics to show: by file and position, duplicates dropped, at most `cap` of them, of
  /// which errors go first; the last entry then says how many are missing.
  std::vector<Diagnostic> Sorted(std::size_t cap = 100) const;

  SourceSet& sources() { return sources_; }
  const SourceSet& sources() const { return sources_; }

 private:
  SourceSet sources_;
  std::deque<Diagnostic> diagnostics_;  // A deque: Error() hands out references.
  int num_errors_ = 0;
};

}  // namespace exh::dsl
