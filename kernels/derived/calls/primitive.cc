// SPDX-License-Identifier: MIT
#include "kernels/derived/calls/primitive.h"

#include <algorithm>
#include <numeric>

#include "kernels/derived/calls/linear_form.h"

namespace exh::kernels::derived {
namespace {

using Input = Expression::Input;
using Node = Expression::Node;
using Kind = Primitive::Kind;

class Matcher {
 public:
  explicit Matcher(const Expression& expression) : e_(expression) {}

  std::optional<Primitive> Match() {
    if (e_.outputs.size() != 1) return std::nullopt;
    store_ = &e_.node(e_.outputs.front());
    if (store_->type != ir::Type::kF32 || !IsPlain(*store_)) return std::nullopt;
    for (const auto kind :
         {&Matcher::Reduction, &Matcher::Softmax, &Matcher::LayerNorm, &Matcher::Convolution}) {
      std::optional<Primitive> found = (this->*kind)();
      if (found && IsForward(found->from) && IsForward(found->to)) return found;
    }
    return std::nullopt;
  }

 private:
  static bool IsForward(const TensorView& tensor) {
    return std::ranges::all_of(tensor.strides, [](std::int64_t stride) { return stride > 0; });
  }

  /// The node of an operand, behind what passes a value on. Null: a number, a scan, or not of f32
  /// alone.
  const Node* NodeOf(const Input& from) const {
    Input input = from;
    while (!input.is_number()) {
      const Node& node = e_.node(input.node);
      if (node.type != ir::Type::kF32) return nullptr;
      if (node.op == ir::Op::kLoad) {
        const bool is_known =
            node.index < 0 && (node.guards.empty() || double{node.otherwise} == 0);
        return is_known ? &node : nullptr;
      }
      if (node.computes != ir::Type::kF32 || node.is_scan()) return nullptr;
      if (node.op != ir::Op::kConst) return &node;
      input = Input(node.inputs[0]);
    }
    return nullptr;
  }
  /// The same, if its operator is this one.
  const Node* NodeOf(const Input& from, ir::Op op) const {
    const Node* const node = NodeOf(from);
    return node != nullptr && node->op == op ? node : nullptr;
  }
  const Node* ElementwiseOf(const Input& from, ir::Op op) const {
    const Node* const node = NodeOf(from, op);
    return node != nullptr && !node->is_reduction() ? node : nullptr;
  }
  const Node* ReductionOf(const Input& from, ir::Op op) const {
    const Node* const node = NodeOf(from, op);
    return node != nullptr && node->is_reduction() ? node : nullptr;
  }

  std::int64_t Steps(int axis) const { return std::int64_t{e_.axis(axis).total}; }
  std::int64_t Steps(const std::vector<int>& axes) const {
    std::int64_t steps = 1;
    for (const int axis : axes) steps *= Steps(axis);
    return steps;
  }

  /// An operand that is a number, maybe a scalar.
  std::optional<Input> NumberOf(const Input& from) const {
    Input input = from;
    while (!input.is_number()) {
      const Node& node = e_.node(input.node);
      if (node.op != ir::Op::kConst) return std::nullopt;
      input = Input(node.inputs[0]);
    }
    return input;
  }
  /// One that is the same for all values of scalars.
  std::optional<double> LiteralOf(const Input& from) const {
    const std::optional<Input> number = NumberOf(from);
    if (!number || !number->scalar.empty()) return std::nullopt;
    return double{number->number};
  }

  /// What is read or written along these axes.
  TensorView ViewOf(const Node& access, const std::vector<int>& axes) const {
    TensorView tensor{static_cast<int>(access.array.index()), {}, {}};
    for (const int axis : axes) {
      tensor.dims.push_back(Steps(axis));
      tensor.strides.push_back(access.StrideOf(axis));
    }
    return tensor;
  }

  static bool IsPlainLoad(const Node* node) {
    return node != nullptr && node->op == ir::Op::kLoad && IsPlain(*node);
  }

  /// Do two loads read the same elements where the axes of `a` are those of `b`, by their order?
  bool AreSame(const Node& a, const std::vector<int>& axes_a, const Node& b,
               const std::vector<int>& axes_b) const {
    if (a.array != b.array || axes_a.size() != axes_b.size()) return false;
    for (std::size_t i = 0; i < axes_a.size(); ++i) {
      if (Steps(axes_a[i]) != Steps(axes_b[i]) || a.StrideOf(axes_a[i]) != b.StrideOf(axes_b[i])) {
        return false;
      }
    }
    return a.strides.size() <= axes_a.size() && b.strides.size() <= axes_b.size();
  }

  /// Axes of a reduction's points: those of its value, then those that it goes along.
  static std::vector<int> PointsOf(const Node& reduction) {
    std::vector<int> axes = reduction.axes;
    axes.insert(axes.end(), reduction.reduced.begin(), reduction.reduced.end());
    return axes;
  }

  bool BeginsWith(const Node& reduction, double value) const {
    const std::optional<double> begin = LiteralOf(e_.InitOf(reduction));
    return begin && *begin == value;
  }
  bool IsNeutral(const Node& reduction) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (reduction.op) {
      case ir::Op::kAdd:
        return BeginsWith(reduction, 0);
      case ir::Op::kMul:
        return BeginsWith(reduction, 1);
      case ir::Op::kMin:
        return BeginsWith(reduction, kInfinity);
      case ir::Op::kMax:
        return BeginsWith(reduction, -kInfinity);
      default:
        return false;
    }
  }

  std::optional<Primitive> Reduction() {
    const Node* const sum = NodeOf(store_->inputs[0]);
    if (sum == nullptr || !sum->is_reduction() || !IsNeutral(*sum)) return std::nullopt;
    const Node* const load = NodeOf(sum->inputs[0]);
    if (!IsPlainLoad(load)) return std::nullopt;
    Primitive found{.kind = Kind::kReduction};
    found.op = sum->op;
    // In the order of the array, as a person would ask for it: neighbours that act as one are one.
    std::vector<int> axes = PointsOf(*sum);
    std::erase_if(axes, [&](int axis) { return Steps(axis) == 1; });
    std::ranges::stable_sort(axes, std::ranges::greater{},
                             [&](int axis) { return load->StrideOf(axis); });
    TensorView &from = found.from, &to = found.to;
    from.array = static_cast<int>(load->array.index());
    to.array = static_cast<int>(store_->array.index());
    bool was_reduced = false;
    for (const int axis : axes) {
      const bool is_reduced = std::ranges::count(sum->reduced, axis) > 0;
      const std::int64_t steps = Steps(axis), moves = load->StrideOf(axis);
      const std::int64_t writes = is_reduced ? 0 : store_->StrideOf(axis);
      const bool nests = !from.dims.empty() && was_reduced == is_reduced &&
                         from.strides.back() == steps * moves &&
                         (is_reduced || to.strides.back() == steps * writes);
      if (!nests) {
        for (TensorView* tensor : {&from, &to}) {
          tensor->dims.push_back(1);
          tensor->strides.push_back(0);
        }
      }
      from.dims.back() *= steps;
      from.strides.back() = moves;
      if (!is_reduced) to.dims.back() *= steps;
      to.strides.back() = writes;
      was_reduced = is_reduced;
    }
    // A dim of one step moves nowhere: as the one behind it does.
    std::int64_t all = 1;
    for (std::size_t i = to.dims.size(); i-- > 0;) {
      if (to.dims[i] == 1) to.strides[i] = all;
      all = to.strides[i] * to.dims[i];
    }
    if (from.dims.empty()) return std::nullopt;
    return found;
  }

  /// exp(x - top), and top is the largest of the row.
  struct Exponential {
    const Node* load;
    const Node* top;
  };
  std::optional<Exponential> ExponentialOf(const Input& from) const {
    const Node* const exp = ElementwiseOf(from, ir::Op::kExp);
    if (exp == nullptr) return std::nullopt;
    const Node* const difference = ElementwiseOf(exp->inputs[0], ir::Op::kSub);
    if (difference == nullptr) return std::nullopt;
    const Node* const load = NodeOf(difference->inputs[0]);
    const Node* const top = ReductionOf(difference->inputs[1], ir::Op::kMax);
    if (!IsPlainLoad(load) || top == nullptr || !IsNeutral(*top)) return std::nullopt;
    const Node* const largest = NodeOf(top->inputs[0]);
    if (!IsPlainLoad(largest) || top->reduced.size() != 1) return std::nullopt;
    return Exponential{load, top};
  }

  /// The axes of the store, the one last that is not among those of a value for each row.
  std::optional<std::vector<int>> RowAxes(const std::vector<int>& of_rows) const {
    std::vector<int> axes = of_rows, last;
    for (const int axis : store_->axes) {
      if (std::ranges::count(of_rows, axis) == 0) last.push_back(axis);
    }
    if (last.size() != 1 || store_->axes.size() != axes.size() + 1) return std::nullopt;
    axes.push_back(last.front());
    return axes;
  }

  std::optional<Primitive> Softmax() {
    const Node* const quotient = ElementwiseOf(store_->inputs[0], ir::Op::kDiv);
    if (quotient == nullptr) return std::nullopt;
    const std::optional<Exponential> above = ExponentialOf(quotient->inputs[0]);
    const Node* const total = ReductionOf(quotient->inputs[1], ir::Op::kAdd);
    if (!above || total == nullptr || !IsNeutral(*total) || total->reduced.size() != 1) {
      return std::nullopt;
    }
    const std::optional<Exponential> below = ExponentialOf(total->inputs[0]);
    const std::optional<std::vector<int>> axes = RowAxes(total->axes);
    if (!below || below->top != above->top || !axes || above->top->axes != total->axes) {
      return std::nullopt;
    }
    const Node& largest = *NodeOf(above->top->inputs[0]);
    if (!AreSame(*above->load, *axes, *below->load, PointsOf(*total)) ||
        !AreSame(*above->load, *axes, largest, PointsOf(*above->top))) {
      return std::nullopt;
    }
    Primitive found{.kind = Kind::kSoftmax};
    found.from = ViewOf(*above->load, *axes);
    found.to = ViewOf(*store_, *axes);
    found.axis = static_cast<int>(axes->size()) - 1;
    return found;
  }

  /// x times x, summed: of what is squared.
  std::optional<Input> SquareOf(const Node& sum) const {
    const Node* product = &sum;
    if (sum.op == ir::Op::kAdd) product = ElementwiseOf(sum.inputs[0], ir::Op::kMul);
    if (product == nullptr || (product->op != ir::Op::kMad && product->op != ir::Op::kMul)) {
      return std::nullopt;
    }
    const Input a = product->inputs[0], b = product->inputs[1];
    if (a.is_number() || NodeOf(a) != NodeOf(b)) return std::nullopt;
    return a;
  }

  /// What a sum is divided by the number of its elements.
  const Node* MeanOf(const Input& from) const {
    const Node* const quotient = ElementwiseOf(from, ir::Op::kDiv);
    if (quotient == nullptr) return nullptr;
    const Node* const sum = NodeOf(quotient->inputs[0]);
    if (sum == nullptr || sum->reduced.size() != 1 || !BeginsWith(*sum, 0)) return nullptr;
    const std::optional<double> count = LiteralOf(quotient->inputs[1]);
    return count && *count == static_cast<double>(Steps(sum->reduced)) ? sum : nullptr;
  }

  /// x - mean of its row. `mean` is the sum.
  struct Centred {
    const Node* load;
    const Node* mean;
  };
  std::optional<Centred> CentredOf(const Input& from) const {
    const Node* const difference = ElementwiseOf(from, ir::Op::kSub);
    if (difference == nullptr) return std::nullopt;
    const Node* const load = NodeOf(difference->inputs[0]);
    const Node* const mean = MeanOf(difference->inputs[1]);
    if (!IsPlainLoad(load) || mean == nullptr || mean->op != ir::Op::kAdd) return std::nullopt;
    return IsPlainLoad(NodeOf(mean->inputs[0])) ? std::optional(Centred{load, mean}) : std::nullopt;
  }

  /// Factors of a product, each an operand that is no product itself.
  void FactorsOf(const Input& from, std::vector<Input>& factors) const {
    const Node* const product = ElementwiseOf(from, ir::Op::kMul);
    if (product == nullptr) return factors.push_back(from);
    FactorsOf(product->inputs[0], factors);
    FactorsOf(product->inputs[1], factors);
  }

  std::optional<Primitive> LayerNorm() {
    Primitive found{.kind = Kind::kLayerNorm};
    std::vector<Input> factors;
    const Node* shift = nullptr;
    const Node* const value = NodeOf(store_->inputs[0]);
    if (value == nullptr || value->is_reduction()) return std::nullopt;
    if (value->op == ir::Op::kMad || value->op == ir::Op::kAdd) {
      shift = NodeOf(value->inputs[value->op == ir::Op::kMad ? 2 : 1]);
      if (!IsPlainLoad(shift)) return std::nullopt;
      FactorsOf(value->inputs[0], factors);
      if (value->op == ir::Op::kMad) FactorsOf(value->inputs[1], factors);
    } else {
      FactorsOf(store_->inputs[0], factors);
    }
    std::optional<Centred> centred;
    const Node* root = nullptr;
    const Node* scale = nullptr;
    for (const Input& factor : factors) {
      const Node* const node = NodeOf(factor);
      if (node == nullptr) return std::nullopt;
      if (node->op == ir::Op::kRsqrt && root == nullptr) {
        root = node;
      } else if (IsPlainLoad(node) && scale == nullptr) {
        scale = node;
      } else if (!centred) {
        centred = CentredOf(factor);
        if (!centred) return std::nullopt;
      } else {
        return std::nullopt;
      }
    }
    if (!centred || root == nullptr) return std::nullopt;
    const Node* const below = ElementwiseOf(root->inputs[0], ir::Op::kAdd);
    if (below == nullptr) return std::nullopt;
    const std::optional<Input> epsilon = NumberOf(below->inputs[1]);
    const Node* const variance = MeanOf(below->inputs[0]);
    if (!epsilon || variance == nullptr) return std::nullopt;
    const std::optional<Input> deviation = SquareOf(*variance);
    const std::optional<Centred> of_variance = deviation ? CentredOf(*deviation) : std::nullopt;
    const std::optional<std::vector<int>> axes = RowAxes(variance->axes);
    if (!of_variance || of_variance->mean != centred->mean || !axes ||
        centred->mean->axes != variance->axes) {
      return std::nullopt;
    }
    if (!AreSame(*centred->load, *axes, *of_variance->load, PointsOf(*variance)) ||
        !AreSame(*centred->load, *axes, *NodeOf(centred->mean->inputs[0]),
                 PointsOf(*centred->mean))) {
      return std::nullopt;
    }
    const std::vector<int> last = {axes->back()};
    for (const auto& [load, tensor] :
         {std::pair(scale, &found.gamma), std::pair(shift, &found.beta)}) {
      if (load == nullptr) continue;
      *tensor = ViewOf(*load, last);
      const bool is_vector = load->strides.size() == 1 && tensor->strides.front() == 1;
      if (!is_vector) return std::nullopt;
    }
    found.epsilon = *epsilon;
    found.from = ViewOf(*centred->load, *axes);
    found.to = ViewOf(*store_, *axes);
    return found;
  }

  /// An axis of windows and the one that counts their taps, as what both move by in the image.
  struct Window {
    int axis = -1, tap = -1;
    std::int64_t unit = 1;  ///< Elements from one row of the image to the next.
  };

  /// Pairs axes of the result with axes that are summed over: by the guards of the load, which name
  /// both; where none can be left, by the largest unit that both are multiples of, then by the
  /// nearest tap.
  std::vector<Window> WindowsOf(const Node& load, const std::vector<int>& axes,
                                const std::vector<int>& taps) const {
    std::vector<Window> windows;
    for (const Expression::Guard& guard : load.guards) {
      Window window;
      for (const auto& [axis, steps] : guard.strides) {
        if (std::ranges::count(axes, axis) > 0) window.axis = axis;
        if (std::ranges::count(taps, axis) > 0) window.tap = axis;
        const std::int64_t moves = load.StrideOf(axis);
        if (steps <= 0 || moves % steps != 0) return {};
        window.unit = moves / steps;
      }
      if (guard.strides.size() != 2 || window.axis < 0 || window.tap < 0) return {};
      windows.push_back(window);
    }
    if (!load.guards.empty()) return windows;
    std::vector<int> left = axes;
    std::ranges::stable_sort(left, {}, [&](int axis) { return load.StrideOf(axis); });
    std::vector<int> free = taps;
    for (const int axis : left) {
      Window best;
      for (const int tap : free) {
        const std::int64_t unit = std::gcd(load.StrideOf(axis), load.StrideOf(tap));
        const bool is_nearer = best.tap >= 0 && load.StrideOf(tap) < load.StrideOf(best.tap);
        if (best.tap < 0 || unit > best.unit || (unit == best.unit && is_nearer)) {
          best = {axis, tap, unit};
        }
      }
      if (best.tap < 0) break;
      std::erase(free, best.tap);
      windows.push_back(best);
      if (windows.size() == 2) break;
    }
    return windows;
  }

  std::optional<Primitive> Convolution() {
    const std::optional<LinearForm> form =
        LinearFormOf(e_, static_cast<int>(e_.outputs.front()), true);
    if (!form || form->terms.size() != 1 || form->has_relu) return std::nullopt;
    const LinearTerm& term = form->terms.front();
    const LinearProduct* const product = term.factor.product.get();
    const bool is_scaled = !term.coefficient.numbers.empty() ||
                           (product != nullptr && !product->coefficient.numbers.empty());
    if (product == nullptr || is_scaled || product->has_relu) return std::nullopt;
    if (product->a.product || product->b.product) return std::nullopt;
    for (const bool is_first : {true, false}) {
      const Node& image = e_.node(is_first ? product->a.load : product->b.load);
      const Node& filter = e_.node(is_first ? product->b.load : product->a.load);
      std::optional<Primitive> found = ConvolutionOf(*product, image, filter);
      if (found) return found;
    }
    return std::nullopt;
  }

  std::optional<Primitive> ConvolutionOf(const LinearProduct& product, const Node& image,
                                         const Node& filter) const {
    const bool is_f32 = image.type == ir::Type::kF32 && filter.type == ir::Type::kF32;
    if (!is_f32 || !IsPlain(filter)) return std::nullopt;
    std::vector<int> of_images, of_filters;  // Axes of the result.
    for (const int axis : product.axes) {
      const bool in_image = image.StrideOf(axis) != 0, in_filter = filter.StrideOf(axis) != 0;
      if (in_image == in_filter) return std::nullopt;
      (in_image ? of_images : of_filters).push_back(axis);
    }
    for (const int axis : product.reduced) {
      if (image.StrideOf(axis) == 0 || filter.StrideOf(axis) == 0) return std::nullopt;
    }
    std::vector<Window> windows = WindowsOf(image, of_images, product.reduced);
    if (windows.size() != 2) return std::nullopt;
    // Rows are what moves farther.
    std::ranges::stable_sort(windows, std::ranges::greater{}, &Window::unit);
    std::vector<int> channels = product.reduced, images = of_images;
    for (const Window& window : windows) {
      std::erase(channels, window.tap);
      std::erase(images, window.axis);
    }
    if (of_filters.size() > 1 || channels.size() > 1 || images.size() > 1) return std::nullopt;

    Primitive found{.kind = Kind::kConvolution};
    const auto add = [&](TensorView& tensor, const Node& access, const std::vector<int>& axis) {
      tensor.dims.push_back(axis.empty() ? 1 : Steps(axis.front()));
      tensor.strides.push_back(axis.empty() ? 0 : access.StrideOf(axis.front()));
    };
    found.from.array = static_cast<int>(image.array.index());
    found.weights.array = static_cast<int>(filter.array.index());
    found.to.array = static_cast<int>(store_->array.index());
    add(found.from, image, images);
    add(found.to, *store_, images);
    add(found.weights, filter, of_filters);
    add(found.from, image, channels);
    add(found.to, *store_, of_filters);
    add(found.weights, filter, channels);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Window& window = windows[i];
      found.step[i] = image.StrideOf(window.axis) / window.unit;
      found.dilation[i] = image.StrideOf(window.tap) / window.unit;
      const std::int64_t out = Steps(window.axis), taps = Steps(window.tap);
      const std::int64_t read = (out - 1) * found.step[i] + (taps - 1) * found.dilation[i] + 1;
      std::int64_t extent = read;
      for (const Expression::Guard& guard : image.guards) {
        if (guard.strides.front().first != window.axis && guard.strides.back().first != window.axis)
          continue;
        found.before[i] = -guard.offset;
        extent = std::min(guard.extent, read + guard.offset);
      }
      found.behind[i] = read - extent - found.before[i];
      if (found.before[i] < 0 || found.behind[i] < 0) return std::nullopt;
      offset -= found.before[i] * window.unit;
      found.from.dims.push_back(extent);
      found.from.strides.push_back(window.unit);
      found.to.dims.push_back(out);
      found.to.strides.push_back(store_->StrideOf(window.axis));
      found.weights.dims.push_back(taps);
      found.weights.strides.push_back(filter.StrideOf(window.tap));
    }
    if (image.offset != offset) return std::nullopt;
    for (TensorView* tensor : {&found.from, &found.weights, &found.to}) FillStrides(*tensor);
    return found;
  }

  /// A dim of one step moves nowhere: as far as all others together, so that none lies in another.
  static void FillStrides(TensorView& tensor) {
    std::int64_t all = 1;
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
      all = std::max(all, tensor.dims[i] * tensor.strides[i]);
    }
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
      if (tensor.dims[i] == 1 && tensor.strides[i] == 0) tensor.strides[i] = all;
    }
  }

  const Expression& e_;
  const Node* store_ = nullptr;
};

}  // namespace

std::optional<Primitive> PrimitiveOf(const Expression& expression) {
  return Matcher(expression).Match();
}

}  // namespace exh::kernels::derived
