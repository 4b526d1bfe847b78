// SPDX-License-Identifier: MIT
#include "kernels/cpu/contain/channel.h"

#include <nlohmann/json.hpp>

namespace exh::kernels::cpu {

using nlohmann::json;

std::string ToJson(const RunnerSetup& setup) {
  json shapes = json::array();
  for (const SharedShape& shape : setup.shapes) {
    shapes.push_back({shape.elements, shape.is_output, ir::WordOf(shape.type)});
  }
  return json({{"cookie", setup.cookie},
               {"library", setup.library},
               {"threads", setup.threads},
               {"is_yardstick", setup.is_yardstick},
               {"shapes", std::move(shapes)},
               {"scalars", setup.scalars},
               {"memory", setup.allowance.memory_bytes},
               {"may_pin_threads", setup.allowance.may_pin_threads}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

bool ParseRunnerSetup(const std::string& text, RunnerSetup& setup) {
  try {
    const json object = json::parse(text);
    object.at("cookie").get_to(setup.cookie);
    object.at("library").get_to(setup.library);
    object.at("threads").get_to(setup.threads);
    object.at("is_yardstick").get_to(setup.is_yardstick);
    object.at("scalars").get_to(setup.scalars);
    object.at("memory").get_to(setup.allowance.memory_bytes);
    object.at("may_pin_threads").get_to(setup.allowance.may_pin_threads);
    for (const json& shape : object.at("shapes")) {
      const auto type = ir::TypeOfWord(shape.at(2).get<std::string>());
      if (!type) return false;
      setup.shapes.push_back({shape.at(0).get<std::uint64_t>(), shape.at(1).get<bool>(), *type});
    }
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

}  // namespace exh::kernels::cpu
