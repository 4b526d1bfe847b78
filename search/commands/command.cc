// SPDX-License-Identifier: MIT
#include "search/commands/command.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/error.h"
#include "kernels/ir/types.h"

namespace exh::search {
namespace {

/// A whole text as a number of this type, or nothing: no blanks, no other base than ten.
template <typename Number>
bool IsNumber(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return false;
  }
  return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

/// What the texts of an option of this type must be; empty: anything.
std::string NumberText(const std::string& type) {
  if (type == "UINT" || type == "INT") return "a whole number, 0 or more";
  return type == "FLOAT" ? "a number" : "";
}

bool IsNumberOf(const std::string& type, const std::string& text) {
  if (type == "UINT") return IsNumber<std::uint64_t>(text);
  if (type == "INT") return IsNumber<std::int64_t>(text) && !text.starts_with('-');
  return IsNumber<double>(text);
}

}  // namespace

void CheckNumbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    const std::string wanted = NumberText(type);
    if (wanted.empty()) continue;
    option->check([type, wanted, name = option->get_name()](const std::string& text) {
      if (!IsNumberOf(type, text)) {
        throw UsageError(fmt::format("bad {} '{}': it must be {}", name, text, wanted));
      }
      return std::string();
    });
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    CheckNumbers(*command);
  }
}

void CheckJobs(int jobs) {
  constexpr int kMost = 1024;
  if (jobs < 1 || jobs > kMost) {
    throw UsageError(
        fmt::format("bad --jobs {}: 1 to {}; as many as there are cores is usual", jobs, kMost));
  }
}

bool IsRun(const std::string& source) {
  std::error_code ignored;
  return std::filesystem::is_directory(source, ignored) || source.ends_with(".jsonl");
}

void AddDeviceOptions(CLI::App& app, ProblemOptions& options) {
  app.add_option("--device", options.device, "device to search for (default cpu)");
  app.add_option("--gpu", options.gpu, "which GPU, for devices that are one (default 0)");
  app.add_option("--threads", options.threads, "host threads that share the blocks");
  app.add_option("--max-threads", options.max_threads, "THREAD iterations per block");
  app.add_flag("--deterministic", options.deterministic,
               "two runs of a program yield the same bits: no atomic sums of floats");
  app.add_option("--set", options.limits, "limit=value: another limit of the device")
      ->allow_extra_args(false);
}

void AddTypeOption(CLI::App& app, ProblemOptions& options) {
  std::string types;
  for (const kernels::ir::TypeInfo& info : kernels::ir::AllTypes()) {
    types += fmt::format("{}{}", types.empty() ? "" : ", ", info.word);
  }
  app.add_option("--type", options.type,
                 fmt::format("type of the arrays of --compute, and of kernels with an option "
                             "`type`: {} (default f32)",
                             types));
}

void AddMemoryOption(CLI::App& app, std::string& memory, const std::string& what) {
  app.add_option("--memory", memory,
                 fmt::format("4GiB: at most so much {} (default half of the machine's)", what));
}

void AddProblemOptions(CLI::App& app, ProblemOptions& options) {
  app.add_option("--kernel", options.kernel,
                 "kernel to search (see `search list`), or a FILE.kernel");
  app.add_option("--compute", options.compute,
                 "a computation in its place: 'c[i,j] = sum(k) a[i,k] * b[k,j]'");
  AddTypeOption(app, options);
  app.add_option("--size", options.size,
                 "sizes and options of the kernel: m=512,n=512,k=512,relu=1");
  app.add_option("--space", options.space,
                 "default: every decision of the space; paper: none beyond those of the paper; "
                 "FILE.exh: a space of your own, for a program that --run or --serve names");
  AddMemoryOption(app, options.memory, "to build the space");
  AddDeviceOptions(app, options);
}

}  // namespace exh::search
