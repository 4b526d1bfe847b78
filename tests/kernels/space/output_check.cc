// SPDX-License-Identifier: MIT
#include "tests/kernels/space/output_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/cpu/compare.h"

namespace exh::kernels::testing {
namespace {

struct alignas(64) Line {
  float values[16];
};

/// The values of an array, aligned; NaN where there are none.
std::vector<Line> Aligned(const std::vector<float>& values, std::uint64_t elements) {
  std::vector<Line> lines((elements + 15) / 16);
  float* const out = lines.empty() ? nullptr : lines[0].values;
  std::fill_n(out, 16 * lines.size(), std::numeric_limits<float>::quiet_NaN());
  std::copy(values.begin(), values.end(), out);
  return lines;
}

}  // namespace

OutputCheck::OutputCheck(const Task& task, const std::vector<Inputs>& kinds) : task_(task) {
  for (const Inputs inputs : kinds) problems_.push_back(MakeProblem(task, 1, inputs));
  for (const ir::Scalar& scalar : task.function->scalars) scalars_.push_back(scalar.value);
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
  std::vector<float*> array_pointers;
  std::vector<unsigned char*> written_pointers;
  for (const ir::Array& array : task_.function->arrays) {
    arrays.push_back(Aligned(problem.find(array.name)->second.values, array.elements));
    written.emplace_back(array.elements, 0);
    array_pointers.push_back(arrays.back().data()->values);
    written_pointers.push_back(written.back().data());
  }
  const std::string message = run(array_pointers.data(), scalars_.data(), written_pointers.data());
  if (!message.empty()) return message;
  for (const ir::Array& array : task_.function->arrays) {
    if (array.role != ir::ArrayRole::kOutput) continue;
    const ArrayData& data = problem.find(array.name)->second;
    const cpu::ProblemArray wanted = {array.name,     true,           {},
                                      data.reference, data.tolerance, data.rms_limit};
    const std::size_t number = array.id.index();
    const std::string wrong = cpu::Compare(wanted, {array_pointers[number], array.elements}).why;
    if (!wrong.empty()) return wrong;
    for (std::size_t i = 0; i < array.elements; ++i) {
      const int writes = written[number][i];
      if (writes != 1) return fmt::format("{}[{}] was written {} times", array.name, i, writes);
    }
  }
  return "";
}

}  // namespace exh::kernels::testing
