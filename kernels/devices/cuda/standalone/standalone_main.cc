// SPDX-License-Identifier: MIT
//
// The `main` of a stand-alone program. It shares no code with the search: what is measured here was
// compiled by another compiler, runs on other inputs, and is checked by a text of its own.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/codegen/print/op_text.h"
#include "kernels/devices/cuda/standalone/standalone_parts.h"

namespace exh::kernels::standalone {
namespace {

/// Up to so many operations, every element is compared on the CPU: that takes some seconds.
constexpr double kMostOperations = 1.1e9;
constexpr std::uint64_t kSample = 4096;

constexpr const char* kMain = R"(
// Element i of $OUTPUT$.
$SIGNATURE$
$ELEMENT$}

}  // namespace

int main() {
  std::mt19937 random(1);
$INPUTS$
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const auto launch = [&] {
$LAUNCH$
  };
  launch();
  CHECK(cudaStreamSynchronize(stream));

  const std::vector<$TYPE$> result = device_$OUTPUT$.Values();
  std::int64_t mistakes = 0;
  const auto check = [&](std::int64_t i) {
$EXPECTATION$
    const double got = result[i];
    if (std::fabs(got - expected.value) <= expected.tolerance) return;  // Not if it is NaN.
    if (++mistakes > 10) return;
    std::fprintf(stderr, "$KERNEL$: $OUTPUT$[%lld] is $DIGITS$, not $DIGITS$ (tolerance %.2g)\n",
                 static_cast<long long>(i), got, expected.value, expected.tolerance);
  };
$CHECKS$  const struct {
    const char* name;
    const DeviceMemory& array;
$GUARDED$
  for (const auto& [name, array] : arrays) {
    if (!array.IsBroken()) continue;
    ++mistakes;
    std::fprintf(stderr, "$KERNEL$: something was written outside of %s\n", name);
  }
  if (mistakes > 0) {
    std::fprintf(stderr, "$KERNEL$: %lld mistake(s)\n", static_cast<long long>(mistakes));
    return 1;
  }

  // Launches are replayed from a graph, about a millisecond of them: the gaps between them are the
  // GPU's then, and not the processor's.
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const auto milliseconds = [&](const auto& work) {
    CHECK(cudaEventRecord(begin, stream));
    work();
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float time = 0;
    CHECK(cudaEventElapsedTime(&time, begin, end));
    return time;
  };
  const float once = std::max(milliseconds(launch), 1e-3f);
  const int launches = once < 1 ? static_cast<int>(1 / once) : 1;
  cudaGraph_t graph;
  cudaGraphExec_t batch;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  for (int i = 0; i < launches; ++i) launch();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&batch, graph, 0));
  std::vector<float> times(20);
  for (int warm_up = 0; warm_up < 3; ++warm_up) CHECK(cudaGraphLaunch(batch, stream));
  for (float& time : times) {
    time = milliseconds([&] { CHECK(cudaGraphLaunch(batch, stream)); }) / launches;
  }
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  const double seconds = 1e-3 * times[10];
  std::printf("$KERNEL$: correct ($CHECKED$), %.2f us, %.1f GFLOP/s\n", 1e6 * seconds,
              $FLOPS$ / seconds * 1e-9);
  return 0;
}
#endif  // EXHAUST_NO_MAIN
)";

/// Elements of the output at which every axis is at one of its ends.
std::vector<std::int64_t> Corners(const ir::Function& function, ir::ArrayId output) {
  std::vector<std::int64_t> corners = {0};
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op != ir::Op::kStore || inst.array != output) continue;
    for (const ir::AccessAxis& axis : inst.access) {
      const std::int64_t last =
          (std::int64_t{function.logical(axis.logical).total} - 1) * axis.stride;
      const std::size_t count = last == 0 ? 0 : corners.size();
      for (std::size_t i = 0; i < count; ++i) corners.push_back(corners[i] + last);
    }
  }
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  return corners;
}

/// Which elements are compared, as statements, and the same in words.
struct Checks {
  std::string statements, words;
};

/// May it be that result[i] was never written?
std::string IsSuspect(ir::Type type) {
  if (ir::IsFloatBits(type)) return "std::isnan(static_cast<float>(result[i]))";
  return ir::IsFloat(type) ? "std::isnan(result[i])" : "device_$OUTPUT$.IsUntouched(result[i])";
}

/// A name that draws numbers, and how it is declared; of bools as 0 and 1.
struct Drawing {
  std::string name, declaration;
};

Drawing DrawingOf(const ir::Function& function, ir::Type type) {
  const auto whole = [](std::string name, int least, int most) -> Drawing {
    return {name, fmt::format("std::uniform_int_distribution<int> {}({}, {})", name, least, most)};
  };
  if (type == ir::Type::kF64) {
    return {"uniform_double", "std::uniform_real_distribution<double> uniform_double(-1, 1)"};
  }
  if (ir::IsFloat(type)) return {"uniform", "std::uniform_real_distribution<float> uniform(-1, 1)"};
  if (type == ir::Type::kBool) return whole("bit", 0, 1);
  constexpr int kMost = 4;  // Small enough for products and sums of them.
  const bool divides = std::ranges::any_of(function.insts, [](const ir::Instruction& inst) {
    return inst.op == ir::Op::kDiv && !ir::IsFloat(inst.computes);
  });
  if (divides) return whole("positive", 1, kMost);
  return ir::InfoOf(type).is_signed ? whole("whole", -kMost, kMost) : whole("natural", 0, kMost);
}

/// `number`, which was drawn, as an element.
std::string Drawn(ir::Type type, const std::string& number) {
  if (ir::IsFloatBits(type)) return std::string(HostName(type)) + "(" + number + ")";
  return ir::BytesOf(type) == 1 ? "static_cast<" + std::string(HostName(type)) + ">(" + number + ")"
                                : number;
}

Checks ChecksOf(const Task& task, const ir::Array& output) {
  const std::string elements = fmt::format("{}", output.elements);
  if (output.elements <= kSample || task.flops <= kMostOperations) {
    return {"  for (std::int64_t i = 0; i < " + elements + "; ++i) check(i);\n",
            fmt::format("all of {} elements", output.elements)};
  }
  std::vector<std::string> corners;
  for (const std::int64_t corner : Corners(*task.function, output.id)) {
    corners.push_back(fmt::format("{}", corner));
  }
  const std::string statements = Fill(
      R"(  // All elements would take long: the corners, some at random, and what was never written.
$CORNERS$
  for (const std::int64_t i : corners) check(i);
  for (int sample = 0; sample < $SAMPLE$; ++sample) {
    check(static_cast<std::int64_t>(random() / 4294967296.0 * $ELEMENTS$));
  }
  for (std::int64_t i = 0; i < $ELEMENTS$; ++i) {
    if ($SUSPECT$) check(i);
  }
)",
      {{"CORNERS", Listed("  const std::int64_t corners[] = {", corners, "};")},
       {"SAMPLE", fmt::format("{}", kSample)},
       {"SUSPECT", IsSuspect(output.type)},
       {"ELEMENTS", elements}});
  return {statements, fmt::format("{} of {} elements", kSample + corners.size(), output.elements)};
}

std::string Indented(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && c != '\n') out += "  ";
    begins = c == '\n';
    out += c;
  }
  return out;
}

}  // namespace

std::string SelfTest(const Task& task, const Source& source, const Names& names) {
  const ir::Function& function = *task.function;
  const Launch& launch = source.gpu->launch;
  const bool has_workspace = launch.scratch_bytes() > 0;
  std::vector<std::string> parameters, arguments, expectation, guarded;
  std::string inputs, output;
  ir::Type output_type = ir::Type::kF32;
  std::set<std::string> drawn;
  Checks checks;
  for (std::size_t i = 0; i < function.arrays.size(); ++i) {
    const ir::Array& array = function.arrays[i];
    const std::string& name = names.arrays[i];
    const std::string type(HostName(array.type));
    const std::string elements = fmt::format("{}", array.elements);
    arguments.push_back("device_" + name + (ir::IsFloatBits(array.type) ? ".bits()" : ".data()"));
    guarded.push_back("{\"" + name + "\", device_" + name + "}");
    if (IsOutput(array)) {
      output = name;
      output_type = array.type;
      checks = ChecksOf(task, array);
      inputs += "  const DeviceArray<" + type + "> device_" + name + "(" + elements + ");\n";
      continue;
    }
    parameters.push_back("const " + type + "* " + name);
    expectation.push_back("host_" + name + ".data()");
    const Drawing drawing = DrawingOf(function, array.type);
    if (drawn.insert(drawing.name).second) inputs += "  " + drawing.declaration + ";\n";
    inputs += "  std::vector<" + type + "> host_" + name + "(" + elements + ");\n  for (" + type +
              "& x : host_" + name + ") x = " + Drawn(array.type, drawing.name + "(random)") +
              ";\n  const DeviceArray<" + type + "> device_" + name + "(host_" + name + ");\n";
  }
  for (std::size_t i = 0; i < function.scalars.size(); ++i) {
    const ir::Scalar& scalar = function.scalars[i];
    const ir::Type type = ir::ComputeTypeOf(scalar.type);
    parameters.push_back(std::string(codegen::RegisterName(type)) + " " + names.scalars[i]);
    for (auto* list : {&arguments, &expectation}) {
      list->push_back(
          codegen::NumberText(ir::Rounded(scalar.type, scalar.value), type, ir::Dialect::kCuda));
    }
  }
  parameters.emplace_back("[[maybe_unused]] std::int64_t i");
  expectation.emplace_back("i");
  if (has_workspace) {
    inputs += "  const DeviceArray<float> workspace($KERNEL$_workspace_bytes() / sizeof(float));\n";
    arguments.emplace_back("workspace.data()");
    arguments.emplace_back("$KERNEL$_workspace_bytes()");
    guarded.emplace_back("{\"the workspace\", workspace}");
    if (launch.ticket_bytes > 0) {
      inputs += fmt::format("  CHECK(cudaMemset(workspace.data(), 0, {}));\n", launch.ticket_bytes);
    }
  }
  arguments.emplace_back("stream");
  return Heading("The test: checks and times the kernel") +
         Fill(TestTools(function.arrays) + kMain,
              {{"SIGNATURE", Listed("Expected Reference(", parameters, ") {")},
               {"ELEMENT", Indented(task.kernel->ReferenceElement(task.sizes))},
               {"INPUTS", inputs},
               {"LAUNCH", Listed("    CHECK(" + names.kernel + "_launch(", arguments, "));")},
               {"EXPECTATION",
                Listed("    const Expected expected = Reference(", expectation, ");")},
               {"GUARDED", Listed("  } arrays[] = {", guarded, "};")},
               {"CHECKS", checks.statements},
               {"CHECKED", checks.words},
               {"OUTPUT", output},
               {"TYPE", std::string(HostName(output_type))},
               {"DIGITS",
                output_type == ir::Type::kF32 || ir::IsFloatBits(output_type) ? "%.9g" : "%.17g"},
               {"FLOPS", fmt::format("{:.17g}", task.flops)}});
}

}  // namespace exh::kernels::standalone
