// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "functional/expression/expression.h"
#include "functional/expression/unfold.h"

namespace exh::functional {
namespace {

using kernels::ir::Array;
using kernels::ir::ArrayRole;
namespace ir = kernels::ir;
using Expression = kernels::derived::Expression;
using Value = Expression::Input;

ScalarShape ShapeOf(const std::string& name, const DataType& type, const Program& program,
                    const Assignment& parameters) {
  const auto number = [&](const Term& term) {
    const auto value = program.terms.Evaluate(term, parameters);
    if (value && *value >= 1) return *value;
    const std::string text = program.terms.Text(term);
    throw Error(value ? fmt::format("a length is at least 1: {} is {}", text, *value)
                      : fmt::format("{} has no value: a division by 0, one with a rest, or a "
                                    "number that is too large",
                                    text));
  };
  const std::vector<ScalarShape> scalars = ScalarsOf(type, number);
  if (scalars.size() == 1 && scalars[0].items.empty() && scalars[0].scalar == "float") {
    return scalars[0];
  }
  throw Error(
      fmt::format("'{}' is {}: only floats, vectors of them and arrays of those are "
                  "calculated here",
                  name, functional::TextOf(type, program.terms)));
}

}  // namespace

std::vector<Array> ArraysOf(const Program& program, const Assignment& parameters) {
  for (const ProgramParameter& parameter : program.parameters) {
    if (parameters.contains(parameter.name)) continue;
    throw Error(fmt::format("parameter '{}' has no value", parameter.name));
  }
  std::vector<Array> arrays;
  const auto add = [&](const std::string& name, const Node& node, ArrayRole role) {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    std::int64_t elements = 1;
    for (const std::int64_t extent : ShapeOf(name, *node.type, program, parameters).extents) {
      if (extent > kMost / elements) {
        throw Error(fmt::format("'{}' has more than {} elements", name, kMost));
      }
      elements *= extent;
    }
    const kernels::ir::ArrayId id{static_cast<std::uint16_t>(arrays.size())};
    arrays.push_back({id, name, role, static_cast<std::uint64_t>(elements)});
  };
  for (const auto& [name, node] : InputsOf(program)) add(name, *node, ArrayRole::kInput);
  for (const ProgramKernel& kernel : program.kernels)
    add(kernel.name, *kernel.result, ArrayRole::kOutput);
  return arrays;
}

std::map<std::string, std::vector<std::int64_t>> ShapesOf(const Program& program,
                                                          const Assignment& parameters) {
  std::map<std::string, const Node*> nodes = InputsOf(program);
  for (const ProgramKernel& kernel : program.kernels) nodes[kernel.name] = kernel.result.get();
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto& [name, node] : nodes) {
    shapes[name] = ShapeOf(name, *node->type, program, parameters).extents;
  }
  return shapes;
}

Expression ExpressionOf(const Program& program, const Assignment& parameters, Results results) {
  Unfolder unfolder(program, parameters, ArraysOf(program, parameters), results);
  unfolder.AddKernels();
  return unfolder.Take();
}

Unfolder::Unfolder(const Program& program, const Assignment& parameters,
                   const std::vector<Array>& arrays, Results results)
    : program_(program), parameters_(parameters), results_(results), out_(arrays) {
  const auto shapes = ShapesOf(program, parameters);
  for (const Array& array : arrays) stored_[array.name] = {array.id, shapes.at(array.name)};
  for (const ProgramKernel& kernel : program.kernels) stored_.at(kernel.name).kernel = &kernel;
}

void Unfolder::AddKernels() {
  if (results_ == Results::kStored) {
    for (const ProgramKernel& kernel : program_.kernels) AddKernel(kernel);
    return;
  }
  // From the last one on: what is read in place is known when its turn comes.
  for (std::size_t i = program_.kernels.size(); i-- > 0;) {
    const ProgramKernel& kernel = program_.kernels[i];
    if (!stored_.at(kernel.name).is_read) AddKernel(kernel);
  }
}

Expression::Input Unfolder::Loaded(const std::string& name, const Path& path) {
  Stored& stored = stored_.at(name);
  EXH_CHECK(path.size() == stored.extents.size());
  if (stored.kernel != nullptr && results_ == Results::kInPlace) {
    stored.is_read = true;
    return Of(*stored.kernel->result, nullptr, path);
  }
  Index element;
  for (std::size_t i = 0; i < path.size(); ++i) {
    element = element * stored.extents[i] + path[path.size() - 1 - i].index;
  }
  return out_.Loaded(stored.array, stored.store, element);
}

}  // namespace exh::functional
