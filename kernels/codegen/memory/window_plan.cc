// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/window_plan.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace exh::kernels::codegen {
namespace {

constexpr std::uint32_t kMostBytes = 16;  ///< Of one access.

class WindowPlanner {
 public:
  WindowPlanner(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                const ir::Window& window)
      : function_(function), schedule_(schedule), tree_(tree), window_(window) {}

  PlannedWindow Run() {
    planned_.window.window = window_.id;
    planned_.window.base = window_.base;
    std::vector<WindowSide>& sides = planned_.window.sides;
    for (const ir::SpanId id : window_.spans) sides.push_back(SideOf(function_.span(id)));
    std::int64_t stride = 1;
    for (std::size_t i = sides.size(); i-- > 0;) {
      const ir::WindowSpan& span = function_.span(window_.spans[i]);
      for (const ir::AccessAxis& axis : span.axes) AddPlace(axis, stride);
      stride *= static_cast<std::int64_t>(sides[i].length);
    }
    for (std::uint32_t width = kMostBytes / window_.element_bytes; width > 1; width /= 2) {
      if (!MayTake(width)) continue;
      planned_.window.width = width;
      break;
    }
    return std::move(planned_);
  }

 private:
  bool IsAround(ir::DimId dim) const {
    return schedule_.window_part(window_.id, dim) == WindowPart::AROUND_WINDOW;
  }

  /// Points of the axis in the window.
  std::int64_t TileOf(ir::LogicalDimId axis) {
    std::int64_t tile = 1;
    bool ends = false;
    const std::vector<ir::DimId>& dims = function_.logical(axis).dims;
    for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
      const std::uint32_t size = schedule_.size(*dim);
      ends |= IsAround(*dim);
      if (ends && !IsAround(*dim) && size > 1) {
        planned_.error = "the window of " + function_.inst(window_.read).name() +
                         " holds a level of " + function_.logical(axis).name +
                         " that is around one which it does not hold";
      }
      if (!IsAround(*dim)) tile *= size;
    }
    return tile;
  }

  WindowSide SideOf(const ir::WindowSpan& span) {
    WindowSide side;
    side.unit = span.unit;
    side.extent = span.extent;
    side.first.offset = span.offset;
    for (const ir::AccessAxis& axis : span.axes) {
      const std::int64_t reach = (TileOf(axis.logical) - 1) * std::abs(axis.stride);
      side.length += static_cast<std::uint64_t>(reach);
      if (axis.stride < 0) side.first.offset -= reach;
      ForEachLevel(axis.logical, [&](ir::DimId dim, std::int64_t step) {
        if (IsAround(dim)) AddDim(tree_, dim, step * axis.stride, side.first);
      });
    }
    std::tie(side.least, side.most) = RangeOf(tree_, side.first);
    side.most += static_cast<std::int64_t>(side.length) - 1;
    side.leaves = side.least < 0 || side.most >= side.extent;
    return side;
  }

  /// What an axis adds to the place of an element in the window.
  void AddPlace(const ir::AccessAxis& axis, std::int64_t stride) {
    if (axis.stride < 0) {
      planned_.address.offset += (TileOf(axis.logical) - 1) * -axis.stride * stride;
    }
    ForEachLevel(axis.logical, [&](ir::DimId dim, std::int64_t step) {
      if (!IsAround(dim)) AddDim(tree_, dim, step * axis.stride * stride, planned_.address);
    });
  }

  template <typename Action>
  void ForEachLevel(ir::LogicalDimId axis, const Action& act) const {
    const std::vector<ir::DimId>& dims = function_.logical(axis).dims;
    std::int64_t step = 1;
    for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
      act(*dim, step);
      step *= schedule_.size(*dim);
    }
  }

  /// May neighbours be copied so many at once? All begin at multiples of their number, on both
  /// sides, and are in the argument together or not at all.
  bool MayTake(std::uint32_t width) const {
    const std::vector<WindowSide>& sides = planned_.window.sides;
    const ir::Array& array = function_.array(function_.inst(window_.read).array);
    const auto is_multiple = [&](std::int64_t number) { return number % width == 0; };
    const WindowSide& last = sides.back();
    if (last.unit != 1 || last.length % width != 0 ||
        array.alignment < width * window_.element_bytes || !is_multiple(planned_.window.base) ||
        !is_multiple(last.first.offset) || (last.leaves && !is_multiple(last.extent))) {
      return false;
    }
    return std::ranges::all_of(
               last.first.strides,
               [&](const auto& of_class) { return is_multiple(of_class.second); }) &&
           std::all_of(sides.begin(), sides.end() - 1, [&](const WindowSide& side) {
             return is_multiple(side.unit) || (side.least == 0 && side.most == 0);
           });
  }

  const ir::Function& function_;
  const Schedule& schedule_;
  const LoopTree& tree_;
  const ir::Window& window_;
  PlannedWindow planned_;
};

}  // namespace

std::uint64_t CopiedWindow::elements() const {
  std::uint64_t elements = 1;
  for (const WindowSide& side : sides) elements *= side.length;
  return elements;
}

PlannedWindow PlanWindow(const ir::Function& function, const Schedule& schedule,
                         const LoopTree& tree, const ir::Window& window) {
  return WindowPlanner(function, schedule, tree, window).Run();
}

bool IsZeroInWindow(const ir::Function& function, const ir::Window& window, ir::LogicalDimId axis) {
  return double{window.outside} == 0 && std::ranges::any_of(window.spans, [&](ir::SpanId id) {
           const ir::WindowSpan& span = function.span(id);
           const std::int64_t step = span.step(axis);
           return step > 0 && span.axes.size() == 1 &&
                  span.offset + step * function.logical(axis).total >= span.extent;
         });
}

}  // namespace exh::kernels::codegen
