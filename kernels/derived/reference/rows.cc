// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/rows.h"

#include <type_traits>

namespace exh::kernels::derived {
namespace {

template <typename T>
void Copy(const T* from, std::int64_t step, std::int64_t points, double* to) {
  const auto slot = [](const T& value) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return SlotOfWhole(ir::Type::kI64, value);
    } else {
      return ir::ToDouble(value);
    }
  };
  if (step == 1) {
    for (std::int64_t i = 0; i < points; ++i) to[i] = slot(from[i]);
  } else {
    for (std::int64_t i = 0; i < points; ++i) to[i] = slot(from[i * step]);
  }
}

/// Points of a row, from the first to the one before the second.
using Stretch = std::pair<std::int64_t, std::int64_t>;

const double* Zeros() {
  static const std::vector<double> zeros(At(kRow), 0.0);
  return zeros.data();
}

/// a / b, rounded down.
std::int64_t Quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// The points of a piece at which first, first + step, … is in 0 … extent - 1.
Stretch Cut(Stretch piece, std::int64_t first, std::int64_t step, std::int64_t extent) {
  if (step == 0) return first >= 0 && first < extent ? piece : Stretch{0, 0};
  if (step < 0) return Cut(piece, extent - 1 - first, -step, extent);
  return {std::max(piece.first, -Quotient(first, step)),
          std::min(piece.second, Quotient(extent - 1 - first, step) + 1)};
}

}  // namespace

void RowProgram::Fuse(std::size_t first, std::vector<std::int64_t>* written) {
  std::vector<std::vector<std::int64_t>*> all;
  for (Read& read : reads) {
    all.push_back(&read.steps);
    for (Guard& guard : read.guards) all.push_back(&guard.steps);
  }
  if (written != nullptr) all.push_back(written);
  for (std::size_t i = sizes.size() - 1; i-- > first;) {
    const std::int64_t outer = sizes[i], inner = sizes[i + 1];
    const auto at = static_cast<int>(i);
    if (sampled == at || sampled == at + 1) continue;
    const bool adjoin = outer == 1 || inner == 1 || std::ranges::all_of(all, [&](const auto* of) {
                          return (*of)[i] == (*of)[i + 1] * inner;
                        });
    if (!adjoin) continue;
    const auto place = static_cast<std::ptrdiff_t>(inner == 1 ? i + 1 : i);
    sizes[i] = sizes[i + 1] = outer * inner;
    sizes.erase(sizes.begin() + place);
    axes.erase(axes.begin() + place);
    if (sampled > at) --sampled;
    for (auto* of : all) of->erase(of->begin() + place);
  }
}

Strides RowProgram::Dense() const {
  Strides strides;
  std::int64_t stride = 1;
  for (std::size_t i = axes.size(); i-- > 0; stride *= sizes[i]) {
    strides.emplace_back(axes[i], stride);
  }
  return strides;
}

Rows::Rows(const RowProgram& program)
    : program_(program),
      memory_(Uninitialized(2 * kRow * program.slots)),
      slots_(At(program.slots)),
      last_(program.reads.size(), {-1, 0}),
      index_(program.axes.size()),
      largest_(program.steps.size(), 0) {
  for (int slot = 0; slot < program.slots; ++slot) slots_[At(slot)] = {Memory(slot), Zeros()};
  for (const RowProgram::Step& step : program.steps) {
    if (step.rule != nullptr) slots_[At(step.slot)].error = Memory(step.slot) + kRow;
  }
  for (const auto& [slot, number] : program.numbers) {
    std::fill_n(Memory(slot), kRow, number);
  }
}

RowSlot Rows::Compute(std::int64_t index) {
  const std::int64_t points = program_.Length(index);
  Locate(index);
  for (std::size_t read = 0; read < program_.reads.size(); ++read) {
    if (program_.reads[read].index < 0) Load(read, points);
  }
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const RowProgram::Step& step = program_.steps[i];
    if (step.rule == nullptr) {
      Gather(program_.reads[step.read], points);
      continue;
    }
    Operands operands;
    for (std::size_t j = 0; j < step.operands.size(); ++j) {
      operands[j] = slots_[At(step.operands[j])];
    }
    double* const memory = Memory(step.slot);
    largest_[i] = std::max(largest_[i], step.rule->row(operands, points, memory, memory + kRow));
  }
  return slots_[At(program_.root)];
}

std::int64_t Rows::Offset(const std::vector<std::int64_t>& steps) const {
  const std::int64_t offset = OffsetInTensor(steps);
  if (program_.sampled < 0) return offset;
  const std::int64_t at = index_[At(program_.sampled)];
  return offset + steps[At(program_.sampled)] * (program_.values[at] - at);
}

std::int64_t Rows::OffsetInTensor(const std::vector<std::int64_t>& steps) const {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) offset += steps[i] * index_[i];
  return offset;
}

void Rows::Locate(std::int64_t index) {
  index_.back() = program_.First(index);
  index /= program_.RowsAcross();
  for (std::size_t i = index_.size() - 1; i-- > 0; index /= program_.sizes[i]) {
    index_[i] = index % program_.sizes[i];
  }
}

void Rows::Load(std::size_t which, std::int64_t points) {
  const RowProgram::Read& read = program_.reads[which];
  const std::int64_t offset = OffsetOf(read), step = read.steps.back();
  // As on the row before? Guards may be elsewhere at the same element.
  if (last_[which] == std::pair(offset, points) && read.guards.empty()) return;
  last_[which] = {offset, points};
  RowSlot& slot = slots_[At(read.slot)];
  double* const memory = Memory(read.slot);
  if (read.elements != nullptr) return LoadElements(read, offset, points, memory);
  if (!read.guards.empty()) return Gather(read, points);
  if (read.tensor == nullptr) {
    for (std::int64_t i = 0; i < points; ++i) memory[i] = SlotOfWhole(read.type, offset + i * step);
    return;
  }
  const double* const values = read.tensor->values.get() + offset;
  const double* const errors =
      read.tensor->errors == nullptr ? nullptr : read.tensor->errors.get() + offset;
  if (step == 1) {
    slot.value = values;
    if (errors != nullptr) slot.error = errors;
    return;
  }
  Copy(values, step, points, memory);
  if (errors == nullptr) return;
  Copy(errors, step, points, memory + kRow);
  slot.error = memory + kRow;
}

Stretch Rows::Inside(const RowProgram::Read& read, std::int64_t points) const {
  Stretch inside = {0, points};
  for (const RowProgram::Guard& guard : read.guards) {
    inside = Cut(inside, guard.offset + Offset(guard.steps), guard.steps.back(), guard.extent);
  }
  return inside.first < inside.second ? inside : Stretch{0, 0};
}

void Rows::LoadElements(const RowProgram::Read& read, std::int64_t offset, std::int64_t points,
                        double* to) const {
  const auto [first, end] = Inside(read, points);
  std::fill(to, to + first, read.otherwise);
  std::fill(to + end, to + points, read.otherwise);
  if (first == end) return;
  const std::int64_t step = read.steps.back(), begin = offset + first * step, count = end - first;
  double* const inside = to + first;
  ir::WithType(read.type, [&]<typename T>(T) {
    Copy(reinterpret_cast<const T*>(read.elements) + begin, step, count, inside);
  });
}

void Rows::Gather(const RowProgram::Read& read, std::int64_t points) {
  const auto [first, end] = Inside(read, points);
  const std::int64_t offset = OffsetOf(read), step = read.steps.back();
  const double* const index = read.index < 0 ? Zeros() : slots_[At(read.index)].value;
  double* const values = Memory(read.slot);
  double* const errors = values + kRow;
  std::fill_n(values, kRow, read.otherwise);
  std::fill_n(errors, kRow, 0.0);
  const auto each = [&, first = first, end = end](const auto& take) {
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t at = offset + i * step + static_cast<std::int64_t>(index[i]);
      if (at >= 0 && at < read.count) take(i, at);
    }
  };
  if (read.tensor == nullptr) {
    return ir::WithType(read.type, [&]<typename T>(T) {
      const T* const elements = reinterpret_cast<const T*>(read.elements);
      each([&](std::int64_t i, std::int64_t at) { Copy(elements + at, 1, 1, values + i); });
    });
  }
  each([&](std::int64_t i, std::int64_t at) { values[i] = read.tensor->values[At(at)]; });
  if (read.tensor->errors == nullptr) return;
  each([&](std::int64_t i, std::int64_t at) { errors[i] = read.tensor->errors[At(at)]; });
  slots_[At(read.slot)].error = errors;
}

}  // namespace exh::kernels::derived
