// SPDX-License-Identifier: MIT
//
// A functional program (docs/functional.md) whose maps are mapped to threads (docs/lift.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "functional/code/gpu_program.h"
#include "functional/lift/tree_file.h"
#include "functional/meaning/elaborate.h"
#include "functional/meaning/program.h"
#include "runtime/candidate.h"

namespace exh::search {

class MappedProgram {
 public:
  /// `name`: what messages call the text. `given`: sizes, limits and parameters. Throws UsageError
  /// with all mistakes.
  MappedProgram(const std::string& name, const std::string& text, const functional::Given& given);

  const functional::Program& program() const { return *program_; }
  /// The parameters and what is required of them, as `.exh`.
  const std::string& constraints() const { return constraints_; }
  /// The maps of the program's kernel, with the mapping of the text. With open parameters a map may
  /// be vectorised when it may be with some of their values, drawn always alike; with others it may
  /// turn out that it cannot. Throws UsageError when there are several kernels.
  lift::TreeFile Tree() const;

  /// The values of all parameters, where each has one. Throws UsageError when one has several, or
  /// when they do not keep what the program requires.
  functional::Assignment Values() const;
  /// Values of the parameters that go together: random ones, but always the same; none where none
  /// were found.
  std::vector<functional::Assignment> SomeValues(std::size_t most) const;
  /// Throws UsageError when lengths of inputs or results depend on parameters that have several
  /// values: then settings could not be compared. `of_all`: not of the last kernel alone.
  void CheckLengths(bool of_all = true) const;

 private:
  void AllowVectors(std::vector<lift::Map>& maps) const;

  std::string name_;
  std::unique_ptr<functional::Program> program_;
  std::string constraints_;
};

/// Values of the parameters and codes of the maps in an implementation of FreezeJoint().
functional::Assignment ValuesOf(const functional::Program& program,
                                const runtime::Candidate& implementation);
functional::Codes CodesOf(const runtime::Candidate& implementation);

/// "A=20,B=10": codes by the names of maps; those that are not named are -1. Throws UsageError.
functional::Codes ParseMapping(const std::string& text, const lift::TreeFile& tree);

}  // namespace exh::search
