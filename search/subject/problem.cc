// SPDX-License-Identifier: MIT
#include "search/subject/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "base/system/user_file.h"
#include "kernels/devices/backend.h"
#include "kernels/library/registry.h"
#include "kernels/library/text_kernel.h"
#include "search/subject/freeze_progress.h"
#include "search/subject/registry.h"

namespace exh::search {
namespace {

kernels::ir::Device FindDevice(const std::string& name,
                               const std::map<std::string, std::string>& limits,
                               std::optional<int> gpu = {}) {
  if (gpu && *gpu < 0) throw UsageError("--gpu must be 0 or more");
  kernels::DeviceResult result = kernels::LoadDevice(name, limits, gpu.value_or(0));
  if (!result.device) throw UsageError(result.error);
  return *std::move(result.device);
}

/// Throws UsageError.
bool IsPaper(const std::string& space) {
  if (space.empty() || space == "default") return false;
  if (space == "paper") return true;
  throw UsageError(UnknownName("space", space, {"default", "paper"}));
}

/// What this process may have: the machine's memory, or less where it is in a group with a limit.
std::uint64_t MachineBytes() {
  std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::ifstream limit("/sys/fs/cgroup/memory.max");  // A number, or "max".
  if (std::uint64_t most = 0; limit >> most) bytes = std::min(bytes, most);
  return bytes;
}

Problem Assemble(const kernels::Kernel& kernel, kernels::Parameters sizes,
                 kernels::ir::Device device, bool paper, const Allowance& allowance) {
  Problem problem;
  problem.kernel = &kernel;
  problem.sizes = std::move(sizes);
  problem.device = std::move(device);
  problem.paper = paper;
  const auto begin = std::chrono::steady_clock::now();
  try {
    problem.task =
        kernels::MakeTask(kernel, problem.sizes, problem.device, paper, FreezeWithin(allowance));
  } catch (const TooLarge& error) {
    throw UsageError(
        fmt::format("{}. A kernel with fewer instructions or tile levels has a smaller "
                    "space; --memory allows more.",
                    error.what()));
  }
  problem.space_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return problem;
}

}  // namespace

std::uint64_t MemoryFor(const std::string& text) {
  if (text.empty()) return MachineBytes() / 2;
  const auto bytes = ParseBytes(text);
  if (!bytes || *bytes == 0) {
    throw UsageError(
        fmt::format("bad --memory '{}': it is a size with a unit, such as 512MiB or "
                    "4GiB",
                    text));
  }
  return *bytes;
}

runtime::Candidate Problem::root() const {
  if (task.root_failed) {
    throw Error(fmt::format("{} has no implementation at these sizes on this device: {}",
                            kernel->name(), fmt::join(task.notes, "; ")));
  }
  return runtime::Candidate(task.instance);
}

std::vector<std::string> KernelNames() {
  std::vector<std::string> names;
  for (const auto& kernel : kernels::AllKernels()) names.emplace_back(kernel->name());
  return names;
}

namespace {

const kernels::Kernel& ComputedKernel(const ProblemOptions& options) {
  if (!options.kernel.empty()) {
    throw UsageError("--kernel and --compute: one of them says what to compute");
  }
  kernels::Parameters sizes;
  for (const auto& [name, value] : ParseAssignments(options.size, "--size")) {
    const auto number = ParseInteger(value);
    if (!number || *number < 1 || *number > kernels::ir::kLargestExtent) {
      throw UsageError(fmt::format("bad size {}={}: a whole number from 1 to {}", name, value,
                                   kernels::ir::kLargestExtentText));
    }
    sizes[std::string(name)] = *number;
  }
  const std::string type = options.type.empty() ? "f32" : options.type;
  const std::string text = kernels::TextOfStatements(options.compute, type, sizes);
  return kernels::KernelOfText("--compute", text);
}

}  // namespace

const kernels::Kernel& FindKernel(const ProblemOptions& options) {
  const std::string& name = options.kernel;
  if (!options.compute.empty()) return ComputedKernel(options);
  if (!options.text.empty()) return kernels::KernelOfText(name + ".kernel", options.text);
  if (name.empty()) {
    throw UsageError(fmt::format(
        "which kernel? --kernel is one of {}, or a file; --compute takes the computation itself",
        fmt::join(KernelNames(), ", ")));
  }
  if (const SubjectKind* const language = LanguageOf(name)) {
    return kernels::KernelOfText(name, language->kernel_of(name, options.size));
  }
  if (name.ends_with(".kernel") || name.find('/') != std::string::npos) {
    return kernels::KernelOfText(name, ReadUserFile(name));
  }
  const kernels::Kernel* const kernel = kernels::FindKernel(name);
  if (kernel == nullptr) throw UsageError(UnknownName("kernel", name, KernelNames()));
  return *kernel;
}

namespace {

/// Throws UsageError, which says what would be right.
std::int64_t ParseValue(const kernels::Parameter& parameter, const std::string& value) {
  const auto word = std::ranges::find(parameter.words, value);
  if (word != parameter.words.end()) return word - parameter.words.begin();
  const auto number = ParseInteger(value);
  if (number && *number >= parameter.min && *number <= parameter.max) return *number;
  const bool has_words = !parameter.words.empty();
  throw UsageError(has_words ? fmt::format("bad option {}={}: it is one of {}{}", parameter.name,
                                           value, fmt::join(parameter.words, ", "),
                                           DidYouMean(value, parameter.words))
                             : fmt::format("bad size {}={}: a whole number from {}", parameter.name,
                                           value, parameter.RangeText()));
}

}  // namespace

kernels::Parameters ParseSizes(const kernels::Kernel& kernel, const std::string& text) {
  const std::vector<kernels::Parameter> parameters = kernel.parameters();
  std::vector<std::string> names;
  kernels::Parameters sizes;
  for (const kernels::Parameter& parameter : parameters) {
    names.push_back(parameter.name);
    sizes[parameter.name] = parameter.default_value;
  }
  std::vector<std::string> seen;
  for (const auto& [name, value] : ParseAssignments(text, "--size")) {
    const auto parameter = std::find_if(
        parameters.begin(), parameters.end(),
        [wanted = std::string_view(name)](const auto& known) { return known.name == wanted; });
    if (parameter == parameters.end()) {
      throw UsageError(UnknownName(fmt::format("size of {}", kernel.name()), name, names));
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw UsageError(fmt::format("bad --size '{}': '{}' stands twice", text, name));
    }
    seen.push_back(name);
    sizes[name] = ParseValue(*parameter, value);
  }
  return sizes;
}

kernels::Parameters ParseSizes(const kernels::Kernel& kernel, const ProblemOptions& options) {
  const bool is_translated = options.compute.empty() && options.text.empty();
  const bool has_own = is_translated && LanguageOf(options.kernel) != nullptr;
  const std::string size = has_own ? "" : options.size;
  if (!options.compute.empty() || options.type.empty()) return ParseSizes(kernel, size);
  const auto has_type = [](const kernels::Kernel& one) {
    return std::ranges::any_of(one.parameters(), [](const kernels::Parameter& known) {
      return known.name == kTypeOption && !known.words.empty();
    });
  };
  if (!has_type(kernel)) {
    std::vector<std::string_view> others;
    for (const auto& other : kernels::AllKernels()) {
      if (has_type(*other)) others.push_back(other->name());
    }
    throw UsageError(
        fmt::format("--type {}: the types of {} stand in its text; --type is for --compute, and "
                    "for kernels with an option '{}': {}",
                    options.type, kernel.name(), kTypeOption, fmt::join(others, ", ")));
  }
  const std::string type = fmt::format("{}={}", kTypeOption, options.type);
  return ParseSizes(kernel, options.size.empty() ? type : options.size + "," + type);
}

std::string SizesText(const kernels::Kernel& kernel, const kernels::Parameters& sizes) {
  const std::vector<kernels::Parameter> parameters = kernel.parameters();
  std::vector<std::string> texts;
  for (const auto& [name, value] : sizes) {
    const auto known = std::ranges::find(parameters, name, &kernels::Parameter::name);
    texts.push_back(fmt::format(
        "{}={}", name, known == parameters.end() ? std::to_string(value) : known->Text(value)));
  }
  return fmt::format("{}", fmt::join(texts, ","));
}

kernels::ir::Device FindDevice(const ProblemOptions& options) {
  std::map<std::string, std::string> limits;
  for (const std::string& limit : options.limits) {
    const std::size_t equals = limit.find('=');
    if (equals == std::string::npos) {
      throw UsageError(fmt::format("bad --set '{}': it is limit=value", limit));
    }
    limits[limit.substr(0, equals)] = limit.substr(equals + 1);
  }
  if (options.threads) limits["threads"] = std::to_string(*options.threads);
  if (options.max_threads) limits["max_threads"] = std::to_string(*options.max_threads);
  if (options.deterministic) limits["deterministic"] = "true";
  kernels::ir::Device device = FindDevice(options.device, limits, options.gpu);
  if (options.gpu) kernels::RequireGpu(device, fmt::format("--gpu {}", *options.gpu));
  return device;
}

std::map<std::string, std::string, std::less<>> DeviceLimits(const kernels::ir::Device& device) {
  std::map<std::string, std::string, std::less<>> limits;
  const auto json = nlohmann::json::parse(kernels::DeviceToJson(device));
  for (const auto& [limit, value] : json.items()) {
    if (limit != "name") limits[limit] = value.dump();
  }
  return limits;
}

Problem MakeProblem(const ProblemOptions& options) {
  const kernels::Kernel& kernel = FindKernel(options);
  kernels::Parameters sizes = ParseSizes(kernel, options);
  kernels::ir::Device device = FindDevice(options);
  const bool is_paper = IsPaper(options.space);
  if (options.runs) kernels::RequireRoom(kernel, sizes, device);
  return Assemble(kernel, std::move(sizes), std::move(device), is_paper,
                  {MemoryFor(options.memory), options.stop});
}

Problem MakeProblem(const RunRecord& run, const Allowance& allowance) {
  if (!run.subject.empty()) {
    throw UsageError(fmt::format(
        "this is of the subject '{}', which is no kernel; export and install-kernel take kernels "
        "alone, and all other commands any run",
        run.subject));
  }
  ProblemOptions options;
  options.kernel = run.kernel;
  options.text = run.text;
  const kernels::Kernel& kernel = FindKernel(options);
  std::string sizes;
  for (const auto& [name, value] : run.sizes) {
    sizes += fmt::format("{}{}={}", sizes.empty() ? "" : ",", name, value);
  }
  const std::map<std::string, std::string> limits(run.limits.begin(), run.limits.end());
  return Assemble(kernel, ParseSizes(kernel, sizes), FindDevice(run.device, limits),
                  IsPaper(run.decisions),
                  {allowance.bytes == 0 ? MemoryFor("") : allowance.bytes, allowance.stop});
}

}  // namespace exh::search
