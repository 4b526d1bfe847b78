// SPDX-License-Identifier: MIT
//
// A program of a user and the space of its parameters, as one JSON object. That is the text of a
// run (RunRecord::text), so that a log needs no other file to be resumed or replayed:
//
//   {"files": [{"path": "my.exh", "text": "choice integer …"}], "data": "…",
//    "program": {"run": "./bench.sh {block_x}", "timeout_s": 60}}
//
// A CUDA kernel has "kernel": {"path": "kernel.cu", "text": "…", "entry": "…", "launch": "…",
// "launch_path": "launch.json", "type": "f32"} in addition, and no command.
//
// The first file is the space, the others are what it includes. Sizes stand in the header of the
// run, as those of kernels do.
#pragma once

#include <string>
#include <vector>

namespace exh::search {

/// RunRecord::subject of programs of users.
inline constexpr const char* kOwnSubject = "own";

/// RunRecord::device of CUDA kernels of users: --gpu picks one.
inline constexpr const char* kDeviceOfOwnKernel = "a GPU";

/// How the program is asked. Commands are the shell's. `{name}` in `run`, `build` and `serve` is
/// what the decision or size of that name is; `{{` is a brace.
struct OwnProgram {
  std::string run;           ///< Once for each time that is wanted.
  std::string serve;         ///< Once; then it is asked again and again, by lines of JSON.
  std::string build;         ///< Before `run`; may be empty.
  std::string filter;        ///< Says which implementations are none; may be empty.
  double timeout_s = 60;     ///< Of one answer.
  bool trust_times = false;  ///< A time without a verdict counts as correct.
  int at_once = 1;           ///< Programs that measure beside each other.

  bool measures() const { return !run.empty() || !serve.empty(); }
};

/// A CUDA kernel that is compiled and measured here, in the place of commands.
struct OwnKernelText {
  std::string path;  ///< As messages call it. Empty: there is none.
  std::string text;
  std::string entry;                ///< The name of the kernel.
  std::string launch, launch_path;  ///< The text of the launch file (launch_file.h), and its name.
  std::string type;                 ///< What the type "type" stands for; empty: f32.

  bool is_there() const { return !path.empty(); }
};

struct OwnFile {
  std::string path;  ///< As messages call it.
  std::string text;
};

struct OwnText {
  std::vector<OwnFile> files;  ///< The space first.
  std::string data;            ///< JSON, as `--data` has it; empty: none.
  OwnProgram program;
  OwnKernelText kernel;
};

std::string WriteOwnText(const OwnText& own);
/// Throws UsageError when it is no such text.
OwnText ParseOwnText(const std::string& text);

}  // namespace exh::search
