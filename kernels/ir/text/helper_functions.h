// SPDX-License-Identifier: MIT
//
// HelperFunctions: what a text calls that its language does not have, and that stands before it
// for that reason. Whoever prints a call notes it here; nobody looks for calls in a text.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "kernels/ir/text/type_text.h"

namespace exh::kernels::ir {

/// The functions that one text calls, so far: those that convert floats that are their bits
/// (FloatBitsFunctions()), and operators without a sign (op_functions.h). A printer has one for
/// each text, in its dialect.
class HelperFunctions {
 public:
  explicit HelperFunctions(Dialect dialect) : dialect_(dialect) {}

  Dialect dialect() const { return dialect_; }
  /// The text calls the function that has this name in the dialect.
  void Note(std::string_view name) { names_.emplace(name); }
  bool Has(std::string_view name) const { return names_.contains(name); }
  /// Their definitions, in an order that does not depend on that of the calls. Empty for none.
  std::string Text() const;

 private:
  Dialect dialect_;
  std::set<std::string, std::less<>> names_;
};

/// Of those the functions that convert floats that are their bits:
///   float exh_from_f16(unsigned short);   unsigned short exh_to_f16(float);
/// and the same with bf16; with f8e4m3 and f8e5m2, of unsigned char.
std::string FloatBitsFunctions(const HelperFunctions& called);

}  // namespace exh::kernels::ir
