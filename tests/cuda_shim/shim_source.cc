// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/shim_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <regex>
#include <string_view>

namespace exh_shim {
namespace {

// What lies behind the shared memory of a kernel: a temporary that begins too far still begins in
// it, and its accesses are reported as what they are.
constexpr std::uint64_t kSlackBytes = 1 << 16;

/// Every pointer becomes a Tracked, and every cast to one a function. `extern "C"` would make the
/// kernels of several namespaces one.
std::string TrackPointers(const std::string& source) {
  // The longer names first.
  static const std::string types =
      "(exh_[a-z_]+[24]|unsigned long long|unsigned short|unsigned char|unsigned int|signed "
      "char|long long|"
      "unsigned|double|float[24]?|uint[24]|short|char|int)";
  static const std::regex cast(R"(reinterpret_cast<\s*(?:const\s+)?)" + types + R"(\s*\*\s*>)");
  static const std::regex pointer(R"((?:\bconst\s+)?\b)" + types + R"(\s*\*)");
  static const std::regex deduced(R"((?:\bconst\s+)?\bauto\s*\*)");
  static const std::regex alignment(R"(__align__\(\d+\)\s*)");
  static const std::regex linkage("extern\\s+\"C\"");
  std::string text = std::regex_replace(source, cast, "exh_shim::Cast<$1>");
  text = std::regex_replace(text, pointer, "exh_shim::Tracked<$1>");
  text = std::regex_replace(text, deduced, "auto");
  text = std::regex_replace(text, alignment, "");
  return std::regex_replace(text, linkage, "static");
}

/// The type that the line declares registers of, without a value: "float v_a_0, v_a_1;". Empty: it
/// does something else.
std::string_view DeclaredType(std::string_view line) {
  // The longer names first.
  static constexpr std::string_view kTypes[] = {
      "unsigned long long", "unsigned short", "long long", "unsigned", "double", "float", "int"};
  if (line.empty() || line.back() != ';') return {};
  const auto* const type = std::ranges::find_if(kTypes, [&](std::string_view one) {
    return line.starts_with(one) && line.substr(one.size()).starts_with(' ');
  });
  if (type == std::end(kTypes)) return {};
  const std::string_view names = line.substr(type->size(), line.size() - type->size() - 1);
  const bool is_list = std::ranges::all_of(names, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == ',' || c == ' ';
  });
  return is_list ? *type : std::string_view();
}

/// Registers have a value from the beginning, which is none that a program could want. Compilers
/// take what is written in some branch for written in all.
std::string SpoilRegisters(const std::string& source) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string_view whole = std::string_view(source).substr(begin, end - begin);
    const std::string_view line =
        whole.substr(std::min(whole.find_first_not_of(' '), whole.size()));
    if (const std::string_view type = DeclaredType(line); !type.empty()) {
      const std::string value = fmt::format(" = exh_shim::Unwritten<{}>()", type);
      text += type;
      for (const char c : line.substr(type.size())) {
        if (c == ',' || c == ';') text += value;
        text += c;
      }
    } else {
      text += whole;
    }
    if (end < source.size()) text += '\n';
    begin = end + 1;
  }
  return text;
}

/// A tensor map, as an initializer.
std::string MapArgument(const exh::kernels::TensorMap& map) {
  return fmt::format(
      "exh_tensor_map{{arrays[{}], {}u, {}u, {{{}}}, {{{}{}}}, {{{}}}, {}u}}", map.array,
      map.element_bytes, map.extents.size(), fmt::join(map.extents, ", "), map.element_bytes,
      fmt::format("{}{}", map.strides.empty() ? "" : ", ", fmt::join(map.strides, ", ")),
      fmt::join(map.box, ", "), map.swizzle_bytes);
}

/// Do threads of a block order each other otherwise than by barriers of the block?
bool IsOrdered(const std::string& source) {
  // Those who forget to initialise barriers are found, too.
  static constexpr const char* kWords[] = {"exh_barrier_init", "exh_bulk_", "exh_arrive",
                                           "exh_meet"};
  return std::ranges::any_of(
      kWords, [&](const char* word) { return source.find(word) != std::string::npos; });
}

std::string Arguments(const CudaText& text, std::size_t num_arrays, std::size_t num_scalars) {
  std::string arguments;
  const auto add = [&](const std::string& argument) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  };
  for (std::size_t i = 0; i < num_arrays; ++i) add(fmt::format("arrays[{}]", i));
  for (std::size_t i = 0; i < num_scalars; ++i)
    add(fmt::format("exh_shim::Cell{{scalars[{}]}}", i));
  if (text.source.find("exh_global") != std::string::npos) add("global");
  for (const exh::kernels::TensorMap& map : text.launch.maps) add(MapArgument(map));
  return arguments;
}

/// The kernels in their order, as an initializer.
std::string Kernels(const exh::kernels::Launch& launch, const std::string& arguments) {
  std::string kernels;
  const auto add = [&](const std::string& name, std::uint64_t grid, std::uint32_t threads,
                       std::uint64_t shared_bytes, std::uint32_t cluster = 1) {
    kernels += fmt::format(R"(    {{"{}", {}u, {}u, {}u, {}ull,
     [](void* const* arrays, const double* scalars, void* global) {{
       (void)arrays, (void)scalars, (void)global;
       {}({});
     }}}},
)",
                           name, grid, threads, cluster, shared_bytes, name, arguments);
  };
  const auto add_sides = [&](bool is_before) {
    for (const exh::kernels::SideLaunch& side : launch.sides) {
      if (side.is_before != is_before) continue;
      add(side.kernel, side.grid, side.threads, side.shared_bytes);
    }
  };
  add_sides(true);
  add("exh_kernel", launch.grid, launch.threads, launch.shared_bytes, launch.cluster);
  add_sides(false);
  return kernels;
}

}  // namespace

std::string ShimSource(const CudaText& text, const std::vector<ArrayFacts>& arrays,
                       std::size_t num_scalars, std::size_t number) {
  const exh::kernels::Launch& launch = text.launch;
  std::uint64_t shared_bytes = launch.shared_bytes;
  for (const exh::kernels::SideLaunch& side : launch.sides) {
    shared_bytes = std::max(shared_bytes, side.shared_bytes);
  }
  const std::uint64_t reach = (shared_bytes + kSlackBytes + 15) / 16 * 16;
  std::string facts;
  for (const ArrayFacts& array : arrays) {
    facts += fmt::format("{{\"{}\", {}ull, {}u, {}}}, ", array.name, array.elements,
                         array.element_bytes, array.is_output);
  }
  return fmt::format(
      R"(namespace n{number} {{
#line 1 "kernel_{number}.cu"
{source}
alignas(1024) float4 exh_shared[{vectors}];
static const exh_shim::Kernel exh_shim_kernels[] = {{
{kernels}}};
}}
extern "C" void exh_shim_run_{number}(void* const* arrays, const double* scalars,
                                      unsigned char* const* written, char* error, int capacity,
                                      int thread_order) {{
  static const exh_shim::ArrayArgument facts[] = {{{facts}}};
  exh_shim::Run({{n{number}::exh_shim_kernels, {num_kernels}u, {overlaps}, {is_ordered}, n{number}::exh_shared, {reach}ull,
                  {scratch}ull, {workspace}ull, {tickets}ull, facts, {num_arrays}u, arrays,
                  scalars, written, thread_order}},
                error, capacity);
}}
)",
      fmt::arg("number", number), fmt::arg("source", TrackPointers(SpoilRegisters(text.source))),
      fmt::arg("vectors", reach / 16),
      fmt::arg("kernels", Kernels(launch, Arguments(text, arrays.size(), num_scalars))),
      fmt::arg("num_kernels", launch.sides.size() + 1), fmt::arg("overlaps", launch.overlaps),
      fmt::arg("is_ordered", IsOrdered(text.source)), fmt::arg("facts", facts),
      fmt::arg("reach", reach), fmt::arg("scratch", launch.scratch_bytes()),
      fmt::arg("workspace", launch.workspace_bytes), fmt::arg("tickets", launch.ticket_bytes),
      fmt::arg("num_arrays", arrays.size()));
}

std::string CompilerFlags() {
  // Optimised a little: that takes longer to compile, and less than it saves. Frames larger than a
  // page are probed, so that a stack that overflows meets its guard page.
  return "-std=c++20 -O1 -march=native -fstack-clash-protection -Itree";
}

}  // namespace exh_shim
