// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic_codes.h"
#include "dsl/spec.h"
#include "generator/emission.h"

namespace exh::generator {

/// How the text is printed; what it says depends on the Spec alone.
struct Options {
  /// Namespace exh::spaces::<space>; an identifier. Empty: the stem of the compiled file.
  std::string space;
  /// Path of the files without ".h" and ".cc", as `#line` and `#include` are to name it. Never
  /// absolute, so that the text does not depend on the machine.
  std::string prefix;
  /// Errors in snippets point into the `.exh`.
  bool line_directives = true;
  Emission emit;
};

/// A construct that cannot be built, at its place in the `.exh`.
struct Refusal {
  dsl::Diag diag;
  dsl::SourceRange range;
  std::string message;
};

struct GeneratedFile {
  std::string
      suffix;  ///< ".h", ".cc", ".filters.h", ".ir.json" or ".tables.txt", after the prefix.
  std::string text;
};

struct Generated {
  std::vector<GeneratedFile> files;  ///< Empty when something was refused.
  std::vector<Refusal> refusals;
};

/// Prints the C++ of a space and whatever else is asked for. Pure: the same input gives the same
/// bytes, and no file is touched. Only C++ is ever refused.
Generated Generate(const dsl::Spec& spec, const Options& options);

/// "a.b/linalg.exh" -> "linalg"; what is not an identifier becomes one.
std::string SpaceNameOf(const std::string& path);

}  // namespace exh::generator
