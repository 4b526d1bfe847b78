// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/own/setup.h"

#include <nlohmann/json.hpp>

#include "kernels/devices/cuda/process/json_lines.h"
#include "kernels/devices/own/own_launch_json.h"

namespace exh::kernels::cuda {
namespace {

using Json = nlohmann::json;

Json ToJson(const OwnArgument& argument) {
  Json json = {{"name", argument.name},
               {"type", std::string(argument.type.word())},
               {"role", static_cast<int>(argument.role)},
               {"elements", argument.elements},
               {"file", argument.file}};
  if (argument.number) json["number"] = *argument.number;
  return json;
}

OwnArgument ToArgument(const Json& json) {
  OwnArgument argument;
  argument.name = json.at("name").get<std::string>();
  argument.type = OwnType::OfWord(json.at("type").get<std::string>()).value_or(OwnType());
  argument.role = static_cast<OwnArgument::Role>(json.at("role").get<int>());
  argument.elements = json.at("elements").get<std::uint64_t>();
  argument.file = json.at("file").get<std::string>();
  if (json.contains("number")) argument.number = json.at("number").get<double>();
  return argument;
}

}  // namespace

std::string WriteOwnSetup(const OwnSetup& setup) {
  const auto list = [](const std::vector<OwnArgument>& arguments) {
    Json json = Json::array();
    for (const OwnArgument& argument : arguments) json.push_back(ToJson(argument));
    return json;
  };
  return JsonLine({{"drivers", setup.drivers},
                   {"programs", setup.programs},
                   {"gpu", setup.ordinal},
                   {"entry", setup.entry},
                   {"arguments", list(setup.arguments)},
                   {"constants", list(setup.constants)},
                   {"tolerance", setup.tolerance},
                   {"cubin", setup.reference_cubin},
                   {"launch", setup.reference}});
}

OwnSetup ParseOwnSetup(const std::string& text) {
  const Json json = Json::parse(text);
  OwnSetup setup;
  json.at("drivers").get_to(setup.drivers);
  json.at("programs").get_to(setup.programs);
  json.at("gpu").get_to(setup.ordinal);
  json.at("entry").get_to(setup.entry);
  for (const Json& argument : json.at("arguments")) {
    setup.arguments.push_back(ToArgument(argument));
  }
  for (const Json& constant : json.at("constants")) {
    setup.constants.push_back(ToArgument(constant));
  }
  json.at("tolerance").get_to(setup.tolerance);
  json.at("cubin").get_to(setup.reference_cubin);
  json.at("launch").get_to(setup.reference);
  return setup;
}

}  // namespace exh::kernels::cuda
