// SPDX-License-Identifier: MIT
//
// The functions of oneDNN's interface in C, as the manual of version 2 has them. Its structures are
// declared as bytes, more than the largest has (5,976 in 2.6): the library alone looks into them.
#include "kernels/derived/calls/onednn_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/check.h"
#include "kernels/derived/calls/library_text.h"
#include "kernels/derived/sources/op_text.h"

namespace exh::kernels::derived {
namespace {

using Kind = Primitive::Kind;

constexpr LibraryFunction kFunctions[] = {
    {"dnnl_version", "const Version* (*)()"},
    {"dnnl_engine_create", "int (*)(void**, int, unsigned long)"},
    {"dnnl_stream_create", "int (*)(void**, void*, unsigned)"},
    {"dnnl_stream_wait", "int (*)(void*)"},
    {"dnnl_memory_desc_init_by_strides", "int (*)(void*, int, const long*, int, const long*)"},
    {"dnnl_memory_desc_init_by_tag", "int (*)(void*, int, const long*, int, int)"},
    {"dnnl_memory_create", "int (*)(void**, const void*, void*, void*)"},
    {"dnnl_memory_set_data_handle", "int (*)(void*, void*)"},
    {"dnnl_primitive_desc_create", "int (*)(void**, const void*, void*, void*, void*)"},
    {"dnnl_primitive_desc_query_md", "const void* (*)(void*, int, int)"},
    {"dnnl_reorder_primitive_desc_create",
     "int (*)(void**, const void*, void*, const void*, void*, void*)"},
    {"dnnl_primitive_create", "int (*)(void**, void*)"},
    {"dnnl_primitive_destroy", "int (*)(void*)"},
    {"dnnl_primitive_execute", "int (*)(void*, void*, int, const Argument*)"},
    {"dnnl_dilated_convolution_forward_desc_init",
     "int (*)(void*, int, int, const void*, const void*, const void*, const void*, const long*, "
     "const long*, const long*, const long*)"},
    {"dnnl_softmax_forward_desc_init", "int (*)(void*, int, const void*, int)"},
    {"dnnl_layer_normalization_forward_desc_init",
     "int (*)(void*, int, const void*, const void*, float, unsigned)"},
    {"dnnl_reduction_desc_init", "int (*)(void*, int, const void*, const void*, float, float)"},
};

// Numbers of the interface.
constexpr int kF32 = 3, kAnyLayout = 1, kProcessor = 1, kForwardInference = 96;
constexpr int kBestConvolution = 3, kWeightsQuery = 131, kUsesScale = 8, kUsesShift = 16;
constexpr int kSource = 1, kDestination = 17, kWeights = 33, kScale = 51, kShift = 52;

int NumberOf(ir::Op reduction) {
  switch (reduction) {
    case ir::Op::kMax:
      return 0x2fff2;
    case ir::Op::kMin:
      return 0x2fff3;
    case ir::Op::kAdd:
      return 0x2fff4;
    case ir::Op::kMul:
      return 0x2fff5;
    default:
      EXH_UNREACHABLE();
  }
}

class Printer : public LibraryText {
 public:
  Printer(const Primitive& primitive, const ir::Function& function)
      : LibraryText(OneDnnFacts(kFunctions)), p_(primitive), function_(function) {
    Use("from", p_.from, kSource);
    Use("to", p_.to, kDestination);
    if (is_convolution()) Use("weights", p_.weights, kWeights);
    if (p_.gamma.array >= 0) Use("gamma", p_.gamma, kScale);
    if (p_.beta.array >= 0) Use("beta", p_.beta, kShift);
  }

  std::string Text() {
    for (const char* header : {"dlfcn.h", "omp.h", "stdio.h", "stdlib.h", "string.h"}) {
      Line(fmt::format("#include <{}>", header));
    }
    Line();
    Line("namespace {");
    Line();
    Line("struct Version { int major, minor, patch; const char* hash; };");
    Line("struct Argument { int number; void* memory; };");
    Line("struct alignas(64) Description { char bytes[16384]; };");
    Declare();
    Line("void *engine, *stream, *primitive;");
    if (is_convolution()) Line("void *pack, *given;");
    for (const Used& used : used_) Line(fmt::format("void* {};", used.name));
    Line("int made_for = 0;");
    if (has_epsilon()) Line("double made_with = 0;");
    Line();
    Make();
    Line("}  // namespace");
    Line();
    Ready();
    Run();
    return Take();
  }

 private:
  struct Used {
    const char* name;
    const TensorView* tensor;
    int argument;
  };

  bool is_convolution() const { return p_.kind == Kind::kConvolution; }
  bool has_epsilon() const { return p_.kind == Kind::kLayerNorm; }

  void Use(const char* name, const TensorView& tensor, int argument) {
    used_.push_back({name, &tensor, argument});
  }

  void Require(const std::string& call) { Line(fmt::format("if ({} != 0) return false;", call)); }

  void Describe(const Used& used) {
    const TensorView& tensor = *used.tensor;
    Line(fmt::format("static Description {}_is;", used.name));
    Open("");
    Line(fmt::format("const long dims[] = {{{}}};", fmt::join(tensor.dims, ", ")));
    Line(fmt::format("const long strides[] = {{{}}};", fmt::join(tensor.strides, ", ")));
    Require(fmt::format("dnnl_memory_desc_init_by_strides(&{}_is, {}, dims, {}, strides)",
                        used.name, tensor.dims.size(), kF32));
    Close();
  }

  /// Makes the primitive for so many threads: the library divides its work when it is made.
  void Make() {
    Open(fmt::format("bool Make(int threads{})", has_epsilon() ? ", double epsilon" : ""));
    Line("omp_set_num_threads(threads);");
    Line("if (primitive != nullptr) dnnl_primitive_destroy(primitive);");
    Line("primitive = nullptr;");
    Open("if (engine == nullptr)");
    Require(fmt::format("dnnl_engine_create(&engine, {}, 0)", kProcessor));
    Require("dnnl_stream_create(&stream, engine, 1)");
    Close();
    for (const Used& used : used_) Describe(used);
    Line("static Description operation;");
    Operation();
    Line("void* description = nullptr;");
    Require("dnnl_primitive_desc_create(&description, &operation, nullptr, engine, nullptr)");
    Require("dnnl_primitive_create(&primitive, description)");
    if (is_convolution()) Packing();
    for (const Used& used : used_) {
      if (is_convolution() && used.argument == kWeights) continue;
      Require(fmt::format("dnnl_memory_create(&{0}, &{0}_is, engine, nullptr)", used.name));
    }
    Line("made_for = threads;");
    if (has_epsilon()) Line("made_with = epsilon;");
    Line("return true;");
    Close();
    Line();
  }

  void Operation() {
    switch (p_.kind) {
      case Kind::kConvolution: {
        // Dilation 0 is what others call 1.
        const auto pair = [this](const char* name, const std::int64_t(&values)[2], int less = 0) {
          Line(fmt::format("const long {}[] = {{{}, {}}};", name, values[0] - less,
                           values[1] - less));
        };
        pair("steps", p_.step);
        pair("dilations", p_.dilation, 1);
        pair("before", p_.before);
        pair("behind", p_.behind);
        Line("static Description any;");
        Line(fmt::format("const long filter[] = {{{}}};", fmt::join(p_.weights.dims, ", ")));
        Require(
            fmt::format("dnnl_memory_desc_init_by_tag(&any, 4, filter, {}, {})", kF32, kAnyLayout));
        return Require(
            fmt::format("dnnl_dilated_convolution_forward_desc_init(&operation, {}, {}, &from_is, "
                        "&any, nullptr, &to_is, steps, dilations, before, behind)",
                        kForwardInference, kBestConvolution));
      }
      case Kind::kSoftmax:
        return Require(fmt::format("dnnl_softmax_forward_desc_init(&operation, {}, &from_is, {})",
                                   kForwardInference, p_.axis));
      case Kind::kLayerNorm:
        return Require(fmt::format(
            "dnnl_layer_normalization_forward_desc_init(&operation, {}, &from_is, "
            "nullptr, static_cast<float>(epsilon), {})",
            kForwardInference,
            (p_.gamma.array < 0 ? 0 : kUsesScale) | (p_.beta.array < 0 ? 0 : kUsesShift)));
      case Kind::kReduction:
        return Require(fmt::format(
            "dnnl_reduction_desc_init(&operation, {}, &from_is, &to_is, 0, 0)", NumberOf(p_.op)));
    }
  }

  /// What brings the weights into the layout that the convolution asks for.
  void Packing() {
    Line(fmt::format("const void* asked = dnnl_primitive_desc_query_md(description, {}, 0);",
                     kWeightsQuery));
    Line("void* packing = nullptr;");
    Require(
        "dnnl_reorder_primitive_desc_create(&packing, &weights_is, engine, asked, engine, "
        "nullptr)");
    Require("dnnl_primitive_create(&pack, packing)");
    Require("dnnl_memory_create(&given, &weights_is, engine, nullptr)");
    Line("const auto own = reinterpret_cast<void*>(-1);  // Memory of the library.");
    Require("dnnl_memory_create(&weights, asked, engine, own)");
  }

  void Ready() {
    Open("extern \"C\" const char* exh_ready(const char** which)");
    Load();
    SayVersionOfOneDnn();
    Line("if (version->major != 2 || version->minor < 6) {");
    Line("  return \"this oneDNN is none of versions 2.6 to 2.7: it is asked in another way\";");
    Line("}");
    Line(fmt::format("if (!Make(omp_get_max_threads(){})) {{", has_epsilon() ? ", 1e-5" : ""));
    Line("  return \"this oneDNN has no routine for it\";");
    Line("}");
    Line("*which = said;");
    Line("return nullptr;");
    Close();
    Line();
  }

  /// The value of epsilon in a run, which has its own scalars.
  std::string Epsilon() const {
    if (p_.epsilon.scalar.empty()) {
      return NumberText(double{p_.epsilon.number}, Dialect::kCpp, ir::Type::kF64);
    }
    for (std::size_t i = 0; i < function_.scalars.size(); ++i) {
      if (function_.scalars[i].name == p_.epsilon.scalar) return fmt::format("scalars[{}]", i);
    }
    EXH_UNREACHABLE();
  }

  void Run() {
    const bool has_scalars = has_epsilon() && !p_.epsilon.scalar.empty();
    Open(fmt::format("extern \"C\" void exh_run(void* const* arrays, const double*{}, int threads)",
                     has_scalars ? " scalars" : ""));
    if (has_epsilon()) {
      Line(fmt::format("const double epsilon = {};", Epsilon()));
      Line("if (threads != made_for || epsilon != made_with) Make(threads, epsilon);");
    } else {
      Line("if (threads != made_for) Make(threads);");
    }
    for (const Used& used : used_) {
      const bool is_packed = is_convolution() && used.argument == kWeights;
      Line(fmt::format("dnnl_memory_set_data_handle({}, arrays[{}]);",
                       is_packed ? "given" : used.name, used.tensor->array));
    }
    if (is_convolution()) {
      Line(fmt::format("const Argument packing[] = {{{{{}, given}}, {{{}, weights}}}};", kSource,
                       kDestination));
      Line("dnnl_primitive_execute(pack, stream, 2, packing);");
    }
    std::vector<std::string> arguments;
    for (const Used& used : used_) {
      arguments.push_back(fmt::format("{{{}, {}}}", used.argument, used.name));
    }
    Line(fmt::format("const Argument arguments[] = {{{}}};", fmt::join(arguments, ", ")));
    Line(fmt::format("dnnl_primitive_execute(primitive, stream, {}, arguments);", used_.size()));
    Line("dnnl_stream_wait(stream);");
    Close();
  }

  const Primitive& p_;
  const ir::Function& function_;
  std::vector<Used> used_;
};

}  // namespace

std::string OneDnnSource(const Primitive& primitive, const ir::Function& function) {
  return Printer(primitive, function).Text();
}

std::string OneDnnSource(const ir::Function& function) {
  const std::optional<Primitive> primitive = PrimitiveOf(ExpressionOf(function));
  return primitive ? OneDnnSource(*primitive, function) : "";
}

}  // namespace exh::kernels::derived
