// SPDX-License-Identifier: MIT
#include "tests/kernels/codegen/hand_backbone.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"

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
    s_.num_dims = f_.dims.size();
    s_.num_insts = f_.insts.size();
    const std::size_t statements = s_.num_dims + s_.num_insts;
    s_.dim_active.assign(s_.num_dims, false);
    s_.inst_active.assign(s_.num_insts, false);
    s_.comm_lowered.assign(f_.comms.size(), false);
    s_.block_active.assign(f_.blocks.size(), false);
    s_.size.assign(s_.num_dims, 1);
    s_.kind.assign(s_.num_dims, DimKind::LOOP);
    s_.mapping.assign(f_.pairs.size(), DimMapping::NOT_MAPPED);
    s_.mem_space.assign(f_.blocks.size(), MemSpace::SHARED);
    s_.rank.assign(f_.axes.size(), 0);
    s_.cache.assign(s_.num_insts, "CACHE_DEFAULT");
    s_.vec.assign(s_.num_insts, 1);
    s_.pad.assign(f_.blocks.size(), 0);
    s_.tiles.assign(f_.comms.size(), Tiles::SAME_TILES);
    s_.order.assign(statements * statements, Order::MERGED);
    s_.thread_mapping.assign(s_.num_dims * s_.num_dims, ThreadMapping::NOT_THREADS);
    enter_.assign(statements, -1);
    leave_.assign(statements, -1);
    axis_.assign(s_.num_dims, -1);
  }

  Schedule Run(const Items& items) {
    Walk(items);
    FillOrder();
    FillThreads();
    for (const ir::Communication& comm : f_.comms) {
      if (!comm.lowered || !s_.inst_active[comm.lowered->store.index()]) continue;
      s_.comm_lowered[comm.id.index()] = true;
      s_.block_active[comm.lowered->block.index()] = true;
      FillLayout(f_.block(comm.lowered->block));
    }
    return std::move(s_);
  }

 private:
  void Walk(const Items& items) {
    for (const Item& item : items) {
      const int enter = time_++;
      std::vector<std::size_t> statements;
      if (item.dims.empty()) {
        const ir::InstId inst = Find(f_.insts, item.inst).id;
        s_.inst_active[inst.index()] = true;
        statements.push_back(s_.stmt(inst));
      }
      for (const std::string& name : SplitNames(item.dims)) {
        const ir::DimId dim = Find(f_.dims, name).id;
        s_.dim_active[dim.index()] = true;
        s_.size[dim.index()] = item.size;
        s_.kind[dim.index()] = item.kind;
        axis_[dim.index()] = item.axis;
        statements.push_back(s_.stmt(dim));
      }
      Walk(item.body);
      for (const std::size_t s : statements) {
        enter_[s] = enter;
        leave_[s] = time_;
      }
      ++time_;
    }
  }

  void FillOrder() {
    const std::size_t n = enter_.size();
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        Order& order = s_.order[a * n + b];
        if (leave_[a] < enter_[b]) {
          order = Order::BEFORE;
        } else if (leave_[b] < enter_[a]) {
          order = Order::AFTER;
        } else if (enter_[a] < enter_[b]) {
          order = Order::OUTER;
        } else if (enter_[b] < enter_[a]) {
          order = Order::INNER;
        }
      }
    }
  }

  void FillThreads() {
    for (std::size_t a = 0; a < s_.num_dims; ++a) {
      for (std::size_t b = 0; b < s_.num_dims; ++b) {
        if (axis_[a] < 0 || axis_[b] < 0) continue;
        s_.thread_mapping[a * s_.num_dims + b] = axis_[a] == axis_[b]  ? ThreadMapping::MAPPED
                                                 : axis_[a] < axis_[b] ? ThreadMapping::MAPPED_OUT
                                                                       : ThreadMapping::MAPPED_IN;
      }
    }
  }

  void FillLayout(const ir::MemBlock& block) {
    const auto it = layouts_.find(block.name());
    const Layout layout = it == layouts_.end() ? Layout{} : it->second;
    s_.mem_space[block.id.index()] = layout.space;
    std::vector<ir::AxisId> stored;  // Innermost first.
    for (auto axis = block.axes.rbegin(); axis != block.axes.rend(); ++axis) {
      const ir::Axis& a = f_.axis(*axis);
      if (s_.order_of(a.store_dim, a.load_dim) != Order::MERGED) stored.push_back(*axis);
    }
    std::stable_sort(stored.begin(), stored.end(), [&](ir::AxisId a, ir::AxisId b) {
      return Position(layout, a) < Position(layout, b);
    });
    std::uint32_t rank = 0;
    for (const ir::AxisId axis : stored) s_.rank[axis.index()] = ++rank;
  }

  std::size_t Position(const Layout& layout, ir::AxisId id) const {
    const ir::Axis& axis = f_.axis(id);
    if (layout.innermost_first.empty()) {
      const bool vector = s_.kind[axis.store_dim.index()] == DimKind::VECTOR ||
                          s_.kind[axis.load_dim.index()] == DimKind::VECTOR;
      return vector ? 0 : 1;
    }
    const std::string name = axis.name().substr(axis.name().rfind('.') + 1);
    const auto& names = layout.innermost_first;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  const ir::Function& f_;
  const std::map<std::string, Layout>& layouts_;
  Schedule s_;
  std::vector<int> enter_, leave_, axis_;
  int time_ = 0;
};

}  // namespace

ir::Function Axpy(std::uint32_t n) {
  ir::Function f;
  f.paper = true;
  f.name = "axpy";
  ir::Builder b(f);
  const auto x = b.InputArray("x", n), y = b.InputArray("y", n), z = b.OutputArray("z", n);
  b.Scalar("alpha", 3);
  const ir::AxisRef axis = b.Axis("n", n, {{2, 1024}, {2, 64}});
  const ir::Value load_x = b.Load("load_x", x, {{axis, 1}});
  const ir::Value load_y = b.Load("load_y", y, {{axis, 1}});
  const ir::Value mad =
      b.Compute("mad", ir::Op::kMad, {axis},
                {ir::MayStage(load_x), ir::ScalarArg("alpha"), ir::MayStage(load_y)});
  b.Store("store", z, {{axis, 1}}, ir::InRegisters(mad));
  ir::Freeze(f);
  return f;
}

ir::Function Matmul(std::uint32_t m, std::uint32_t n, std::uint32_t k, std::uint32_t a_stride) {
  ir::Function f;
  f.paper = true;
  f.name = "matmul";
  ir::Builder b(f);
  const auto a = b.InputArray("a", std::uint64_t{m} * k * a_stride);
  const auto bb = b.InputArray("b", std::uint64_t{k} * n);
  const auto c = b.OutputArray("c", std::uint64_t{m} * n);
  const ir::AxisRef am = b.Axis("m", m, {{2, 64}, {2, 16}});
  const ir::AxisRef an = b.Axis("n", n, {{2, 64}, {2, 16}});
  const ir::AxisRef ak = b.Axis("k", k, {{2, 64}});
  const ir::Value load_a = b.Load("load_a", a, {{am, std::int64_t{k} * a_stride}, {ak, a_stride}});
  const ir::Value load_b = b.Load("load_b", bb, {{ak, n}, {an, 1}});
  const ir::Value init = b.Compute("init", ir::Op::kConst, {am, an}, {ir::Literal(0)});
  const ir::Value mad = b.Reduce("mad", ir::Op::kMad, {am, an, ak}, {ak}, init,
                                 {ir::MayStage(load_a), ir::MayStage(load_b)});
  b.Store("store", c, {{am, n}, {an, 1}}, ir::InRegisters(mad));
  ir::Freeze(f);
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
              const std::map<std::string, Layout>& layouts) {
  return Drawing(function, layouts).Run(items);
}

}  // namespace exh::kernels::codegen::testing
