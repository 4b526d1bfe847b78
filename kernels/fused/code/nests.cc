// SPDX-License-Identifier: MIT
#include <set>
#include <utility>

#include "kernels/fused/code/code.h"
#include "kernels/loops/threads.h"

namespace exh::kernels::fused {

std::vector<NestNode> NestsOf(const Schedules& schedules, const ProgramSchedule& schedule,
                              bool has_vectors) {
  std::vector<NestNode> nests;
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) {
    nests.push_back(NestOf(schedules.program().parts[i], schedules.parts()[i].dependences,
                           schedule.parts[i], has_vectors));
  }
  for (NestNode& nest : nests) loops::DivideAmongThreads(nest);
  return nests;
}

std::vector<int> ArgumentsOf(const OperatorProgram& program) {
  std::set<int> used;
  for (const Statement& statement : program.list.statements) {
    used.insert(statement.write.tensor);
    for (const Access& read : statement.reads) used.insert(read.tensor);
  }
  std::vector<int> arguments;
  for (const int array : used) {
    if (program.list.tensor(array).role != StatementTensor::Role::kTemporary) {
      arguments.push_back(array);
    }
  }
  return arguments;
}

}  // namespace exh::kernels::fused
