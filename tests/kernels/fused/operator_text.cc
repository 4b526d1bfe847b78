// SPDX-License-Identifier: MIT
#include "tests/kernels/fused/operator_text.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "kernels/fused/graph/read.h"

namespace exh::kernels::fused::testing {
namespace {

using nlohmann::json;

/// "x: float32 [2, 3]".
json Described(const std::string& text) {
  const std::size_t colon = text.find(": "), bracket = text.find(" [");
  return {{"tensor_name", text.substr(0, colon)},
          {"data_type", text.substr(colon + 2, bracket - colon - 2)},
          {"shape", json::parse(text.substr(bracket + 1))},
          {"format", "DefaultFormat"}};
}

}  // namespace

json OperatorJson(const std::vector<std::string>& inputs,
                  const std::vector<OperationText>& operations,
                  const std::vector<std::string>& outputs) {
  std::map<std::string, json> tensors;
  json result = {{"op", "Fused_test"},       {"composite", true},
                 {"process", "cuda"},        {"input_desc", json::array()},
                 {"op_desc", json::array()}, {"output_desc", json::array()}};
  const auto declare = [&](const std::string& text) {
    const json tensor = Described(text);
    tensors[tensor["tensor_name"].get<std::string>()] = tensor;
    return tensor;
  };
  for (const std::string& input : inputs) {
    result["input_desc"].push_back(json::array({declare(input)}));
  }
  for (const OperationText& of : operations) {
    json operation = {{"name", of.name}, {"input_desc", json::array()}, {"attr", nullptr}};
    for (const std::string& input : of.inputs) {
      if (const std::size_t colon = input.find(": "); colon != std::string::npos) {
        operation["input_desc"].push_back(
            json::array({{{"data_type", input.substr(colon + 2)},
                          {"shape", {1}},
                          {"tensor_name", "number"},
                          {"value", json::parse(input.substr(0, colon))}}}));
      } else {
        operation["input_desc"].push_back(json::array({tensors.at(input)}));
      }
    }
    for (const auto& [name, value] : of.attributes.items()) {
      operation["attr"].push_back({{"name", name}, {"value", value}, {"data_type", ""}});
    }
    operation["output_desc"] = json::array({declare(of.output)});
    result["op_desc"].push_back(operation);
  }
  for (const std::string& output : outputs) result["output_desc"].push_back(tensors.at(output));
  return result;
}

Graph GraphOf(const json& text) {
  ReadResult result = ReadOperator(text.dump());
  if (!result.graph) throw std::runtime_error(MistakesOf(text));
  return *std::move(result.graph);
}

std::string MistakesOf(const std::string& text) {
  std::string lines;
  for (const Mistake& mistake : ReadOperator(text).mistakes) lines += TextOf(mistake) + "\n";
  return lines;
}

}  // namespace exh::kernels::fused::testing
