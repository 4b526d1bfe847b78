// SPDX-License-Identifier: MIT
//
// A plugin: a shared object with kernels, and the space that they are searched in, built in another
// repository (docs/plugins.md). It carries its own copy of the runtime and of the backbone and
// exports one C function, so it needs no symbol of the program that loads it; what crosses are
// objects whose layout both copies must agree on. The stamp says whether they do: it is a digest of
// the sources that both were built from.
//
// Nothing here calls what is not in the plugin itself.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/build_stamp.h"
#include "kernels/kernel_space.h"
#include "kernels/library/kernel.h"

namespace exh::kernels {

/// What `exh_plugin_v1` returns. The first two members are C, so that they can be read whatever
/// the rest is; the rest is looked at when they agree. It lives as long as the plugin is loaded.
struct PluginV1 {
  const char* stamp = nullptr;         ///< BuildStamp() of the copy that the plugin carries.
  std::uint32_t standard_library = 0;  ///< StandardLibraryTraits() of its compiler flags.
  const KernelSpace* (*space)() = nullptr;
  std::vector<std::unique_ptr<Kernel>> (*make_kernels)() = nullptr;
};

/// The symbol that a plugin exports. A layout of PluginV1 that differs is `exh_plugin_v2`.
inline constexpr const char* kPluginSymbol = "exh_plugin_v1";
using PluginFunction = const PluginV1* (*)();

/// Compiler flags that change the layout of the standard library's types, as bits.
constexpr std::uint32_t StandardLibraryTraits() {
  std::uint32_t traits = 0;
#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
  traits |= 1;
#endif
#if defined(_GLIBCXX_DEBUG)
  traits |= 2;
#endif
#if defined(_LIBCPP_VERSION)
  traits |= 4;
#endif
  return traits;
}

/// The kernels that functions like `std::unique_ptr<Kernel> MakeDot()` make.
template <auto... makers>
std::vector<std::unique_ptr<Kernel>> MakeKernels() {
  std::vector<std::unique_ptr<Kernel>> kernels;
  (kernels.push_back(makers()), ...);
  return kernels;
}

template <typename Space>
const KernelSpace* OnlySpace() {
  static const Space space;
  return &space;
}

}  // namespace exh::kernels

/// Once in a plugin, outside of every namespace: the namespace of the generated space
/// (`exh::spaces::linalg` for the one that comes with Exhaust), then the functions that make the
/// kernels.
#define EXH_PLUGIN(space_namespace, ...)                                                    \
  extern "C" __attribute__((visibility("default"))) const exh::kernels::PluginV1*           \
  exh_plugin_v1() {                                                                         \
    using Space =                                                                           \
        exh::kernels::GeneratedSpace<space_namespace::SpaceHost, space_namespace::GetSpace, \
                                     space_namespace::FindDecisions>;                       \
    static const exh::kernels::PluginV1 plugin = {                                          \
        exh::kernels::BuildStamp(), exh::kernels::StandardLibraryTraits(),                  \
        exh::kernels::OnlySpace<Space>, exh::kernels::MakeKernels<__VA_ARGS__>};            \
    return &plugin;                                                                         \
  }
