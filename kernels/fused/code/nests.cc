// SPDX-License-Identifier: MIT
#include <set>
#include <utility>

#include "kernels/fused/code/code.h"
#include "kernels/fused/code/transform.h"

namespace exh::kernels::fused {

std::vector<NestNode> NestsOf(const Schedules& schedules, const ProgramSchedule& schedule,
                              bool has_vectors) {
  std::vector<NestNode> nests;
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) {
    nests.push_back(NestOf(schedules.program().parts[i], schedules.parts()[i].dependences,
                           schedule.parts[i], has_vectors));
  }
  DivideAmongThreads(nests);
  return nests;
}

std::vector<int> ArgumentsOf(const Program& program) {
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

std::string IslFunctions(const std::string& text) {
  constexpr std::pair<const char*, const char*> kFunctions[] = {
      {"min(", "#define min(a, b) ((a) < (b) ? (a) : (b))\n"},
      {"max(", "#define max(a, b) ((a) > (b) ? (a) : (b))\n"}};
  std::string functions;
  for (const auto& [call, definition] : kFunctions) {
    if (text.find(call) != std::string::npos) functions += definition;
  }
  return functions;
}

}  // namespace exh::kernels::fused
