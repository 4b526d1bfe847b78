// SPDX-License-Identifier: MIT
//
// What is told to the author of a `.exh` file. Diagnostics are collected, never thrown: one mistake
// must not hide the next.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic_codes.h"
#include "dsl/diagnostics/source.h"
#include "dsl/source_range.h"

namespace exh::dsl {

/// A second place that helps to understand a diagnostic ("declared here").
struct Note {
  SourceRange range;
  std::string message;

  friend bool operator==(const Note&, const Note&) = default;
};

/// One mistake. Messages start in lower case, have no final period, and quote names: 'name'.
struct Diagnostic {
  Diag diag = Diag::kInvalidToken;
  SourceRange range;
  std::string message;
  std::vector<Note> notes;

  Severity severity() const { return InfoOf(diag).severity; }

  /// Adds a note; returns the diagnostic so that notes can be chained.
  Diagnostic& WithNote(SourceRange where, std::string text);

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Collects the diagnostics of one compilation together with the files that they point into.
class DiagnosticSink {
 public:
  /// Records a mistake, or a text that means something, but hardly what its author wants: the table
  /// of kinds says which. The reference lives as long as the sink.
  Diagnostic& Report(Diag diag, SourceRange range, std::string message);

  /// Whether to warn of what is legal but hardly wanted.
  bool lints() const { return lints_; }
  void set_lints(bool lints) { lints_ = lints; }

  bool has_errors() const { return num_errors_ > 0; }

  /// The diagnostics to show: by file and position, duplicates dropped, at most `cap` of them, of
  /// which errors go first; the last entry then says how many are missing. What
  /// may follow from a syntax error is not shown beside it: warnings, and mistakes with names and
  /// conditions when there are several. Of more than two alike the first stands for the rest.
  std::vector<Diagnostic> Sorted(std::size_t cap = 100) const;

  SourceSet& sources() { return sources_; }
  const SourceSet& sources() const { return sources_; }

 private:
  SourceSet sources_;
  std::deque<Diagnostic> diagnostics_;  // A deque: Error() hands out references.
  int num_errors_ = 0;
  bool lints_ = false;
};

}  // namespace exh::dsl
