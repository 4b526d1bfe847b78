// SPDX-License-Identifier: MIT
#include "tests/kernels/space/output_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <span>

#include "kernels/cpu/compare.h"

namespace exh::kernels::testing {
namespace {

struct alignas(64) Line {
  std::byte bytes[64];
};

/// Where an array begins: aligned as its caller promises, and no better, where that is less than
/// a line.
std::size_t StartOf(const ir::Array& array) {
  return array.alignment % sizeof(Line);
}

/// The elements of an input; of an output what spoils a result.
std::vector<Line> Aligned(const ir::Array& array, const Elements& values) {
  std::vector<Line> lines((StartOf(array) + array.bytes() + sizeof(Line) - 1) / sizeof(Line));
  if (lines.empty()) return lines;
  std::byte* const out = lines[0].bytes + StartOf(array);
  std::fill_n(lines[0].bytes, lines.size() * sizeof(Line), std::byte{0xA5});
  if (!values.empty()) {
    std::ranges::copy(values.bytes(), out);
  } else if (ir::IsFloat(array.type)) {
    const std::uint32_t bytes = ir::BytesOf(array.type);
    for (std::uint64_t i = 0; i < array.elements; ++i) {
      ir::WriteElement(array.type, out + i * bytes, std::numeric_limits<double>::quiet_NaN());
    }
  }
  return lines;
}

}  // namespace

OutputCheck::OutputCheck(const Task& task, const std::vector<Inputs>& kinds) : task_(task) {
  for (const Inputs inputs : kinds) problems_.push_back(MakeProblem(task, 1, inputs));
  for (const ir::Scalar& scalar : task.function->scalars) {
    const ir::Number value = ir::Rounded(scalar.type, scalar.value);
    scalars_.push_back(std::bit_cast<double>(value.Cell(scalar.type)));
  }
}

std::string OutputCheck::Check(const Run& run) const {
  for (const ProblemData& problem : problems_) {
    std::string message = CheckOn(problem, run);
    if (!message.empty()) return message;
  }
  return "";
}

std::string OutputCheck::CheckOn(const ProblemData& problem, const Run& run) const {
  std::vector<std::vector<Line>> arrays;
  std::vector<std::vector<unsigned char>> written;
  std::vector<void*> array_pointers;
  std::vector<unsigned char*> written_pointers;
  for (const ir::Array& array : task_.function->arrays) {
    arrays.push_back(Aligned(array, problem.find(array.name)->second.values));
    written.emplace_back(array.elements, 0);
    array_pointers.push_back(arrays.back()[0].bytes + StartOf(array));
    written_pointers.push_back(written.back().data());
  }
  const std::string message = run(array_pointers.data(), scalars_.data(), written_pointers.data());
  if (!message.empty()) return message;
  for (const ir::Array& array : task_.function->arrays) {
    if (array.role != ir::ArrayRole::kOutput) continue;
    const ArrayData& data = problem.find(array.name)->second;
    const cpu::ProblemArray wanted = {array.name,     true,           array.type,     {},
                                      data.reference, data.tolerance, data.rms_limit, data.whole};
    const std::size_t number = array.id.index();
    const std::span<const std::byte> got(static_cast<const std::byte*>(array_pointers[number]),
                                         array.bytes());
    const std::string wrong = cpu::Compare(wanted, got).why;
    if (!wrong.empty()) return wrong;
    for (std::size_t i = 0; i < array.elements; ++i) {
      const int writes = written[number][i];
      if (writes != 1) return fmt::format("{}[{}] was written {} times", array.name, i, writes);
    }
  }
  return "";
}

}  // namespace exh::kernels::testing
