// SPDX-License-Identifier: MIT
//
// Every kind of subject: a line each.
#include "search/functional/functional_subject.h"
#include "search/functional/program_kernel.h"
#include "search/fused/fused_subject.h"
#include "search/fused/operator_kernel.h"
#include "search/kernel/kernel_subject.h"
#include "search/own/own_subject.h"
#include "search/subject/registry.h"

extern "C" void exh_list_of_subjects(std::vector<exh::search::SubjectKind>& kinds) {
  using namespace exh::search;
  kinds = {{"", KernelSubject::Of},
           {kFusedSubject, FusedSubject::Of, IsOperator, KernelOfOperator},
           {kFunctionalSubject, FunctionalSubject::Of, IsProgram, KernelOfProgram},
           {kOwnSubject, OwnSubject::Of}};
}
