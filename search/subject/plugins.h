// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh::search {

/// Loads a plugin (kernels/plugin.h) and adds its kernels to the registry; they stay until the
/// program ends. A file that is loaded already is left alone. The file is loaded and asked in
/// another process first, within a time limit: what would crash, hang or end this one is a message.
///
/// Throws UsageError, which names the file and what would be right, when it is missing, no shared
/// object, no plugin, made for another version of Exhaust, does not come through that process, or
/// has kernels without a proper name, with sizes that make no sense, or whose name is taken. Throws
/// Error when no process can be started.
void LoadPlugin(const std::string& file);

/// The other process: what follows this word on its command line is the path of the plugin.
inline constexpr const char* kAskPlugin = "ask-plugin";

/// Loads the plugin, asks it whatever LoadPlugin will, and writes what it does, step by step, and
/// what came of it to stdout. Returns the exit code.
int AskPlugin(const std::string& path);

}  // namespace exh::search
