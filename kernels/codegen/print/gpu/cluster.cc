// SPDX-License-Identifier: MIT
//
// How the blocks of a cluster make one value of what they have of a reduction, as text: what
// split_plan.h decides.
#include <algorithm>

#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/codegen/print/op_text.h"
#include "kernels/codegen/print/partial_index.h"

namespace exh::kernels::codegen {
namespace {

constexpr const char* kFunctions = R"(#ifndef EXH_SHIM
static __device__ __forceinline__ void exh_cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
// Returns when all threads of the cluster have arrived, and what they wrote before is there.
static __device__ __forceinline__ void exh_cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
// The same place in the memory of the block of this rank.
template <typename T>
static __device__ __forceinline__ T* exh_in_block(T* place, int rank) {
  unsigned long long there;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(place), "r"(rank));
  return reinterpret_cast<T*>(there);
}
#endif
)";

constexpr const char* kIsLate =
    R"(static __device__ __forceinline__ bool exh_is_late(unsigned long long deadline) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now > deadline;
}
)";

}  // namespace

std::string ClusterFunctions(bool gives_up) {
  return std::string(kFunctions) + (gives_up ? kIsLate : "");
}

void GpuStatements::DeclareExchanges(std::uint64_t offset) {
  for (const SplitReduction& split : code_.splits.reductions) {
    if (!split.is_of_cluster()) continue;
    const ir::Type held = ir::ComputeTypeOf(code_.function->inst(split.id).type);
    const std::string pointer = words_.Pointer(words_.Register(held), MemSpace::SHARED);
    out_.Line(pointer + " const " + PartialName(split.id) + " = " +
              words_.CastPointer(pointer, "exh_shared") + " + " +
              Digits((offset + split.offset) / ir::BytesOf(held)) + ";");
  }
}

void GpuStatements::Exchange(int node, bool is_first, bool gives_up) {
  constexpr std::size_t kFew = 8;  ///< Registers, of which what all blocks told is read at once.
  const SplitReduction& split = SplitOf(code_.tree.node(node).inst);
  const ir::Instruction& inst = code_.function->inst(split.id);
  // Of one that is read while it runs all threads have all registers already.
  const Combine* const slices = SlicesOf(inst.id);
  const std::uint64_t all = std::uint64_t{split.num_registers} * split.num_slots;
  const auto sharing = slices ? Joined(slices->shuffled, slices->shared) : split.sharers;
  std::uint64_t sharers = 1;
  for (const ThreadDigit& d : sharing) sharers *= d.size;
  auto silent = slices ? Joined(slices->silent, slices->shared) : split.silent;
  std::erase_if(silent, [&](const ThreadDigit& digit) {
    return std::ranges::any_of(sharing, [&](const ThreadDigit& d) {
      return d.stride == digit.stride && d.size == digit.size;
    });
  });
  const std::string own = SumText(
      {{slices ? IndexOver(slices->halved) : "", split.num_slots}, {IndexOver(split.slots), 1}});
  std::vector<Place> registers = slices ? OwnedAt(inst.id, node) : RegistersAt(inst.id, node);
  out_.Open("", inst.name() + ": one of what all blocks of the cluster have");
  if (is_first && code_.fault != Fault::kEarlyTelling) out_.Line("exh_cluster_wait();");
  std::string writes = Condition(silent, split.below);
  // Who gave up long ago may have ended.
  if (gives_up) writes = And(writes, "!exh_is_late(exh_end)");
  out_.Open(writes.empty() ? "" : "if (" + writes + ")");
  const std::string sharer = IndexOver(sharing);
  const std::string part = IndexOver(split.split_classes);
  const std::string pointer = words_.Pointer(words_.Register(inst.type), MemSpace::SHARED);
  out_.Open("for (int s = " + (sharer.empty() ? "0" : sharer) + "; s < " + Digits(split.splits) +
            (sharers == 1 ? "; ++s)" : "; s += " + Digits(sharers) + ")"));
  out_.Line(words_.Deduced("const auto", pointer) + " exh_there = exh_in_block(" +
            Moved(PartialName(inst.id), SumText({{part, all}, {own, 1}})) + ", s);");
  for (const Place& place : registers) {
    out_.Line("exh_there[" + Digits(place.number * split.num_slots) + "] = " + place.name + ";");
  }
  out_.Close();
  out_.Close();
  if (code_.fault != Fault::kEarlyExchange) {
    out_.Line("exh_cluster_arrive();");
    out_.Line("exh_cluster_wait();");
  }
  const std::string combine = CombineFunction(inst);
  const auto told = [&](const Place& place, const std::string& block) {
    const std::string number = Digits(place.number * split.num_slots);
    const std::string at = SumText({{block, all}, {own, 1}, {number, 1}});
    return PartialName(inst.id) + "[" + (at.empty() ? "0" : at) + "]";
  };
  for (const Place& place : registers) out_.Line(place.name + " = " + told(place, "0") + ";");
  if (registers.size() <= kFew) out_.Line("#pragma unroll");
  out_.Open("for (int s = 1; s < " + Digits(split.splits) + "; ++s)");
  for (const Place& place : registers) {
    out_.Line(place.name + " = " + combine + "(" + place.name + ", " + told(place, "s") + ");");
  }
  out_.Close();
  out_.Close();
  if (slices != nullptr) ShareOwned(*slices);
}

}  // namespace exh::kernels::codegen
