// SPDX-License-Identifier: MIT
//
// The part of a yardstick's text that finds a library when it is run: nothing of it is needed to
// build or to search.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/text_writer.h"

namespace exh::kernels::derived {

/// A function of a library: what it is called there, and the type of a pointer to it.
struct LibraryFunction {
  const char *name, *type;
};

struct LibraryFacts {
  std::array<const char*, 3> files;  ///< Newest first; null: no more.
  const char* usual_file;            ///< What a message names when none is there.
  const char* package;               ///< What a person installs.
  std::span<const LibraryFunction> functions;
};

/// The files of oneDNN; with these functions.
LibraryFacts OneDnnFacts(std::span<const LibraryFunction> functions);

class LibraryText : public TextWriter {
 protected:
  explicit LibraryText(const LibraryFacts& facts) : facts_(facts) {}

  /// A variable for each function, named as it is, and `said`, where exh_ready says what it found.
  void Declare();
  /// In exh_ready: loads the library and its functions, or returns why not.
  void Load();
  /// In exh_ready: `said` is what oneDNN calls itself.
  void SayVersionOfOneDnn();

 private:
  LibraryFacts facts_;
};

}  // namespace exh::kernels::derived
