// SPDX-License-Identifier: MIT
//
// Evaluators that ask a program of a user: started anew for each time (`--run`), or started once
// and asked by lines (`--serve`):
//
//   > {"v":1,"id":17,"decisions":{"block_x":64,"tile(m)":4},"sizes":{"n":512},"effort":"quick",
//      "cap_ns":2100000.0}
//   < {"id":17,"verdict":"correct","runtimes_ns":[1900000,1920000],"error_ratio":0.2}
//
// Above `cap_ns` (where it stands) the program may answer `slow` without measuring any longer.
// `effort` is `quick`, or `final` for what may be the best: more runs, a check with care.
//
// Whose fault is it? The implementation's, if the program says so, dies over it after it has
// answered before, takes too long, or writes without end: a verdict. What is no answer, or a
// program that never answers, is nobody's result: kBroken, and a run of twenty of those ends.
#pragma once

#include <memory>

#include "search/measure/evaluator.h"
#include "search/own/decided_values.h"
#include "search/own/own_kernel.h"
#include "search/own/own_text.h"
#include "search/subject/subject.h"

namespace exh::search {

/// How many programs measure at once, beside each other.
struct OwnPlaces {
  int measure = 1;
  int build = 1;  ///< Builds at once.
};

/// A CUDA kernel in the place of commands: what says how it is launched, and what compiles it and
/// has the program that is asked.
struct OwnGpu {
  const OwnKernel* kernel = nullptr;
  std::unique_ptr<kernels::OwnKernelBench> bench = nullptr;
};

/// `subject`, which emits, and its `values` outlive it, and so do the token, which may be null, and
/// the kernel. Throws Error when what measures that kernel does not begin, with the reason.
std::unique_ptr<Evaluator> MakeOwnEvaluator(const OwnProgram& program, const Subject& subject,
                                            const DecidedValues& values, const OwnPlaces& places,
                                            const StopToken* stop, OwnGpu gpu = {});

}  // namespace exh::search
