// SPDX-License-Identifier: MIT
#include "search/subject/winners/logged_winners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/user_file.h"
#include "kernels/devices/backend.h"
#include "kernels/devices/device.h"
#include "kernels/library/registry.h"
#include "runtime/products/products.h"
#include "search/log/decisions.h"
#include "search/subject/decision_file.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

/// Lists that may be there, by name.
std::vector<fs::path> FilesOf(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw UsageError(fmt::format("--winners {}: there is no such folder", folder));
  }
  std::vector<fs::path> files;
  const auto look = [&](const fs::path& in) {
    for (const auto& entry : fs::directory_iterator(in, error)) {
      const fs::path& path = entry.path();
      const bool is_list = path.extension() == ".txt" || path.extension() == ".replay";
      if (is_list && entry.is_regular_file(error)) files.push_back(path);
    }
  };
  look(folder);
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) look(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Is the list one of this kernel on such a device?
bool IsOf(const DecisionFile& file, const kernels::Kernel& kernel,
          const kernels::ir::Device& device) {
  if (file.subject || file.settings || !file.sizes) return false;
  if (file.kernel != std::string(kernel.name()) || file.device != device.name) return false;
  const bool is_known = kernels::FindKernel(std::string(kernel.name())) == &kernel;
  return is_known ? !file.text : file.text == std::string(kernel.text());
}

/// The sizes of the problem beside those of a winner. Nothing: an option differs.
std::optional<std::vector<LoggedWinner::Size>> Compared(const kernels::Kernel& kernel,
                                                        const kernels::Parameters& here,
                                                        const kernels::Parameters& there) {
  std::vector<LoggedWinner::Size> sizes;
  const std::vector<std::string> meaningful = kernel.MeaningfulParameters();
  for (const kernels::Parameter& parameter : kernel.parameters()) {
    if (std::ranges::find(meaningful, parameter.name) == meaningful.end()) continue;
    const std::int64_t a = here.at(parameter.name), b = there.at(parameter.name);
    const bool is_size = !parameter.is_option && a > 0 && b > 0;
    if (!is_size && a != b) return std::nullopt;
    if (is_size) {
      sizes.push_back({static_cast<double>(a), static_cast<double>(a) / static_cast<double>(b)});
    }
  }
  return sizes;
}

std::optional<LoggedWinner> WinnerIn(const fs::path& path, const kernels::Kernel& kernel,
                                     const kernels::Parameters& sizes,
                                     const kernels::ir::Device& device) {
  std::string error;
  const std::optional<std::string> text = ReadFile(path.string(), &error);
  if (!text) return std::nullopt;
  try {
    const DecisionFile file = ParseDecisionFile(*text, path.string());
    if (!IsOf(file, kernel, device)) return std::nullopt;
    auto compared = Compared(kernel, sizes, ParseSizes(kernel, *file.sizes));
    if (!compared) return std::nullopt;
    constexpr std::size_t kDigits = 8;
    LoggedWinner winner{path.stem().string(), HashText(*text).substr(0, kDigits), 0, WishesOf(file),
                        *std::move(compared)};
    for (const LoggedWinner::Size& size : winner.sizes) {
      winner.distance += std::abs(std::log2(size.ratio));
    }
    return winner;
  } catch (const UsageError&) {
    return std::nullopt;  // No list, or of a kernel that was another one then.
  }
}

/// By how much more of an axis there is here than there was: that of the size that is nearest to
/// the axis; of several that are equally near, their geometric mean.
double RatioOf(double axis, const std::vector<LoggedWinner::Size>& sizes) {
  double least = 0, sum = 0;
  int count = 0;
  for (const LoggedWinner::Size& size : sizes) {
    const double far = std::abs(std::log2(size.here / axis));
    if (count > 0 && far > least) continue;
    if (count == 0 || far < least) {
      least = far;
      sum = 0;
      count = 0;
    }
    sum += std::log2(size.ratio);
    ++count;
  }
  return count == 0 ? 1 : std::exp2(sum / count);
}

/// All numbers of the decision, those nearest to `wanted` by their ratio first.
std::vector<std::string> Nearest(std::span<const std::uint32_t> universe, double wanted) {
  std::vector<std::pair<double, std::uint32_t>> numbers;
  for (const std::uint32_t number : universe) {
    const double far = number == 0 || wanted == 0 ? std::abs(number - wanted)
                                                  : std::abs(std::log2(number / wanted));
    numbers.emplace_back(far, number);
  }
  std::ranges::sort(numbers);
  std::vector<std::string> texts;
  for (const auto& [far, number] : numbers) texts.push_back(std::to_string(number));
  return texts;
}

/// The decisions that are numbers, by name.
std::map<std::string, runtime::DecisionId> NumbersOf(const runtime::Instance& instance) {
  std::map<std::string, runtime::DecisionId> numbers;
  for (runtime::DecisionId decision = 0; decision < instance.num_decisions(); ++decision) {
    if (instance.universe(decision).empty()) continue;
    numbers.emplace(instance.DecisionName(decision), decision);
  }
  return numbers;
}

/// By what a number of the winner is scaled.
double ScaleOf(const LoggedWinner& winner, const std::vector<runtime::Product>& products,
               runtime::DecisionId decision) {
  for (const runtime::Product& product : products) {
    const runtime::Interval value = product.root;
    if (product.factors.front() != decision || !value.IsConstrained() || value.min == 0) continue;
    return RatioOf(static_cast<double>(value.min), winner.sizes);
  }
  return 1;
}

}  // namespace

std::string ShippedWinners() {
  return (fs::path(kernels::DeviceFolder()).parent_path() / "replays").string();
}

std::vector<LoggedWinner> NearestWinners(const std::string& folder, const kernels::Kernel& kernel,
                                         const kernels::Parameters& sizes,
                                         const kernels::ir::Device& device, std::size_t most) {
  std::vector<LoggedWinner> winners;
  for (const fs::path& path : FilesOf(folder)) {
    if (auto winner = WinnerIn(path, kernel, sizes, device)) winners.push_back(*std::move(winner));
  }
  // "cpu-avx512": the shipped ones are called after what is special to it.
  const std::string device_class = kernels::BackendOf(device).ClassOf(device);
  const std::string special = device_class.substr(device_class.rfind('-') + 1);
  const auto place = [&](const LoggedWinner& winner) {
    return std::tuple(winner.distance, winner.name.find(special) == std::string::npos, winner.name);
  };
  std::ranges::sort(winners, {}, place);
  if (winners.size() > most) winners.resize(most);
  return winners;
}

kernels::Recipe Scaled(const LoggedWinner& winner, const runtime::Instance& instance) {
  kernels::Recipe recipe = winner.recipe;
  const std::map<std::string, runtime::DecisionId> numbers = NumbersOf(instance);
  const std::vector<runtime::Product> products = runtime::ProductsOf(instance);
  for (kernels::Wish& wish : recipe.wishes) {
    const auto number = numbers.find(wish.decision);
    const auto wanted = number == numbers.end() ? std::nullopt : ParseReal(wish.values.front());
    if (!wanted) continue;
    const auto decision = number->second;
    wish.values =
        Nearest(instance.universe(decision), *wanted * ScaleOf(winner, products, decision));
  }
  return recipe;
}

}  // namespace exh::search
