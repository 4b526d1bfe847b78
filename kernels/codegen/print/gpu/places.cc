// SPDX-License-Identifier: MIT
//
// Where elements of rows are whose pieces change places (memory/bank_plan.h). What a thread knows
// of it before its copies begin is worked out once; what is left of each copy is a number, which is
// added, and taken by exclusive or only where it meets bits of the thread's own.
#include <algorithm>
#include <bit>
#include <map>

#include "kernels/codegen/print/gpu/statements.h"

namespace exh::kernels::codegen {
namespace {

/// Where the elements of these numbers may be, whatever bits of them are set.
std::uint64_t PlacedBits(const XorLayout& layout, std::uint64_t bits) {
  std::uint64_t placed = 0;
  for (; bits != 0; bits &= bits - 1) {
    const std::uint64_t bit = bits & (~bits + 1);
    placed |= static_cast<std::uint64_t>(layout.Place(static_cast<std::int64_t>(bit)));
  }
  return placed;
}

}  // namespace

const XorLayout* GpuStatements::LayoutOf(const ir::Instruction& inst) const {
  if (inst.op != ir::Op::kTempLoad && inst.op != ir::Op::kTempStore) return nullptr;
  if (code_.fault == Fault::kOneSidedRows && inst.op == ir::Op::kTempLoad) return nullptr;
  const XorLayout& layout = code_.memory.temp(inst.block).layout;
  return layout.empty() ? nullptr : &layout;
}

std::string GpuStatements::PlaceFunction(const ir::Instruction& inst, const XorLayout& layout) {
  const std::string name = "place_" + names_.temp(inst.block);
  // A bit of the row comes down to one of the piece: those that come as far are taken together.
  std::map<std::size_t, std::uint64_t> taken;
  for (std::size_t bit = 0; bit < layout.columns.size(); ++bit) {
    for (std::uint32_t rest = layout.columns[bit]; rest != 0; rest &= rest - 1) {
      const auto to = static_cast<std::size_t>(std::countr_zero(rest)) + layout.piece_bits;
      taken[layout.row_bits + bit - to] |= std::uint64_t{1} << to;
    }
  }
  std::string text = "e", cut;
  if (layout.is_cut()) {
    const auto number = [](std::uint64_t value) { return std::to_string(value); };
    const std::string length = number(layout.length), each = number(layout.cut);
    cut = "const int x = e % " + length + "; e = x / " + each + " * " +
          number(std::uint64_t{layout.rows} * layout.cut) + " + e / " + length + " * " + each +
          " + x % " + each + "; ";
  }
  for (const auto& [distance, bits] : taken) {
    text += " ^ (e >> " + std::to_string(distance) + " & " + std::to_string(bits) + ")";
  }
  places_.insert(words_.function + "int " + name + "(int e) { " + cut + "return " + text + "; }");
  return name;
}

std::uint64_t GpuStatements::SettableBits(const Affine& affine, const Wanted& wanted) const {
  std::uint64_t bits = 0, most = 0;
  bool carries = false;
  for (const auto& [dim_class, stride] : affine.strides) {
    const std::uint64_t last = code_.tree.classes[At(dim_class)].size - std::uint64_t{1};
    if (last == 0 || !wanted(dim_class)) continue;
    const auto step = static_cast<std::uint64_t>(stride);
    // Of a step that is no power of two: all bits from its lowest on.
    const std::uint64_t own = std::has_single_bit(step)
                                  ? step * (std::bit_ceil(last + 1) - 1)
                                  : std::bit_ceil(step * last + 1) - (step & (~step + 1));
    carries = carries || (bits & own) != 0;
    bits |= own;
    most += step * last;
  }
  if (!carries) return bits;
  return (std::bit_ceil(most + 1) - 1) & ~((bits & (~bits + 1)) - 1);
}

bool GpuStatements::HasPlacesApart(const ir::Instruction& inst) const {
  if (code_.memory.temp(inst.block).layout.is_cut()) return false;
  const int band = band_[inst.id.index()];
  const Affine& address = code_.memory.address[inst.id.index()];
  const std::uint64_t fixed = SettableBits(address, [&](int c) { return IsFixedIn(band, c); });
  std::uint64_t copied = SettableBits(address, [&](int c) { return IsCopied(c); });
  // Of copies that are read two at once by lanes only every other one is asked for.
  const int pairs = code_.tree.reads[inst.id.index()].copies_class;
  if (pairs >= 0) copied &= ~static_cast<std::uint64_t>(address.StrideOf(pairs));
  const std::uint64_t looped =
      SettableBits(address, [&](int c) { return !IsFixedIn(band, c) && !IsCopied(c); });
  return address.offset == 0 && (fixed & copied) == 0 && (fixed & looped) == 0 &&
         (copied & looped) == 0;
}

void GpuStatements::DeclarePlace(const ir::Instruction& inst, const XorLayout& layout,
                                 const std::string& terms) {
  if (terms.empty()) return;
  const bool is_placed = HasPlacesApart(inst);
  out_.Line("const int o_" + BareName(inst.id) + " = " +
            (is_placed ? PlaceFunction(inst, layout) + "(" + terms + ")" : terms) + ";");
}

std::string GpuStatements::PlacedOffset(const ir::Instruction& inst, const XorLayout& layout) {
  const int band = band_[inst.id.index()];
  const Affine& address = code_.memory.address[inst.id.index()];
  const auto is_fixed = [&](int c) { return IsFixedIn(band, c); };
  const auto is_looped = [&](int c) { return !IsFixedIn(band, c) && !IsCopied(c); };
  const bool has_fixed = std::ranges::any_of(
      address.strides, [&](const auto& of_class) { return is_fixed(of_class.first); });
  const std::string declared = has_fixed ? "o_" + BareName(inst.id) : "";
  const std::string loops = SumOf(address, false, is_looped, 0);
  std::int64_t copied = band < 0 ? address.offset : 0;
  for (const auto& [dim_class, stride] : address.strides) {
    if (IsCopied(dim_class)) copied += copy(dim_class) * stride;
  }
  const auto join = [](std::string text, const std::string& more, const char* by) {
    return text + (text.empty() || more.empty() ? "" : by) + more;
  };
  const auto number = [](std::uint64_t value) { return value == 0 ? "" : std::to_string(value); };
  if (!HasPlacesApart(inst)) {
    const std::string sum =
        join(join(declared, loops, " + "), number(static_cast<std::uint64_t>(copied)), " + ");
    return sum.empty() ? "" : PlaceFunction(inst, layout) + "(" + sum + ")";
  }
  const std::uint64_t others = PlacedBits(layout, SettableBits(address, is_fixed)) |
                               PlacedBits(layout, SettableBits(address, is_looped));
  const auto placed = static_cast<std::uint64_t>(layout.Place(copied));
  std::string text = declared;
  if (!loops.empty()) text = join(text, PlaceFunction(inst, layout) + "(" + loops + ")", " ^ ");
  const bool is_one = text == declared && (placed & others) == 0;
  text = join(text, number(placed & others), " ^ ");
  if (!is_one) text = "(" + text + ")";
  return join(text, number(placed & ~others), " + ");
}

}  // namespace exh::kernels::codegen
