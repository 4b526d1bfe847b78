// SPDX-License-Identifier: MIT
#include "search/exchange/flashinfer/solution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "kernels/devices/standalone/text.h"
#include "search/exchange/flashinfer/definition.h"
#include "search/exchange/flashinfer/flashinfer.h"
#include "search/install/tuned_library.h"
#include "search/install/wisdom.h"
#include "search/log/log_text.h"
#include "search/report/logged_program.h"

namespace exh::search {
namespace {

using kernels::package::LibraryKind;
using kernels::standalone::Fill;

constexpr const char* kBindingBegin =
    R"(// The definition '$DEFINITION$' of FlashInfer Trace, at the sizes that were searched for. For
// others it throws.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <utility>

$INCLUDE_HEADER$

namespace {

using tvm::ffi::TensorView;

std::int64_t SizeAt(const TensorView& tensor, const char* name, int dim, int dims) {
  if (tensor.ndim() != dims) {
    TVM_FFI_THROW(ValueError) << name << " has " << tensor.ndim() << " dimensions, not " << dims;
  }
  return tensor.size(dim);
}

// Kernels take elements of one type, one behind the other.
void Check(const TensorView& tensor, const char* name, int code, int bits,
           std::initializer_list<std::int64_t> shape) {
  const DLDataType type = tensor.dtype();
  if (tensor.device().device_type != $DEVICE$) {
    TVM_FFI_THROW(ValueError) << name << " is on another device than the kernel";
  }
  if (type.code != code || type.bits != bits || type.lanes != 1) {
    TVM_FFI_THROW(TypeError) << name << " has another type than the definition says";
  }
  bool fits = tensor.ndim() == static_cast<int>(shape.size());
  int dim = 0;
  for (const std::int64_t size : shape) fits = fits && tensor.size(dim++) == size;
  if (!fits) TVM_FFI_THROW(ValueError) << name << " has another shape than the definition says";
  if (!tensor.IsContiguous()) TVM_FFI_THROW(ValueError) << name << " has gaps between its elements";
}
$WORKSPACE$
)";

constexpr const char* kBindingRun = R"($FUNCTION$
$SIZES$$CHECKS$$DEVICE_NUMBER$$WORKSPACE$$CALL$
  if (status != EXH_OK) TVM_FFI_THROW(RuntimeError) << exh_status_text(status);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, Run);
)";

struct ElementType {
  const char* code;
  int bits;
};

/// As DLPack has it.
ElementType ElementTypeOf(const std::string& type) {
  static const std::map<std::string, ElementType, std::less<>> types = {
      {"f64", {"kDLFloat", 64}},
      {"f32", {"kDLFloat", 32}},
      {"f16", {"kDLFloat", 16}},
      {"bf16", {"kDLBfloat", 16}},
      {"f8e4m3", {"kDLFloat8_e4m3fn", 8}},
      {"f8e5m2", {"kDLFloat8_e5m2", 8}},
      {"i64", {"kDLInt", 64}},
      {"i32", {"kDLInt", 32}},
      {"i8", {"kDLInt", 8}},
      {"bool", {"kDLBool", 8}}};
  return types.at(type);
}

/// Names of an application cannot be those of ours.
std::string OfTensor(const DefinedTensor& tensor) {
  return "t_" + KernelNameOf(tensor.name);
}
std::string OfAxis(const std::string& axis) {
  return "n_" + KernelNameOf(axis);
}

/// Sizes in a text with the names that they have here.
std::string WithAxes(const std::string& text) {
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    const auto is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (!is_word(text[i])) {
      made += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (text[i] < '0' || text[i] > '9') made += "n_";
    made += text.substr(i, end - i);
    i = end;
  }
  return made;
}

class BindingWriter {
 public:
  BindingWriter(const Definition& definition, const FlashInferKernel& kernel,
                const TunedLibrary& library)
      : definition_(definition),
        kernel_(kernel),
        tuned_(library.kernels.front()),
        kind_(*library.kind) {
    for (const auto* const some : {&definition.inputs, &definition.outputs}) {
      for (const DefinedTensor& tensor : *some) tensors_.push_back(&tensor);
    }
  }

  std::string Text() const {
    std::vector<std::string> parameters;
    for (const DefinedTensor* const tensor : tensors_) parameters.push_back(Parameter(*tensor));
    std::string checks;
    for (const DefinedTensor* const tensor : tensors_) checks += CheckOf(*tensor);
    const bool has_stream = !kind_.solution_stream.empty();
    const auto first = std::ranges::find_if(
        tensors_, [](const DefinedTensor* tensor) { return !tensor->is_scalar; });
    const std::string sizes = fmt::format("{}", fmt::join(Sizes(), ", "));
    std::vector<std::string> size_parameters;
    for (const std::string& size : Sizes()) size_parameters.push_back("std::int64_t " + size);
    const std::map<std::string, std::string> places = {
        {"KERNEL", tuned_.name},
        {"SIZES", sizes},
        {"COUNT", fmt::format("{}", Sizes().size())},
        {"SIZE_PARAMETERS", fmt::format("{}", fmt::join(size_parameters, ", "))}};
    const std::string workspace =
        kind_.has_workspace
            ? fmt::format(
                  "  const cudaStream_t stream = {};\n"
                  "  const Workspace workspace = Workspace_{}(stream, device, {});\n",
                  kind_.solution_stream, tuned_.name, sizes)
            : "";
    return Fill(
               kBindingBegin,
               {{"DEFINITION", definition_.name},
                {"INCLUDE_HEADER", "#include \"tuned.h\""},
                {"DEVICE", std::string(kind_.dlpack_device)},
                {"WORKSPACE",
                 kind_.has_workspace ? Fill(std::string(kind_.solution_workspace), places) : ""}}) +
           Fill(kBindingRun,
                {{"FUNCTION", kernels::standalone::Listed("void Run(", parameters, ") {")},
                 {"SIZES", SizeLines()},
                 {"CHECKS", checks},
                 {"DEVICE_NUMBER",
                  has_stream ? fmt::format("  const int device = {}.device().device_id;\n",
                                           OfTensor(**first))
                             : ""},
                 {"WORKSPACE", workspace},
                 {"CALL", kernels::standalone::Listed(
                              fmt::format("  const int status = exh_{}(", tuned_.name), Arguments(),
                              ");")}});
  }

 private:
  static std::string Parameter(const DefinedTensor& tensor) {
    if (!tensor.is_scalar) return "TensorView " + OfTensor(tensor);
    return (tensor.type.find('f') != std::string::npos ? "double " : "std::int64_t ") +
           OfTensor(tensor);
  }

  /// What the kernel calls its sizes, in the order of its function.
  std::vector<std::string> Sizes() const {
    std::vector<std::string> sizes;
    for (const auto& size : tuned_.unit().sizes) sizes.push_back("n_" + size.name);
    return sizes;
  }

  std::string SizeLines() const {
    std::string text;
    for (const std::string& axis : definition_.order) {
      const auto& value = definition_.axes.at(axis);
      text += fmt::format("  [[maybe_unused]] const std::int64_t {} = {};\n", OfAxis(axis),
                          value ? fmt::format("{}", *value) : PlaceOf(axis));
    }
    for (const auto& [axis, what] : kernel_.derived) {
      text += fmt::format("  if ({} != {}) TVM_FFI_THROW(ValueError) << \"{} is not {}\";\n",
                          OfAxis(axis), WithAxes(what), axis, what);
    }
    return text;
  }
  /// Where it is seen how long an axis is.
  std::string PlaceOf(const std::string& axis) const {
    for (const DefinedTensor* const tensor : tensors_) {
      const auto found = std::ranges::find(tensor->shape, axis);
      if (found == tensor->shape.end()) continue;
      return fmt::format("SizeAt({}, \"{}\", {}, {})", OfTensor(*tensor), tensor->name,
                         found - tensor->shape.begin(), tensor->shape.size());
    }
    throw UsageError(fmt::format("no tensor says how long the axis '{}' is", axis));
  }

  static std::string CheckOf(const DefinedTensor& tensor) {
    if (tensor.is_scalar) return "";
    const ElementType type = ElementTypeOf(tensor.type);
    std::vector<std::string> shape;
    for (const std::string& axis : tensor.shape) shape.push_back(OfAxis(axis));
    return fmt::format("  Check({}, \"{}\", {}, {}, {{{}}});\n", OfTensor(tensor), tensor.name,
                       type.code, type.bits, fmt::join(shape, ", "));
  }

  const DefinedTensor& TensorOf(const std::string& name) const {
    const auto found = std::ranges::find_if(
        tensors_, [&](const DefinedTensor* tensor) { return KernelNameOf(tensor->name) == name; });
    if (found == tensors_.end()) {
      throw UsageError(fmt::format("the definition has no '{}', and the run has", name));
    }
    return **found;
  }

  std::vector<std::string> Arguments() const {
    std::vector<std::string> arguments;
    if (kind_.has_workspace) arguments.emplace_back("stream");
    for (const std::string& size : Sizes()) arguments.push_back(size);
    const auto& unit = tuned_.unit();
    for (std::size_t i = 0; i < unit.arrays.size(); ++i) {
      arguments.push_back(fmt::format("static_cast<{}*>({}.data_ptr())", tuned_.array_types[i],
                                      OfTensor(TensorOf(unit.arrays[i].name))));
    }
    for (std::size_t i = 0; i < unit.scalars.size(); ++i) {
      arguments.push_back(fmt::format("static_cast<{}>({})", tuned_.scalar_types[i],
                                      OfTensor(TensorOf(unit.scalars[i].name))));
    }
    if (kind_.has_workspace) {
      arguments.insert(arguments.end(), {"workspace.memory", "workspace.bytes"});
    }
    return arguments;
  }

  const Definition& definition_;
  const FlashInferKernel& kernel_;
  const TunedKernel& tuned_;
  const LibraryKind& kind_;
  std::vector<const DefinedTensor*> tensors_;
};

/// "NVIDIA_H200".
std::string HardwareOf(const Wisdom& wisdom, const LibraryKind& kind) {
  if (kind.solution_stream.empty()) return std::string(kind.python_device);
  std::string name = wisdom.unit.device;
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string DescriptionOf(const std::vector<Wisdom>& all, const LibraryKind& kind) {
  std::vector<std::string> places;
  std::set<std::string> features;
  for (const Wisdom& wisdom : all) {
    places.push_back(PlaceText(wisdom.unit));
    for (const std::string& flag : wisdom.unit.flags) {
      const std::string number = flag.substr(0, flag.find('-'));
      if (number.ends_with('a') && number.size() >= 3) {
        features.insert(number.substr(0, number.size() - 2) + "." +
                        number.substr(number.size() - 2));
      }
    }
  }
  std::string text = fmt::format("searched for at {}", fmt::join(places, "; "));
  if (kind.solution_stream.empty()) {
    text += fmt::format(". It was measured with {}", fmt::join(all.front().unit.flags, " "));
  } else if (!features.empty()) {
    text += fmt::format(". Build it with TVM_FFI_CUDA_ARCH_LIST={}", fmt::join(features, " "));
  }
  return text;
}

}  // namespace

std::string SolutionOf(const SolutionRequest& request) {
  const Definition definition = ParseDefinition(request.definition);
  const FlashInferKernel kernel = KernelOfDefinition(request.definition);
  std::vector<Wisdom> all;
  for (const std::string& run : request.runs) {
    const RecordName record = ParseRecordName(run);
    const LoggedProgram program = ReadProgram(record.run, record.n);
    if (program.log.run->text != kernel.text) {
      throw UsageError(
          fmt::format("'{}' is a run of another kernel than the definition '{}' becomes; search "
                      "what `search import flashinfer` makes of it",
                      run, definition.name));
    }
    Merge(WisdomOf(program, ""), all);
  }
  const TunedLibrary library = MakeTunedLibrary(all);
  const LibraryKind& kind = *library.kind;
  if (kind.solution_language.empty()) {
    throw UsageError(fmt::format("FlashInfer Trace has no solutions for {}", kind.python_device));
  }
  auto files = LibraryFiles(all);
  files.erase("CMakeLists.txt");
  files.erase("tuned.py");
  const std::string binding = "binding" + std::string(kind.suffix);
  files[binding] = BindingWriter(definition, kernel, library).Text();

  std::set<std::string> hardware;
  for (const Wisdom& wisdom : all) hardware.insert(HardwareOf(wisdom, kind));
  TraceJson json;
  json["name"] = request.name.empty() ? "exhaust_" + definition.name : request.name;
  json["definition"] = definition.name;
  json["description"] = DescriptionOf(all, kind);
  json["author"] = request.author;
  json["spec"] = {{"language", kind.solution_language}, {"target_hardware", hardware},
                  {"entry_point", binding + "::run"},   {"dependencies", TraceJson::array()},
                  {"destination_passing_style", true},  {"binding", "tvm-ffi"}};
  json["sources"] = TraceJson::array();
  for (const auto& [path, content] : files) {
    json["sources"].push_back({{"path", path}, {"content", content}});
  }
  return json.dump(2) + "\n";
}

}  // namespace exh::search
