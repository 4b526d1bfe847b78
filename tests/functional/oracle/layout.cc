// SPDX-License-Identifier: MIT
#include "tests/functional/oracle/layout.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace exh::functional::reference {
namespace {

/// A dimension with these places; what the first one is goes to `offset`.
Dim DimOf(std::vector<std::int64_t> places, std::int64_t& offset) {
  const std::int64_t first = places.front();
  offset += first;
  for (std::int64_t& place : places) place -= first;
  Dim dim;
  dim.extent = static_cast<std::int64_t>(places.size());
  dim.stride = places.size() > 1 ? places[1] : 0;
  bool is_uniform = true;
  for (std::int64_t i = 0; i < dim.extent && is_uniform; ++i) {
    is_uniform = places[static_cast<std::size_t>(i)] == i * dim.stride;
  }
  if (!is_uniform) {
    dim.places = std::make_shared<const std::vector<std::int64_t>>(std::move(places));
  }
  return dim;
}

/// `count` places, those of `place(i)`.
template <class Place>
std::vector<std::int64_t> Places(std::int64_t count, const Place& place) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) places[static_cast<std::size_t>(i)] = place(i);
  return places;
}

}  // namespace

Shape ShapeOf(const Part& part) {
  Shape shape;
  for (const Dim& dim : part.dims) shape.push_back(dim.extent);
  return shape;
}

std::int64_t CellsOf(const Shape& shape) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : shape) cells *= extent;
  return cells;
}

std::vector<Dim> Contiguous(const Shape& shape) {
  std::vector<Dim> dims(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    dims[i].extent = shape[i];
    dims[i].stride = stride;
    stride *= shape[i];
  }
  return dims;
}

bool IsMoving(const Value& value) {
  return std::ranges::any_of(value, [](const Part& part) { return !part.moves.empty(); });
}

void Join(Part& part) {
  EXH_CHECK(part.dims.size() >= 2);
  const Dim outer = std::move(part.dims[0]), inner = std::move(part.dims[1]);
  part.dims.erase(part.dims.begin());
  Dim& joined = part.dims[0];
  const bool are_uniform = outer.places == nullptr && inner.places == nullptr;
  if (outer.extent == 1) {
    joined = inner;
  } else if (inner.extent == 1) {
    joined = outer;
  } else if (are_uniform && outer.stride == inner.extent * inner.stride) {
    joined = {outer.extent * inner.extent, inner.stride, nullptr};
  } else {
    joined = DimOf(Places(outer.extent * inner.extent,
                          [&](std::int64_t i) {
                            return outer.At(i / inner.extent) + inner.At(i % inner.extent);
                          }),
                   part.offset);
  }
}

void Transpose(Part& part) {
  EXH_CHECK(part.dims.size() >= 2);
  std::swap(part.dims[0], part.dims[1]);
}

void Reorder(Part& part, std::int64_t stride) {
  const Dim dim = part.dims[0];
  const std::int64_t together = dim.extent / stride;
  part.dims[0] =
      DimOf(Places(dim.extent,
                   [&](std::int64_t i) { return dim.At(i / together + stride * (i % together)); }),
            part.offset);
}

void Crop(Part& part, std::int64_t first, std::int64_t count) {
  const Dim dim = part.dims[0];
  if (dim.places == nullptr) {
    part.offset += first * dim.stride;
    part.dims[0].extent = count;
    return;
  }
  part.dims[0] =
      DimOf(Places(count, [&](std::int64_t i) { return dim.At(first + i); }), part.offset);
}

bool Window(Part& part, std::int64_t count, std::int64_t size, std::int64_t step) {
  const Dim dim = part.dims[0];
  Dim outer = {count, step * dim.stride, nullptr}, inner = {size, dim.stride, nullptr};
  if (dim.places != nullptr) {
    std::int64_t offset = 0;  // Stays 0: the first place is.
    outer = DimOf(Places(count, [&](std::int64_t i) { return dim.At(i * step); }), offset);
    inner = DimOf(Places(size, [&](std::int64_t i) { return dim.At(i); }), offset);
    for (std::int64_t i = 0; i < count * size; ++i) {
      const std::int64_t window = i / size, within = i % size;
      if (dim.At(window * step + within) != outer.At(window) + inner.At(within)) return false;
    }
  }
  part.dims[0] = std::move(inner);
  part.dims.insert(part.dims.begin(), std::move(outer));
  return true;
}

}  // namespace exh::functional::reference
