// SPDX-License-Identifier: MIT
#include "kernels/codegen/loops/forest.h"

#include <algorithm>

namespace exh::kernels::codegen {
namespace {

std::size_t Index(int i) {
  return static_cast<std::size_t>(i);
}

class ForestBuilder {
 public:
  ForestBuilder(const ir::Function& function, const Schedule& schedule)
      : function_(function), schedule_(schedule) {}

  Forest Run() {
    ListStatements();
    GroupMerged();
    if (forest_.error.empty()) Nest();
    if (forest_.error.empty()) SortSiblings();
    if (forest_.error.empty()) CompareWithOrder();
    return std::move(forest_);
  }

 private:
  void ListStatements() {
    for (const ir::Dimension& dim : function_.dims) {
      if (schedule_.InStatements(dim.id)) statements_.push_back(dim.id);
    }
    for (const ir::Instruction& inst : function_.insts) {
      if (schedule_.InStatements(inst.id)) statements_.push_back(inst.id);
    }
  }

  const std::string& NameOf(ir::StmtId id) const {
    return id.is_inst ? function_.inst(id.inst()).name() : function_.dim(id.dim()).name();
  }

  void Fail(ir::StmtId a, ir::StmtId b, const std::string& why) {
    if (forest_.error.empty()) {
      forest_.error = "order(" + NameOf(a) + ", " + NameOf(b) + ") is " +
                      std::string(ToString(schedule_.order(a, b))) + why;
    }
  }

  void GroupMerged() {
    forest_.class_of_dim.assign(function_.dims.size(), -1);
    for (const ir::StmtId s : statements_) {
      if (s.is_inst) {
        forest_.insts.push_back(s.inst());
        continue;
      }
      const std::uint32_t size = schedule_.size(s.dim());
      const DimKind kind = schedule_.dim_kind(s.dim());
      for (std::size_t c = 0; c < forest_.classes.size(); ++c) {
        DimClass& known = forest_.classes[c];
        if (schedule_.order(known.dims.front(), s) != Order::MERGED) continue;
        if (known.size != size) Fail(known.dims.front(), s, " but their sizes differ");
        if (known.kind != kind) Fail(known.dims.front(), s, " but their kinds differ");
        known.dims.push_back(s.dim());
        forest_.class_of_dim[s.value] = static_cast<int>(c);
        break;
      }
      if (forest_.class_of_dim[s.value] >= 0) continue;
      forest_.class_of_dim[s.value] = static_cast<int>(forest_.classes.size());
      forest_.classes.push_back({{s.dim()}, kind, size, -1});
    }
  }

  std::size_t num_items() const { return forest_.classes.size() + forest_.insts.size(); }
  ir::StmtId Representative(std::size_t item) const {
    if (item < forest_.classes.size()) return forest_.classes[item].dims.front();
    return forest_.insts[item - forest_.classes.size()];
  }
  Order ItemOrder(std::size_t a, std::size_t b) const {
    return schedule_.order(Representative(a), Representative(b));
  }

  /// The parent is the class around the item that has the most classes around itself.
  void Nest() {
    const std::size_t items = num_items(), classes = forest_.classes.size();
    std::vector<std::size_t> depth(items, 0);
    for (std::size_t item = 0; item < items; ++item) {
      for (std::size_t c = 0; c < classes; ++c) {
        if (c != item && ItemOrder(c, item) == Order::OUTER) ++depth[item];
      }
    }
    forest_.parent.assign(items, -1);
    forest_.children.assign(items + 1, {});
    for (std::size_t item = 0; item < items; ++item) {
      for (std::size_t c = 0; c < classes; ++c) {
        if (c == item || ItemOrder(c, item) != Order::OUTER) continue;
        if (depth[c] >= depth[item]) {
          return Fail(Representative(c), Representative(item), " but nesting is circular");
        }
        int& parent = forest_.parent[item];
        if (parent < 0 || depth[c] > depth[Index(parent)]) parent = static_cast<int>(c);
      }
      const std::size_t home = forest_.parent[item] < 0 ? items : Index(forest_.parent[item]);
      forest_.children[home].push_back(static_cast<int>(item));
    }
  }

  void SortSiblings() {
    for (std::vector<int>& siblings : forest_.children) {
      std::vector<std::pair<int, int>> ranked;  // (siblings before it, item)
      for (const int item : siblings) {
        int before = 0;
        for (const int other : siblings) {
          if (other != item && ItemOrder(Index(other), Index(item)) == Order::BEFORE) ++before;
        }
        ranked.emplace_back(before, item);
      }
      std::sort(ranked.begin(), ranked.end());
      for (std::size_t i = 0; i < ranked.size(); ++i) siblings[i] = ranked[i].second;
    }
  }

  /// Enter and leave times of every item on a walk through the forest.
  void Walk(const std::vector<int>& items, std::vector<int>& enter, std::vector<int>& leave,
            int& time) const {
    for (const int item : items) {
      enter[Index(item)] = time++;
      Walk(forest_.children[Index(item)], enter, leave, time);
      leave[Index(item)] = time++;
    }
  }

  std::size_t ItemOf(ir::StmtId s) const {
    if (!s.is_inst) return Index(forest_.class_of_dim[s.value]);
    const auto it = std::find(forest_.insts.begin(), forest_.insts.end(), s.inst());
    return forest_.classes.size() + static_cast<std::size_t>(it - forest_.insts.begin());
  }

  void CompareWithOrder() {
    std::vector<int> enter(num_items(), 0), leave(num_items(), 0);
    int time = 0;
    Walk(forest_.roots(), enter, leave, time);
    std::vector<std::size_t> item_of;
    for (const ir::StmtId s : statements_) item_of.push_back(ItemOf(s));
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      for (std::size_t j = 0; j < statements_.size(); ++j) {
        if (i == j) continue;
        const std::size_t a = item_of[i], b = item_of[j];
        Order expected = Order::MERGED;
        if (leave[a] < enter[b]) {
          expected = Order::BEFORE;
        } else if (leave[b] < enter[a]) {
          expected = Order::AFTER;
        } else if (enter[a] < enter[b]) {
          expected = Order::OUTER;
        } else if (enter[b] < enter[a]) {
          expected = Order::INNER;
        }
        if (schedule_.order(statements_[i], statements_[j]) != expected) {
          return Fail(
              statements_[i], statements_[j],
              std::string(" but the other decisions say ") + std::string(ToString(expected)));
        }
      }
    }
  }

  const ir::Function& function_;
  const Schedule& schedule_;
  std::vector<ir::StmtId> statements_;
  Forest forest_;
};

}  // namespace

Forest BuildForest(const ir::Function& function, const Schedule& schedule) {
  return ForestBuilder(function, schedule).Run();
}

}  // namespace exh::kernels::codegen
