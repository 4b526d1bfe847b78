// SPDX-License-Identifier: MIT
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "tests/search/scene.h"

namespace exh::search {

/// The logs of three small searches at one place: with a tree, in turn; random, with compilers that
/// run ahead; and one on which a lot goes wrong. Nothing in them depends on the machine.
inline std::string OneLaneLogs() {
  std::string logs;
  for (int which = 0; which < 3; ++which) {
    Scene run;
    run.options.seed = 5;
    run.options.policy = which == 1 ? nullptr : MakePolicy("tag", {});
    run.evaluator.ahead = which == 1;
    if (which == 2) {
      run.options.proposer.bound = ToyBound;
      run.evaluator.compile = [](const std::string& source) {
        return source.find("size(c)=2") == source.npos ? kernels::Verdict::kCorrect
                                                       : kernels::Verdict::kCompileError;
      };
      run.evaluator.measure = [](const std::string& source, int before) {
        // The incumbent takes longer now and then, and a first time may be too good.
        const double ns = FakeEvaluator::TimeOf(source);
        if (source.find("color(b)=RED") != source.npos && before == 0) return Correct(0.7 * ns);
        return Correct(before % 5 == 3 ? 1.5 * ns : ns);
      };
    }
    run.Budget("evals=60");
    run.Go();
    std::ifstream file(run.folder / "log.jsonl");
    std::ostringstream text;
    text << file.rdbuf();
    logs += text.str();
  }
  return logs;
}

}  // namespace exh::search
