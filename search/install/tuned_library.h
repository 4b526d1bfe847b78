// SPDX-License-Identifier: MIT
//
// A tuned library as its files see it: units by kernel, and what a kernel is to a caller.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/devices/package/library_kind.h"
#include "search/install/wisdom.h"

namespace exh::search {

/// EXH_TUNED_INTERFACE of tuned.h: it grows when a program that was compiled against an older
/// tuned.h would call the functions of a newer library wrongly (docs/versions.md).
inline constexpr int kTunedInterface = 1;

/// All units of one kernel.
struct TunedKernel {
  std::string name;                       ///< "matmul".
  std::vector<const Wisdom*> units;       ///< By sizes; the faster first where these are the same.
  std::vector<std::string> sizes;         ///< Names of parameters, as identifiers that differ.
  std::vector<std::string> arrays;        ///< Likewise.
  std::vector<std::string> array_types;   ///< "float"; "void" where units differ in it.
  std::vector<std::string> scalars;       ///< Names.
  std::vector<std::string> scalar_types;  ///< "float"; "double" where units differ in it.

  const kernels::package::Unit& unit() const { return units.front()->unit; }
  /// What its function takes: stream, sizes, arrays, scalars, workspace.
  std::vector<std::string> Parameters(const kernels::package::LibraryKind& kind) const;
  /// The sizes alone.
  std::vector<std::string> SizeParameters() const;
  /// The names of Parameters(), to call another such function with.
  std::vector<std::string> Arguments(const kernels::package::LibraryKind& kind) const;
};

struct TunedLibrary {
  const kernels::package::LibraryKind* kind = nullptr;
  std::vector<TunedKernel> kernels;  ///< By name.
};

/// `all` is not empty, belongs together (Merge()), and outlives it. Throws UsageError when this
/// program has no such kind of device.
TunedLibrary MakeTunedLibrary(const std::vector<Wisdom>& all);

/// The files of the library but wisdom.jsonl, by path.
std::map<std::string, std::string> LibraryFiles(const std::vector<Wisdom>& all);

/// The file of a unit: in the folder kernels, called after its symbol.
std::string UnitFile(const kernels::package::Unit& unit, const kernels::package::LibraryKind& kind);

/// tuned.h, for C and C++: what is tuned, and how it is called.
std::string TunedHeader(const TunedLibrary& library);
/// tuned.cc or tuned.cu: picks a unit by sizes and device, and starts it.
std::string TunedSource(const TunedLibrary& library);
/// CMakeLists.txt: the target tuned::tuned, to build, to install, and to add as a sub-folder.
std::string TunedCMake(const TunedLibrary& library);
/// tuned.py: the kernels for NumPy and PyTorch.
std::string TunedPython(const TunedLibrary& library);

}  // namespace exh::search
