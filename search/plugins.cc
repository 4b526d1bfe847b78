// SPDX-License-Identifier: MIT
#include "search/plugins.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/library/registry.h"
#include "kernels/plugin.h"
#include "search/error.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;
using kernels::Kernel;
using kernels::PluginV1;

constexpr std::string_view kRebuild =
    "build the plugin again with the Exhaust that this program is of";

UsageError Problem(const std::string& file, std::string_view what) {
  return UsageError(fmt::format("plugin '{}': {}", file, what));
}

/// What the dynamic linker says, without the path that it begins with.
std::string LinkerText(const std::string& path) {
  const char* const error = ::dlerror();
  const std::string text = error == nullptr ? "no reason given" : error;
  return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
}

/// Loaded for good: kernels of it are referred to until the program ends. Its symbols stay its own,
/// and all of them must be there at once: one that is missing is a message now, not a crash later.
void* Open(const std::string& file, const std::string& path) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  throw Problem(file, fmt::format("it cannot be loaded ({}); it must be the shared object that "
                                  "exh_add_kernel builds",
                                  LinkerText(path)));
}

/// The version whose function the plugin exports in place of ours; 0 for none.
int OtherVersion(void* handle) {
  constexpr int kMost = 99;
  for (int version = 1; version <= kMost; ++version) {
    if (::dlsym(handle, fmt::format("exh_plugin_v{}", version).c_str()) != nullptr) return version;
  }
  return 0;
}

const PluginV1& Describe(const std::string& file, void* handle) {
  void* const symbol = ::dlsym(handle, kernels::kPluginSymbol);
  if (symbol == nullptr) {
    if (const int other = OtherVersion(handle); other != 0) {
      throw Problem(file, fmt::format("it exports exh_plugin_v{}, this program loads {}; {}", other,
                                      kernels::kPluginSymbol, kRebuild));
    }
    throw Problem(file,
                  fmt::format("it exports no {}; write EXH_PLUGIN(space, makers...) in one of "
                              "its sources and build it with exh_add_kernel",
                              kernels::kPluginSymbol));
  }
  const PluginV1* const plugin = reinterpret_cast<kernels::PluginFunction>(symbol)();
  if (plugin == nullptr || plugin->stamp == nullptr) {
    throw Problem(file, fmt::format("{} returns nothing; EXH_PLUGIN writes one that does",
                                    kernels::kPluginSymbol));
  }
  if (std::string_view(plugin->stamp) != kernels::BuildStamp()) {
    throw Problem(file, fmt::format("it was built with Exhaust {}, this program is of {}; {}",
                                    plugin->stamp, kernels::BuildStamp(), kRebuild));
  }
  if (plugin->standard_library != kernels::StandardLibraryTraits()) {
    throw Problem(file, fmt::format("its standard library is laid out in another way ({:#x}, here "
                                    "{:#x}): give it the same _GLIBCXX_… flags",
                                    plugin->standard_library, kernels::StandardLibraryTraits()));
  }
  return *plugin;
}

std::vector<std::unique_ptr<Kernel>> Make(const std::string& file, const PluginV1& plugin) {
  std::vector<std::unique_ptr<Kernel>> all;
  try {
    all = plugin.make_kernels();
  } catch (const std::exception& error) {
    throw Problem(file, fmt::format("its kernels cannot be made: {}", error.what()));
  }
  std::set<std::string, std::less<>> names;
  for (const auto& kernel : all) {
    if (kernel == nullptr) throw Problem(file, "one of its makers returns no kernel");
    const std::string_view name = kernel->name();
    if (const Kernel* const taken = kernels::FindKernel(name)) {
      const std::string& other = kernels::FindOrigin(*taken)->file;
      throw Problem(file, fmt::format("the name of its kernel '{}' is taken by {}; give it another",
                                      name, other.empty() ? "one that comes with Exhaust" : other));
    }
    if (name.empty() || !names.emplace(name).second) {
      throw Problem(file, fmt::format("two of its kernels, or one without a name, are called '{}'; "
                                      "give each a name of its own",
                                      name));
    }
  }
  return all;
}

}  // namespace

void LoadPlugin(const std::string& file) {
  static std::set<std::string> loaded;
  std::error_code error;
  const std::string path = fs::canonical(file, error).string();
  if (error) throw Problem(file, error.message() + "; it is the path of a shared object");
  if (!fs::is_regular_file(path)) throw Problem(file, "it is no file; name the shared object");
  if (loaded.contains(path)) return;
  const PluginV1& plugin = Describe(file, Open(file, path));
  std::vector<std::unique_ptr<Kernel>> all = Make(file, plugin);
  for (auto& kernel : all) kernels::AddKernel(std::move(kernel), {file, plugin.space()});
  loaded.insert(path);
}

}  // namespace exh::search
