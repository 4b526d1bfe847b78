// SPDX-License-Identifier: MIT
//
// What a run searched, built again: what loops, code, the tree and the roofline of a page need
// beyond the log.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/candidate.h"
#include "search/kernel/kernel_subject.h"
#include "search/log/log_reader.h"

namespace exh::search {

/// Either what a run searched, or why this program cannot build it.
class Rebuilt {
 public:
  /// `name`: of the run, for messages.
  Rebuilt(const Log& log, const std::string& name);

  /// Empty when it is there.
  const std::string& trouble() const { return trouble_; }
  /// Only without trouble.
  const Subject& subject() const { return *subject_; }
  /// Null: it is no kernel.
  const KernelSubject* kernel() const { return dynamic_cast<const KernelSubject*>(subject_.get()); }
  const runtime::Candidate& root() const { return *root_; }

 private:
  std::unique_ptr<Subject> subject_;
  std::optional<runtime::Candidate> root_;
  std::string trouble_;
};

}  // namespace exh::search
