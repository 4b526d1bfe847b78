// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/lowered_code.h"
#include "kernels/codegen/text_writer.h"

namespace exh::kernels::codegen {

/// Identifiers of the printed C++, made from the names of the objects. The prefix tells what a
/// name is: i_ index of a class, arg_ array, s_ scalar, tmp_ temporary, v_ value.
class CodeNames {
 public:
  explicit CodeNames(const LoweredCode& code);

  const std::string& index(int dim_class) const { return At(indices_, dim_class); }
  const std::string& array(ir::ArrayId id) const { return arrays_[id.index()]; }
  const std::string& scalar(std::size_t i) const { return scalars_[i]; }
  const std::string& temp(ir::MemId id) const { return temps_[id.index()]; }
  const std::string& value(ir::InstId id) const { return values_[id.index()]; }

 private:
  static const std::string& At(const std::vector<std::string>& names, int i) {
    return names[static_cast<std::size_t>(i)];
  }
  std::vector<std::string> indices_, arrays_, scalars_, temps_, values_;
};

/// "8388608.0f": reads back as exactly `value`.
std::string FloatLiteral(float value);

/// "mad.m1 + load_a.m1": the dims of a class, for comments.
std::string DimNames(const LoweredCode& code, int dim_class);

/// The comment on top of a printed source: what it is and its decisions.
void PrintSourceHeader(const LoweredCode& code, TextWriter& out);

}  // namespace exh::kernels::codegen
