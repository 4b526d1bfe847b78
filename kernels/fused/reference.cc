// SPDX-License-Identifier: MIT
#include "kernels/fused/reference.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "kernels/derived/reference/reference.h"
#include "kernels/derived/reference/stoppable.h"
#include "kernels/fused/expression.h"
#include "kernels/fused/versions.h"

namespace exh::kernels::fused {
namespace {

std::size_t At(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

bool IsDrawn(const StatementTensor& tensor) {
  return tensor.role == StatementTensor::Role::kInput ||
         tensor.role == StatementTensor::Role::kUpdated;
}

}  // namespace

std::uint64_t ReferenceBytes(const StatementList& list) {
  // Values and errors of what is written; of results reference and tolerance besides. Inputs as
  // they were drawn, and in their type.
  std::vector<std::uint64_t> doubles(list.tensors.size(), 0);
  for (const Statement& statement : list.statements) {
    const StatementTensor& written = list.tensor(statement.write.tensor);
    doubles[At(statement.write.tensor)] = written.is_result() ? 4 : 2;
  }
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < doubles.size(); ++i) {
    const StatementTensor& tensor = list.tensors[i];
    const auto elements = static_cast<std::uint64_t>(tensor.elements());
    bytes += elements * sizeof(double) * doubles[i];
    if (IsDrawn(tensor)) bytes += elements * (sizeof(double) + tensor.element_bytes);
  }
  return bytes;
}

void CheckReferenceBytes(const StatementList& list, std::uint64_t most_bytes) {
  const std::uint64_t bytes = ReferenceBytes(list);
  if (bytes <= most_bytes) return;
  throw TooLarge(fmt::format("the reference of {} takes {:.0f} MiB, more than {:.0f}", list.name,
                             static_cast<double>(bytes) / 0x1p20,
                             static_cast<double>(most_bytes) / 0x1p20));
}

ir::Elements ElementsOf(ir::Type type, const std::vector<double>& values) {
  ir::Elements elements(type, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) elements.Set(i, values[i]);
  return elements;
}

std::vector<ArrayData> Evaluate(const StatementList& list,
                                const std::vector<std::vector<double>>& inputs,
                                std::uint64_t most_bytes, const StopToken* stop) {
  CheckReferenceBytes(list, most_bytes);
  const Versions versions = VersionsOf(list);
  ProblemData data;
  for (int i = 0; i < static_cast<int>(versions.list.tensors.size()); ++i) {
    const StatementTensor& tensor = versions.list.tensor(i);
    ArrayData& array = data[ArrayNameOf(i)];
    if (tensor.role != StatementTensor::Role::kInput) continue;
    EXH_CHECK(inputs.at(At(i)).size() == At(tensor.elements()));
    array.values = ElementsOf(tensor.type, inputs[At(i)]);
  }
  {
    const StoppableProducts stoppable(stop);
    derived::ComputeReference(ExpressionOf(versions.list), data);
    if (IsOver() || stoppable.has_stopped()) {
      throw Interrupted("interrupted while the reference was computed");
    }
  }
  std::vector<ArrayData> results(list.tensors.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (list.tensors[i].is_result()) {
      results[i] = std::move(data.at(ArrayNameOf(versions.last[i])));
    }
  }
  return results;
}

}  // namespace exh::kernels::fused
