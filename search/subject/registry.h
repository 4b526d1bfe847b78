// SPDX-License-Identifier: MIT
//
// The kinds of subjects that a program has: how each comes back from the header of a run. Commands
// know no kind by name: what was searched once can be replayed, resumed and asked about, whatever
// it was. What a file of a kind's own language computes may be searched as a kernel, too. A new
// kind costs a folder with its subject, and a line in search/all_subjects.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/log/log_records.h"
#include "search/subject/allowance.h"
#include "search/subject/subject.h"

namespace exh::search {

struct SubjectKind {
  const char* name = "";  ///< RunRecord::subject of its runs; "": kernels.
  /// What was searched in a run, built again from its header. Throws UsageError and Error.
  std::unique_ptr<Subject> (*of)(const RunRecord& run, const Allowance& allowance) = nullptr;
  /// Whether --kernel takes this for a file of its language; null: there is none.
  bool (*is_file)(std::string_view path) = nullptr;
  /// The text of a kernel that computes what the file says. `size`: what --size says. Throws
  /// UsageError.
  std::string (*kernel_of)(const std::string& path, const std::string& size) = nullptr;
};

/// Those that this program has.
const std::vector<SubjectKind>& SubjectKinds();

/// Of whose language the file is; null: of none but that of kernels.
const SubjectKind* LanguageOf(std::string_view path);

/// What a run searched, whatever it is. Throws UsageError when this program has no such subjects,
/// and what SubjectKind::of throws.
std::unique_ptr<Subject> SubjectOf(const RunRecord& run, const Allowance& allowance = {});

}  // namespace exh::search

/// Adds the kinds of this program: a program links one such list (search/all_subjects.cc has all).
/// Its name is plain, so that a linker can be told to look for it.
extern "C" void exh_list_of_subjects(std::vector<exh::search::SubjectKind>& kinds);
