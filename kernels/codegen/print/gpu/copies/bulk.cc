// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/gpu/copies/bulk.h"

#include "base/check.h"
#include "kernels/codegen/print/gpu/statements.h"

namespace exh::kernels::codegen {
namespace {

// Whoever waits may be put to sleep for a time that the system chooses, and looks again.
constexpr const char* kWait = R"(
  unsigned is_over = 0;
  while (true) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is_over) : "r"(exh_at(barrier)), "r"(parity) : "memory");
    if (is_over) return;$LOOK$
  }
}
)";

constexpr const char* kBarriers = R"(#ifndef EXH_SHIM
struct alignas(64) exh_tensor_map { unsigned char bytes[128]; };
static __device__ __forceinline__ unsigned exh_at(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}
static __device__ __forceinline__ void exh_barrier_init(unsigned long long* barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(exh_at(barrier)), "r"(count) : "memory");
}
static __device__ __forceinline__ void exh_barriers_made() {
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
}
static __device__ __forceinline__ void exh_expect(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(exh_at(barrier)), "r"(bytes) : "memory");
}
)";

constexpr const char* kRoles =
    R"(static __device__ __forceinline__ void exh_arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(exh_at(barrier)) : "memory");
}
static __device__ __forceinline__ void exh_meet(unsigned threads) {
  asm volatile("bar.sync 1, %0;" :: "r"(threads) : "memory");
}
template <int registers>
static __device__ __forceinline__ void exh_fewer_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(registers));
}
template <int registers>
static __device__ __forceinline__ void exh_more_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(registers));
}
)";

// What has been read of a slot was read by groups of warps in place, which have ended: there is
// nothing else that an arrival would have to order for the other block. A fence for the cluster
// costs 0.3 us each time (4096 x 4096 x 4096 of bf16 on an H200: 267 us with it, 189 us without).
constexpr const char* kOfClusters =
    R"(static __device__ __forceinline__ void exh_arrive_at(unsigned long long* barrier, unsigned rank) {
  asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [there]; }" :: "r"(exh_at(barrier)), "r"(rank) : "memory");
}
)";

/// The function that copies a box out of a tensor of so many axes, to the own block or to those of
/// the cluster that a mask names.
std::string CopyFunction(std::size_t axes, bool is_shared) {
  std::string parameters, places, operands;
  const std::size_t first = is_shared ? 4 : 3;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::string number = std::to_string(i);
    parameters += ", int c" + number;
    places += (i == 0 ? "%" : ", %") + std::to_string(i + first);
    operands += ", \"r\"(c" + number + ")";
  }
  return "static __device__ __forceinline__ void " +
         std::string(is_shared ? "exh_bulk_share" : "exh_bulk_copy") +
         "(void* to, const exh_tensor_map* map, unsigned long long* barrier" +
         (is_shared ? ", unsigned short blocks" : "") + parameters +
         ") {\n  asm volatile(\"cp.async.bulk.tensor." + std::to_string(axes) +
         "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" +
         (is_shared ? ".multicast::cluster" : "") + " [%0], [%1, {" + places + "}], [%2]" +
         (is_shared ? ", %3" : "") +
         ";\" :: \"r\"(exh_at(to)), \"l\"(map), \"r\"(exh_at(barrier))" +
         (is_shared ? ", \"h\"(blocks)" : "") + operands + " : \"memory\");\n}\n";
}

}  // namespace

std::string BulkFunctions(const std::set<std::size_t>& axes, bool has_producers, bool has_cluster,
                          bool gives_up) {
  std::string text = kBarriers;
  text +=
      "static __device__ __forceinline__ void exh_await(unsigned long long* barrier, unsigned "
      "parity" +
      std::string(gives_up ? ", unsigned long long exh_end" : "") + ") {";
  std::string wait = kWait;
  const std::string look = "$LOOK$";
  wait.replace(wait.find(look), look.size(), gives_up ? "\n    exh_look(exh_end);" : "");
  text += wait;
  if (has_producers) text += kRoles;
  if (has_cluster) text += kOfClusters;
  for (const std::size_t number : axes) {
    text += CopyFunction(number, false);
    if (has_cluster) text += CopyFunction(number, true);
  }
  return text + "#endif\n";
}

// A multiprocessor has 65,536 registers, and what a thread of a role has is a multiple of eight.
// One group beside that of the producers has as many as a thread can have.
RoleRegisters RegistersOfRoles(unsigned groups) {
  switch (groups) {
    case 2:
      return {40, 232};
    case 3:
      return {32, 160};
    default:
      return {};
  }
}

std::string GpuStatements::RingName(const Ring& ring) const {
  return names_.index(code_.tree.node(ring.loop).dim_class).substr(1);
}

std::string GpuStatements::AwaitText(const std::string& barrier, const std::string& parity) const {
  return "exh_await(" + barrier + ", " + parity + (gives_up_ ? ", exh_end" : "") + ");";
}

void GpuStatements::FillInBulk(const Ring& ring, const std::string& slot,
                               const std::string& iteration) {
  const std::string full = "full" + RingName(ring) + " + " + slot;
  MoveLoop(code_.tree.node(ring.loop).dim_class, iteration);
  out_.Line("exh_expect(" + full + ", " + std::to_string(ring.bulk_bytes()) + ");");
  for (const RingBlock& block : ring.blocks) {
    const BulkCopy& copy = *block.bulk;
    bulk_axes_.insert(copy.coordinates.size());
    const std::string& temp = names_.temp(block.block);
    const std::uint64_t stride = SlotStride(*code_.function, code_.memory.temp(block.block));
    const bool is_shared = copy.shared_by > 1, is_divided = copy.divided_axis >= 0;
    if (is_shared && !is_divided) out_.Open("if (exh_rank == 0)");
    for (std::uint32_t box = 0; box < copy.boxes; ++box) {
      std::string coordinates;
      for (std::size_t axis = 0; axis < copy.coordinates.size(); ++axis) {
        Affine at = copy.coordinates[axis];
        if (axis == 0) at.offset += static_cast<std::int64_t>(box) * copy.map.box.front();
        std::string sum = SumOf(at, false, nullptr, at.offset);
        if (static_cast<int>(axis) == copy.divided_axis) {
          sum += (sum.empty() ? "" : " + ") + ("exh_rank * " + std::to_string(copy.part_rows));
        }
        coordinates += ", " + (sum.empty() ? "0" : sum);
      }
      const std::uint32_t further = box * copy.box_elements;
      const std::string part =
          is_divided ? " + exh_rank * " + std::to_string(copy.part_elements) : "";
      const std::string blocks = is_shared ? ", " + std::to_string((1u << copy.shared_by) - 1) : "";
      out_.Line((is_shared ? "exh_bulk_share(" : "exh_bulk_copy(") + temp + " + " + slot + " * " +
                std::to_string(stride) + (further == 0 ? "" : " + " + std::to_string(further)) +
                part + ", &" + MapName(names_, block.block) + ", " + full + blocks + coordinates +
                ");");
    }
    if (is_shared && !is_divided) out_.Close();
  }
  MoveLoop(-1, "");
}

std::string MapName(const CodeNames& names, ir::MemId temp) {
  const std::string& name = names.temp(temp);
  return "map_" + name.substr(name.find('_') + 1);
}

}  // namespace exh::kernels::codegen
