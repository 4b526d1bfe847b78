// SPDX-License-Identifier: MIT
#include "search/page/again/rebuilt.h"

#include <exception>

#include "search/log/replay.h"
#include "search/subject/registry.h"

namespace exh::search {

Rebuilt::Rebuilt(const Log& log, const std::string& name) {
  try {
    subject_ = SubjectOf(*log.run);
    root_ = subject_->root();
    CheckSameSpace(log, name, root_->instance());
  } catch (const std::exception& error) {
    trouble_ = error.what();
  }
}

}  // namespace exh::search
