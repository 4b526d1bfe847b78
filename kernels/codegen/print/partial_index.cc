// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/partial_index.h"

#include "kernels/codegen/print/op_text.h"

namespace exh::kernels::codegen {

std::string Digits(std::uint64_t value) {
  return std::to_string(value);
}

std::string IndexOver(const std::vector<int>& classes, const LoopTree& tree,
                      const CodeNames& names) {
  std::string text;
  for (const int c : classes) {
    const std::uint32_t size = tree.classes[static_cast<std::size_t>(c)].size;
    text =
        text.empty() ? names.index(c) : "(" + text + ") * " + Digits(size) + " + " + names.index(c);
  }
  return text;
}

std::string IndexOver(const std::vector<ThreadDigit>& digits, std::uint32_t threads) {
  std::string text;
  std::uint64_t step = 1;
  for (const ThreadDigit& d : digits) {
    const std::string digit = ThreadIndex(d.stride, d.size, threads);
    text += (text.empty() ? "" : " + ") + (step == 1 ? digit : "(" + digit + ") * " + Digits(step));
    step *= d.size;
  }
  return text;
}

std::vector<ThreadDigit> Joined(std::vector<ThreadDigit> a, const std::vector<ThreadDigit>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string SumText(const std::vector<std::pair<std::string, std::uint64_t>>& terms) {
  std::string sum;
  for (const auto& [text, factor] : terms) {
    if (text.empty() || text == "0") continue;
    const bool is_sum = text.find(' ') != std::string::npos;
    std::string term = is_sum && factor != 1 ? "(" + text + ")" : text;
    if (factor != 1) term += " * " + Digits(factor);
    sum += (sum.empty() ? "" : " + ") + term;
  }
  return sum;
}

}  // namespace exh::kernels::codegen
