// SPDX-License-Identifier: MIT
//
// The door of the front end: a `.exh` file in, a checked Spec or diagnostics out.
//
//   DiagnosticSink sink;
//   std::optional<Spec> spec = Compile("spaces/linalg.exh", options, sink);
//   std::cerr << RenderText(sink);   // Warnings too: print it even when `spec` is there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/diagnostics/render.h"
#include "dsl/spec.h"

namespace exh::dsl {

/// A term of decisions without arguments that stands beside a space, in a file of another kind.
struct TermText {
  std::string name;  ///< What messages call the place: "launch.json: grid[0]". Each has its own.
  std::string text;  ///< "(n + block_x() - 1) div block_x()"
};

struct CompileOptions {
  /// Paths below it are printed relative to it; empty: the working directory.
  std::string root;
  /// Where a relative `include` is looked for after the folder of the including file.
  std::vector<std::string> include_dirs;
  /// Also warn of what is legal but hardly wanted: unused names, requirements that say nothing.
  bool lints = false;
  /// Texts by path, or null. Where it is there, includes come out of it and nothing is read from
  /// the disk. Outlives the compilation.
  const std::map<std::string, std::string>* files = nullptr;
  /// Terms that are checked with the space: Spec::terms.
  std::vector<TermText> terms;
};

/// The meaning of the file at `path` and of all that it includes. Empty when there is an error, and
/// only then; what is wrong or doubtful is in `sink`. The files that were read are
/// `sink.sources()`, also after an error: a build tool depends on all of them.
std::optional<Spec> Compile(const std::string& path, const CompileOptions& options,
                            DiagnosticSink& sink);

/// The same for a text in memory that is called `path` in diagnostics.
std::optional<Spec> CompileText(const std::string& path, std::string text,
                                const CompileOptions& options, DiagnosticSink& sink);

/// Whether the syntax of a text that is called `path` is right; what is wrong is in `sink`.
/// Includes are followed where they can be read, because a statement may go on in them; mistakes in
/// them and files that cannot be found are not reported.
bool CheckSyntax(const std::string& path, const std::string& text, DiagnosticSink& sink);

}  // namespace exh::dsl
