// SPDX-License-Identifier: MIT
#include "kernels/fused/versions.h"

#include <utility>
#include <vector>

namespace exh::kernels::fused {

Versions VersionsOf(const StatementList& list) {
  using Role = StatementTensor::Role;
  StatementList versions = list;
  std::vector<int> current;  // By tensor: what it is at this point of the program.
  std::vector<bool> is_taken;
  for (std::size_t i = 0; i < list.tensors.size(); ++i) {
    const Role role = list.tensors[i].role;
    current.push_back(static_cast<int>(i));
    is_taken.push_back(role == Role::kInput || role == Role::kUpdated);
    if (role == Role::kUpdated) versions.tensors[i].role = Role::kInput;
  }
  for (Statement& statement : versions.statements) {
    for (Access& read : statement.reads) {
      read.tensor = current[static_cast<std::size_t>(read.tensor)];
    }
    const auto written = static_cast<std::size_t>(statement.write.tensor);
    if (!is_taken[written]) {
      is_taken[written] = true;
      continue;
    }
    StatementTensor version = list.tensors[written];
    if (version.is_result()) {
      versions.tensors[static_cast<std::size_t>(current[written])].role =
          current[written] == statement.write.tensor && version.role == Role::kUpdated
              ? Role::kInput
              : Role::kTemporary;
      version.role = Role::kOutput;
    }
    version.name += ", updated";
    current[written] = static_cast<int>(versions.tensors.size());
    statement.write.tensor = current[written];
    versions.tensors.push_back(std::move(version));
  }
  return {std::move(versions), std::move(current)};
}

StatementList WrittenOnce(const StatementList& list) {
  return VersionsOf(list).list;
}

}  // namespace exh::kernels::fused
