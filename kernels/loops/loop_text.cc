// SPDX-License-Identifier: MIT
#include "kernels/loops/loop_text.h"

#include <fmt/format.h>

namespace exh::kernels::loops {
namespace {

using Kind = NestNode::Kind;

std::string LoopLine(const NestNode& loop) {
  const LoopRange& range = loop.range;
  std::string text = "loop " + range.variable.name;
  if (range.count) text += fmt::format(":{}", *range.count);
  if (!range.extent()) {
    text += fmt::format(" from {} while {}", range.first.Text(), range.condition.Text());
  }
  if (range.step != 1) text += fmt::format(" step {}", range.step);
  if (loop.facts.is_parallel) text += ", parallel";
  if (loop.facts.is_reduction) text += ", sum";
  if (loop.mapping.has_threads) text += ", threads";
  if (loop.mapping.vector > 1) text += fmt::format(", vector of {}", loop.mapping.vector);
  if (loop.mapping.is_in_tile) text += ", in a tile";
  return text;
}

std::string CallLine(const NestNode& call) {
  std::string arguments;
  for (const ir::Index& argument : call.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + argument.Text();
  }
  return fmt::format("{} {}({})", call.is_begin ? "begin" : "statement", call.statement, arguments);
}

void Append(const NestNode& node, int depth, std::string& text) {
  const std::string line = node.is_loop()             ? LoopLine(node)
                           : node.kind == Kind::kIf   ? "if " + node.condition.Text()
                           : node.kind == Kind::kCall ? CallLine(node)
                                                      : "";
  if (!line.empty()) {
    text += std::string(2 * static_cast<std::size_t>(depth), ' ') + line + "\n";
    ++depth;
  }
  for (const NestNode& child : node.children) Append(child, depth, text);
}

}  // namespace

std::string ForText(std::string_view type, std::string_view variable, std::string_view first,
                    std::string_view condition, std::string_view step) {
  const std::string next =
      step == "1" ? fmt::format("++{}", variable) : fmt::format("{} += {}", variable, step);
  return fmt::format("for ({} {} = {}; {}; {})", type, variable, first, condition, next);
}

std::string ForText(std::string_view type, std::string_view variable, std::int64_t first,
                    std::int64_t end) {
  return ForText(type, variable, std::to_string(first), fmt::format("{} < {}", variable, end));
}

std::string DigitText(std::string_view number, std::int64_t stride, std::int64_t size,
                      bool is_first) {
  std::string text(number);
  if (stride != 1) text += fmt::format(" / {}", stride);
  if (!is_first) text += fmt::format(" % {}", size);
  return text;
}

std::string ToText(const NestNode& nest) {
  std::string text;
  Append(nest, 0, text);
  return text;
}

}  // namespace exh::kernels::loops
