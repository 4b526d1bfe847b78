// SPDX-License-Identifier: MIT
#include "tests/attack/programs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "kernels/fused/code/code.h"
#include "kernels/fused/graph/read.h"
#include "kernels/fused/lower.h"
#include "kernels/ir/text/type_text.h"
#include "search/functional/functional_subject.h"
#include "search/functional/program_workload.h"
#include "search/fused/fused_subject.h"
#include "search/subject/problem.h"

namespace exh::attack {
namespace {

namespace fused = kernels::fused;
using nlohmann::json;

json Tensor(const std::string& name, const std::string& type, const json& shape) {
  return {{"tensor_name", name}, {"data_type", type}, {"shape", shape}};
}
json Number(double value, const std::string& type) {
  json number = Tensor("", type, json::array({1}));
  number["value"] = value;
  return number;
}
json Operation(const std::string& kind, const std::vector<json>& inputs, const json& output,
               const json& attributes = json::array()) {
  json descriptions = json::array();
  for (const json& input : inputs) descriptions.push_back(json::array({input}));
  return {{"name", kind},
          {"attr", attributes},
          {"input_desc", descriptions},
          {"output_desc", json::array({output})}};
}
std::string Operator(const std::vector<json>& inputs, const std::vector<json>& operations,
                     const std::vector<json>& outputs) {
  json descriptions = json::array();
  for (const json& input : inputs) descriptions.push_back(json::array({input}));
  return json{{"op", "sabotaged"},
              {"input_desc", descriptions},
              {"op_desc", operations},
              {"output_desc", outputs}}
      .dump();
}

/// y = x * z + 0.5, of some 100,000 elements.
std::string Elements(const std::string& type) {
  const json shape = {256, 400};
  const json x = Tensor("x", type, shape), z = Tensor("z", type, {400}),
             m = Tensor("m", type, shape), y = Tensor("y", type, shape);
  return Operator({x, z},
                  {Operation("Mul", {x, z}, m), Operation("Add", {m, Number(0.5, type)}, y)}, {y});
}

/// Sums of rows, in f32.
std::string Rows() {
  const json x = Tensor("x", "float32", {256, 400}), q = Tensor("q", "float32", {256, 400}),
             s = Tensor("s", "float32", {256});
  const json axis = json::array({{{"name", "axis"}, {"value", {1}}}});
  return Operator({x}, {Operation("Mul", {x, x}, q), Operation("ReduceSum", {q}, s, axis)}, {s});
}

/// A chain of functions of halves, which no order of exact steps pins down.
std::string Functions() {
  const json shape = {256, 400};
  const auto tensor = [&](const char* name) { return Tensor(name, "float16", shape); };
  const json x = tensor("x"), a = tensor("a"), b = tensor("b"), c = tensor("c"), y = tensor("y");
  return Operator({x},
                  {Operation("Tanh", {x}, a), Operation("Mul", {a, x}, b), Operation("Exp", {b}, c),
                   Operation("Add", {c, a}, y)},
                  {y});
}

std::string Integers() {
  const json shape = {256, 400};
  const auto tensor = [&](const char* name) { return Tensor(name, "int32", shape); };
  const json x = tensor("x"), z = tensor("z"), m = tensor("m"), y = tensor("y");
  return Operator({x, z}, {Operation("Mul", {x, z}, m), Operation("Add", {m, x}, y)}, {y});
}

ProgramTarget FusedTarget(const std::string& name, const std::string& text,
                          const kernels::ir::Device& device, bool is_gpu) {
  ProgramTarget target{
      "fused", name, std::make_unique<search::FusedSubject>(text, device, 0), {}, {}};
  const fused::OperatorProgram program =
      fused::ProgramOf(fused::StatementsOf(*fused::ReadOperator(text).graph));
  const fused::Schedules schedules(program, poly::DependenceKind::kValue);
  const std::vector<fused::NestNode> nests =
      fused::NestsOf(schedules, schedules.Influenced(), /*has_vectors=*/true);
  target.right = is_gpu ? fused::CudaText(program, nests) : fused::CpuText(program, nests);
  for (const int index : fused::ArgumentsOf(program)) {
    const fused::StatementTensor& tensor = program.list.tensor(index);
    target.arrays.push_back({std::string(kernels::ir::ElementName(tensor.type)), tensor.is_result(),
                             static_cast<unsigned long>(tensor.elements())});
  }
  return target;
}

/// Sums of rows, each in a thread.
constexpr const char* kRows = R"(
size m = 256
size n = 400
input x: [[float]n]m
kernel z: [float]m =
  mapGlb(0, row -> toGlobal(id(reduce(toPrivate(id(0.0)), (s, v) -> s + v * 3.0, row))), x)
)";
/// A product of matrices, a group for each row, a thread for each column.
constexpr const char* kProduct = R"(
size m = 24
size n = 32
size k = 64
input a: [[float]k]m
input b: [[float]n]k
def product(row, column) =
  reduce(toPrivate(id(0.0)), (sum, (x, y)) -> sum + x * y, zip(row, column))
kernel c: [[float]n]m =
  mapWrg(0, row -> mapLcl(0, column -> toGlobal(id(product(row, column))), transpose(b)), a)
)";
/// Elements, some for each thread.
constexpr const char* kSums = R"(
size n = 4096
input x: [float]n
input y: [float]n
kernel z: [float]n =
  zip(x, y) |> split(8) |> mapGlb(0, p -> mapSeq((a, b) -> toGlobal(a * 2.0 + b), p)) |> join
)";

/// `arrays`: of floats, the result the last one.
ProgramTarget FunctionalTarget(const char* name, const char* text,
                               const std::vector<unsigned long>& arrays,
                               const kernels::ir::Device& device) {
  auto subject =
      std::make_unique<search::FunctionalSubject>(text, functional::Given{}, lift::Rules{}, device);
  const search::MappedProgram& mapped = subject->mapped();
  ProgramTarget target{"functional", name, nullptr, {}, {}};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    target.arrays.push_back({"float", i + 1 == arrays.size(), arrays[i]});
  }
  target.right = search::SourceOf(mapped, mapped.Values(), functional::CodesOf(mapped.program()),
                                  search::LimitsOf(device));
  target.subject = std::move(subject);
  return target;
}

bool IsFloat(const ProgramTarget::Array& array) {
  return array.type == "float";
}

constexpr const char* kTools = R"(
#ifdef __CUDACC__
#define FUNCTION static __device__
#define BITS(x) __float_as_uint(x)
#define FLOAT(x) __uint_as_float(x)
#else
#define FUNCTION static
#define BITS(x) __builtin_bit_cast(unsigned, x)
#define FLOAT(x) __builtin_bit_cast(float, x)
#endif
FUNCTION float Cut(float x, int bits) { return FLOAT(BITS(x) & ~((1u << (24 - bits)) - 1)); }
)";

}  // namespace

std::vector<ProgramTarget> ProgramTargets(const std::string& device_name, bool is_gpu) {
  search::ProblemOptions options;
  options.device = device_name;
  const kernels::ir::Device device = search::FindDevice(options);
  std::vector<ProgramTarget> targets;
  targets.push_back(FusedTarget("elements", Elements("float32"), device, is_gpu));
  targets.push_back(FusedTarget("elements of halves", Elements("float16"), device, is_gpu));
  targets.push_back(FusedTarget("rows", Rows(), device, is_gpu));
  targets.push_back(FusedTarget("functions of halves", Functions(), device, is_gpu));
  targets.push_back(FusedTarget("integers", Integers(), device, is_gpu));
  if (!is_gpu) return targets;
  targets.push_back(FunctionalTarget("rows", kRows, {256 * 400, 256}, device));
  targets.push_back(FunctionalTarget("product", kProduct, {24 * 64, 64 * 32, 24 * 32}, device));
  targets.push_back(FunctionalTarget("elements", kSums, {4096, 4096, 4096}, device));
  return targets;
}

/// `defines` is what is done with element i of the first output behind the right program: `out[i]`;
/// `run` counts from 0, and `kept` has as many elements.
std::vector<Sabotage> SabotagesOf(const ProgramTarget& target, bool is_gpu) {
  const auto output = std::ranges::find(target.arrays, true, &ProgramTarget::Array::is_output);
  // Of a half these are its bits, the last of which may be off.
  const std::string more =
      IsFloat(*output) || output->type == "int" ? "out[i] += 1;" : "out[i] += 64;";
  std::vector<Sabotage> all = {
      {"right", true, ""},
      {"every third run is wrong", false, "if (run % 3 == 2 && i == 0) " + more},
      {"every hundredth run is wrong", false, "if (run % 100 == 99 && i == 0) " + more},
      {"from the fourth run on what the first one wrote", false,
       "if (run == 0) kept[i] = out[i]; if (run > 2) out[i] = kept[i];"},
      {"what the run before wrote", false,
       "const auto value = out[i]; if (run > 0) out[i] = kept[i]; kept[i] = value;"},
      {"an element that only the first run writes", false,
       "if (i == COUNT / 2) { if (run == 0) kept[i] = out[i]; else out[i] = kept[i]; }"},
      {"one element too large", false, "if (i == COUNT / 3) " + more},
      {"one element too far", false, "if (i == 0) out[COUNT] = out[0];"},
      {"exchanged elements", false,
       "if (i == 1) { const auto value = out[4]; out[4] = out[7]; out[7] = value; }"},
  };
  if (IsFloat(*output)) {
    const std::vector<Sabotage> floats = {
        {"half a percent too large", false, "out[i] *= 1.005f;"},
        {"one millionth too large", false, "out[i] *= 1.000001f;"},
        {"results in half precision", false, "out[i] = Cut(out[i], 11);"},
        {"NaN becomes 0", false, "if (out[i] != out[i]) out[i] = 0;"},
        {"infinity is cut", false,
         "if (out[i] > 3e38f) out[i] = 3e38f; if (out[i] < -3e38f) out[i] = -3e38f;"},
        {"the absolute value", false, "if (out[i] < 0) out[i] = -out[i];"},
    };
    // Squares have no sign.
    for (const Sabotage& one : floats) {
      if (target.kind == "fused" && target.name == "rows" && one.name == "the absolute value") {
        continue;
      }
      all.push_back(one);
    }
  } else if (output->type == "int") {
    all.push_back({"integers of 16 bits", false, "out[i] = (short)out[i];"});
  } else {
    // Of a half: its exponent is a part of it.
    all.push_back({"the last bit of each result", false, "out[i] ^= 1;"});
    all.push_back({"half a percent too large", false, "out[i] += out[i] % 1024 / 512 + 4;"});
    all.push_back({"NaN becomes 0", false, "if ((out[i] & 0x7fff) > 0x7c00) out[i] = 0;"});
  }
  if (!is_gpu) {
    // Those that do not even call it.
    all.push_back({"nothing is computed", false, "NEVER"});
    all.push_back({"only the first run computes", false, "FIRST"});
    all.push_back({"a copy of the first result", false, "COPY"});
  }
  // The last bit of what functions of halves yield is not certain.
  std::erase_if(all, [&](const Sabotage& one) {
    return target.name == "functions of halves" && one.name == "the last bit of each result";
  });
  return all;
}

kernels::Source SourceOf(const ProgramTarget& target, const Sabotage& sabotage, bool is_gpu) {
  kernels::Source source = target.right;
  std::size_t which = 0;
  while (!target.arrays[which].is_output) ++which;
  const ProgramTarget::Array& output = target.arrays[which];
  const std::string count = std::to_string(output.elements) + "l";
  const std::string state = "#define COUNT " + count + "\n" + kTools;
  if (is_gpu) {
    std::string parameters;
    for (std::size_t i = 0; i < target.arrays.size(); ++i) {
      const bool is_out = i == which;
      parameters += (i == 0 ? "" : ", ") + std::string(target.arrays[i].is_output ? "" : "const ") +
                    target.arrays[i].type + "* " + (is_out ? "out" : "a" + std::to_string(i));
    }
    if (source.gpu->launch.scratch_bytes() > 0) parameters += ", unsigned char*";
    constexpr std::uint32_t kThreads = 256;
    source.text += state + "static __device__ " + output.type + " kept[COUNT];\n" +
                   "static __device__ unsigned calls;\n"
                   "extern \"C\" __global__ void exh_sabotage(" +
                   parameters +
                   ") {\n"
                   "  const long i = blockIdx.x * 256l + threadIdx.x;\n"
                   "  const long run = atomicAdd(&calls, 1u) / (gridDim.x * 256l);\n"
                   "  (void)run;\n  if (i >= COUNT) return;\n  " +
                   sabotage.defines + "\n}\n";
    source.gpu->launch.sides.push_back(
        {"exh_sabotage", false, (output.elements + kThreads - 1) / kThreads, kThreads, 0});
    return source;
  }
  const std::string name = "exh_run(";
  source.text.replace(source.text.find(name), name.size(), "exh_right(");
  const bool calls =
      sabotage.defines != "NEVER" && sabotage.defines != "FIRST" && sabotage.defines != "COPY";
  source.text += state + "static " + output.type + " kept[COUNT];\n" +
                 "extern \"C\" void exh_run(void* const* arrays, const double* s, int threads) {\n"
                 "  static long runs = 0;\n  const long run = runs++;\n"
                 "  (void)run, (void)s, (void)threads;\n  " +
                 output.type + "* out = static_cast<" + output.type + "*>(arrays[" +
                 std::to_string(which) + "]);\n  (void)out;\n";
  if (calls) {
    source.text +=
        "  exh_right(arrays, s, threads);\n"
        "  for (long i = 0; i < COUNT; ++i) { " +
        sabotage.defines + " }\n}\n";
  } else if (sabotage.defines == "NEVER") {
    source.text += "}\n";
  } else if (sabotage.defines == "FIRST") {
    source.text += "  if (run == 0) exh_right(arrays, s, threads);\n}\n";
  } else {
    source.text +=
        "  if (run == 0) {\n    exh_right(arrays, s, threads);\n"
        "    __builtin_memcpy(kept, out, sizeof kept);\n  } else {\n"
        "    __builtin_memcpy(out, kept, sizeof kept);\n  }\n}\n";
  }
  return source;
}

}  // namespace exh::attack
