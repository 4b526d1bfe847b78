// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/counters/ncu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "base/numbers.h"
#include "base/system/process.h"
#include "kernels/evaluation.h"

namespace exh::kernels::cuda {
namespace {

/// How launches of one program make one number.
enum class Over : std::uint8_t {
  kSum,
  kMain,  ///< That of the main kernel.
};

/// A counter as ncu calls it, and what it is called here.
struct Asked {
  std::string_view name, key, unit;
  Over over = Over::kSum;
};
constexpr std::array kAsked = {
    Asked{"gpu__time_duration.sum", "ns", "ns"},
    Asked{"dram__bytes_read.sum", "dram_read_bytes", "bytes"},
    Asked{"dram__bytes_write.sum", "dram_written_bytes", "bytes"},
    Asked{"dram__bytes.sum", "dram_bytes", "bytes"},
    Asked{"lts__t_bytes.sum", "l2_bytes", "bytes"},
    Asked{"l1tex__m_xbar2l1tex_read_bytes.sum", "l2_to_l1_bytes", "bytes"},
    Asked{"l1tex__m_xbar2l1tex_read_bytes.max", "unit_l2_to_l1_bytes", "bytes of the busiest unit"},
    Asked{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "shared_wavefronts", "wavefronts"},
    Asked{"l1tex__data_pipe_lsu_wavefronts_mem_shared.max", "unit_shared_wavefronts",
          "wavefronts of the busiest unit"},
    Asked{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.max", "unit_shared_conflicts",
          "wavefronts of the busiest unit"},
    Asked{"sm__inst_executed.sum", "instructions", "of warps"},
    Asked{"sm__inst_executed.max", "unit_instructions", "of warps of the busiest unit"},
    Asked{"sm__inst_executed_pipe_tensor.max", "unit_tensor_instructions",
          "of warps of the busiest unit"},
    Asked{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "f32_adds", "of threads"},
    Asked{"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "f32_products", "of threads"},
    Asked{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "f32_fmas", "of threads"},
    Asked{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "f64_adds", "of threads"},
    Asked{"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "f64_products", "of threads"},
    Asked{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "f64_fmas", "of threads"},
    Asked{"launch__grid_size", "blocks", "blocks", Over::kMain},
    Asked{"launch__waves_per_multiprocessor", "waves", "waves", Over::kMain},
    Asked{"launch__registers_per_thread", "registers", "of a thread", Over::kMain},
    Asked{"launch__shared_mem_per_block_static", "static_shared_bytes", "bytes of a block",
          Over::kMain},
    Asked{"launch__shared_mem_per_block_dynamic", "dynamic_shared_bytes", "bytes of a block",
          Over::kMain},
    Asked{"sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy", "% of all warps",
          Over::kMain},
};

/// The fields of a line. They may be quoted, and a quote within a quoted one stands twice.
std::vector<std::string> FieldsOf(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

/// "1,048,576.5"; nothing: it is none.
std::optional<double> NumberOf(std::string text) {
  std::erase(text, ',');
  return ParseReal(text);
}

/// Prefixes of units, for tables that are not in base units.
double ScaleOf(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 12> kScales = {{{"Kbyte", 1e3},
                                                                            {"Mbyte", 1e6},
                                                                            {"Gbyte", 1e9},
                                                                            {"Tbyte", 1e12},
                                                                            {"usecond", 1e3},
                                                                            {"msecond", 1e6},
                                                                            {"second", 1e9},
                                                                            {"us", 1e3},
                                                                            {"ms", 1e6},
                                                                            {"s", 1e9},
                                                                            {"Kbyte/block", 1e3},
                                                                            {"Mbyte/block", 1e6}}};
  for (const auto& [name, scale] : kScales) {
    if (unit == name) return scale;
  }
  return 1;
}

/// What follows "==ERROR==", or "==WARNING==".
std::optional<std::string> Said(std::string_view line, std::string_view mark) {
  if (!line.starts_with(mark)) return std::nullopt;
  return std::string(Trim(line.substr(mark.size())));
}

std::string WhyNothing(const NcuOutput& output) {
  const std::string said = fmt::format("{}", fmt::join(output.errors, "\n"));
  if (said.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    return "the driver shows its counters to administrators alone (ERR_NVGPUCTRPERM): run it as "
           "root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0; a container "
           "needs --cap-add SYS_ADMIN besides\n" +
           said;
  }
  if (said.find("LibraryNotLoaded") != std::string::npos ||
      said.find("Unable to obtain") != std::string::npos) {
    return "Nsight Compute found no driver: a container needs the GPU with all its capabilities "
           "(NVIDIA_DRIVER_CAPABILITIES=all)\n" +
           said;
  }
  if (!said.empty()) return "Nsight Compute counted nothing:\n" + said;
  return "Nsight Compute wrote no table: the program ended before the run that was to be counted";
}

}  // namespace

std::vector<std::string> NcuCommand(const std::string& ncu, const NcuQuestion& question) {
  std::vector<std::string> kernels;
  for (const SideLaunch& one : InOrder(question.launch)) {
    if (std::ranges::find(kernels, one.kernel) == kernels.end()) kernels.push_back(one.kernel);
  }
  const std::size_t of_a_run = InOrder(question.launch).size();
  std::vector<std::string_view> asked;
  for (const Asked& one : kAsked) {
    if (!question.without.contains(std::string(one.name))) asked.push_back(one.name);
  }
  // Numbers are written as in English, whatever the user's language.
  return {"env",
          "LC_ALL=C",
          ncu,
          "--csv",
          "--page",
          "raw",
          "--print-units",
          "base",
          "--log-file",
          question.file,
          "--target-processes",
          "all",
          "--clock-control",
          "none",
          "--cache-control",
          question.cold ? "all" : "none",
          "--kernel-name-base",
          "function",
          "--kernel-name",
          fmt::format("regex:^({})$", fmt::join(kernels, "|")),
          "--launch-skip",
          std::to_string(question.runs * of_a_run),
          "--launch-count",
          std::to_string(of_a_run),
          "--metrics",
          fmt::format("{}", fmt::join(asked, ","))};
}

std::string FindNcu() {
  if (std::string found = FindProgram("ncu"); !found.empty()) return found;
  constexpr const char* kUsual = "/usr/local/cuda/bin/ncu";
  std::error_code ignored;
  return std::filesystem::exists(kUsual, ignored) ? kUsual : "";
}

NcuOutput ParseNcu(std::string_view text) {
  NcuOutput output;
  std::vector<std::string> names, warnings;
  std::size_t kernel = 0;
  bool has_units = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (auto error = Said(line, "==ERROR==")) output.errors.push_back(*std::move(error));
    if (auto warning = Said(line, "==WARNING==")) warnings.push_back(*std::move(warning));
    if (line.starts_with("==") || line.empty()) continue;
    std::vector<std::string> fields = FieldsOf(line);
    if (names.empty()) {
      const auto found = std::ranges::find(fields, "Kernel Name");
      if (found == fields.end()) continue;  // The program printed it.
      kernel = static_cast<std::size_t>(found - fields.begin());
      names = std::move(fields);
      continue;
    }
    if (fields.size() != names.size()) continue;
    if (!std::exchange(has_units, true)) {
      for (std::size_t i = 0; i < names.size(); ++i) output.units[names[i]] = fields[i];
      if (fields[kernel].empty()) continue;
      output.units.clear();  // An older table has no line of units.
    }
    NcuLaunch& launch = output.launches.emplace_back();
    launch.kernel = fields[kernel];
    for (std::size_t i = kernel + 1; i < names.size(); ++i) {
      const auto unit = output.units.find(names[i]);
      const double scale = unit == output.units.end() ? 1 : ScaleOf(unit->second);
      if (const auto value = NumberOf(fields[i])) launch.values[names[i]] = *value * scale;
    }
  }
  if (output.launches.empty()) std::ranges::move(warnings, std::back_inserter(output.errors));
  return output;
}

std::set<std::string> UnknownCounters(const NcuOutput& output) {
  std::set<std::string> unknown;
  if (!output.launches.empty()) return unknown;
  for (const std::string& error : output.errors) {
    if (error.find("metric") == std::string::npos) continue;
    for (const Asked& one : kAsked) {
      // One name may begin another one.
      const std::size_t at = error.find(one.name);
      const std::size_t end = at + one.name.size();
      const bool is_whole =
          at != std::string::npos &&
          (end == error.size() ||
           std::string_view(" ,.;'\"\n").find(error[end]) != std::string_view::npos);
      if (is_whole) unknown.emplace(one.name);
    }
  }
  return unknown;
}

CounterReading ReadingOf(const NcuOutput& output) {
  CounterReading reading;
  if (output.launches.empty()) {
    reading.why = WhyNothing(output);
    return reading;
  }
  reading.tool = "Nsight Compute";
  std::vector<std::string_view> missing;
  for (const Asked& asked : kAsked) {
    double value = 0;
    bool is_there = false;
    for (const NcuLaunch& launch : output.launches) {
      if (asked.over == Over::kMain && launch.kernel != kMainKernel) continue;
      const auto found = launch.values.find(asked.name);
      if (found == launch.values.end()) continue;
      is_there = true;
      value += found->second;
    }
    if (is_there) {
      reading.counters.push_back(
          {std::string(asked.key), value, std::string(asked.unit), std::string(asked.name)});
    } else {
      missing.push_back(asked.name);
    }
  }
  if (!missing.empty()) {
    reading.why = fmt::format("this GPU, or this version of Nsight Compute, has no {}",
                              fmt::join(missing, ", "));
  }
  return reading;
}

}  // namespace exh::kernels::cuda
