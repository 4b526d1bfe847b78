// SPDX-License-Identifier: MIT
#include "search/measure/machine.h"

#include "base/system/processor.h"

namespace exh::search {

Machine MachineOf(const Evaluator& evaluator) {
  Machine machine = evaluator.Versions();
  machine["processor"] = ProcessorModel();
  std::erase_if(machine, [](const auto& fact) { return fact.second.empty(); });
  return machine;
}

}  // namespace exh::search
