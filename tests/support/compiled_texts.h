// SPDX-License-Identifier: MIT
//
// Texts of C++ compiled with the system's compiler and loaded into this process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::testing {

/// Calls `work(0) … work(count - 1)` on all cores.
void InParallel(std::size_t count, const std::function<void(std::size_t)>& work);

/// What stands before the name of a compiler: "ccache ", or nothing where that is not installed.
/// The texts of a test are the same each time, and to compile them is most of what it does.
const std::string& CachedCompiler();

/// Several texts share a file, for starting a compiler for each would take longer.
class CompiledTexts {
 public:
  /// Prints, compiles and loads `count` texts on all cores. `print(i)` is called from any thread;
  /// what it returns must stand beside the other texts in one file, after `prologue`. `flags` go
  /// to g++, which runs in the folder of these files: "tree" is a link there to the sources, so
  /// that the compiler's cache sees the same names from every clone.
  CompiledTexts(std::size_t count, const std::function<std::string(std::size_t)>& print,
                const std::string& prologue, const std::string& flags);

  /// The address of an extern "C" name of text i; null where its file did not compile. Libraries
  /// are never closed: threads that they started may still be in them.
  void* Find(std::size_t i, const std::string& name) const;
  /// The first error of the compiler about the file of text i.
  std::string CompilerError(std::size_t i) const;

 private:
  std::string Stem(std::size_t file) const;

  TemporaryFolder folder_;
  std::vector<void*> libraries_;  ///< By file.
};

}  // namespace exh::kernels::testing
