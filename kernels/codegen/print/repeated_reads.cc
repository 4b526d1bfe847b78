// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/repeated_reads.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace exh::kernels::codegen {
namespace {

class RepeatFinder {
 public:
  explicit RepeatFinder(LoweredCode& code) : code_(code), tree_(code.tree) {}

  void Run() {
    std::vector<ir::InstId> reads;  // In the order in which they run.
    Collect(0, reads);
    std::vector<bool> is_kept(code_.function->insts.size(), false);
    std::uint32_t kept = 0;
    code_.values.repeats.assign(code_.function->insts.size(), {});
    for (std::size_t later = 1; later < reads.size(); ++later) {
      for (std::size_t first = 0; first < later; ++first) {
        if (Repeated(reads[first]).first.valid() || !AreTogether(reads[first], reads[later])) {
          continue;
        }
        auto places = Match(reads[first], reads[later]);
        const std::uint32_t more = is_kept[reads[first].index()] ? 0 : Registers(reads[first]);
        if (!places || kept + more > kMostKept) continue;
        kept += more;
        is_kept[reads[first].index()] = true;
        Repeated(reads[later]) = {reads[first], std::move(*places)};
        LiveUntil(reads[first], reads[later]);
        break;
      }
    }
  }

 private:
  const ir::Instruction& Inst(ir::InstId id) const { return code_.function->inst(id); }
  const ValueStorage& Storage(ir::InstId id) const { return code_.values.storage[id.index()]; }
  RepeatedRead& Repeated(ir::InstId id) { return code_.values.repeats[id.index()]; }
  const DimClass& Class(int c) const { return tree_.classes[static_cast<std::size_t>(c)]; }

  /// Does each launch that runs the later one run the other one, too?
  bool AreTogether(ir::InstId first, ir::InstId later) const {
    return std::ranges::none_of(code_.splits.parts, [&](const Part& part) {
      return part.insts[later.index()] && !part.insts[first.index()];
    });
  }

  std::uint32_t Registers(ir::InstId id) const {
    std::uint32_t registers = 1;
    for (const KeyDim& key : Storage(id).key) registers *= key.size;
    return registers;
  }

  /// Reads of arguments that nothing writes, of registers that are a thread's own.
  void Collect(int index, std::vector<ir::InstId>& reads) const {
    const LoopNode& node = tree_.node(index);
    if (node.kind == NodeKind::kExec && MayRepeat(Inst(node.inst))) reads.push_back(node.inst);
    for (const int child : node.children) Collect(child, reads);
  }
  bool MayRepeat(const ir::Instruction& inst) const {
    const std::size_t number = inst.id.index();
    const bool is_plain = inst.op == ir::Op::kLoad && code_.memory.window(inst) == nullptr &&
                          code_.memory.guards[number].empty() && code_.rings.of_inst[number] < 0;
    return is_plain && code_.function->array(inst.array).role == ir::ArrayRole::kInput &&
           Storage(inst.id).is_read && Storage(inst.id).lanes == 1 &&
           code_.values.insts[number].lanes == 1 &&
           std::ranges::find(code_.values.ahead, inst.id, &AdvancedRead::inst) ==
               code_.values.ahead.end();
  }

  /// By key dim of the earlier read: its place in the key of the later one. Nothing: they do not
  /// read the same.
  std::optional<std::vector<std::size_t>> Match(ir::InstId first, ir::InstId later) const {
    const Affine &a = code_.memory.address[first.index()], &b = code_.memory.address[later.index()];
    if (Inst(first).array != Inst(later).array || Inst(first).type != Inst(later).type ||
        a.offset != b.offset || Storage(first).key.size() != Storage(later).key.size()) {
      return std::nullopt;
    }
    Affine::Strides rest = b.strides;
    std::erase_if(rest, [&](const auto& term) { return Class(term.first).size == 1; });
    std::vector<std::size_t> places(Storage(first).key.size(), 0);
    std::vector<bool> is_taken(places.size(), false);
    for (const auto& [dim_class, stride] : a.strides) {
      if (Class(dim_class).size == 1) continue;
      // Where both are in the copies of the class, the earlier read has those registers alone that
      // belong to this copy and to those before it.
      const bool is_shared = Class(dim_class).kind == DimKind::UNROLL && IsAround(dim_class, later);
      const auto same =
          std::ranges::find_if(rest, [&, c = dim_class, s = stride, is_shared](const auto& term) {
            return term.second == s && (is_shared ? term.first == c : IsSame(c, term.first));
          });
      if (same == rest.end()) return std::nullopt;
      for (std::size_t place = 0; place < places.size(); ++place) {
        if (Storage(first).key[place].dim_class != dim_class) continue;
        const auto& keys = Storage(later).key;
        const auto key = std::ranges::find(keys, same->first, &KeyDim::dim_class);
        if (key == keys.end()) return std::nullopt;
        places[place] = static_cast<std::size_t>(key - keys.begin());
        is_taken[place] = true;
      }
      rest.erase(same);
    }
    // Absent levels have one register, wherever they stand.
    for (std::size_t place = 0; place < places.size(); ++place) {
      if (!is_taken[place] && Storage(first).key[place].size != 1) return std::nullopt;
      if (!is_taken[place]) places[place] = kNoPlace;
    }
    return rest.empty() ? std::optional(places) : std::nullopt;
  }

  bool IsAround(int dim_class, ir::InstId inst) const {
    int at = tree_.node_of_inst[inst.index()];
    while (at >= 0 && tree_.node(at).dim_class != dim_class) at = tree_.node(at).parent;
    return at >= 0;
  }
  /// Has one iteration of a class what the same iteration of the other one has, in a thread?
  bool IsSame(int a, int b) const {
    if (a == b) return true;
    const DimClass &from = Class(a), &to = Class(b);
    if (from.kind != to.kind || from.size != to.size) return false;
    return from.kind == DimKind::UNROLL || (from.kind == DimKind::THREAD && AreSame(from, to));
  }
  /// The same digit of a thread's number, be it in two layouts.
  bool AreSame(const DimClass& a, const DimClass& b) const {
    if (a.axis == b.axis) return true;
    const ThreadAxis &from = tree_.axes[static_cast<std::size_t>(a.axis)],
                     &to = tree_.axes[static_cast<std::size_t>(b.axis)];
    const auto patch = [&](const ThreadAxis& axis) {
      return tree_.layouts[static_cast<std::size_t>(axis.layout)].patch;
    };
    return from.stride == to.stride && from.size == to.size && patch(from) == 1 && patch(to) == 1;
  }

  void LiveUntil(ir::InstId first, ir::InstId later) {
    ValueStorage& storage = code_.values.storage[first.index()];
    int home = tree_.CommonAncestor(storage.home, tree_.node_of_inst[later.index()]);
    const auto is_no_scope = [&](NodeKind kind) {
      return kind == NodeKind::kExec || kind == NodeKind::kUnroll || kind == NodeKind::kVector;
    };
    while (is_no_scope(tree_.node(home).kind)) home = tree_.node(home).parent;
    storage.home = home;
    storage.per_thread = tree_.has_threads() && !tree_.InThreads(home);
  }

  LoweredCode& code_;
  const LoopTree& tree_;
};

}  // namespace

void KeepRepeatedReads(LoweredCode& code) {
  if (code.tree.has_lanes()) return;
  RepeatFinder(code).Run();
  code.threads =
      PlanThreads(*code.function, code.tree, code.values, code.rings, code.splits.parts.front());
}

}  // namespace exh::kernels::codegen
