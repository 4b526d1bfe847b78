// SPDX-License-Identifier: MIT
//
// An implementation that a person decided, for commands that build or print one.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "runtime/candidate.h"
#include "search/log/log_reader.h"
#include "search/subject/decision_file.h"
#include "search/subject/problem.h"
#include "search/subject/subject.h"

namespace exh::search {

struct Decided {
  std::unique_ptr<Subject> subject;
  runtime::Candidate candidate;  ///< An implementation.
  std::vector<std::string>
      taken;  ///< Its decisions as words, in the order in which they were taken.
};

/// What a list of decisions is of; `options` say what its header does not, or otherwise. Throws
/// UsageError, and Interrupted.
std::unique_ptr<Subject> SubjectOfFile(const DecisionFile& file, ProblemOptions options);

/// The implementation of a record of a run, `run` with other limits if somebody wants them. Throws
/// UsageError.
Decided DecidedInLog(const Log& log, const EvalRecord& eval, const RunRecord& run,
                     const Allowance& allowance);

/// The implementation of a list of decisions (subject/decision_file.h); `options` say what its
/// header does not, or otherwise. What is left open is decided at random, unless `strict`. Notes on
/// that go to `notes`. Throws UsageError.
Decided DecidedInFile(const std::string& path, ProblemOptions options, std::uint64_t seed,
                      bool strict, std::FILE* notes);

/// Throws UsageError when options of a kernel, or `others`, stand on the command line beside a run,
/// which has decided all of that.
void RefuseForRuns(const CLI::App& command, const std::string& run,
                   std::initializer_list<const char*> others);

}  // namespace exh::search
