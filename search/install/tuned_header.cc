// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/numbers.h"
#include "kernels/devices/standalone/text.h"
#include "search/install/tuned_library.h"

namespace exh::search {
namespace {

using kernels::standalone::Fill;
using kernels::standalone::Heading;
using kernels::standalone::Listed;

constexpr const char* kBegin =
    R"(// A tuned library: kernels that were searched for, at the sizes and on the devices below.
//
// A call takes what was tuned for this very device, else for its architecture. Sizes are those that
// are named, never the nearest. For anything else it calls the kernel's fallback, or answers
// EXH_NOT_TUNED and touches nothing. Arrays that are read may overlap each other; what is written
// overlaps nothing else, from its first element to its last. Functions may be called from any
// thread.
#pragma once

#include <stddef.h>
#include <stdint.h>
$INCLUDES$
#ifdef __cplusplus
extern "C" {
#endif

// What the functions below take and answer; it grows when programs must be changed.
#define EXH_TUNED_INTERFACE $INTERFACE$

enum {
  EXH_OK = 0,
  EXH_NOT_TUNED = 1,            // Not for these sizes on this device, and there is no fallback.
  EXH_NULL_POINTER = 2,         // An array is null.
  EXH_MISALIGNED = 3,           // An array is not aligned as said below.
  EXH_OTHER_MACHINE = 4,        // The library was compiled for another device than this one.
  EXH_WORKSPACE_TOO_SMALL = 5,  // Null, or smaller than …_workspace_bytes() says.
  EXH_DEVICE_ERROR = 6,         // The device's own runtime refused: ask that for its last error.
  EXH_OVERLAP = 7               // What is written, or the workspace, overlaps an array.
};

// The same in words.
const char* exh_status_text(int status);
)";

constexpr const char* kKernel = R"(
// The function of a fallback, with the parameters of exh_$KERNEL$(). What it returns is returned.
$TYPEDEF$

$FUNCTION$

// From now on what is not tuned goes there; null: nowhere.
void exh_$KERNEL$_set_fallback(exh_$KERNEL$_function* fallback);

// EXH_OK when exh_$KERNEL$() has something of its own for these sizes on this device.
$IS_TUNED$
)";

constexpr const char* kWorkspace = R"(
// Bytes of device memory that a run of these sizes needs, for one run at a time; 0: none.
$BYTES$

// Makes a workspace ready, before the first run that is given it.
$INIT$
)";

/// What has another name here than in the kernel: it is a word of C, C++ or Python, or of ours.
std::string RenamedLines(const TunedKernel& kernel) {
  std::string text;
  const auto add = [&](const char* what, const std::string& given, const std::string& name) {
    if (given != name) text += fmt::format("//   {} is the {} '{}'\n", name, what, given);
  };
  const auto& unit = kernel.unit();
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
    add(unit.sizes[i].is_option ? "option" : "size", unit.sizes[i].name, kernel.sizes[i]);
  }
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    add("array", unit.arrays[i].name, kernel.arrays[i]);
  }
  for (std::size_t i = 0; i < kernel.scalars.size(); ++i) {
    add("scalar", unit.scalars[i].name, kernel.scalars[i]);
  }
  return text;
}

/// "//   op: 0 is sum, 1 is max"; empty for what has no words.
std::string WordsLine(const TunedKernel& kernel, std::size_t i) {
  std::string text;
  const auto& words = kernel.unit().sizes[i].words;
  for (std::size_t value = 0; value < words.size(); ++value) {
    text += fmt::format("{}{} is {}", value == 0 ? "" : ", ", value, words[value]);
  }
  return text.empty() ? "" : fmt::format("//   {}: {}\n", kernel.sizes[i], text);
}

std::string ArrayLine(const TunedKernel& kernel, std::size_t i) {
  std::string text;
  // By unit; most often all say the same.
  std::vector<std::string> lines;
  for (const Wisdom* wisdom : kernel.units) {
    const auto& array = wisdom->unit.arrays[i];
    std::string line = array.type;
    if (array.has_shape && !array.extents.empty()) {
      line += fmt::format("[{}]", fmt::join(array.extents, ", "));
      std::int64_t stride = 1;
      bool is_dense = true;
      for (std::size_t dim = array.extents.size(); dim-- > 0; stride *= array.extents[dim]) {
        is_dense = is_dense && (array.strides[dim] == stride || array.extents[dim] == 1);
      }
      if (!is_dense) line += fmt::format(" with strides ({})", fmt::join(array.strides, ", "));
    } else {
      line += fmt::format(", {} elements", array.elements);
    }
    line += fmt::format(", aligned to {} bytes", array.alignment);
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  return fmt::format("//   {}: {}{}\n", kernel.arrays[i], fmt::join(lines, "; or "),
                     kernel.unit().arrays[i].is_output ? "; all of it is written" : "");
}

std::string UnitLines(const TunedKernel& kernel) {
  std::string text;
  for (const Wisdom* wisdom : kernel.units) {
    text += fmt::format("//   {}: {}", PlaceText(wisdom->unit), FormatTime(wisdom->ns));
    for (const Rival& rival : wisdom->compared) {
      text += fmt::format(", {} {}{}", rival.name, FormatTime(rival.ns),
                          rival.ns >= wisdom->ns ? ""
                          : rival.is_tied        ? " (within the noise)"
                                                 : " (faster)");
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string TunedHeader(const TunedLibrary& library) {
  const auto& kind = *library.kind;
  std::string text = Fill(kBegin, {{"INCLUDES", std::string(kind.includes)},
                                   {"INTERFACE", std::to_string(kTunedInterface)}});
  for (const TunedKernel& kernel : library.kernels) {
    text += "\n" + Heading(kernel.name) + "//\n// " + kernel.unit().summary +
            ". Tuned, with the time that was measured:\n" + UnitLines(kernel) + "// It takes:\n" +
            RenamedLines(kernel);
    for (std::size_t i = 0; i < kernel.sizes.size(); ++i) text += WordsLine(kernel, i);
    for (std::size_t i = 0; i < kernel.arrays.size(); ++i) text += ArrayLine(kernel, i);
    const std::string name = "exh_" + kernel.name;
    const auto parameters = kernel.Parameters(kind);
    auto sizes = kernel.SizeParameters();
    if (sizes.empty()) sizes.emplace_back("void");
    std::map<std::string, std::string> values = {
        {"KERNEL", kernel.name},
        {"TYPEDEF", Listed("typedef int " + name + "_function(", parameters, ");")},
        {"FUNCTION", Listed("int " + name + "(", parameters, ");")},
        {"IS_TUNED", Listed("int " + name + "_is_tuned(", sizes, ");")}};
    text += Fill(kKernel, values);
    if (!kind.has_workspace) continue;
    auto init = kernel.SizeParameters();
    init.insert(init.begin(), std::string(kind.stream));
    init.insert(init.end(), {"void* workspace", "size_t workspace_bytes"});
    text +=
        Fill(kWorkspace, {{"BYTES", Listed("size_t " + name + "_workspace_bytes(", sizes, ");")},
                          {"INIT", Listed("int " + name + "_workspace_init(", init, ");")}});
  }
  return text + "\n#ifdef __cplusplus\n}\n#endif\n";
}

}  // namespace exh::search
