// SPDX-License-Identifier: MIT
//
// A CUDA kernel of a user with parameters (`--cuda`, `--entry` and `--launch` on the command line):
// what its terms are for one implementation. That stands in the implementation's text as a remark,
//
//   # {"launch": {"grid": [8,1,1], "block": [64,1,1], …}, "defines": {"TILE": 4}}
//
// so that texts say all that is compiled and measured.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/devices/own/own_kernel.h"
#include "load/load.h"
#include "runtime/candidate.h"
#include "runtime/objective/grounded_term.h"
#include "search/own/decided_values.h"
#include "search/own/launch_file.h"
#include "search/own/own_text.h"

namespace exh::search {

class OwnKernel {
 public:
  /// Throws UsageError with the mistakes of the launch file that are none of its terms.
  explicit OwnKernel(const OwnKernelText& text);

  /// To be compiled with the space.
  const std::vector<dsl::TermText>& terms() const { return launch_.terms; }
  /// Takes them as they were compiled, and finds the default configuration. `instance` and `values`
  /// outlive it. Throws UsageError.
  void Take(const dsl::Spec& spec, const load::LoadedSpace& loaded,
            const std::shared_ptr<const runtime::Instance>& instance, const DecidedValues& values);

  /// The remark in the text of an implementation, with its line end.
  std::string RemarkOf(const runtime::Candidate& implementation) const;
  /// Of such a text: the launch.
  static nlohmann::ordered_json LaunchOf(const std::string& text);
  /// Of such a text: lines for the preprocessor.
  std::string DefinesOf(const std::string& text) const;

  kernels::OwnKernelTask Task() const;
  const runtime::Candidate& default_implementation() const { return *default_; }
  /// Which one the default is, where the launch file does not say.
  const std::string& note() const { return note_; }
  /// "kernel.cu: name".
  std::string name() const { return text_.path + ": " + text_.entry; }

 private:
  std::int64_t Value(LaunchFile::TermNumber term, const runtime::Candidate& implementation) const;
  void FindDefault();

  const OwnKernelText text_;
  LaunchFile launch_;
  std::shared_ptr<const runtime::Instance> instance_;
  const DecidedValues* values_ = nullptr;
  std::vector<runtime::GroundedTerm> grounded_;  ///< By term.
  std::optional<runtime::Candidate> default_;
  std::string note_;
};

}  // namespace exh::search
