// SPDX-License-Identifier: MIT
//
// A functional program (docs/functional.md) with values for its parameters, and the space of the
// mappings of its maps (docs/lift.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "examples/lift/tree_file.h"
#include "functional/code/gpu_program.h"
#include "functional/meaning/elaborate.h"
#include "functional/meaning/program.h"
#include "runtime/candidate.h"

namespace exh::search {

class MappedProgram {
 public:
  /// `name`: what messages call the text. `given`: sizes, limits and parameters; each parameter
  /// must have one value then. Throws UsageError with all mistakes, also when values do not keep
  /// what the program requires of them.
  MappedProgram(const std::string& name, const std::string& text, const functional::Given& given);

  const functional::Program& program() const { return *program_; }
  const functional::Assignment& parameters() const { return parameters_; }
  /// The maps of the program's kernel, with the mapping of the text. Throws UsageError when there
  /// are several kernels.
  lift::TreeFile Tree() const;

 private:
  void CheckRequirements() const;

  std::unique_ptr<functional::Program> program_;
  functional::Assignment parameters_;
};

/// The codes that an implementation of lift.exh has, by map.
functional::Codes CodesOf(const runtime::Candidate& implementation);

/// "A=20,B=10": codes by the names of maps; those that are not named are -1. Throws UsageError.
functional::Codes ParseMapping(const std::string& text, const lift::TreeFile& tree);

}  // namespace exh::search
