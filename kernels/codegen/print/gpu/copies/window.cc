// SPDX-License-Identifier: MIT
//
// Copies of windows (memory/window_plan.h). The threads of a block take pieces of the window in
// turn, each as wide as an access, so that neighbours read neighbours. A piece has a number; its
// digits say where it is along each side.
#include <utility>

#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {

void GpuStatements::CopyWindow(const ir::Instruction& copy) {
  const CopiedWindow& window = *code_.memory.window(copy);
  const ir::Window& planned = code_.function->window(window.window);
  const std::uint32_t width = window.width;
  const auto is_met = [&](std::size_t side) {
    return code_.function->span(planned.spans[side]).axes.size() > 1;
  };
  // In pieces; what the seeded fault leaves out is still there in memory.
  std::vector<std::uint64_t> lengths;
  std::string sizes;
  bool is_short = code_.fault != Fault::kShortHalo;
  for (std::size_t i = 0; i < window.sides.size(); ++i) {
    sizes += (i == 0 ? "" : " x ") + std::to_string(window.sides[i].length);
    lengths.push_back(window.sides[i].length / (i + 1 == window.sides.size() ? width : 1));
    if (is_short || !is_met(i) || lengths.back() == 1) continue;
    --lengths.back();
    is_short = true;
  }
  std::uint64_t pieces = 1;
  for (const std::uint64_t length : lengths) pieces *= length;
  const std::uint32_t threads = code_.tree.num_threads;
  out_.Line("// WINDOW " + planned.name() + ": " + sizes + " elements" +
            (width == 1 ? "" : ", " + std::to_string(width) + " at once"));
  if (pieces > threads) out_.Line("#pragma unroll 4");
  out_.Open(std::string("for (int e = ") + (threads > 1 ? "t" : "0") + "; e < " +
            std::to_string(pieces) + "; e += " + std::to_string(threads) + ")");
  CopyPiece(copy, window, lengths);
  out_.Close();
}

void GpuStatements::CopyPiece(const ir::Instruction& copy, const CopiedWindow& window,
                              const std::vector<std::uint64_t>& lengths) {
  const ir::Window& planned = code_.function->window(window.window);
  const std::uint32_t width = window.width;
  const bool is_large =
      !FitsInt(static_cast<std::int64_t>(code_.function->array(copy.array).elements));
  std::string inside, from, to;
  const auto add = [](std::string& sum, const std::string& term, const char* by) {
    sum += (sum.empty() ? "" : by) + term;
  };
  std::uint64_t step = 1, stride = 1;
  std::vector<std::string> lines;
  for (std::size_t i = window.sides.size(); i-- > 0;) {
    const WindowSide& side = window.sides[i];
    const std::string place = "e" + std::to_string(i), index = "x" + std::to_string(i);
    const std::uint64_t by = i + 1 == window.sides.size() ? width : 1;
    std::string first = Sum(side.first);
    if (lengths[i] > 1) {
      const std::string digit = loops::DigitText("e", static_cast<std::int64_t>(step),
                                                 static_cast<std::int64_t>(lengths[i]), i == 0);
      lines.push_back("const int " + place + " = " + digit +
                      (by > 1 ? " * " + std::to_string(by) : "") + ";");
      add(to, place + (stride > 1 ? " * " + std::to_string(stride) : ""), " + ");
      first = first.empty() ? place : first + " + " + place;
    }
    step *= lengths[i];
    stride *= side.length;
    if (first.empty()) continue;  // It is always 0.
    const bool is_wide = is_large || !FitsInt(side.least) || !FitsInt(side.most);
    lines.push_back("const " + words_.Element(is_wide ? ir::Type::kI64 : ir::Type::kI32) + " " +
                    index + " = " + first + ";");
    add(from, index + (side.unit > 1 ? " * " + std::to_string(side.unit) : ""), " + ");
    if (!side.leaves) continue;
    // Below 0 is far beyond the extent without a sign.
    add(inside,
        words_.Unsigned(is_wide, index) + " < " + words_.UnsignedNumber(side.extent, is_wide),
        " && ");
  }
  for (const std::string& line : lines) out_.Line(line);
  if (window.base != 0) add(from, std::to_string(window.base), " + ");
  const std::string pointer = names_.array(copy.array) + (from.empty() ? "" : " + (" + from + ")");
  const std::string target = names_.window(planned) + (to.empty() ? "" : " + (" + to + ")");
  const std::string value = LoadPiece(planned, pointer, width);
  const bool fills = code_.fault != Fault::kMissingZeros;
  const std::string piece = inside.empty() || !fills
                                ? value
                                : inside + " ? " + value + " : " + OutsidePiece(planned, width);
  const std::string guard = inside.empty() || fills ? "" : "if (" + inside + ") ";
  if (width == 1) {
    out_.Line(guard + names_.window(planned) + "[" + (to.empty() ? "0" : to) + "] = " + piece +
              ";");
    return;
  }
  out_.Line(guard + words_.Store(Wide(planned.type, width, false, ""), target, piece) + ";");
}

}  // namespace exh::kernels::codegen
