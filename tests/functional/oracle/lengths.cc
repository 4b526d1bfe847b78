// SPDX-License-Identifier: MIT
#include "tests/functional/oracle/lengths.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/error.h"

namespace exh::functional::reference {
namespace {

/// A calculation in doubles has no use for more.
constexpr std::int64_t kMostElements = std::int64_t{1} << 34;

bool IsOfFloats(const DataType& type) {
  if (type.kind == DataType::Kind::kTuple) return false;
  return type.kind == DataType::Kind::kArray ? IsOfFloats(*type.items[0]) : type.scalar == "float";
}

}  // namespace

Lengths::Lengths(const Program& program, const Assignment& parameters)
    : program_(program), parameters_(parameters) {
  for (const ProgramParameter& parameter : program.parameters) {
    if (parameters.contains(parameter.name)) continue;
    throw Error(fmt::format("parameter '{}' has no value", parameter.name));
  }
}

std::int64_t Lengths::Of(const Term& term) {
  const auto found = known_.find(&term);
  if (found != known_.end()) return found->second;
  const auto value = program_.terms.Evaluate(term, parameters_);
  if (!value) {
    throw Error(
        fmt::format("{} has no value: a division by 0, one with a rest, or a number that "
                    "is too large",
                    program_.terms.Text(term)));
  }
  known_.emplace(&term, *value);
  return *value;
}

std::int64_t Lengths::LengthOf(const Term& term) {
  const std::int64_t length = Of(term);
  if (length >= 1) return length;
  throw Error(fmt::format("a length is at least 1: {} is {}", program_.terms.Text(term), length));
}

std::vector<Shape> Lengths::ShapesOf(const DataType& type) {
  switch (type.kind) {
    case DataType::Kind::kScalar:
      return {{}};
    case DataType::Kind::kVector:
      return {{LengthOf(type.length)}};
    case DataType::Kind::kArray:
    case DataType::Kind::kTuple:
      break;
  }
  std::vector<Shape> shapes;
  for (const TypePtr& item : type.items) {
    std::vector<Shape> more = ShapesOf(*item);
    std::move(more.begin(), more.end(), std::back_inserter(shapes));
  }
  if (type.kind == DataType::Kind::kTuple) return shapes;
  const std::int64_t length = LengthOf(type.length);
  for (Shape& shape : shapes) shape.insert(shape.begin(), length);
  return shapes;
}

ArrayFacts Lengths::FactsOf(const std::string& name, const DataType& type) {
  if (!IsOfFloats(type)) {
    throw Error(
        fmt::format("'{}' is {}: only floats, vectors of them and arrays of those are "
                    "calculated here",
                    name, TextOf(type, program_.terms)));
  }
  ArrayFacts facts;
  facts.name = name;
  facts.elements = 1;
  const Shape shape = ShapesOf(type)[0];
  for (const std::int64_t extent : shape) {
    if (extent > kMostElements / facts.elements) {
      throw Error(fmt::format("'{}' has more than {} elements", name, kMostElements));
    }
    facts.elements *= extent;
  }
  return facts;
}

}  // namespace exh::functional::reference
