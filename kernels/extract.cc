// SPDX-License-Identifier: MIT
//
// Reads the decisions of an implementation out of its candidate, through the typed view of the
// space. The only file that knows both the names of linalg.exh and those of code generation.
#include <bit>

#include "kernels/task.h"
#include "runtime/check.h"
#include "spaces/linalg.exh.h"

namespace exh::kernels {
namespace {

namespace linalg = spaces::linalg;
using codegen::Schedule;

/// Value number i of an enum of the space is enumerator i of code generation's.
template <typename To, typename Domain>
To ValueOf(Domain domain) {
  EXH_CHECK(domain.IsConstrained());
  return static_cast<To>(std::countr_zero(domain.bits()));
}

template <typename Space, typename Codegen>
constexpr bool SameNumber(Space space, Codegen codegen) {
  return static_cast<unsigned>(space) == 1u << static_cast<unsigned>(codegen);
}
static_assert(SameNumber(linalg::DimKind::LOOP, codegen::DimKind::LOOP) &&
              SameNumber(linalg::DimKind::UNROLL, codegen::DimKind::UNROLL) &&
              SameNumber(linalg::DimKind::VECTOR, codegen::DimKind::VECTOR) &&
              SameNumber(linalg::DimKind::THREAD, codegen::DimKind::THREAD) &&
              SameNumber(linalg::DimKind::BLOCK, codegen::DimKind::BLOCK));
static_assert(SameNumber(linalg::Order::BEFORE, codegen::Order::BEFORE) &&
              SameNumber(linalg::Order::AFTER, codegen::Order::AFTER) &&
              SameNumber(linalg::Order::INNER, codegen::Order::INNER) &&
              SameNumber(linalg::Order::OUTER, codegen::Order::OUTER) &&
              SameNumber(linalg::Order::MERGED, codegen::Order::MERGED));
static_assert(SameNumber(linalg::DimMapping::MERGE_MAP, codegen::DimMapping::MERGE_MAP) &&
              SameNumber(linalg::DimMapping::UNROLL_MAP, codegen::DimMapping::UNROLL_MAP) &&
              SameNumber(linalg::DimMapping::THREAD_MAP, codegen::DimMapping::THREAD_MAP) &&
              SameNumber(linalg::DimMapping::NOT_MAPPED, codegen::DimMapping::NOT_MAPPED));
static_assert(SameNumber(linalg::ThreadMapping::NOT_THREADS, codegen::ThreadMapping::NOT_THREADS) &&
              SameNumber(linalg::ThreadMapping::MAPPED, codegen::ThreadMapping::MAPPED) &&
              SameNumber(linalg::ThreadMapping::MAPPED_OUT, codegen::ThreadMapping::MAPPED_OUT) &&
              SameNumber(linalg::ThreadMapping::MAPPED_IN, codegen::ThreadMapping::MAPPED_IN));
static_assert(SameNumber(linalg::MemSpace::GLOBAL, codegen::MemSpace::GLOBAL) &&
              SameNumber(linalg::MemSpace::SHARED, codegen::MemSpace::SHARED));

class Extractor {
 public:
  Extractor(const ir::Function& function, const linalg::View& view) : f_(function), view_(view) {}

  Schedule Run() {
    Members();
    Dims();
    Pairs();
    Memory();
    Order();
    Words();
    return std::move(s_);
  }

 private:
  bool IsMember(runtime::Membership membership) const {
    EXH_CHECK(membership != runtime::Membership::kUndecided);
    return membership == runtime::Membership::kCertain;
  }

  void Members() {
    s_.num_dims = f_.dims.size();
    s_.num_insts = f_.insts.size();
    for (const auto& dim : f_.dims) s_.dim_active.push_back(IsMember(view_.InDims(dim.id)));
    for (const auto& inst : f_.insts) s_.inst_active.push_back(IsMember(view_.InInsts(inst.id)));
    for (const auto& block : f_.blocks)
      s_.block_active.push_back(IsMember(view_.InBlocks(block.id)));
    for (const auto& comm : f_.comms) {
      s_.comm_lowered.push_back(comm.lowered && s_.block_active[comm.lowered->block.index()]);
    }
  }

  void Dims() {
    s_.size.assign(f_.dims.size(), 1);
    s_.kind.assign(f_.dims.size(), codegen::DimKind::LOOP);
    s_.thread_mapping.assign(f_.dims.size() * f_.dims.size(), codegen::ThreadMapping::NOT_THREADS);
    for (const auto& dim : f_.dims) {
      if (!s_.dim_active[dim.id.index()]) continue;
      s_.size[dim.id.index()] = view_.size(dim.id).value();
      s_.kind[dim.id.index()] = ValueOf<codegen::DimKind>(view_.dim_kind(dim.id));
      for (const auto& other : f_.dims) {
        if (other.id == dim.id || !s_.dim_active[other.id.index()]) continue;
        s_.thread_mapping[dim.id.index() * f_.dims.size() + other.id.index()] =
            ValueOf<codegen::ThreadMapping>(view_.thread_mapping(dim.id, other.id));
      }
    }
  }

  void Pairs() {
    s_.mapping.assign(f_.pairs.size(), codegen::DimMapping::NOT_MAPPED);
    for (const auto& pair : f_.pairs) {
      if (!s_.dim_active[pair.src.index()] || !s_.dim_active[pair.dst.index()]) continue;
      s_.mapping[pair.id.index()] = ValueOf<codegen::DimMapping>(view_.dim_mapping(pair.id));
    }
  }

  void Memory() {
    s_.mem_space.assign(f_.blocks.size(), codegen::MemSpace::GLOBAL);
    s_.rank.assign(f_.axes.size(), 0);
    s_.cache.assign(f_.insts.size(), "");
    for (const auto& block : f_.blocks) {
      if (!s_.block_active[block.id.index()]) continue;
      s_.mem_space[block.id.index()] = ValueOf<codegen::MemSpace>(view_.mem_space(block.id));
      for (const ir::AxisId axis : block.axes) {
        s_.rank[axis.index()] = view_.rank(block.id, axis).value();
      }
    }
    for (const auto& inst : f_.insts) {
      if (!inst.is_memory() || !s_.inst_active[inst.id.index()]) continue;
      s_.cache[inst.id.index()] = linalg::ToString(view_.cache(inst.id).value());
    }
  }

  void Order() {
    const std::size_t n = f_.dims.size() + f_.insts.size();
    s_.order.assign(n * n, codegen::Order::BEFORE);
    const auto active = [&](ir::StmtId id) {
      return id.is_inst ? s_.inst_active[id.value] : s_.dim_active[id.value];
    };
    for (const auto& a : f_.statements) {
      for (const auto& b : f_.statements) {
        if (a.id == b.id || !active(a.id) || !active(b.id)) continue;
        s_.order[s_.stmt(a.id) * n + s_.stmt(b.id)] =
            ValueOf<codegen::Order>(view_.order(a.id, b.id));
      }
    }
  }

  /// "dim_kind(mad.m1)=LOOP" for every decision that took part.
  void Words() {
    const runtime::Candidate& candidate = view_.candidate();
    const runtime::Instance& instance = candidate.instance();
    for (runtime::DecisionId d = 0; d < instance.num_decisions(); ++d) {
      if (!candidate.IsLive(d) || instance.IsDerived(d)) continue;
      s_.decisions.push_back(instance.DecisionName(d) + "=" +
                             instance.ValuesText(d, candidate.domain(d)));
    }
  }

  const ir::Function& f_;
  const linalg::View& view_;
  Schedule s_;
};

}  // namespace

Schedule ExtractSchedule(const Task& task, const runtime::Candidate& candidate) {
  EXH_CHECK(candidate.IsImplementation());
  const linalg::View view(candidate, static_cast<const linalg::SpaceHost&>(*task.host));
  return Extractor(*task.function, view).Run();
}

}  // namespace exh::kernels
