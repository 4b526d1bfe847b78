// SPDX-License-Identifier: MIT
#include "search/subject/plugins.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/name_in_c.h"
#include "base/system/process.h"
#include "kernels/library/registry.h"
#include "kernels/plugin.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;
using kernels::Kernel;
using kernels::PluginV1;

constexpr std::string_view kRebuild =
    "build the plugin again with the Exhaust that this program is of";

// What the other process writes: a line for each step that it begins, then how it ended. The text
// of a mistake is the rest.
constexpr std::string_view kStep = "step ", kMistake = "mistake ", kFine = "fine\n";

constexpr std::string_view kLoading = "while it is loaded";

/// Loading takes milliseconds; a busy machine may take longer.
constexpr double kTimeoutS = 10;

UsageError PluginMistake(const std::string& file, std::string_view what) {
  return UsageError(fmt::format("plugin '{}': {}", file, what));
}

/// What a plugin does wrong, without its name.
class Mistake : public Error {
 public:
  using Error::Error;
};

/// Told of each step before it is begun: "while it is loaded".
using Steps = std::function<void(std::string_view)>;

/// What the dynamic linker says, without the path that it begins with.
std::string LinkerText(const std::string& path) {
  const char* const error = ::dlerror();
  const std::string text = error == nullptr ? "no reason given" : error;
  return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
}

/// Loaded for good: kernels of it are referred to until the program ends. Its symbols stay its own,
/// and all of them must be there at once: one that is missing is a message now, not a crash later.
void* Open(const std::string& path) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  throw Mistake(
      fmt::format("it cannot be loaded ({}); it must be the shared object that "
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

const PluginV1& Describe(void* handle) {
  void* const symbol = ::dlsym(handle, kernels::kPluginSymbol);
  if (symbol == nullptr) {
    if (const int other = OtherVersion(handle); other != 0) {
      throw Mistake(fmt::format("it exports exh_plugin_v{}, this program loads {}; {}", other,
                                kernels::kPluginSymbol, kRebuild));
    }
    throw Mistake(
        fmt::format("it exports no {}; write EXH_PLUGIN(space, makers...) in one of "
                    "its sources and build it with exh_add_kernel",
                    kernels::kPluginSymbol));
  }
  const PluginV1* const plugin = reinterpret_cast<kernels::PluginFunction>(symbol)();
  if (plugin == nullptr || plugin->stamp == nullptr) {
    throw Mistake(
        fmt::format("{} returns nothing; EXH_PLUGIN writes one that does", kernels::kPluginSymbol));
  }
  if (std::string_view(plugin->stamp) != kernels::BuildStamp()) {
    throw Mistake(fmt::format("it was built with Exhaust {}, this program is of {}; {}",
                              plugin->stamp, kernels::BuildStamp(), kRebuild));
  }
  if (plugin->standard_library != kernels::StandardLibraryTraits()) {
    throw Mistake(
        fmt::format("its standard library is laid out in another way ({:#x}, here "
                    "{:#x}): give it the same _GLIBCXX_… flags",
                    plugin->standard_library, kernels::StandardLibraryTraits()));
  }
  if (plugin->space == nullptr || plugin->make_kernels == nullptr) {
    throw Mistake(fmt::format("{} leaves its space or its kernels out; EXH_PLUGIN writes both",
                              kernels::kPluginSymbol));
  }
  return *plugin;
}

void CheckParameters(const Kernel& kernel) {
  std::set<std::string, std::less<>> names;
  for (const kernels::Parameter& parameter : kernel.parameters()) {
    if (!IsNameInC(parameter.name) || !names.insert(parameter.name).second) {
      throw Mistake(
          fmt::format("a size of its kernel '{}' is called '{}': each is called by a name "
                      "of its own, of letters, digits and '_'",
                      kernel.name(), parameter.name));
    }
    if (parameter.min > parameter.default_value || parameter.default_value > parameter.max) {
      throw Mistake(fmt::format(
          "the size '{}' of its kernel '{}' is {} unless it is said, and may "
          "be {} to {}; the first must be one of the others",
          parameter.name, kernel.name(), parameter.default_value, parameter.min, parameter.max));
    }
  }
}

/// The kernels, all of them fit to be added.
std::vector<std::unique_ptr<Kernel>> Make(const PluginV1& plugin, const Steps& step) {
  step("while its kernels are made");
  std::vector<std::unique_ptr<Kernel>> all;
  try {
    all = plugin.make_kernels();
  } catch (const std::exception& error) {
    throw Mistake(fmt::format("its kernels cannot be made: {}", error.what()));
  } catch (...) {
    throw Mistake("its kernels cannot be made: what one of its makers throws is no std::exception");
  }
  if (all.empty()) throw Mistake("it has no kernels; EXH_PLUGIN(space, makers...) lists them");
  std::set<std::string, std::less<>> names;
  for (const auto& kernel : all) {
    if (kernel == nullptr) throw Mistake("one of its makers returns no kernel");
    step("when a kernel of it says its name");
    const std::string_view name = kernel->name();
    if (const Kernel* const taken = kernels::FindKernel(name)) {
      const std::string& other = kernels::FindOrigin(*taken)->file;
      throw Mistake(fmt::format("the name of its kernel '{}' is taken by {}; give it another", name,
                                other.empty() ? "one that comes with Exhaust" : other));
    }
    if (!IsNameInC(name)) {
      throw Mistake(
          fmt::format("one of its kernels is called '{}': a name is made of letters, "
                      "digits and '_', and begins with no digit",
                      name));
    }
    if (!names.emplace(name).second) {
      throw Mistake(
          fmt::format("two of its kernels are called '{}'; give each a name of its own", name));
    }
    step(fmt::format("when its kernel '{}' says its sizes", name));
    CheckParameters(*kernel);
    step(fmt::format("when its kernel '{}' says what it computes", name));
    [[maybe_unused]] const std::string_view summary = kernel->summary();
  }
  return all;
}

struct Loaded {
  const kernels::KernelSpace* space = nullptr;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

/// Throws Mistake.
Loaded Load(const std::string& path, const Steps& step) {
  try {
    step(kLoading);
    void* const handle = Open(path);
    step(fmt::format("in {}", kernels::kPluginSymbol));
    const PluginV1& plugin = Describe(handle);
    step("while its space is made");
    Loaded loaded{plugin.space(), {}};
    if (loaded.space == nullptr) throw Mistake("it returns no space; EXH_PLUGIN writes one");
    loaded.kernels = Make(plugin, step);
    return loaded;
  } catch (const Mistake&) {
    throw;
  } catch (const std::exception& error) {
    throw Mistake(fmt::format("it throws: {}", error.what()));
  } catch (...) {
    throw Mistake("it throws something that is no std::exception");
  }
}

/// "; it says: terminate called …", of the first line that a process wrote; "" if it was silent.
std::string Quoted(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos) return "";
  constexpr std::size_t kMost = 200;
  return "; it says: " + text.substr(begin, std::min(kMost, text.find('\n', begin) - begin));
}

/// The last step that the process began.
std::string LastStep(const std::string& out) {
  const std::size_t at = out.rfind(kStep);
  if (at == std::string::npos) return "before it was loaded";
  const std::size_t begin = at + kStep.size();
  return out.substr(begin, out.find('\n', begin) - begin);
}

/// Loads the plugin in another process and throws what is wrong with it.
void Ask(const std::string& file, const std::string& path) {
  ProcessRequest request;
  request.argv = {ThisProgram(), kAskPlugin, path};
  request.timeout_s = kTimeoutS;
  const ProcessResult result = RunProcess(request);
  using Status = ProcessResult::Status;
  if (const std::size_t at = result.out.find(kMistake); at != std::string::npos) {
    throw PluginMistake(file, result.out.substr(at + kMistake.size()));
  }
  const bool fine = result.out.ends_with(kFine);
  const std::string when = fine ? "when the program ends" : LastStep(result.out);
  switch (result.status) {
    case Status::kExited:
      if (fine && result.code == 0) return;
      throw PluginMistake(file, fmt::format("it ends the program, with exit code {}, {}{}",
                                            result.code, when, Quoted(result.err)));
    case Status::kSignalled:
      throw PluginMistake(
          file, fmt::format("it crashes {}: {}{}{}", when, SignalText(result.code),
                            Quoted(result.err), when == kLoading ? "; is the file complete?" : ""));
    case Status::kTimedOut:
      throw PluginMistake(file, fmt::format("it took more than {} s {}", kTimeoutS, when));
    default:
      throw Error(fmt::format("plugin '{}': no process could be started to load it: {}", file,
                              result.error));
  }
}

}  // namespace

void LoadPlugin(const std::string& file) {
  static std::set<std::string> loaded;
  std::error_code error;
  const std::string path = fs::canonical(file, error).string();
  if (error) throw PluginMistake(file, error.message() + "; it is the path of a shared object");
  if (!fs::is_regular_file(path))
    throw PluginMistake(file, "it is no file; name the shared object");
  if (loaded.contains(path)) return;
  Ask(file, path);
  try {
    Loaded plugin = Load(path, [](std::string_view) {});
    for (auto& kernel : plugin.kernels) {
      kernels::AddKernel(std::move(kernel), {file, plugin.space});
    }
  } catch (const Mistake& mistake) {
    throw PluginMistake(file, mistake.what());
  }
  loaded.insert(path);
}

int AskPlugin(const std::string& path) {
  // What the plugin prints goes to stderr: stdout is for the answer alone.
  const int out = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
  if (out < 0 || ::dup2(2, 1) < 0) return 1;
  const auto write = [&](std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::write(out, text.data(), text.size());
      if (n <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  };
  static Loaded plugin;  // Until the process ends, as it will be in the other one.
  try {
    plugin = Load(path, [&](std::string_view step) { write(fmt::format("{}{}\n", kStep, step)); });
  } catch (const Mistake& mistake) {
    write(std::string(kMistake) + mistake.what());
    return 0;
  }
  write(kFine);
  return 0;
}

}  // namespace exh::search
