// SPDX-License-Identifier: MIT
#include "search/commands/machine/gpu_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/error.h"
#include "base/numbers.h"

namespace exh::search {
namespace {

[[noreturn]] void RefuseList(const std::string& text, std::string_view part) {
  throw UsageError(fmt::format(
      "bad --gpus '{}': '{}' is no GPU and no range; legal: all, 0-3, or 0,2,5", text, part));
}

std::vector<int> NumbersOf(const std::string& text) {
  constexpr int kMost = 1024;  // No machine has more; a slip of the finger may mean a million.
  std::vector<int> numbers;
  for (const std::string_view part : Split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = ParseInteger(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseInteger(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > kMost) RefuseList(text, part);
    for (int number = static_cast<int>(*first); number <= *last; ++number) {
      if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
    }
  }
  if (numbers.empty()) RefuseList(text, text);
  return numbers;
}

}  // namespace

std::vector<int> ParseGpus(const std::string& text, const std::vector<kernels::GpuHere>& here) {
  std::vector<int> known;
  for (const kernels::GpuHere& gpu : here) known.push_back(gpu.number);
  const std::vector<int> wanted = text == "all" ? known : NumbersOf(text);
  if (wanted.empty()) throw UsageError("--gpus all: the driver shows no GPU that answers");
  const kernels::GpuHere* first = nullptr;
  for (const int number : wanted) {
    const auto gpu = std::ranges::find(here, number, &kernels::GpuHere::number);
    if (gpu == here.end()) {
      throw UsageError(
          fmt::format("--gpus {}: the driver shows no GPU {}; there is {}", text, number,
                      known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    if (first == nullptr) first = &*gpu;
    if (gpu->model == first->model) continue;
    throw UsageError(fmt::format(
        "--gpus {}: GPU {} is '{}', and GPU {} is '{}': times of different models cannot be "
        "compared; name those of one model",
        text, first->number, first->model, gpu->number, gpu->model));
  }
  return wanted;
}

std::vector<int> ParseGpusOf(const std::string& text, const kernels::ir::Device& device) {
  kernels::RequireGpu(device, "--gpus " + text);
  return ParseGpus(text, kernels::BackendOf(device).Gpus());
}

}  // namespace exh::search
