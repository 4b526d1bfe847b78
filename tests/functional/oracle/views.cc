// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "tests/functional/oracle/compile.h"

namespace exh::functional::reference {
namespace {

template <class Change>
Value Changed(Value array, const Change& change) {
  for (Part& part : array) change(part);
  return array;
}

Value Cropped(Value array, std::int64_t first, std::int64_t count) {
  return Changed(std::move(array), [&](Part& part) { Crop(part, first, count); });
}

}  // namespace

std::int64_t Compiler::LengthOf(const Value& array) const {
  EXH_CHECK(!array.empty() && !array[0].dims.empty());
  return array[0].dims[0].extent;
}

Value Compiler::View(const Node& view) {
  if (view.name == "zip") return Zip(view);
  Value array = Look(*view.inputs[0]);
  const std::int64_t length = LengthOf(array);
  if (view.name == "transpose") return Changed(std::move(array), Transpose);
  if (view.name == "join" || view.name == "asScalar") return Changed(std::move(array), Join);
  if (view.name == "pad") return Pad(view, array);
  if (view.name == "split" || view.name == "asVector") {
    const std::int64_t size = lengths_.LengthOf(view.type->items[0]->length);
    if (length % size != 0) Fail(fmt::format("{}({}) of {}", view.name, size, length));
    return Windows(array, length / size, size, size);
  }
  if (view.name == "slide") {
    const std::int64_t size = lengths_.LengthOf(view.arguments[0]);
    const std::int64_t step = lengths_.LengthOf(view.arguments[1]);
    if (size > length) Fail(fmt::format("slide({}, {}) of {}", size, step, length));
    return Windows(array, (length - size) / step + 1, size, step);
  }
  EXH_CHECK(view.name == "reorder");
  const std::int64_t stride = lengths_.LengthOf(view.arguments[0]);
  if (length % stride != 0) Fail(fmt::format("reorder({}) of {}", stride, length));
  return Changed(std::move(array), [&](Part& part) { Reorder(part, stride); });
}

Value Compiler::Zip(const Node& zip) {
  Value all = LookAtAll(zip.inputs);
  const std::int64_t length = LengthOf(all);
  for (const Part& part : all) {
    if (part.dims[0].extent != length) {
      Fail(fmt::format("zip of {} and {} elements", length, part.dims[0].extent));
    }
  }
  return all;
}

Value Compiler::Windows(const Value& array, std::int64_t count, std::int64_t size,
                        std::int64_t step) {
  Value windows = array;
  const auto window = [&](Part& part) { return Window(part, count, size, step); };
  if (std::ranges::all_of(windows, window)) return windows;
  windows = Copied(array);
  EXH_CHECK(std::ranges::all_of(windows, window));
  return windows;
}

Value Compiler::Pad(const Node& pad, const Value& array) {
  const std::int64_t before = lengths_.Of(pad.arguments[0]), after = lengths_.Of(pad.arguments[1]);
  const std::int64_t length = LengthOf(array), padded = before + length + after;
  if (padded < 1) Fail(fmt::format("pad({}, {}) of {}", before, after, length));
  const std::int64_t first = std::max<std::int64_t>(0, -before);
  const std::int64_t kept = length + std::min<std::int64_t>(0, after) - first;
  if (before <= 0 && after <= 0) return Cropped(array, first, padded);
  if (IsMoving(array)) throw NoLayout{};
  std::vector<Shape> shapes;
  for (const Part& part : array) {
    shapes.push_back(ShapeOf(part));
    shapes.back()[0] = padded;
  }
  Value to;
  Outside(LevelOf(array), [&] {
    to = NewMemory(shapes);
    EmitCopy(to, Constant(pad, shapes));
    if (kept > 0) EmitCopy(Cropped(to, first + before, kept), Cropped(array, first, kept));
  });
  return to;
}

Value Compiler::Constant(const Node& number, const std::vector<Shape>& shapes) {
  const double value =
      number.number ? static_cast<double>(lengths_.Of(*number.number)) : number.real;
  Value all;
  for (const Shape& shape : shapes) {
    Part part;
    part.slot = Code::kConstants;
    part.offset = static_cast<std::int64_t>(code_.constants.size());
    for (const std::int64_t extent : shape) part.dims.push_back({extent, 0, nullptr});
    all.push_back(std::move(part));
  }
  code_.constants.push_back(reference::Constant(value));
  return all;
}

}  // namespace exh::functional::reference
