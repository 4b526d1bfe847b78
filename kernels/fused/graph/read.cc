// SPDX-License-Identifier: MIT
#include "kernels/fused/graph/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/spelling.h"
#include "kernels/fused/graph/attributes.h"
#include "kernels/fused/graph/data_types.h"
#include "kernels/fused/graph/json_fields.h"
#include "kernels/fused/graph/shapes.h"

namespace exh::kernels::fused {
namespace {

/// What a description of a tensor says of it.
struct Described {
  std::string name;
  ir::Type type = ir::Type::kF32;
  Shape shape;
};

class Reader {
 public:
  explicit Reader(Mistakes& mistakes) : mistakes_(mistakes) {}

  Graph Read(const Field& root) {
    if (root["op"].is_there()) graph_.name = ReadText(root["op"], mistakes_).value_or("");
    ReadInputs(root["input_desc"]);
    ReadOperations(root["op_desc"]);
    ReadOutputs(root["output_desc"]);
    return std::move(graph_);
  }

 private:
  void Fail(const std::string& place, const std::string& text, const std::string& reason,
            Mistake::What what = Mistake::What::kMalformed) {
    mistakes_.push_back({what, place, text, reason});
  }

  std::optional<Shape> ReadShape(const Field& field) {
    const std::optional<Shape> shape = ReadIntegers(field, mistakes_);
    if (!shape) return std::nullopt;
    const auto refuse = [&](const std::string& text, const std::string& reason) {
      Fail(field.place, text, reason, Mistake::What::kRefused);
      return std::nullopt;
    };
    if (shape->size() > kMostDimensions) {
      return refuse(
          fmt::format("has {} dimensions; there may be {}", shape->size(), kMostDimensions),
          "too many dimensions");
    }
    std::int64_t elements = 1;
    for (const std::int64_t extent : *shape) {
      if (extent < 0) {
        Fail(field.place, fmt::format("has the extent {}; it must be 1 or more", extent), "shapes");
        return std::nullopt;
      }
      if (extent == 0) {
        return refuse("has the extent 0: a tensor without elements is not supported",
                      "a tensor without elements");
      }
      if (extent >= kMostElements || elements * extent >= kMostElements) {
        return refuse(
            fmt::format("{} has 2^31 elements or more; there may be fewer", TextOf(*shape)),
            "a tensor of 2^31 elements");
      }
      elements *= extent;
    }
    return shape;
  }

  /// Without its name, which numbers need not have.
  std::optional<Described> ReadTypeAndShape(const Field& field) {
    if (field.value == nullptr || !field.value->is_object()) {
      Fail(field.place,
           fmt::format("must be an object that describes a tensor, not {}", Found(field)),
           "malformed JSON");
      return std::nullopt;
    }
    const std::optional<ir::Type> type = ReadDataType(field["data_type"], mistakes_);
    if (!type) return std::nullopt;
    const std::optional<Shape> shape = ReadShape(field["shape"]);
    if (!shape) return std::nullopt;
    return Described{"", *type, *shape};
  }

  std::optional<Described> ReadDescribed(const Field& field) {
    std::optional<Described> described = ReadTypeAndShape(field);
    if (!described) return std::nullopt;
    const std::optional<std::string> name = ReadText(field["tensor_name"], mistakes_);
    if (!name) return std::nullopt;
    if (name->empty()) {
      Fail(field["tensor_name"].place, "a tensor needs a name", "malformed JSON");
      return std::nullopt;
    }
    described->name = *name;
    return described;
  }

  /// -1: there is one of this name.
  int Declare(const Described& described, const Field& field, int producer) {
    const auto index = static_cast<int>(graph_.tensors.size());
    if (!tensor_of_.emplace(described.name, index).second) {
      Fail(field.place + ".tensor_name",
           fmt::format("there is a tensor '{}' already: each is written once", described.name),
           "a tensor twice");
      return -1;
    }
    graph_.tensors.push_back({described.name, described.type, described.shape, producer});
    return index;
  }

  void ReadInputs(const Field& list) {
    const auto entries = ReadList(list, true, mistakes_);
    if (!entries) return;
    for (const Field& entry : *entries) {
      const auto tensors = ReadList(entry, false, mistakes_);
      if (!tensors) continue;
      for (const Field& field : *tensors) {
        const std::optional<Described> described = ReadDescribed(field);
        const int index = described ? Declare(*described, field, -1) : -1;
        if (index >= 0) graph_.inputs.push_back(index);
        if (!described) KeepName(field);
      }
    }
  }

  void ReadOperations(const Field& list) {
    const auto entries = ReadList(list, false, mistakes_);
    if (!entries) return;
    if (entries->empty()) Fail(list.place, "an operator needs an operation", "malformed JSON");
    // Where a tensor is written that is read before that.
    for (const Field& entry : *entries) {
      const Field outputs = entry["output_desc"];
      if (outputs.value == nullptr || !outputs.value->is_array()) continue;
      for (std::size_t i = 0; i < outputs.value->size(); ++i) {
        const Field name = outputs.at(i)["tensor_name"];
        if (name.value == nullptr || !name.value->is_string()) continue;
        written_at_.emplace(name.value->get<std::string>(), entry.place);
      }
    }
    for (const Field& entry : *entries) {
      if (!ReadOperation(entry)) {
        const Field outputs = entry["output_desc"];
        if (outputs.value == nullptr || !outputs.value->is_array()) continue;
        for (std::size_t i = 0; i < outputs.value->size(); ++i) KeepName(outputs.at(i));
      }
    }
  }

  /// A tensor that a mistake hides is no reason for more mistakes.
  void KeepName(const Field& field) {
    const Field name = field["tensor_name"];
    if (name.value != nullptr && name.value->is_string()) {
      hidden_.insert(name.value->get<std::string>());
    }
  }

  bool ReadOperation(const Field& field) {
    const std::optional<std::string> name = ReadText(field["name"], mistakes_);
    if (!name) return false;
    const std::optional<Kind> kind = KindOfName(*name);
    if (!kind) {
      Fail(field["name"].place, ProblemOfKind(*name), "operator " + *name, Mistake::What::kRefused);
      return false;
    }
    Operation operation;
    operation.kind = *kind;
    const auto lists = ReadList(field["input_desc"], true, mistakes_);
    if (!lists) return false;
    for (const Field& list : *lists) {
      const auto operands = ReadList(list, false, mistakes_);
      if (!operands) return false;
      for (const Field& one : *operands) {
        const std::optional<GraphOperand> operand = ReadOperand(one);
        if (!operand) return false;
        operation.inputs.push_back(*operand);
      }
    }
    const auto outputs = ReadList(field["output_desc"], false, mistakes_);
    if (!outputs) return false;
    if (outputs->size() != 1) {
      Fail(field["output_desc"].place,
           fmt::format("{} has one output, not {}", *name, outputs->size()), "number of outputs");
      return false;
    }
    const std::optional<Described> output = ReadDescribed(outputs->front());
    if (!output) return false;
    const auto attributes = ReadAttributes(*kind, field["attr"], mistakes_);
    if (!attributes) return false;
    const auto index = static_cast<int>(graph_.operations.size());
    const GraphTensor tensor = {output->name, output->type, output->shape, index};
    if (!CheckOperation({operation, *attributes, tensor, field.place, mistakes_})) return false;
    if (InfoOf(*kind).form == Form::kAssignment && !CheckAssigned(operation, field)) return false;
    operation.output = Declare(*output, outputs->front(), index);
    if (operation.output < 0) return false;
    graph_.operations.push_back(std::move(operation));
    return true;
  }

  std::optional<GraphOperand> ReadOperand(const Field& field) {
    if (field["value"].is_there()) {
      const std::optional<Described> described = ReadTypeAndShape(field);
      if (!described) return std::nullopt;
      const std::optional<double> number = ReadNumber(field["value"], described->type, mistakes_);
      if (!number) return std::nullopt;
      return GraphOperand{-1, *number, described->type, described->shape};
    }
    const std::optional<Described> described = ReadDescribed(field);
    if (!described) return std::nullopt;
    const auto found = tensor_of_.find(described->name);
    if (found == tensor_of_.end()) {
      if (!hidden_.contains(described->name)) Undefined(*described, field);
      return std::nullopt;
    }
    const GraphTensor& tensor = graph_.tensor(found->second);
    if (tensor.type != described->type) {
      Fail(field.place + ".data_type",
           fmt::format("must be {}, which '{}' is, not {}", DataTypeName(tensor.type), tensor.name,
                       DataTypeName(described->type)),
           "types");
      return std::nullopt;
    }
    if (tensor.shape != described->shape) {
      Fail(field.place + ".shape",
           fmt::format("must be {}, the shape of '{}', not {}", TextOf(tensor.shape), tensor.name,
                       TextOf(described->shape)),
           "shapes");
      return std::nullopt;
    }
    return GraphOperand{found->second, 0, tensor.type, tensor.shape};
  }

  void Undefined(const Described& described, const Field& field) {
    const auto later = written_at_.find(described.name);
    if (later != written_at_.end()) {
      Fail(field.place + ".tensor_name",
           fmt::format("'{}' is read before {} writes it: operations must stand in their order",
                       described.name, later->second),
           "a tensor read before it is written");
      return;
    }
    std::vector<std::string> names;
    for (const GraphTensor& tensor : graph_.tensors) names.push_back(tensor.name);
    Fail(field.place + ".tensor_name",
         fmt::format("there is no tensor '{}': it must be in input_desc, or an operation before "
                     "this one must write it{}",
                     described.name, DidYouMean(described.name, names)),
         "a tensor that nothing writes");
  }

  bool CheckAssigned(const Operation& operation, const Field& field) {
    const GraphTensor& target = graph_.tensor(operation.inputs.front().tensor);
    const std::string place = field.place + ".input_desc[0][0].tensor_name";
    if (target.producer >= 0) {
      Fail(place, fmt::format("'{}' is assigned to, and must be in input_desc", target.name),
           "assignment");
      return false;
    }
    if (!assigned_.insert(operation.inputs.front().tensor).second) {
      Fail(place, fmt::format("'{}' is assigned to twice", target.name), "assignment");
      return false;
    }
    return true;
  }

  void ReadOutputs(const Field& list) {
    const auto entries = ReadList(list, false, mistakes_);
    if (!entries) return;
    if (entries->empty()) Fail(list.place, "an operator needs an output", "malformed JSON");
    for (const Field& field : *entries) {
      const std::optional<Described> described = ReadDescribed(field);
      if (!described) continue;
      const auto found = tensor_of_.find(described->name);
      if (found == tensor_of_.end()) {
        if (hidden_.contains(described->name)) continue;
        std::vector<std::string> names;
        for (const GraphTensor& tensor : graph_.tensors) names.push_back(tensor.name);
        Fail(field.place + ".tensor_name",
             fmt::format("no operation writes '{}'{}", described->name,
                         DidYouMean(described->name, names)),
             "a tensor that nothing writes");
        continue;
      }
      const GraphTensor& tensor = graph_.tensor(found->second);
      if (tensor.producer < 0) {
        Fail(field.place + ".tensor_name",
             fmt::format("'{}' is an input: an operation must write an output", tensor.name),
             "an input as an output");
      } else if (tensor.type != described->type || tensor.shape != described->shape) {
        Fail(field.place,
             fmt::format("must be {} {}, which '{}' is, not {} {}", DataTypeName(tensor.type),
                         TextOf(tensor.shape), tensor.name, DataTypeName(described->type),
                         TextOf(described->shape)),
             "shapes");
      } else if (std::ranges::find(graph_.outputs, found->second) != graph_.outputs.end()) {
        Fail(field.place + ".tensor_name",
             fmt::format("the output '{}' stands here twice", tensor.name), "a tensor twice");
      } else {
        graph_.outputs.push_back(found->second);
      }
    }
  }

  Mistakes& mistakes_;
  Graph graph_;
  std::map<std::string, int> tensor_of_;
  std::map<std::string, std::string> written_at_;
  std::set<std::string> hidden_;
  std::set<int> assigned_;
};

std::string TextBeside(const Field& field) {
  const bool is_text = field.value != nullptr && field.value->is_string();
  return is_text ? field.value->get<std::string>() : "";
}

}  // namespace

bool ReadResult::is_parsed() const {
  return std::ranges::none_of(
      mistakes, [](const Mistake& mistake) { return mistake.what == Mistake::What::kMalformed; });
}

ReadResult ReadOperator(std::string_view text) {
  ReadResult result;
  nlohmann::json parsed;
  if (std::optional<Mistake> mistake = ParseJson(text, parsed)) {
    result.mistakes.push_back(*std::move(mistake));
    return result;
  }
  const Field whole = {&parsed, ""};
  if (!parsed.is_object()) {
    result.mistakes.push_back(
        {Mistake::What::kMalformed, "",
         fmt::format("must be an object that describes an operator, not {}", Found(whole)),
         "malformed JSON"});
    return result;
  }
  result.network = TextBeside(whole["network"]);
  result.level = TextBeside(whole["level"]);
  result.file = TextBeside(whole["file"]);
  const Field inner = whole["operator"];
  const bool is_inside = inner.value != nullptr && inner.value->is_object();
  Graph graph = Reader(result.mistakes).Read(is_inside ? inner : whole);
  if (result.mistakes.empty()) result.graph = std::move(graph);
  return result;
}

}  // namespace exh::kernels::fused
