// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text_writer.h"
#include "kernels/codegen/plan/lowered_code.h"

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
  /// The array of a window.
  std::string window(const ir::Window& window) const { return value(window.copy).substr(2); }
  const std::string& value(ir::InstId id) const { return values_[id.index()]; }

 private:
  static const std::string& At(const std::vector<std::string>& names, int i) {
    return names[static_cast<std::size_t>(i)];
  }
  std::vector<std::string> indices_, arrays_, scalars_, temps_, values_;
};

/// "t / 16 % 8": a digit of the linear index of `threads` threads; the last one needs no remainder.
std::string ThreadIndex(std::uint32_t stride, std::uint32_t size, std::uint32_t threads,
                        const std::string& thread = "t");

/// "u": the place of a thread in a layout whose warps are patches.
inline constexpr const char* kPlaceInPatches = "u";
/// "const int u = …;", of thread t. A defect: `loses_warp` puts all warps of a row in one place.
std::string PatchLine(const std::string& type, const ThreadLayout& layout, bool loses_warp);

/// "v_mad_0_3": a register for each point of the unrolled dims of a value's key. `with_lanes`: for
/// each lane of its VECTOR dim, too.
std::vector<std::string> RegistersOf(const std::string& value, const ValueStorage& storage,
                                     bool with_lanes);

/// "mad.m1 + load_a.m1": the dims of a class, for comments; "lanes" for lanes of a warp.
std::string DimNames(const LoweredCode& code, int dim_class);

/// Both conditions; an empty one always holds.
std::string And(const std::string& a, const std::string& b);

/// "p_x + 3", "p_x - 3"; `base` where the offset is empty.
std::string Moved(const std::string& base, const std::string& offset);

/// The comment on top of a printed source: what it is.
void PrintSourceHeader(const LoweredCode& code, TextWriter& out);

}  // namespace exh::kernels::codegen
