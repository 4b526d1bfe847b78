// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/devices/standalone/text.h"
#include "kernels/ir/text/type_text.h"
#include "search/install/tuned_library.h"

namespace exh::search {
namespace {

namespace ir = kernels::ir;

using kernels::package::LibraryKind;
using kernels::package::Unit;
using kernels::standalone::Fill;
using kernels::standalone::Heading;
using kernels::standalone::Listed;

constexpr const char* kBegin = R"(// The functions of tuned.h. Kernels lie in files of their own.
$INCLUDE_HEADER$

$INCLUDES$#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

extern "C" {
$DECLARATIONS$}

namespace {

// What a caller gave: arrays and scalars in the order of the kernel.
struct Call {
  void* const* arrays;
  const bool* is_written;
  std::size_t count;  // Of arrays.
  const double* scalars;
  void* stream;
  void* workspace;
  std::size_t workspace_bytes;
};

// For which devices there are units, and for which architectures.
constexpr const char* kDevices[] = {$DEVICES$};
constexpr const char* kArchitectures[] = {$ARCHITECTURES$};

// The position of a name; -1 where there is none.
template <std::size_t kCount>
int NumberOf(const char* const (&names)[kCount], const std::string& name) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (name == names[i]) return static_cast<int>(i);
  }
  return -1;
}

bool Overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x < y + b_bytes && y < x + a_bytes;
}

)";

constexpr const char* kEntry = R"(
// A unit: one implementation, for one device.
struct Entry {
  const std::int64_t* sizes;
  const std::uint32_t* alignments;  // Of the arrays.
  const std::size_t* bytes;         // Likewise.
  int device, architecture;         // Numbers in kDevices and kArchitectures.
  Run* run;
  unsigned (*needs)();  // Of the processor; or null.
  int threads;
  std::size_t workspace_bytes, zero_bytes;
  std::mutex* lock;  // One run at a time; or null.
};
$START$
// Tables are sorted by sizes; where these are the same, the faster comes first.
const Entry* Find(const Entry* begin, const Entry* end, const std::int64_t* sizes,
                  std::size_t count) {
  const Machine here = Here();
  const Entry* found = std::lower_bound(begin, end, sizes, [&](const Entry& entry, auto* wanted) {
    return std::lexicographical_compare(entry.sizes, entry.sizes + count, wanted, wanted + count);
  });
  const Entry* alike = nullptr;
  for (; found != end && std::equal(sizes, sizes + count, found->sizes); ++found) {
    if (found->architecture != here.architecture) continue;
    if (found->device == here.device) return found;
    if (alike == nullptr) alike = found;
  }
  return alike;
}

int CheckAndStart(const Entry& entry, const Call& call) {
  for (std::size_t i = 0; i < call.count; ++i) {
    if (call.arrays[i] == nullptr) return EXH_NULL_POINTER;
    if (reinterpret_cast<std::uintptr_t>(call.arrays[i]) % entry.alignments[i] != 0) {
      return EXH_MISALIGNED;
    }
  }
  for (std::size_t i = 0; i < call.count; ++i) {
    const void* const array = call.arrays[i];
    const std::size_t bytes = entry.bytes[i];
    if (Overlap(array, bytes, call.workspace, entry.workspace_bytes)) return EXH_OVERLAP;
    for (std::size_t other = 0; call.is_written[i] && other < call.count; ++other) {
      if (other != i && Overlap(array, bytes, call.arrays[other], entry.bytes[other])) {
        return EXH_OVERLAP;
      }
    }
  }
  return Start(entry, call);
}

}  // namespace

extern "C" const char* exh_status_text(int status) {
  switch (status) {
    case EXH_OK:
      return "all is well";
    case EXH_NOT_TUNED:
      return "nothing is tuned for these sizes on this device";
    case EXH_NULL_POINTER:
      return "an array is null";
    case EXH_MISALIGNED:
      return "an array is not aligned as tuned.h says";
    case EXH_OTHER_MACHINE:
      return "the library was compiled for another device than this one: build it here";
    case EXH_WORKSPACE_TOO_SMALL:
      return "the workspace is null or smaller than it must be";
    case EXH_DEVICE_ERROR:
      return "the device's runtime refused";
    case EXH_OVERLAP:
      return "an array that is written overlaps another one, or the workspace does";
  }
  return "no status of this library";
}
)";

constexpr const char* kKernel = R"(
$HEADING$
namespace {

constexpr std::int64_t ExhSizes_$KERNEL$[][$WIDTH$] = {
$SIZES$};
constexpr std::uint32_t ExhAlignments_$KERNEL$[][$ARRAYS$] = {
$ALIGNMENTS$};
constexpr std::size_t ExhBytes_$KERNEL$[][$ARRAYS$] = {
$BYTES_OF_ARRAYS$};
constexpr bool ExhIsWritten_$KERNEL$[] = {$IS_WRITTEN$};
$LOCKS$const Entry ExhEntries_$KERNEL$[] = {
$ENTRIES$};
std::atomic<exh_$KERNEL$_function*> ExhFallback_$KERNEL${nullptr};

const Entry* ExhFind_$KERNEL$(const std::int64_t* sizes) {
  return Find(std::begin(ExhEntries_$KERNEL$), std::end(ExhEntries_$KERNEL$), sizes, $COUNT$);
}

}  // namespace

$FUNCTION$
$SIZE_LIST$
  const Entry* const entry = ExhFind_$KERNEL$(sizes);
  if (entry == nullptr) {
    auto* const fallback = ExhFallback_$KERNEL$.load();
    if (fallback == nullptr) return EXH_NOT_TUNED;
$FALLBACK$
  }
$ARRAY_LIST$
$SCALAR_LIST$
  return CheckAndStart(*entry, {arrays, ExhIsWritten_$KERNEL$, $ARRAYS$, scalars, $STREAM$});
}

extern "C" void exh_$KERNEL$_set_fallback(exh_$KERNEL$_function* fallback) {
  ExhFallback_$KERNEL$ = fallback;
}

$IS_TUNED$
$SIZE_LIST$
  return ExhFind_$KERNEL$(sizes) == nullptr ? EXH_NOT_TUNED : EXH_OK;
}
)";

constexpr const char* kWorkspace = R"(
$BYTES$
$SIZE_LIST$
  const Entry* const entry = ExhFind_$KERNEL$(sizes);
  return entry == nullptr ? 0 : entry->workspace_bytes;
}

$INIT$
$SIZE_LIST$
  const Entry* const entry = ExhFind_$KERNEL$(sizes);
  if (entry == nullptr) return EXH_NOT_TUNED;
  return Prepare(*entry, stream, workspace, workspace_bytes);
}
)";

/// Names that units have, in the order in which they first come.
template <typename Member>
std::vector<std::string> NamesOf(const TunedLibrary& library, Member member) {
  std::vector<std::string> names;
  for (const TunedKernel& kernel : library.kernels) {
    for (const Wisdom* wisdom : kernel.units) {
      const std::string& name = wisdom->unit.*member;
      if (std::ranges::count(names, name) == 0) names.push_back(name);
    }
  }
  return names;
}

std::string Quoted(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) {
    std::string text = "\"";
    for (const char c : name)
      text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    quoted.push_back(text + "\"");
  }
  return fmt::format("{}", fmt::join(quoted, ", "));
}

std::size_t PositionOf(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/// "  {1, 2}," with at least one number: C++ has no empty arrays.
template <typename Number>
std::string Row(const std::vector<Number>& numbers) {
  return numbers.empty() ? "    {0},\n" : fmt::format("    {{{}}},\n", fmt::join(numbers, ", "));
}

std::string EntryText(const TunedKernel& kernel, std::size_t i,
                      const std::vector<std::string>& devices,
                      const std::vector<std::string>& architectures, bool has_needs) {
  const Unit& unit = kernel.units[i]->unit;
  const std::string lock = unit.one_at_a_time ? "&" + unit.symbol + "_lock" : "nullptr";
  return fmt::format(
      "    {{ExhSizes_{0}[{1}], ExhAlignments_{0}[{1}], ExhBytes_{0}[{1}], {2}, {3}, {4},\n"
      "     {5}, {6}, {7}, {8}, {9}}},\n",
      kernel.name, i, PositionOf(devices, unit.device),
      PositionOf(architectures, unit.architecture), unit.symbol,
      has_needs ? unit.symbol + "_needs" : "nullptr", unit.threads, unit.workspace_bytes,
      unit.zero_bytes, lock);
}

/// What units are given of a scalar. Where some take an i64 and others do not, a table that is
/// appended to `tables` says which.
std::string CellText(const TunedKernel& kernel, std::size_t scalar, std::string& tables) {
  const auto is_wide = [&](const Wisdom* one) {
    return one->unit.scalars[scalar].type == ir::WordOf(ir::Type::kI64);
  };
  const std::string& name = kernel.scalars[scalar];
  if (std::ranges::none_of(kernel.units, is_wide)) return ir::ToCellText(name, ir::Type::kF64);
  const std::string wide = ir::ToCellText("static_cast<long long>(" + name + ")", ir::Type::kI64);
  if (std::ranges::all_of(kernel.units, is_wide)) return wide;
  std::vector<int> row;
  for (const Wisdom* one : kernel.units) row.push_back(is_wide(one) ? 1 : 0);
  const std::string table = fmt::format("ExhWhole{}_{}", scalar, kernel.name);
  tables += fmt::format("constexpr bool {}[] = {{{}}};\n", table, fmt::join(row, ", "));
  return fmt::format("{}[entry - ExhEntries_{}] ? {} : {}", table, kernel.name, wide, name);
}

std::string KernelText(const TunedKernel& kernel, const LibraryKind& kind,
                       const std::vector<std::string>& devices,
                       const std::vector<std::string>& architectures) {
  std::string sizes, alignments, bytes, entries, locks;
  for (std::size_t i = 0; i < kernel.units.size(); ++i) {
    const Unit& unit = kernel.units[i]->unit;
    std::vector<std::int64_t> numbers;
    for (const auto& size : unit.sizes) numbers.push_back(size.value);
    sizes += Row(numbers);
    std::vector<std::uint32_t> multiples;
    std::vector<std::uint64_t> lengths;
    for (const auto& array : unit.arrays) {
      multiples.push_back(array.alignment);
      lengths.push_back(array.elements *
                        kernels::ir::BytesOf(*kernels::ir::TypeOfWord(array.type)));
    }
    alignments += Row(multiples);
    bytes += Row(lengths);
    entries += EntryText(kernel, i, devices, architectures, kind.has_needs);
    if (unit.one_at_a_time) locks += fmt::format("std::mutex {}_lock;\n", unit.symbol);
  }
  std::vector<std::string> arrays, is_written, scalars, size_list = kernel.sizes;
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    is_written.emplace_back(kernel.unit().arrays[i].is_output ? "true" : "false");
    arrays.push_back(
        kernel.unit().arrays[i].is_output
            ? kernel.arrays[i]
            : fmt::format("const_cast<{}*>({})", kernel.array_types[i], kernel.arrays[i]));
  }
  for (std::size_t i = 0; i < kernel.scalars.size(); ++i) {
    scalars.push_back(CellText(kernel, i, locks));
  }
  if (scalars.empty()) scalars.emplace_back("0");
  if (size_list.empty()) size_list.emplace_back("0");
  const std::string name = "exh_" + kernel.name;
  const auto size_parameters = kernel.SizeParameters();
  auto init = size_parameters;
  init.insert(init.begin(), std::string(kind.stream));
  init.insert(init.end(), {"void* workspace", "size_t workspace_bytes"});
  std::map<std::string, std::string> values = {
      {"HEADING", Heading(kernel.name)},
      {"KERNEL", kernel.name},
      {"WIDTH", fmt::format("{}", size_list.size())},
      {"COUNT", fmt::format("{}", kernel.sizes.size())},
      {"ARRAYS", fmt::format("{}", kernel.arrays.size())},
      {"SIZES", sizes},
      {"ALIGNMENTS", alignments},
      {"BYTES_OF_ARRAYS", bytes},
      {"IS_WRITTEN", fmt::format("{}", fmt::join(is_written, ", "))},
      {"LOCKS", locks},
      {"ENTRIES", entries},
      {"FUNCTION", Listed("extern \"C\" int " + name + "(", kernel.Parameters(kind), ") {")},
      {"SIZE_LIST", Listed("  const std::int64_t sizes[] = {", size_list, "};")},
      {"FALLBACK", Listed("    return fallback(", kernel.Arguments(kind), ");")},
      {"ARRAY_LIST", Listed("  void* const arrays[] = {", arrays, "};")},
      {"SCALAR_LIST", Listed("  const double scalars[] = {", scalars, "};")},
      {"STREAM", kind.has_workspace ? "stream, workspace, workspace_bytes" : "nullptr, nullptr, 0"},
      {"IS_TUNED", Listed("extern \"C\" int " + name + "_is_tuned(", size_parameters, ") {")},
      {"BYTES",
       Listed("extern \"C\" size_t " + name + "_workspace_bytes(", size_parameters, ") {")},
      {"INIT", Listed("extern \"C\" int " + name + "_workspace_init(", init, ") {")}};
  return Fill(kKernel, values) + (kind.has_workspace ? Fill(kWorkspace, values) : "");
}

}  // namespace

std::string TunedSource(const TunedLibrary& library) {
  const LibraryKind& kind = *library.kind;
  const auto devices = NamesOf(library, &Unit::device);
  const auto architectures = NamesOf(library, &Unit::architecture);
  std::string declarations;
  for (const TunedKernel& kernel : library.kernels) {
    for (const Wisdom* wisdom : kernel.units) {
      declarations += Fill(std::string(kind.declaration), {{"SYMBOL", wisdom->unit.symbol}});
    }
  }
  std::string text = Fill(kBegin, {{"INCLUDE_HEADER", "#include \"tuned.h\""},
                                   {"INCLUDES", std::string(kind.source_includes)},
                                   {"DECLARATIONS", declarations},
                                   {"DEVICES", Quoted(devices)},
                                   {"ARCHITECTURES", Quoted(architectures)}});
  text += std::string(kind.machine) + Fill(kEntry, {{"START", std::string(kind.start)}});
  for (const TunedKernel& kernel : library.kernels) {
    text += KernelText(kernel, kind, devices, architectures);
  }
  return text;
}

}  // namespace exh::search
