// SPDX-License-Identifier: MIT
//
// Terms and types of a program, with values for its parameters.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "functional/meaning/program.h"
#include "tests/functional/oracle/calculate.h"
#include "tests/functional/oracle/layout.h"

namespace exh::functional::reference {

class Lengths {
 public:
  /// Throws exh::Error when a parameter has no value.
  Lengths(const Program& program, const Assignment& parameters);

  /// A term that belongs to the program; each is evaluated once. Throws exh::Error when it has no
  /// value.
  std::int64_t Of(const Term& term);
  /// One that is at least 1.
  std::int64_t LengthOf(const Term& term);
  /// Of each component.
  std::vector<Shape> ShapesOf(const DataType& type);
  /// What a person is shown of an input or result. Throws exh::Error when there are other things in
  /// it than floats.
  ArrayFacts FactsOf(const std::string& name, const DataType& type);

 private:
  const Program& program_;
  const Assignment& parameters_;
  std::unordered_map<const Term*, std::int64_t> known_;
};

}  // namespace exh::functional::reference
