// SPDX-License-Identifier: MIT
#include "search/install/tuned_library.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/devices/backend.h"
#include "kernels/devices/standalone/text.h"
#include "kernels/ir/names/identifiers.h"
#include "kernels/ir/text/type_text.h"

namespace exh::search {
namespace {

using kernels::ir::ElementName;
using kernels::ir::RegisterName;
using kernels::package::LibraryKind;
using kernels::package::Unit;

std::vector<std::int64_t> SizesOf(const Wisdom* wisdom) {
  std::vector<std::int64_t> sizes;
  for (const auto& size : wisdom->unit.sizes) sizes.push_back(size.value);
  return sizes;
}

bool ComesBefore(const Wisdom* a, const Wisdom* b) {
  const auto sizes_a = SizesOf(a), sizes_b = SizesOf(b);
  return sizes_a != sizes_b ? sizes_a < sizes_b : a->ns < b->ns;
}

kernels::ir::Type TypeOf(const std::string& word) {
  return kernels::ir::TypeOfWord(word).value_or(kernels::ir::Type::kF32);  // ReadWisdom() checked.
}

void NameAll(TunedKernel& kernel) {
  using kernels::ir::ArgumentName;
  kernels::ir::Taken taken;
  const Unit& unit = kernel.unit();
  for (const auto& size : unit.sizes) kernel.sizes.push_back(ArgumentName(size.name, taken));
  for (std::size_t i = 0; i < unit.arrays.size(); ++i) {
    kernel.arrays.push_back(ArgumentName(unit.arrays[i].name, taken));
    const std::string& type = unit.arrays[i].type;
    const bool agree = std::ranges::all_of(
        kernel.units, [&](const Wisdom* one) { return one->unit.arrays[i].type == type; });
    kernel.array_types.emplace_back(agree ? ElementName(TypeOf(type)) : "void");
  }
  for (std::size_t i = 0; i < unit.scalars.size(); ++i) {
    kernel.scalars.push_back(ArgumentName(unit.scalars[i].name, taken));
    const std::string& type = unit.scalars[i].type;
    const bool agree = std::ranges::all_of(
        kernel.units, [&](const Wisdom* one) { return one->unit.scalars[i].type == type; });
    kernel.scalar_types.emplace_back(agree ? RegisterName(TypeOf(type)) : "double");
  }
}

}  // namespace

std::vector<std::string> TunedKernel::SizeParameters() const {
  std::vector<std::string> parameters;
  for (const std::string& size : sizes) parameters.push_back("int64_t " + size);
  return parameters;
}

std::vector<std::string> TunedKernel::Parameters(const LibraryKind& kind) const {
  std::vector<std::string> parameters;
  if (!kind.stream.empty()) parameters.emplace_back(kind.stream);
  for (const std::string& size : SizeParameters()) parameters.push_back(size);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const bool is_output = unit().arrays[i].is_output;
    parameters.push_back((is_output ? "" : "const ") + array_types[i] + "* " + arrays[i]);
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    parameters.push_back(scalar_types[i] + " " + scalars[i]);
  }
  if (kind.has_workspace) {
    parameters.emplace_back("void* workspace");
    parameters.emplace_back("size_t workspace_bytes");
  }
  return parameters;
}

std::vector<std::string> TunedKernel::Arguments(const LibraryKind& kind) const {
  std::vector<std::string> arguments;
  if (!kind.stream.empty()) arguments.emplace_back("stream");
  for (const auto* names : {&sizes, &arrays, &scalars}) {
    arguments.insert(arguments.end(), names->begin(), names->end());
  }
  if (kind.has_workspace) arguments.insert(arguments.end(), {"workspace", "workspace_bytes"});
  return arguments;
}

TunedLibrary MakeTunedLibrary(const std::vector<Wisdom>& all) {
  TunedLibrary library;
  const std::string& language = all.front().unit.language;
  const kernels::Backend* const backend = kernels::FindBackend(language);
  if (backend == nullptr || backend->library_kind() == nullptr) {
    throw UsageError(fmt::format("this program makes no libraries for devices of '{}'", language));
  }
  library.kind = backend->library_kind();
  std::map<std::string, TunedKernel> kernels;
  for (const Wisdom& wisdom : all) {
    TunedKernel& kernel = kernels[wisdom.unit.kernel];
    kernel.name = wisdom.unit.kernel;
    kernel.units.push_back(&wisdom);
  }
  for (auto& [name, kernel] : kernels) {
    std::ranges::stable_sort(kernel.units, ComesBefore);
    NameAll(kernel);
    library.kernels.push_back(std::move(kernel));
  }
  return library;
}

std::string UnitFile(const Unit& unit, const LibraryKind& kind) {
  return fmt::format("kernels/{}{}", unit.symbol, kind.suffix);
}

std::map<std::string, std::string> LibraryFiles(const std::vector<Wisdom>& all) {
  const TunedLibrary library = MakeTunedLibrary(all);
  std::map<std::string, std::string> files = {
      {"tuned.h", TunedHeader(library)},
      {"tuned" + std::string(library.kind->suffix), TunedSource(library)},
      {"CMakeLists.txt", TunedCMake(library)},
      {"tuned.py", TunedPython(library)}};
  for (const Wisdom& wisdom : all) {
    files[UnitFile(wisdom.unit, *library.kind)] =
        kernels::standalone::Comment(PlaceText(wisdom.unit) + "\n\n" + wisdom.decisions) + "\n" +
        wisdom.unit.text;
  }
  return files;
}

}  // namespace exh::search
