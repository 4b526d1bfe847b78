// SPDX-License-Identifier: MIT
#include "tests/kernels/codegen/random_matmul.h"

#include <algorithm>
#include <random>

namespace exh::kernels::codegen::testing {
namespace {

/// "mad.m0 + store.m0".
std::string Names(const std::vector<std::string>& insts, const std::string& level) {
  std::string text;
  for (const std::string& inst : insts) text += (text.empty() ? "" : " + ") + inst + "." + level;
  return text;
}

int Depth(DimKind kind) {
  switch (kind) {
    case DimKind::BLOCK:
      return 0;
    case DimKind::THREAD:
      return 1;
    case DimKind::LOOP:
      return 2;
    case DimKind::UNROLL:
      return 3;
    case DimKind::VECTOR:
      return 4;
    case DimKind::TENSOR:  // Not drawn.
      break;
  }
  return 5;
}

class Generator {
 public:
  Generator(unsigned seed, AcrossBlocks across)
      : random_(seed), across_(across), splits_(across != AcrossBlocks::NOT_ACROSS) {}

  std::unique_ptr<RandomMatmul> Run(ir::Type type, bool covered) {
    auto out = std::make_unique<RandomMatmul>();
    for (int& size : m_) size = Size();
    for (int& size : n_) size = Size();
    for (int& size : k_) size = Size();
    thread_m_ = Chance(2);
    thread_n_ = Chance(2);
    thread_k_ = Chance(2);
    slices_ = thread_k_ && Chance(2);
    if (slices_) features_.insert("slices");
    lanes_ = !slices_ && k_[1] != 3 && Chance(3);
    if (lanes_) features_.insert("lanes of sums");
    stage_a_ = Chance(2);
    stage_b_ = Chance(2);
    const int a_stride = Chance(4) ? 3 : 1;
    a_contiguous_ = a_stride == 1;
    out->first = Chance(2) ? 3 : 0;
    const Extents extents = {U(m_[0] * m_[1] * m_[2]), U(n_[0] * n_[1] * n_[2]), U(k_[0] * k_[1])};
    const auto total = [&](std::uint32_t extent) {
      if (!covered) return extent;
      const auto most = static_cast<int>((extent + 3) / 4);
      return extent - U(std::uniform_int_distribution<int>(1, most)(random_));
    };
    const std::uint32_t m = total(extents.m), n = total(extents.n), k = total(extents.k);
    out->function = Matmul(m, n, k, U(a_stride), type, out->first, extents);
    const Items items = Outer();
    std::map<std::string, Layout> layouts;
    if (stage_a_) layouts["tmp.load_a"] = RandomLayout(a_inner_, {"m0", "m1", "m2", "k0", "k1"});
    if (stage_b_) layouts["tmp.load_b"] = RandomLayout(b_inner_, {"k0", "k1", "n0", "n1", "n2"});
    out->schedule = Draw(out->function, items, layouts, across_);
    if (splits_) features_.insert("splits");
    if (splits_ && slices_) features_.insert("splits of slices");
    if (splits_ && lanes_) features_.insert("splits of lanes");
    if (thread_m_ || thread_n_) features_.insert("thread");
    if (thread_m_ && thread_n_) features_.insert("two thread axes");
    if (stage_a_ || stage_b_) features_.insert("temporary");
    out->features = features_;
    return out;
  }

 private:
  static std::uint32_t U(int value) { return static_cast<std::uint32_t>(value); }
  bool Chance(int in) { return std::uniform_int_distribution<int>(1, in)(random_) == 1; }
  int Size() { return Chance(4) ? 3 : Chance(2) ? 4 : 2; }

  Layout RandomLayout(const std::string& inner, std::vector<std::string> axes) {
    std::shuffle(axes.begin(), axes.end(), random_);
    if (!inner.empty()) {
      axes.erase(std::find(axes.begin(), axes.end(), inner));
      axes.insert(axes.begin(), inner);
    }
    Layout layout{MemSpace::SHARED, axes};
    if (Chance(4)) {
      layout.space = MemSpace::GLOBAL;
      features_.insert("global");
    }
    return layout;
  }

  /// Loops around a body: the kinds' legal nesting, otherwise any order.
  Items Nest(Items loops, Items body) {
    std::shuffle(loops.begin(), loops.end(), random_);
    std::stable_sort(loops.begin(), loops.end(),
                     [](const Item& a, const Item& b) { return Depth(a.kind) < Depth(b.kind); });
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      loop->body = std::move(body);
      body = {*loop};
    }
    return body;
  }

  Item Make(DimKind kind, const std::string& dims, int size, int axis = -1) {
    Item item;
    item.kind = kind;
    item.dims = dims;
    item.size = U(size);
    item.axis = axis;
    if (kind == DimKind::VECTOR) features_.insert("vector");
    if (kind == DimKind::UNROLL) features_.insert("unroll");
    return item;
  }

  /// A register dim: unrolled, or the instruction's one vector.
  Item Expanded(const std::string& dims, int size, bool may_vector, bool& has_vector) {
    const bool vector = may_vector && !has_vector && size != 3 && Chance(2);
    has_vector |= vector;
    return Make(vector ? DimKind::VECTOR : DimKind::UNROLL, dims, size);
  }

  std::vector<std::string> WithM(std::vector<std::string> insts) const {
    insts.push_back("load_a");
    if (stage_a_) insts.insert(insts.end(), {"tmp.load_a.st", "tmp.load_a.ld"});
    return insts;
  }
  std::vector<std::string> WithN(std::vector<std::string> insts) const {
    insts.push_back("load_b");
    if (stage_b_) insts.insert(insts.end(), {"tmp.load_b.st", "tmp.load_b.ld"});
    return insts;
  }

  Items Outer() {
    // The last block is known where all loops have ended, and there those of a cluster meet.
    const bool only_blocks =
        across_ == AcrossBlocks::LAST_BLOCK || across_ == AcrossBlocks::CLUSTER;
    const auto kind = [&] { return only_blocks || Chance(2) ? DimKind::BLOCK : DimKind::LOOP; };
    Items outer = {Make(kind(), Names(WithM({"init", "mad", "store"}), "m0"), m_[0]),
                   Make(kind(), Names(WithN({"init", "mad", "store"}), "n0"), n_[0])};
    Items body = RegisterNest("init", true);
    if (splits_) outer.push_back(KLoop());
    if (stage_a_ && !splits_ && Chance(3)) {
      hoist_a_ = true;
      features_.insert("hoisted stage");
      Append(body, Stage('a'));
    }
    if (splits_) {
      Append(body, KBody());
    } else {
      Item loop = KLoop();
      loop.body = KBody();
      Append(body, {loop});
    }
    Append(body, RegisterNest("store", false));
    return Nest(std::move(outer), std::move(body));
  }

  static void Append(Items& to, const Items& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  /// Threads of the band of `inst`, and of those merged with it.
  Items Band(const std::string& m_dims, const std::string& n_dims) {
    Items band;
    if (thread_m_) band.push_back(Make(DimKind::THREAD, m_dims, m_[1], 0));
    if (thread_n_) band.push_back(Make(DimKind::THREAD, n_dims, n_[1], 1));
    return band;
  }

  /// Nest of init or store over the register tile; a store's vector must be along n2.
  Items RegisterNest(const std::string& inst, bool any_vector) {
    bool has_vector = false;
    Items loops = Band(inst + ".m1", inst + ".n1");
    loops.push_back(Expanded(inst + ".n2", n_[2], true, has_vector));
    loops.push_back(Expanded(inst + ".m2", m_[2], any_vector, has_vector));
    if (!thread_m_) loops.push_back(Expanded(inst + ".m1", m_[1], any_vector, has_vector));
    if (!thread_n_) loops.push_back(Expanded(inst + ".n1", n_[1], any_vector, has_vector));
    return Nest(std::move(loops), {Exec(inst)});
  }

  /// Without its body. Where blocks divide the sums, it is around everything.
  Item KLoop() {
    std::vector<std::string> k0 = {"mad"};
    if (!stage_a_) k0.push_back("load_a");
    if (!stage_b_) k0.push_back("load_b");
    if (stage_a_) k0.push_back("tmp.load_a.ld");
    if (stage_a_ && !hoist_a_) k0.insert(k0.end(), {"load_a", "tmp.load_a.st"});
    if (stage_b_) k0.insert(k0.end(), {"load_b", "tmp.load_b.st", "tmp.load_b.ld"});
    return Make(splits_ ? DimKind::BLOCK : DimKind::LOOP, Names(k0, "k0"), k_[0]);
  }

  Items KBody() {
    Items body;
    if (stage_a_ && !hoist_a_) Append(body, Stage('a'));
    if (stage_b_) Append(body, Stage('b'));
    Append(body, MadNest());
    return body;
  }

  /// load + temporary store: their dims merged, on whatever thread axes have the size.
  Items Stage(char operand) {
    const bool is_a = operand == 'a';
    const std::string load = is_a ? "load_a" : "load_b";
    const std::vector<std::string> both = {load, "tmp." + load + ".st"};
    std::vector<std::pair<std::string, int>> dims = {{is_a ? "m1" : "n1", is_a ? m_[1] : n_[1]},
                                                     {is_a ? "m2" : "n2", is_a ? m_[2] : n_[2]},
                                                     {"k1", k_[1]}};
    if (is_a && hoist_a_) dims.emplace_back("k0", k_[0]);
    std::shuffle(dims.begin(), dims.end(), random_);
    // Axis 2 exists for stages and slices: everything else repeats its work along it.
    bool axis_free[3] = {thread_m_, thread_n_, thread_k_};
    const int axis_size[3] = {m_[1], n_[1], k_[1]};
    Items loops;
    std::string inner;
    for (const auto& [level, size] : dims) {
      DimKind kind = Chance(2) ? DimKind::LOOP : DimKind::UNROLL;
      int axis = -1;
      for (int a = 0; a < 3; ++a) {
        if (axis_free[a] && axis_size[a] == size && Chance(2)) axis = a;
      }
      const bool contiguous = is_a ? level == "k1" && a_contiguous_ : level == "n2";
      if (axis >= 0) {
        kind = DimKind::THREAD;
        axis_free[axis] = false;
        if (axis == 2) features_.insert("guard");
        if (level != "m1" && level != "n1") features_.insert("other thread map");
      } else if (contiguous && size != 3 && Chance(2)) {
        kind = DimKind::VECTOR;
        inner = level;
      }
      loops.push_back(Make(kind, Names(both, level), size, axis));
    }
    (is_a ? a_inner_ : b_inner_) = inner;
    features_.insert(is_a ? "stage a" : "stage b");
    return Nest(std::move(loops), {Exec(load), Exec("tmp." + load + ".st")});
  }

  Items MadNest() {
    const std::string a = stage_a_ ? "tmp.load_a.ld" : "load_a";
    const std::string b = stage_b_ ? "tmp.load_b.ld" : "load_b";
    bool has_vector = lanes_;
    const Item n2 = Expanded("mad.n2", n_[2], true, has_vector);
    Items tile = {n2, Expanded("mad.m2", m_[2], true, has_vector)};
    if (!thread_m_) tile.push_back(Expanded("mad.m1", m_[1], true, has_vector));
    if (!thread_n_) tile.push_back(Expanded("mad.n1", n_[1], true, has_vector));

    if (lanes_) tile.push_back(Make(DimKind::VECTOR, "mad.k1", k_[1]));
    Items inside = OperandNest(a, "m", m_, thread_m_, stage_a_ ? &a_inner_ : nullptr, false);
    Append(inside, OperandNest(b, "n", n_, thread_n_, stage_b_ ? &b_inner_ : nullptr, true));
    Append(inside, Nest(std::move(tile), {Exec("mad")}));
    Items band = Band("mad.m1 + " + a + ".m1", "mad.n1 + " + b + ".n1");
    if (lanes_) return Nest(std::move(band), std::move(inside));
    const Item k1 = Make(slices_ ? DimKind::THREAD : DimKind::LOOP,
                         "mad.k1 + " + a + ".k1 + " + b + ".k1", k_[1], slices_ ? 2 : -1);
    band.push_back(k1);
    return Nest(std::move(band), std::move(inside));
  }

  /// The operand's register tile, read in a nest of its own before the tile of mad.
  Items OperandNest(const std::string& inst, const std::string& axis, const int (&sizes)[3],
                    bool thread, std::string* inner, bool contiguous) {
    bool has_vector = false;
    // A temporary's vector lies along its innermost axis; an argument's along stride 1.
    const auto may_vector = [&](const std::string& level) {
      if (inner != nullptr) return inner->empty() || *inner == level;
      return contiguous && level == "n2";
    };
    Items loops;
    for (int level = 1; level <= 2; ++level) {
      if (level == 1 && thread) continue;
      const std::string name = axis + std::to_string(level);
      loops.push_back(Expanded(inst + "." + name, sizes[level], may_vector(name), has_vector));
      if (inner != nullptr && loops.back().kind == DimKind::VECTOR) *inner = name;
    }
    // The lanes of the sums may be registers here.
    if (lanes_) {
      const bool along_k = inner != nullptr ? may_vector("k1") : !contiguous && a_contiguous_;
      loops.push_back(Expanded(inst + ".k1", k_[1], along_k, has_vector));
      if (inner != nullptr && loops.back().kind == DimKind::VECTOR) *inner = "k1";
    }
    return Nest(std::move(loops), {Exec(inst)});
  }

  std::mt19937 random_;
  AcrossBlocks across_;
  bool splits_;  ///< Blocks divide the sums.
  int m_[3] = {}, n_[3] = {}, k_[2] = {};
  bool thread_m_ = false, thread_n_ = false, thread_k_ = false, stage_a_ = false, stage_b_ = false;
  bool hoist_a_ = false, a_contiguous_ = true;
  bool slices_ = false;            ///< Threads have slices of the sums.
  bool lanes_ = false;             ///< Lanes have parts of the sums.
  std::string a_inner_, b_inner_;  ///< Axis that a vector access needs innermost.
  std::set<std::string> features_;
};

}  // namespace

std::unique_ptr<RandomMatmul> MakeRandomMatmul(unsigned seed, ir::Type type, AcrossBlocks across,
                                               bool covered) {
  return Generator(seed, across).Run(type, covered);
}

}  // namespace exh::kernels::codegen::testing
