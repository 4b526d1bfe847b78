// SPDX-License-Identifier: MIT
//
// Bulk copies as text (memory/bulk_copy.h). A ring called k0 has, beside its slots, a barrier for
// each: full_k0[slot] ends a phase when all bytes of the slot have arrived. Phases are told apart
// by their parity, which changes each time the ring has turned once.
//
//   int slot_k0 = 0; unsigned phase_k0 = 0;          the slot that is next, and its parity
//   exh_await(full_k0 + slot_k0, phase_k0);          it is full
//   exh_expect(full_k0 + next, 32768);               so many bytes will come …
//   exh_bulk_copy(tmp_load_a + …, &map_load_a, full_k0 + next, i_k0 * 64, i_m0 * 128);   … of this
//
// With producers empty_k0[slot] ends a phase when every warp that reads has arrived there; whoever
// fills waits for the other parity, so that the first time nobody need have.
//
// In a cluster of two blocks, each, exh_rank, asks for a half of what both take, for both (mask 3),
// and a warp that has read a slot says so to the producers of both:
//
//   exh_bulk_share(tmp_load_b + … + exh_rank * 4096, &map_load_b, full_k0 + next, 3, …);
//   if (t % 32 < 2) exh_arrive_at(empty_k0 + slot_k0, t % 32);
#pragma once

#include <set>
#include <string>

namespace exh::kernels::codegen {

/// Defines what such copies are made and waited for with. `axes`: of tensors that are copied from.
std::string BulkFunctions(const std::set<std::size_t>& axes, bool has_producers, bool has_cluster,
                          bool gives_up);

/// Registers of a thread that asks for copies, and of one of so many groups of warps that compute;
/// {0, 0}: nothing is to be changed.
struct RoleRegisters {
  unsigned producer = 0, other = 0;
};
RoleRegisters RegistersOfRoles(unsigned groups);

}  // namespace exh::kernels::codegen
