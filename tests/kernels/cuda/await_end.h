// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

namespace exh::kernels::cuda::testing {

/// Whether a process has ended within 20 s, reaped by its parent or not; one that lives on is
/// killed.
inline bool AwaitEnd(pid_t process) {
  for (int look = 0; look < 2000; ++look) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string pid, name, state;
    if (!(stat >> pid >> name >> state) || state == "Z" || state == "X") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(process, SIGKILL);
  return false;
}

/// Whether all programs of a name that this process started have ended within 20 s.
inline bool AwaitEndOfAll(const std::string& name) {
  namespace fs = std::filesystem;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::error_code ignored;
    if (!fs::exists(entry.path() / "stat", ignored)) continue;
    const auto fields_of = [&](const std::string& pid) {
      std::ifstream stat("/proc/" + pid + "/stat");
      std::string number, text, state, parent;
      stat >> number >> text >> state >> parent;
      return std::pair(text, parent);
    };
    // This process, its starter, a supervisor, the program: process_tree.h.
    const auto [text, supervisor] = fields_of(entry.path().filename().string());
    if (text != "(" + name + ")") continue;
    const std::string starter = fields_of(supervisor).second;
    if (fields_of(starter).second != std::to_string(::getpid())) continue;
    if (!AwaitEnd(std::stoi(entry.path().filename().string()))) return false;
  }
  return true;
}

}  // namespace exh::kernels::cuda::testing
