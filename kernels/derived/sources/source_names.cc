// SPDX-License-Identifier: MIT
#include "kernels/derived/sources/source_names.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kernels/derived/sources/op_text.h"

namespace exh::kernels::derived {

SourceNames::SourceNames(const ir::Function& function, const Expression& expression,
                         const std::vector<std::string>& reserved)
    : function_(function), taken_(reserved.begin(), reserved.end()), read_(expression.axes.size()) {
  ir::ArgumentNames arguments(function);
  arrays_ = std::move(arguments.arrays);
  scalars_ = std::move(arguments.scalars);
  for (const auto* names : {&arrays_, &scalars_}) taken_.insert(names->begin(), names->end());
  for (const Expression::Axis& axis : expression.axes) axes_.push_back(Unique(axis.name));
  for (const Expression::Node& node : expression.nodes) nodes_.push_back(Unique(node.name));
}

const std::string& SourceNames::scalar(std::string_view name) const {
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    if (function_.scalars[i].name == name) return scalars_[i];
  }
  EXH_UNREACHABLE();
}

std::string SourceNames::Unique(const std::string& wanted) {
  return ir::Identifier(wanted, taken_);
}

std::string AffineText(const Expression& expression, const SourceNames& names,
                       const ir::Affine<int>& affine) {
  std::vector<std::pair<std::string, std::int64_t>> indices;
  for (const auto& [axis, stride] : affine.strides) {
    const bool moves = expression.axis(axis).total > 1 && stride != 0;
    if (moves) indices.emplace_back(names.axis(axis), stride);
  }
  return IndexText(indices, affine.offset);
}

bool IsAtom(const Expression& expression, const ir::Affine<int>& affine) {
  std::vector<std::int64_t> steps;
  for (const auto& [axis, stride] : affine.strides) {
    if (expression.axis(axis).total > 1 && stride != 0) steps.push_back(stride);
  }
  return steps.empty() ? affine.offset >= 0
                       : steps == std::vector<std::int64_t>{1} && affine.offset == 0;
}

std::string AccessText(const Expression& expression, const SourceNames& names,
                       const Expression::Node& node) {
  return names.array(node.array) + "[" + AffineText(expression, names, node) + "]";
}

std::string ElementText(const Expression& expression, const SourceNames& names,
                        const Expression::Node& load, const std::string& index) {
  return "static_cast<unsigned>(" + index + ") + (" + AffineText(expression, names, load) + ")";
}

std::string GuardText(const Expression& expression, const SourceNames& names,
                      const Expression::Node& load) {
  std::string text;
  const auto add = [&](const std::string& condition) {
    text += (text.empty() ? "" : " && ") + condition;
  };
  for (const Expression::Guard& guard : load.guards) {
    const auto [least, largest] = expression.Range(guard);
    if (least >= 0 && largest < guard.extent) continue;
    const std::string index = AffineText(expression, names, guard);
    if (least < 0) add(index + " >= 0");
    if (largest >= guard.extent) add(index + " < " + std::to_string(guard.extent));
  }
  return text;
}

std::string PointText(const Expression& expression, const SourceNames& names,
                      const std::vector<int>& axes) {
  std::vector<std::pair<std::string, std::int64_t>> indices;
  std::int64_t stride = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const std::int64_t total = expression.axis(*axis).total;
    if (total > 1) indices.emplace_back(names.axis(*axis), stride);
    stride *= total;
  }
  std::ranges::reverse(indices);
  return IndexText(indices);
}

}  // namespace exh::kernels::derived
