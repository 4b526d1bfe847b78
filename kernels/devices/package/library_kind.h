// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace exh::kernels::package {

/// What differs from one kind of device to another in a tuned library: pieces of its files. Whoever
/// writes them (search/install) asks nothing else about the device.
struct LibraryKind {
  std::string_view suffix;    ///< Of tuned.cc, and of the files of units.
  std::string_view includes;  ///< Of tuned.h.
  std::string_view stream;  ///< The first parameter of every kernel, "cudaStream_t stream"; or "".
  bool has_workspace = false;  ///< Kernels take a workspace.
  bool has_needs = false;      ///< Units say what they need of the machine: $SYMBOL$_needs().
  /// C++ in a namespace without a name:
  ///   using Run: the type of a unit's function
  ///   struct Machine { int device, architecture; }: numbers in kDevices and kArchitectures, or -1
  ///   Machine Here(): this one
  std::string_view machine;
  /// Likewise, behind struct Entry:
  ///   int Start(const Entry&, const Call&): runs a unit whose pointers were checked
  ///   int Prepare(const Entry&, stream, workspace, bytes): where there are workspaces
  std::string_view start;
  std::string_view source_includes;  ///< Of tuned.cc, for that.
  std::string_view declaration;      ///< Of a unit's function, with $SYMBOL$.
  std::string_view cmake_languages;  ///< "CXX".
  std::string_view cmake_begin;      ///< Before the library's target.
  /// Adds units to the target `tuned`; $FILES$, and the $FLAGS$ and $ARCHITECTURE$ that they have
  /// in common.
  std::string_view cmake_units;
  std::string_view cmake_end;  ///< Behind all units.
  std::string_view
      cmake_dependency;            ///< A package that whoever links the library must find; or "".
  std::string_view python_device;  ///< What tensors must be on: "cpu".
  // Of solutions for FlashInfer Trace, which are called with tensors of DLPack:
  std::string_view solution_language;  ///< "cuda"
  std::string_view dlpack_device;      ///< Of DLDeviceType.
  /// What is given for the first parameter, an expression of `device`, the number of one; or "".
  std::string_view solution_stream;
  /// A function Workspace_$KERNEL$(stream, device, sizes) in a namespace without a name: memory
  /// that is ready for a run; where there are workspaces. With $SIZE_PARAMETERS$, $SIZES$ and
  /// $COUNT$.
  std::string_view solution_workspace;
};

}  // namespace exh::kernels::package
