// SPDX-License-Identifier: MIT
#include "examples/model.h"

#include "examples/models.h"

namespace exh::examples {

const std::vector<const Model*>& AllModels() {
  static const std::vector<const Model*> models = {&QueensModel(), &ColouringModel(),
                                                   &JobShopModel(), &KnapsackModel()};
  return models;
}

std::shared_ptr<const runtime::Instance> Freeze(const Model& model, const Parameters& parameters,
                                                const std::string* data,
                                                const runtime::FreezeOptions& options) {
  const auto host = model.MakeHost(parameters, data);
  return runtime::Instance::Freeze(model.space(), *host, options);
}

}  // namespace exh::examples
