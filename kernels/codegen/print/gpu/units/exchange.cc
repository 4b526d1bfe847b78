// SPDX-License-Identifier: MIT
//
// Results of matrix units whose lanes exchange what they store. Of a row of 8 columns each of four
// lanes has two halves, a *word*: stored as they are, a warp writes 16 bytes here and 16 there. Of
// four such tiles side by side (copies) a lane has four words. The four lanes turn them, as a
// matrix of 4 x 4 words is turned, and then each has the 8 columns of one tile, which are 16 bytes:
//
//   before   lane q: word q of tiles 0, 1, 2, 3      after   lane q: words 0, 1, 2, 3 of tile q
//
// Words change places in two steps: with the lane whose number differs in bit 0, and with that
// which differs in bit 1. It is a quarter of the stores, of four times the width.
#include <algorithm>
#include <iterator>
#include <optional>

#include "kernels/codegen/print/gpu/statements.h"

namespace exh::kernels::codegen {
namespace {

constexpr std::uint32_t kLanes = 4, kRun = 2;  // Lanes of a row, and neighbours of each.
constexpr std::uint32_t kTile = kLanes * kRun;

constexpr const char* kFunctions[] = {
    R"(static __device__ __forceinline__ unsigned exh_word(unsigned short low, unsigned short high) { return low | static_cast<unsigned>(high) << 16; })",
    R"(static __device__ __forceinline__ void exh_exchange(unsigned& a, unsigned& b, bool is_second, int lanes) {
  const unsigned other = __shfl_xor_sync(0xffffffffu, is_second ? a : b, lanes);
  if (is_second) a = other; else b = other;
})"};

}  // namespace

std::optional<int> GpuStatements::ExchangedTiles(const ir::Instruction& inst,
                                                 const Width& width) const {
  const bool is_plain = words_.dialect == ir::Dialect::kCuda && inst.op == ir::Op::kStore &&
                        width.lanes == kRun && ir::IsHalf(ElementType(inst)) &&
                        code_.splits.of_store[inst.id.index()] < 0;
  if (!is_plain) return std::nullopt;
  const DimClass& columns = Class(width.dim_class);
  if (columns.part != ir::FragmentPart::kColumn || columns.size != kRun || columns.step != 1) {
    return std::nullopt;
  }
  // The lanes of a row are the first of the warp: all four, or by the bits of their number.
  const Affine& address = code_.memory.address[inst.id.index()];
  std::uint32_t lanes = 1;
  for (const LaneTerm& term : columns.lanes) {
    const ThreadAxis& axis = code_.tree.axes[At(Class(term.dim_class).axis)];
    if (address.StrideOf(term.dim_class) != std::int64_t{kRun} * axis.stride) return std::nullopt;
    lanes *= axis.size;
  }
  if (lanes != kLanes || address.offset % kTile != 0) return std::nullopt;
  int copies = -1;
  for (const auto& [dim_class, stride] : address.strides) {
    const DimClass& other = Class(dim_class);
    const bool is_lane =
        std::ranges::find(columns.lanes, dim_class, &LaneTerm::dim_class) != columns.lanes.end();
    if (dim_class == width.dim_class || is_lane) continue;
    if (stride % kTile != 0) return std::nullopt;
    const bool are_copies = stride == kTile && other.kind == DimKind::UNROLL &&
                            other.part == ir::FragmentPart::kNone && other.size % kLanes == 0;
    if (are_copies) copies = dim_class;
  }
  const bool is_always = WhenStored(inst).empty() && Inside(inst).empty();
  if (copies < 0 || !is_always || HasScopeOfEach(inst, copies)) return std::nullopt;
  return copies;
}

std::string GpuStatements::WordOf(const ir::Instruction& inst, int dim_class) {
  const ir::Type element = ElementType(inst);
  const ir::InstId producer = Values(inst.id).reads[0].producer;
  const bool is_bits = producer.valid() && Storage(producer).is_bits;
  const ir::Type from = code_.function->TypeOf(inst.operands[0]).value_or(element);
  const bool is_made = !is_bits && ir::ComputeTypeOf(from) == ir::Type::kF32;
  std::string both;
  for (std::uint32_t i = 0; i < kRun; ++i) {
    SetIndex(dim_class, i);
    both += (i == 0 ? "" : ", ") +
            (is_made ? ReadAs(inst, 0, ir::Type::kF32).text : ReadElement(inst, 0, element));
  }
  if (!is_made) return "exh_word(" + both + ")";
  const std::string word(ir::WordOf(element));
  helpers_.Note("exh_to_" + word);
  made_pairs_.insert(element);
  return "exh_both_" + word + "(" + both + ")";
}

bool GpuStatements::StoreExchanged(const ir::Instruction& inst, const Width& width) {
  const std::optional<int> tiles = ExchangedTiles(inst, width);
  if (!tiles) return false;
  const std::int64_t own = copy(*tiles), column = copy(width.dim_class);
  if (column != kRun - 1 || own % kLanes != kLanes - 1) return true;  // With the last one.
  exchanges_ = true;
  const std::string lane = "t % " + std::to_string(kLanes);
  out_.Open("");
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    SetIndex(*tiles, own + 1 - kLanes + i);
    out_.Line("unsigned exh_w" + std::to_string(i) + " = " + WordOf(inst, width.dim_class) + ";");
  }
  for (const std::uint32_t bit : {1u, 2u}) {
    if (code_.fault == Fault::kLostExchange && bit == 2) break;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      if ((i & bit) != 0) continue;
      out_.Line("exh_exchange(exh_w" + std::to_string(i) + ", exh_w" + std::to_string(i + bit) +
                ", (t & " + std::to_string(bit) + ") != 0, " + std::to_string(bit) + ");");
    }
  }
  SetIndex(*tiles, own + 1 - kLanes);
  SetIndex(width.dim_class, 0);
  const std::string pointer = Pointer(inst) + " + " + lane + " * " + std::to_string(kTile - kRun);
  std::string elements;
  for (std::uint32_t i = 0; i < kTile; ++i) {
    const std::string word = "exh_w" + std::to_string(i / kRun);
    elements += (i == 0 ? "" : ", ") + ("static_cast<unsigned short>(" + word) +
                (i % kRun == 0 ? ")" : " >> 16)");
  }
  const ir::Type element = ElementType(inst);
  const WideAccess& store = Wide(element, kTile, false, StoreSuffix(inst));
  out_.Line(words_.Store(store, pointer, words_.Make({element, kTile}, elements)) + ";");
  out_.Close();
  SetIndex(*tiles, own);
  SetIndex(width.dim_class, column);
  return true;
}

std::vector<std::string> ExchangeFunctions() {
  return {std::begin(kFunctions), std::end(kFunctions)};
}

}  // namespace exh::kernels::codegen
