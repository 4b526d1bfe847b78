// SPDX-License-Identifier: MIT
//
// A program of a user and the space of its parameters, as one JSON object. That is the text of a
// run (RunRecord::text), so that a log needs no other file to be resumed or replayed:
//
//   {"files": [{"path": "my.exh", "text": "choice integer …"}], "data": "…",
//    "program": {"run": "./bench.sh {block_x}", "timeout_s": 60}}
//
// The first file is the space, the others are what it includes. Sizes stand in the header of the
// run, as those of kernels do.
#pragma once

#include <string>
#include <vector>

namespace exh::search {

/// RunRecord::subject of programs of users.
inline constexpr const char* kOwnSubject = "own";

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

struct OwnFile {
  std::string path;  ///< As messages call it.
  std::string text;
};

struct OwnText {
  std::vector<OwnFile> files;  ///< The space first.
  std::string data;            ///< JSON, as `--data` has it; empty: none.
  OwnProgram program;
};

std::string WriteOwnText(const OwnText& own);
/// Throws UsageError when it is no such text.
OwnText ParseOwnText(const std::string& text);

}  // namespace exh::search
