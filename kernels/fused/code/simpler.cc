// SPDX-License-Identifier: MIT
#include "kernels/fused/code/simpler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/fused/code/element_text.h"

namespace exh::kernels::fused {
namespace {

using poly::LoopNode;
using Kind = LoopNode::Kind;

std::optional<std::int64_t> NumberIn(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

class Simplifying {
 public:
  explicit Simplifying(const Part& part) : part_(part) {}

  LoopNode Run(LoopNode node) const {
    for (LoopNode& child : node.children) child = Run(std::move(child));
    if (node.kind != Kind::kLoop) return node;
    FromZero(node);
    // Where there may be no iteration, nothing begins.
    LoopNode block;
    block.kind = Kind::kBlock;
    if (!node.extent || *node.extent < 1) return node;
    std::vector<LoopNode> begins = Begins(node), ends = Ends(node);
    if (begins.empty() && ends.empty()) return node;
    std::ranges::move(begins, std::back_inserter(block.children));
    block.children.push_back(std::move(node));
    std::ranges::move(ends, std::back_inserter(block.children));
    return block;
  }

 private:
  bool IsOnlyBegins(const LoopNode& node) const {
    if (node.kind == Kind::kBlock) {
      return std::ranges::all_of(node.children,
                                 [&](const LoopNode& child) { return IsOnlyBegins(child); });
    }
    return node.kind == Kind::kCall &&
           part_.pieces[static_cast<std::size_t>(node.statement)].what == Piece::What::kBegin;
  }

  /// Takes the beginnings of sums in the first iteration out of the body.
  std::vector<LoopNode> Begins(LoopNode& loop) const {
    std::vector<LoopNode> begins, rest;
    LoopNode& body = loop.children.front();
    if (body.kind != Kind::kBlock) return begins;
    for (LoopNode& child : body.children) {
      const bool is_begin = child.kind == Kind::kIf && IsOnlyBegins(child.children.front());
      std::optional<LoopNode> moved;
      if (is_begin) moved = AtIteration(child, loop.variable, 0);
      (moved ? begins : rest).push_back(moved ? std::move(*moved) : std::move(child));
    }
    body.children = std::move(rest);
    return begins;
  }

  /// Takes what the last iteration ends with out of the body.
  static std::vector<LoopNode> Ends(LoopNode& loop) {
    std::vector<LoopNode> ends;
    LoopNode& body = loop.children.front();
    while (body.kind == Kind::kBlock && body.children.size() > 1) {
      std::optional<LoopNode> moved =
          AtIteration(body.children.back(), loop.variable, *loop.extent - 1);
      if (!moved) break;
      ends.insert(ends.begin(), std::move(*moved));
      body.children.pop_back();
    }
    return ends;
  }

  /// What a condition holds at one iteration alone, there; nothing: it is no such condition.
  static std::optional<LoopNode> AtIteration(const LoopNode& node, const std::string& variable,
                                             std::int64_t iteration) {
    if (node.kind != Kind::kIf) return std::nullopt;
    const std::optional<std::string> rest =
        WithoutTerm(node.condition, fmt::format("{} == {}", variable, iteration));
    if (!rest) return std::nullopt;
    LoopNode moved = node.children.front();
    if (!rest->empty()) {
      moved = node;
      moved.condition = *rest;
    }
    Set(moved, variable, std::to_string(iteration));
    return moved;
  }

  /// The variable has this value.
  static void Set(LoopNode& node, const std::string& variable, const std::string& value) {
    for (std::string* text : {&node.first, &node.condition}) {
      *text = Replaced(*text, variable, value);
    }
    for (std::string& argument : node.arguments) argument = Replaced(argument, variable, value);
    for (LoopNode& child : node.children) Set(child, variable, value);
  }

  static void FromZero(LoopNode& loop) {
    if (loop.extent || loop.step != "1") return;
    const std::optional<std::int64_t> first = NumberIn(loop.first);
    if (!first) return;
    for (const char* less : {"<=", "<"}) {
      const std::string begin = fmt::format("{} {} ", loop.variable, less);
      if (!loop.condition.starts_with(begin)) continue;
      const std::optional<std::int64_t> last = NumberIn(loop.condition.substr(begin.size()));
      if (!last) return;
      const std::int64_t extent = *last - *first + (std::string_view(less) == "<=" ? 1 : 0);
      if (extent < 1) return;
      if (*first != 0) {
        Set(loop.children.front(), loop.variable, fmt::format("({} + {})", loop.variable, *first));
      }
      loop.first = std::to_string(0);
      loop.condition = fmt::format("{} < {}", loop.variable, extent);
      loop.extent = extent;
      return;
    }
  }

  const Part& part_;
};

}  // namespace

LoopNode Simpler(const Part& part, LoopNode node) {
  return Simplifying(part).Run(std::move(node));
}

}  // namespace exh::kernels::fused
