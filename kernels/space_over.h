// SPDX-License-Identifier: MIT
//
// Reads the decisions of an implementation out of its candidate, through the typed view that exhc
// writes of a space. The only file that knows both the names of linalg.exh and those of code
// generation; a space that includes linalg.exh has the same names and is read by the same text.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kernels/kernel_space.h"
#include "runtime/enum_domain.h"
#include "runtime/int_domain.h"

namespace exh::kernels {
namespace extract {

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

template <typename E>
inline constexpr int NumValues = std::popcount(runtime::EnumTraits<E>::kAll);

template <typename View>
class Extractor {
  // What the space calls its choices and values. One that lacks a name which code generation reads
  // does not compile: it must include the files of linalg.exh.
  using DimKind = typename decltype(std::declval<const View&>().dim_kind(ir::DimId()))::Value;
  using Order =
      typename decltype(std::declval<const View&>().order(ir::StmtId(), ir::StmtId()))::Value;
  using DimMapping =
      typename decltype(std::declval<const View&>().dim_mapping(ir::PairId()))::Value;
  using ThreadMapping = typename decltype(std::declval<const View&>().thread_mapping(
      ir::DimId(), ir::DimId()))::Value;
  using Tiles = typename decltype(std::declval<const View&>().tiles(ir::CommId()))::Value;
  using MemSpace = typename decltype(std::declval<const View&>().mem_space(ir::MemId()))::Value;
  using Advance = typename decltype(std::declval<const View&>().advance(ir::InstId()))::Value;
  static_assert(SameNumber(DimKind::LOOP, codegen::DimKind::LOOP) &&
                SameNumber(DimKind::UNROLL, codegen::DimKind::UNROLL) &&
                SameNumber(DimKind::VECTOR, codegen::DimKind::VECTOR) &&
                SameNumber(DimKind::THREAD, codegen::DimKind::THREAD) &&
                SameNumber(DimKind::BLOCK, codegen::DimKind::BLOCK));
  static_assert(SameNumber(Order::BEFORE, codegen::Order::BEFORE) &&
                SameNumber(Order::AFTER, codegen::Order::AFTER) &&
                SameNumber(Order::INNER, codegen::Order::INNER) &&
                SameNumber(Order::OUTER, codegen::Order::OUTER) &&
                SameNumber(Order::MERGED, codegen::Order::MERGED));
  static_assert(SameNumber(DimMapping::MERGE_MAP, codegen::DimMapping::MERGE_MAP) &&
                SameNumber(DimMapping::UNROLL_MAP, codegen::DimMapping::UNROLL_MAP) &&
                SameNumber(DimMapping::THREAD_MAP, codegen::DimMapping::THREAD_MAP) &&
                SameNumber(DimMapping::NOT_MAPPED, codegen::DimMapping::NOT_MAPPED));
  static_assert(SameNumber(ThreadMapping::NOT_THREADS, codegen::ThreadMapping::NOT_THREADS) &&
                SameNumber(ThreadMapping::MAPPED, codegen::ThreadMapping::MAPPED) &&
                SameNumber(ThreadMapping::MAPPED_OUT, codegen::ThreadMapping::MAPPED_OUT) &&
                SameNumber(ThreadMapping::MAPPED_IN, codegen::ThreadMapping::MAPPED_IN) &&
                SameNumber(ThreadMapping::OTHER_LAYOUT, codegen::ThreadMapping::OTHER_LAYOUT));
  static_assert(SameNumber(Tiles::SAME_TILES, codegen::Tiles::SAME_TILES) &&
                SameNumber(Tiles::OWN_TILES, codegen::Tiles::OWN_TILES));
  static_assert(SameNumber(MemSpace::GLOBAL, codegen::MemSpace::GLOBAL) &&
                SameNumber(MemSpace::SHARED, codegen::MemSpace::SHARED));
  static_assert(SameNumber(Advance::ON_TIME, codegen::Advance::ON_TIME) &&
                SameNumber(Advance::ONE_AHEAD, codegen::Advance::ONE_AHEAD));
  // … and that is all of them: code generation would not know what to do with another value.
  static_assert(NumValues<DimKind> == 5 && NumValues<Order> == 5 && NumValues<DimMapping> == 4 &&
                NumValues<ThreadMapping> == 5 && NumValues<Tiles> == 2 &&
                NumValues<MemSpace> == 2 && NumValues<Advance> == 2);

 public:
  Extractor(const ir::Function& function, const View& view) : f_(function), view_(view) {}

  codegen::Schedule Run() {
    Members();
    Dims();
    Pairs();
    Memory();
    Orders();
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
    for (const auto& comm : f_.comms) {
      const bool active =
          s_.inst_active[comm.producer.index()] && s_.inst_active[comm.consumer.index()];
      s_.tiles.push_back(active ? ValueOf<codegen::Tiles>(view_.tiles(comm.id))
                                : codegen::Tiles::SAME_TILES);
    }
    for (const auto& pair : f_.pairs) {
      if (!s_.dim_active[pair.src.index()] || !s_.dim_active[pair.dst.index()]) continue;
      s_.mapping[pair.id.index()] = ValueOf<codegen::DimMapping>(view_.dim_mapping(pair.id));
    }
  }

  void Memory() {
    s_.mem_space.assign(f_.blocks.size(), codegen::MemSpace::GLOBAL);
    s_.rank.assign(f_.axes.size(), 0);
    s_.cache.assign(f_.insts.size(), "");
    s_.vec.assign(f_.insts.size(), 1);
    s_.advance.assign(f_.insts.size(), codegen::Advance::ON_TIME);
    s_.pad.assign(f_.blocks.size(), 0);
    for (const auto& block : f_.blocks) {
      if (!s_.block_active[block.id.index()]) continue;
      s_.mem_space[block.id.index()] = ValueOf<codegen::MemSpace>(view_.mem_space(block.id));
      s_.pad[block.id.index()] = view_.pad(block.id).value();
      for (const ir::AxisId axis : block.axes) {
        s_.rank[axis.index()] = view_.rank(block.id, axis).value();
      }
    }
    for (const auto& inst : f_.insts) {
      if (!inst.is_memory() || !s_.inst_active[inst.id.index()]) continue;
      s_.cache[inst.id.index()] = ToString(view_.cache(inst.id).value());
      s_.vec[inst.id.index()] = view_.vec(inst.id).value();
      s_.advance[inst.id.index()] = ValueOf<codegen::Advance>(view_.advance(inst.id));
    }
  }

  void Orders() {
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

  const ir::Function& f_;
  const View& view_;
  codegen::Schedule s_;
};

inline ir::Presence PresenceOf(runtime::Membership membership) {
  switch (membership) {
    case runtime::Membership::kCertain:
      return ir::Presence::kCertain;
    case runtime::Membership::kExcluded:
      return ir::Presence::kAbsent;
    default:
      return ir::Presence::kPossible;
  }
}

inline std::uint32_t CommonDivisor(const runtime::IntDomain& numbers) {
  std::uint32_t divisor = 0;
  for (runtime::Bits rest = numbers.bits(); rest != 0 && divisor != 1; rest &= rest - 1) {
    divisor = std::gcd(divisor, numbers.universe()[std::countr_zero(rest)]);
  }
  return divisor;
}

/// Knows the decisions of every object beforehand: a read looks nothing up.
template <typename SpaceHost, typename View>
class Reader final : public DomainReader {
  // A domain whose values have the numbers of code generation's enumerators is a set of bits as
  // it is.
  using DimKind = typename decltype(std::declval<const View&>().dim_kind(ir::DimId()))::Value;
  static_assert(static_cast<unsigned>(DimKind::LOOP) == ir::kLoop &&
                static_cast<unsigned>(DimKind::UNROLL) == ir::kUnroll &&
                static_cast<unsigned>(DimKind::VECTOR) == ir::kVector &&
                static_cast<unsigned>(DimKind::THREAD) == ir::kThread &&
                static_cast<unsigned>(DimKind::BLOCK) == ir::kBlock);
  using MemSpace = typename decltype(std::declval<const View&>().mem_space(ir::MemId()))::Value;
  static_assert(static_cast<unsigned>(MemSpace::GLOBAL) == ir::kGlobalSpace &&
                static_cast<unsigned>(MemSpace::SHARED) == ir::kSharedSpace);

 public:
  Reader(const ir::Function& function, const SpaceHost& host, const runtime::Instance& instance)
      : f_(function), host_(host), instance_(instance) {
    const runtime::Candidate none(std::shared_ptr<const runtime::Instance>(
        std::shared_ptr<const runtime::Instance>(), &instance));
    const View view(none, host);
    for (const ir::Dimension& dim : f_.dims) {
      sizes_.push_back(view.FindSize(dim.id)->id);
      kinds_.push_back(view.FindDimKind(dim.id)->id);
    }
    for (const ir::Instruction& inst : f_.insts) {
      widths_.push_back(inst.is_memory() ? view.FindVec(inst.id)->id : runtime::kNoDecision);
    }
    for (const ir::MemBlock& block : f_.blocks) {
      spaces_.push_back(view.FindMemSpace(block.id)->id);
    }
    for (const ir::Axis& axis : f_.axes) {
      ranks_.push_back(view.FindRank(axis.block, axis.id)->id);
    }
  }

  void Read(const runtime::Candidate& candidate, ir::Domains& out) const override {
    const View view(candidate, host_);
    out.blocks.resize(f_.blocks.size());
    for (std::size_t i = 0; i < f_.blocks.size(); ++i) {
      out.blocks[i] = {static_cast<ir::MemSpaces>(candidate.domain(spaces_[i])),
                       PresenceOf(view.InBlocks(f_.blocks[i].id))};
    }
    out.axes.resize(f_.axes.size());
    for (std::size_t i = 0; i < f_.axes.size(); ++i) {
      const runtime::IntDomain ranks = Numbers(candidate, ranks_[i]);
      out.axes[i].stored = ranks.min() > 0    ? ir::Presence::kCertain
                           : ranks.max() == 0 ? ir::Presence::kAbsent
                                              : ir::Presence::kPossible;
    }
    // What is planned for a temporary array takes part when the array does.
    const auto presence = [&](const ir::Instruction& inst) {
      return inst.planned ? out.blocks[inst.block.index()].presence : ir::Presence::kCertain;
    };
    out.insts.resize(f_.insts.size());
    for (std::size_t i = 0; i < f_.insts.size(); ++i) {
      const std::uint32_t width =
          f_.insts[i].is_memory() ? Numbers(candidate, widths_[i]).max() : 1;
      out.insts[i] = {width, presence(f_.insts[i])};
    }
    out.dims.resize(f_.dims.size());
    for (std::size_t i = 0; i < f_.dims.size(); ++i) {
      const runtime::IntDomain sizes = Numbers(candidate, sizes_[i]);
      const std::uint32_t min = sizes.min(), max = sizes.max();
      out.dims[i] = {min, max, min == max ? min : CommonDivisor(sizes),
                     static_cast<ir::Kinds>(candidate.domain(kinds_[i])),
                     out.insts[f_.dims[i].inst.index()].presence};
    }
  }

 private:
  runtime::IntDomain Numbers(const runtime::Candidate& candidate,
                             runtime::DecisionId decision) const {
    return {instance_.universe(decision), candidate.domain(decision)};
  }

  const ir::Function& f_;
  const SpaceHost& host_;
  const runtime::Instance& instance_;
  std::vector<runtime::DecisionId> sizes_, kinds_;  ///< By dim.
  std::vector<runtime::DecisionId> widths_;         ///< By instruction.
  std::vector<runtime::DecisionId> spaces_;         ///< By block.
  std::vector<runtime::DecisionId> ranks_;          ///< By axis.
};

}  // namespace extract

/// The space that exhc made of a `.exh` file which includes linalg.exh: the three things of its
/// generated namespace that tasks use.
template <typename SpaceHost, typename View, const runtime::Space& (*GetSpace)()>
class SpaceOver final : public KernelSpace {
 public:
  const runtime::Space& space() const override { return GetSpace(); }
  std::shared_ptr<const runtime::Host> MakeHost(const ir::Function& function) const override {
    return std::make_shared<SpaceHost>(function);
  }
  codegen::Schedule Extract(const ir::Function& function, const runtime::Host& host,
                            const runtime::Candidate& candidate) const override {
    EXH_CHECK(candidate.IsImplementation());
    const View view(candidate, static_cast<const SpaceHost&>(host));
    return extract::Extractor<View>(function, view).Run();
  }
  std::unique_ptr<const DomainReader> MakeDomainReader(
      const ir::Function& function, const runtime::Host& host,
      const runtime::Instance& instance) const override {
    return std::make_unique<extract::Reader<SpaceHost, View>>(
        function, static_cast<const SpaceHost&>(host), instance);
  }
};

}  // namespace exh::kernels
