// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/rows.h"

namespace exh::kernels::derived {
namespace {

template <typename T>
void Copy(const T* from, std::int64_t step, std::int64_t points, double* to) {
  if (step == 1) {
    for (std::int64_t i = 0; i < points; ++i) to[i] = from[i];
  } else {
    for (std::int64_t i = 0; i < points; ++i) to[i] = from[i * step];
  }
}

}  // namespace

void Program::Fuse(std::size_t first, std::vector<std::int64_t>* written) {
  std::vector<std::vector<std::int64_t>*> all;
  for (Read& read : reads) all.push_back(&read.steps);
  if (written != nullptr) all.push_back(written);
  for (std::size_t i = sizes.size() - 1; i-- > first;) {
    const std::int64_t outer = sizes[i], inner = sizes[i + 1];
    const bool adjoin = outer == 1 || inner == 1 || std::ranges::all_of(all, [&](const auto* of) {
                          return (*of)[i] == (*of)[i + 1] * inner;
                        });
    if (!adjoin) continue;
    const auto place = static_cast<std::ptrdiff_t>(inner == 1 ? i + 1 : i);
    sizes[i] = sizes[i + 1] = outer * inner;
    sizes.erase(sizes.begin() + place);
    axes.erase(axes.begin() + place);
    for (auto* of : all) of->erase(of->begin() + place);
  }
}

Rows::Rows(const Program& program)
    : program_(program),
      memory_(Uninitialized(2 * kRow * program.slots)),
      slots_(At(program.slots)),
      last_(program.reads.size(), {-1, 0}),
      index_(program.axes.size()),
      largest_(program.steps.size(), 0) {
  static const std::vector<double> zeros(At(kRow), 0.0);
  for (int slot = 0; slot < program.slots; ++slot) {
    slots_[At(slot)] = {Memory(slot), zeros.data()};
  }
  for (const Program::Step& step : program.steps) {
    slots_[At(step.slot)].error = Memory(step.slot) + kRow;
  }
  for (const auto& [slot, number] : program.numbers) {
    std::fill_n(Memory(slot), kRow, number);
  }
}

Slot Rows::Compute(std::int64_t index) {
  const std::int64_t points = program_.Length(index);
  Locate(index);
  for (std::size_t read = 0; read < program_.reads.size(); ++read) Load(read, points);
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const Program::Step& step = program_.steps[i];
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
  const Program::Read& read = program_.reads[which];
  const std::int64_t offset = read.base + Offset(read.steps), step = read.steps.back();
  if (last_[which] == std::pair(offset, points)) return;  // As on the row before.
  last_[which] = {offset, points};
  Slot& slot = slots_[At(read.slot)];
  double* const memory = Memory(read.slot);
  if (read.floats != nullptr) return Copy(read.floats + offset, step, points, memory);
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

}  // namespace exh::kernels::derived
