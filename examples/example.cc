// SPDX-License-Identifier: MIT
#include "examples/example.h"

#include "examples/all.h"

namespace exh::examples {

const std::vector<const Example*>& AllExamples() {
  static const std::vector<const Example*> examples = {
      &QueensExample(), &ColouringExample(), &JobShopExample(), &KnapsackExample(), &LiftExample()};
  return examples;
}

std::shared_ptr<const runtime::Instance> Freeze(const Example& example,
                                                const Parameters& parameters,
                                                const std::string* data,
                                                const runtime::FreezeOptions& options) {
  const auto host = example.MakeHost(parameters, data);
  return runtime::Instance::Freeze(example.space(), *host, options);
}

}  // namespace exh::examples
