// SPDX-License-Identifier: MIT
//
// Accesses to rings (memory/ring_plan.h). Where an iteration is read the slot of a temporary tmp_x
// is called now_x, where one is filled next_x.
#include "kernels/codegen/print/gpu/statements.h"

namespace exh::kernels::codegen {
namespace {

/// What follows the prefix of a temporary's name.
std::string PlainName(const std::string& temp) {
  return temp.substr(temp.find('_') + 1);
}

}  // namespace

std::string GpuStatements::ArrayOf(const ir::Instruction& inst) const {
  const CopiedWindow* const window = code_.memory.window(inst);
  if (window != nullptr) return names_.window(code_.function->window(window->window));
  if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore) return names_.array(inst.array);
  const std::string& temp = names_.temp(inst.block);
  if (code_.rings.of_block[inst.block.index()] < 0) return temp;
  return (inst.op == ir::Op::kTempStore ? "next_" : "now_") + PlainName(temp);
}

MemSpace GpuStatements::SpaceOf(const ir::Instruction& inst) const {
  if (code_.memory.window(inst) != nullptr) return MemSpace::SHARED;
  return inst.block.valid() ? code_.memory.temp(inst.block).space : MemSpace::GLOBAL;
}

std::string GpuStatements::PointerTo(ir::MemId temp) const {
  return words_.Pointer(words_.Element(code_.function->block(temp).type),
                        code_.memory.temp(temp).space);
}

void GpuStatements::DeclareReadSlots(const Ring& ring,
                                     const std::function<std::string(std::uint32_t)>& slot) {
  for (const RingBlock& block : ring.blocks) {
    if (!part_->insts[code_.function->block(block.block).load.index()]) continue;
    const std::string& temp = names_.temp(block.block);
    const std::uint64_t stride = SlotStride(*code_.function, code_.memory.temp(block.block));
    out_.Line(words_.Deduced("const auto", PointerTo(block.block)) + " now_" + PlainName(temp) +
              " = " + temp + " + " + slot(block.stages) + " * " + std::to_string(stride) + ";");
  }
}

void GpuStatements::DeclareFilledSlots(const Ring& ring, std::uint32_t stages,
                                       const std::string& slot) {
  for (const RingBlock& block : ring.blocks) {
    if (block.stages != stages || !part_->insts[block.store.index()]) continue;
    const std::string& temp = names_.temp(block.block);
    const std::uint64_t stride = SlotStride(*code_.function, code_.memory.temp(block.block));
    out_.Line(words_.Deduced("const auto", PointerTo(block.block)) + " next_" + PlainName(temp) +
              " = " + temp + (slot == "0" ? "" : " + " + slot + " * " + std::to_string(stride)) +
              ";");
  }
}

void GpuStatements::CopyAsync(const ir::Instruction& store, const ir::Instruction& read) {
  const Width width = WidthOf(store);
  const std::int64_t first = FirstOfStore(width);
  if (first < 0) return;
  const std::int64_t own = width.lanes > 1 ? copy(width.dim_class) : 0;
  if (width.lanes > 1) SetIndex(width.dim_class, first);
  const std::uint32_t bytes = width.lanes * ir::BytesOf(ElementType(store));
  const bool is_cg = code_.schedule->cache.Or(Cache::CACHE_DEFAULT, read.id) == Cache::CACHE_GLOBAL;
  const std::string inside = Inside(read);
  // Outside of the argument a copy fills with zeros, and reads nothing.
  const std::string from = inside == kNever ? names_.array(read.array) : Pointer(read);
  const std::string when = inside.empty() ? "" : ", " + inside;
  const std::string guard = WhenStored(store);
  copies_async_ = true;
  out_.Line((guard.empty() ? "" : "if (" + guard + ") ") + "exh_copy_" + (is_cg ? "cg<" : "ca<") +
            std::to_string(bytes) + ">(" + Pointer(store) + ", " + from + when + ");");
  if (width.lanes > 1) SetIndex(width.dim_class, own);
}

std::string AsyncFunctions() {
  std::string text = "#ifndef EXH_SHIM\n";
  // `number`: the parameter of the template; empty: it is none.
  const auto define = [&](const std::string& number, const std::string& head,
                          const std::string& instruction, const std::string& operands) {
    if (!number.empty()) text += "template <int " + number + ">\n";
    text += "static __device__ __forceinline__ void " + head + " {\n  asm volatile(\"" +
            instruction + ";\" :: " + operands + ": \"memory\");\n}\n";
  };
  for (const std::string cache : {"ca", "cg"}) {
    const std::string head = "exh_copy_" + cache + "(void* to, const void* from";
    const std::string copy = "cp.async." + cache + ".shared.global [%0], [%1], %2";
    const std::string operands =
        "\"r\"(static_cast<unsigned>(__cvta_generic_to_shared(to))), \"l\"(from), \"n\"(bytes)";
    define("bytes", head + ")", copy, operands + " ");
    define("bytes", head + ", bool inside)", copy + ", %3",
           operands + ", \"r\"(inside ? bytes : 0) ");
  }
  define("", "exh_commit()", "cp.async.commit_group", "");
  define("groups", "exh_wait()", "cp.async.wait_group %0", "\"n\"(groups) ");
  return text + "#endif\n";
}

}  // namespace exh::kernels::codegen
