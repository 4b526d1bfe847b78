// SPDX-License-Identifier: MIT
#include "tests/kernels/codegen/hand_backbone.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen::testing {
namespace {

template <typename T>
const T& Find(const std::vector<T>& all, const std::string& name) {
  for (const T& item : all) {
    if (item.name() == name) return item;
  }
  std::fprintf(stderr, "Draw: nothing is called '%s'\n", name.c_str());
  std::abort();
}

std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word != "+") names.push_back(word);
  }
  return names;
}

Item MakeLoop(DimKind kind, std::string dims, std::uint32_t size, Items body) {
  Item item;
  item.kind = kind;
  item.dims = std::move(dims);
  item.size = size;
  item.body = std::move(body);
  return item;
}

class Drawing {
 public:
  Drawing(const ir::Function& function, const std::map<std::string, Layout>& layouts)
      : f_(function), layouts_(layouts) {
    for (const ir::Dimension& dim : f_.dims) {
      s_.InStatements.Set(dim.id, false);
      for (const ir::Dimension& other : f_.dims) {
        s_.thread_mapping.Set(dim.id, other.id, ThreadMapping::NOT_THREADS);
      }
    }
    for (const ir::Instruction& inst : f_.insts) {
      s_.InStatements.Set(inst.id, false);
      s_.cache.Set(inst.id, Cache::CACHE_DEFAULT);
      if (inst.is_reduction()) s_.across_blocks.Set(inst.id, AcrossBlocks::NOT_ACROSS);
    }
    for (const ir::MemBlock& block : f_.blocks) {
      s_.InBlocks.Set(block.id, false);
      s_.mem_space.Set(block.id, MemSpace::SHARED);
      s_.skew.Set(block.id, Skew::PLAIN);
      for (const ir::AxisId axis : block.axes) s_.rank.Set(block.id, axis, 0);
    }
    for (const ir::Communication& comm : f_.comms) s_.tiles.Set(comm.id, Tiles::SAME_TILES);
  }

  Schedule Run(const Items& items, AcrossBlocks across) {
    Walk(items);
    FillAcross(across);
    FillOrder();
    FillThreads();
    for (const ir::Communication& comm : f_.comms) {
      if (!comm.lowered || !s_.InStatements(comm.lowered->store)) continue;
      s_.InBlocks.Set(comm.lowered->block, true);
      FillLayout(f_.block(comm.lowered->block));
    }
    return std::move(s_);
  }

 private:
  void Walk(const Items& items) {
    for (const Item& item : items) {
      const int enter = time_++;
      std::vector<ir::StmtId> statements;
      if (item.dims.empty()) {
        const ir::InstId inst = Find(f_.insts, item.inst).id;
        s_.InStatements.Set(inst, true);
        statements.push_back(inst);
      }
      for (const std::string& name : SplitNames(item.dims)) {
        const ir::DimId dim = Find(f_.dims, name).id;
        s_.InStatements.Set(dim, true);
        s_.size.Set(dim, item.size);
        s_.dim_kind.Set(dim, item.kind);
        if (item.axis >= 0) axes_[dim] = item.axis;
        statements.push_back(dim);
      }
      Walk(item.body);
      for (const ir::StmtId statement : statements) times_[statement] = {enter, time_};
      ++time_;
    }
  }

  void FillAcross(AcrossBlocks across) {
    for (const ir::Instruction& inst : f_.insts) {
      const bool is_divided = std::ranges::any_of(inst.reduce_dims, [&](ir::DimId dim) {
        return s_.dim_kind.Or(DimKind::LOOP, dim) == DimKind::BLOCK;
      });
      if (is_divided) s_.across_blocks.Set(inst.id, across);
    }
  }

  void FillOrder() {
    for (const auto& [a, of_a] : times_) {
      for (const auto& [b, of_b] : times_) {
        s_.order.Set(a, b,
                     of_a.leave < of_b.enter   ? Order::BEFORE
                     : of_b.leave < of_a.enter ? Order::AFTER
                     : of_a.enter < of_b.enter ? Order::OUTER
                     : of_b.enter < of_a.enter ? Order::INNER
                                               : Order::MERGED);
      }
    }
  }

  void FillThreads() {
    for (const auto& [a, axis] : axes_) {
      for (const auto& [b, other] : axes_) {
        s_.thread_mapping.Set(a, b,
                              axis == other  ? ThreadMapping::MAPPED
                              : axis < other ? ThreadMapping::MAPPED_OUT
                                             : ThreadMapping::MAPPED_IN);
      }
    }
  }

  void FillLayout(const ir::MemBlock& block) {
    const auto it = layouts_.find(block.name());
    const Layout layout = it == layouts_.end() ? Layout{} : it->second;
    s_.mem_space.Set(block.id, layout.space);
    std::vector<ir::AxisId> stored;  // Innermost first.
    for (auto axis = block.axes.rbegin(); axis != block.axes.rend(); ++axis) {
      const ir::Axis& a = f_.axis(*axis);
      if (s_.order(a.store_dim, a.load_dim) != Order::MERGED) stored.push_back(*axis);
    }
    std::stable_sort(stored.begin(), stored.end(), [&](ir::AxisId a, ir::AxisId b) {
      return Position(layout, a) < Position(layout, b);
    });
    std::uint32_t rank = 0;
    for (const ir::AxisId axis : stored) s_.rank.Set(block.id, axis, ++rank);
  }

  std::size_t Position(const Layout& layout, ir::AxisId id) const {
    const ir::Axis& axis = f_.axis(id);
    if (layout.innermost_first.empty()) {
      const bool vector = s_.dim_kind(axis.store_dim) == DimKind::VECTOR ||
                          s_.dim_kind(axis.load_dim) == DimKind::VECTOR;
      return vector ? 0 : 1;
    }
    const std::string name = axis.name().substr(axis.name().rfind('.') + 1);
    const auto& names = layout.innermost_first;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  const ir::Function& f_;
  const std::map<std::string, Layout>& layouts_;
  Schedule s_;
  struct Times {
    int enter = 0, leave = 0;
  };
  std::map<ir::StmtId, Times> times_;  ///< Of what was drawn.
  std::map<ir::DimId, int> axes_;      ///< Of thread dims.
  int time_ = 0;
};

}  // namespace

ir::Function Axpy(std::uint32_t n) {
  ir::Function f;
  f.name = "axpy";
  ir::Builder b(f, true);
  const auto x = b.InputArray("x", n), y = b.InputArray("y", n), z = b.OutputArray("z", n);
  b.Scalar("alpha", 3);
  const ir::AxisRef axis = b.Axis("n", n, {{2, 1024}, {2, 64}});
  const ir::Value load_x = b.Load("load_x", x, {{axis, 1}});
  const ir::Value load_y = b.Load("load_y", y, {{axis, 1}});
  const ir::Value mad =
      b.Compute("mad", ir::Op::kMad, {axis},
                {ir::MayStage(load_x), ir::ScalarArg("alpha"), ir::MayStage(load_y)});
  b.Store("store", z, {{axis, 1}}, ir::InRegisters(mad));
  ir::PlanLowering(f);
  return f;
}

ir::Function Matmul(std::uint32_t m, std::uint32_t n, std::uint32_t k, std::uint32_t a_stride,
                    ir::Type type, double first, Extents extents) {
  ir::Function f;
  f.name = "matmul";
  ir::Builder b(f, true);
  const auto a = b.InputArray("a", std::uint64_t{m} * k * a_stride, type);
  const auto bb = b.InputArray("b", std::uint64_t{k} * n, type);
  const auto c = b.OutputArray("c", std::uint64_t{m} * n, type);
  const ir::AxisRef am = b.CoveredAxis("m", m, std::max(m, extents.m), {{2, 64}, {2, 16}});
  const ir::AxisRef an = b.CoveredAxis("n", n, std::max(n, extents.n), {{2, 64}, {2, 16}});
  const ir::AxisRef ak = b.CoveredAxis("k", k, std::max(k, extents.k), {{2, 64}});
  const ir::Value load_a = b.Load("load_a", a, {{am, std::int64_t{k} * a_stride}, {ak, a_stride}});
  const ir::Value load_b = b.Load("load_b", bb, {{ak, n}, {an, 1}});
  const ir::Value init = b.Compute("init", ir::Op::kConst, {am, an}, {ir::Literal(first)},
                                   ir::ResultType(ir::Op::kMad, type));
  const ir::Value mad = b.Reduce("mad", ir::Op::kMad, {am, an, ak}, {ak}, init,
                                 {ir::MayStage(load_a), ir::MayStage(load_b)});
  b.Store("store", c, {{am, n}, {an, 1}}, ir::InRegisters(mad));
  ir::PlanLowering(f);
  return f;
}

ir::Function Rows(std::uint32_t m, std::uint32_t k, ir::Op op, ir::Type type, double first,
                  std::uint32_t extent_k) {
  ir::Function f;
  f.name = "rows";
  ir::Builder b(f, true);
  const auto x = b.InputArray("x", std::uint64_t{m} * k, type);
  const auto w = b.InputArray("w", k, type);
  const auto y = b.OutputArray("y", m, type);
  const ir::AxisRef am = b.Axis("m", m, {{2, 64}});
  const ir::AxisRef ak = b.CoveredAxis("k", k, std::max(k, extent_k), {{2, 64}, {2, 16}});
  const ir::Value load_x = b.Load("load_x", x, {{am, k}, {ak, 1}});
  std::vector<ir::Input> inputs = {ir::InRegisters(load_x)};
  if (op == ir::Op::kMad) inputs.push_back(ir::InRegisters(b.Load("load_w", w, {{ak, 1}})));
  const ir::Value init =
      b.Compute("init", ir::Op::kConst, {am}, {ir::Literal(first)}, ir::ResultType(op, type));
  const ir::Value red = b.Reduce("red", op, {am, ak}, {ak}, init, inputs);
  b.Store("store", y, {{am, 1}}, ir::InRegisters(red));
  ir::PlanLowering(f);
  return f;
}

Item Block(std::string dims, std::uint32_t size, Items body) {
  return MakeLoop(DimKind::BLOCK, std::move(dims), size, std::move(body));
}
Item Loop(std::string dims, std::uint32_t size, Items body) {
  return MakeLoop(DimKind::LOOP, std::move(dims), size, std::move(body));
}
Item Unroll(std::string dims, std::uint32_t size, Items body) {
  return MakeLoop(DimKind::UNROLL, std::move(dims), size, std::move(body));
}
Item Vector(std::string dims, std::uint32_t size, Items body) {
  return MakeLoop(DimKind::VECTOR, std::move(dims), size, std::move(body));
}
Item Thread(int axis, std::string dims, std::uint32_t size, Items body) {
  Item item = MakeLoop(DimKind::THREAD, std::move(dims), size, std::move(body));
  item.axis = axis;
  return item;
}
Item Exec(std::string inst) {
  Item item;
  item.inst = std::move(inst);
  return item;
}

Schedule Draw(const ir::Function& function, const Items& items,
              const std::map<std::string, Layout>& layouts, AcrossBlocks across) {
  return Drawing(function, layouts).Run(items, across);
}

}  // namespace exh::kernels::codegen::testing
