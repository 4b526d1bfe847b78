// SPDX-License-Identifier: MIT
//
// Windows with their halo (kernels/spaces/windows.exh): random implementations that copy them are
// right, by the printed CUDA C++ and by the interpreter; planted defects show; the space counts the
// bytes that they take; and kernels without axes that meet have no decision more.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/codegen/interpreter.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/devices/device.h"
#include "kernels/library/registry.h"
#include "kernels/library/text_kernel.h"
#include "kernels/recipes/windows.h"
#include "search/descend/choice_order.h"
#include "search/descend/first.h"
#include "search/subject/decision_file.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/output_check.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

using codegen::Fault;
using codegen::LoweredCode;
using codegen::Schedule;
using ::testing::HasSubstr;

constexpr const char* kStencil = R"(
kernel stencil
  size n = 60, taps = 5
  input w: f32[taps]
  input x: f32[2 * (n - 1) + taps]
  output y: f32[n]
  y[i] = sum(r) w[r] * x[2 * i + r]
end
)";

/// The last window is the first one: its index goes backwards.
constexpr const char* kMirrored = R"(
kernel mirrored
  size n = 48, taps = 3
  input w: f32[taps]
  input x: f32[n] outside zero
  output y: f32[n]
  y[i] = sum(r) w[r] * x[n - i - r]
end
)";

constexpr const char* kPooling = R"(
kernel pooling
  size h = 6, w = 8, c = 4, p = 3, q = 3
  input x: f32[2 * h + 1, 2 * w + 1, c]
  output y: f32[h, w, c]
  y[i, j, c] = max(p, q) x[2 * i + p, 2 * j + q, c]
end
)";

/// Of 25 taps, which 28 iterations cover, and 35 points, which 36 do.
constexpr const char* kCovered = R"(
kernel covered
  size n = 35, taps = 25
  input w: f32[taps]
  input x: f32[n] outside zero
  output y: f32[n]
  y[i] = sum(r) w[r] * x[i + r - 12]
end
)";

/// Elements of other widths; two axes meet in rows, and two in columns.
constexpr const char* kFloats = R"(
kernel floats
  size h = 6, w = 8, p = 3, q = 3
  option type = f16 in (f16, bf16, f64)
  input x: type[h, w] outside zero
  input filter: type[p, q]
  output y: f32[h, w]
  y[i, j] = sum(p, q) filter[p, q] * x[i + p - 1, j + q - 1]
end
)";
constexpr const char* kBytes = R"(
kernel bytes
  size h = 6, w = 8, p = 3, q = 3
  input x: i8[h, w] outside zero
  input filter: i8[p, q]
  output y: i32[h, w]
  y[i, j] = sum(p, q) filter[p, q] * x[i + p - 1, j + q - 1]
end
)";

constexpr const char* kWindow = "window(window.load_x) = WINDOW\n";

ir::Device Gpu(std::uint32_t max_threads = 64) {
  ir::Device device = CudaTestDevice(max_threads);
  device.global_bytes = 0;
  return device;
}

Sample WithWindows(const Kernel& kernel, const Parameters& sizes, int count, std::uint64_t seed) {
  Coverage coverage;
  return Draw(kernel, sizes, Gpu(), count, seed, coverage, false, kWindow);
}

/// What is wrong with each of them, when it is run as printed.
std::vector<std::string> RunPrinted(const Sample& sample, Fault fault,
                                    const std::vector<Inputs>& inputs = {Inputs::kUniform}) {
  std::vector<CudaText> texts;
  for (const Schedule& schedule : sample.schedules) {
    const LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule, fault);
    EXPECT_EQ(code.error, "");
    EXPECT_FALSE(code.memory.windows.empty());
    const codegen::GpuText text = codegen::PrintGpu(code, {.overlaps = true});
    texts.push_back({text.source, text.launch});
  }
  return RunCudaSources(sample.task, texts, inputs);
}

/// … and when it is interpreted.
std::string Interpreted(const Sample& sample, const OutputCheck& check, const Schedule& schedule,
                        Fault fault = Fault::kNone) {
  const ir::Target& f = *sample.task.function;
  const LoweredCode code = codegen::LowerSchedule(f, schedule, fault);
  return check.Check([&](void* const* arrays, const double* scalars,
                         unsigned char* const* written) {
    codegen::InterpreterData data;
    data.scalars.assign(scalars, scalars + f.scalars.size());
    for (const ir::Array& array : f.arrays) {
      const auto* const bytes = static_cast<const std::byte*>(arrays[array.id.index()]);
      data.arrays.emplace_back();
      for (std::uint64_t i = 0; i < array.elements; ++i) {
        data.arrays.back().push_back(
            ir::ReadElement(array.type, bytes + i * ir::BytesOf(array.type)));
      }
    }
    const codegen::InterpreterResult result = codegen::Interpret(code, data);
    for (const ir::Array& array : f.arrays) {
      const std::size_t number = array.id.index();
      auto* const bytes = static_cast<std::byte*>(arrays[number]);
      std::ranges::copy(result.written[number], written[number]);
      if (array.role != ir::ArrayRole::kOutput) continue;
      for (std::uint64_t i = 0; i < array.elements; ++i) {
        ir::WriteElement(array.type, bytes + i * ir::BytesOf(array.type), data.arrays[number][i]);
      }
    }
    return result.error;
  });
}

void ExpectRight(const Kernel& kernel, const Parameters& sizes, int count, std::uint64_t seed,
                 const std::vector<Inputs>& inputs = {Inputs::kUniform}) {
  const Sample sample = WithWindows(kernel, sizes, count, seed);
  const std::vector<std::string> messages = RunPrinted(sample, Fault::kNone, inputs);
  const OutputCheck check(sample.task, {Inputs::kUniform});
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Schedule& schedule = sample.schedules[i];
    ASSERT_EQ(messages[i], "")
        << kernel.name() << " seed " << seed << " implementation " << i << "\n"
        << codegen::PrintGpu(codegen::LowerSchedule(*sample.task.function, schedule)).source;
    ASSERT_EQ(Interpreted(sample, check, schedule), "")
        << kernel.name() << " seed " << seed << " implementation " << i << "\n"
        << sample.decisions[i];
  }
}

TEST(Windows, OfConvolutionsAreRight) {
  const Kernel& conv = *FindKernel("conv2d");
  std::uint64_t seed = 70;
  for (const std::int64_t layout : {0, 1}) {
    const auto check = [&](Parameters sizes) {
      sizes["layout"] = layout;
      ExpectRight(conv, sizes, 8, seed++);
    };
    check({{"h", 6}, {"w", 8}, {"c", 4}, {"m", 4}});
    check({{"h", 9}, {"w", 9}, {"c", 3}, {"m", 4}, {"stride", 2}});
    check({{"h", 9}, {"w", 8}, {"c", 8}, {"m", 2}, {"dilation", 2}, {"pad", 2}});
    check({{"h", 8}, {"w", 8}, {"c", 3}, {"m", 4}, {"r", 5}, {"s", 5}, {"pad", 2}});
    check({{"h", 7}, {"w", 9}, {"c", 4}, {"m", 3}, {"pad", 0}, {"stride", 2}});
    check({{"n", 2}, {"h", 6}, {"w", 8}, {"c", 4}, {"m", 4}, {"r", 1}, {"s", 3}, {"pad", 0}});
  }
}

TEST(Windows, OfOtherKernelsAreRight) {
  const std::vector<Inputs> all = {Inputs::kUniform, Inputs::kSpecial};
  ExpectRight(TextKernel("stencil", kStencil), {}, 20, 90, all);
  ExpectRight(TextKernel("stencil", kStencil), {{"n", 37}, {"taps", 3}}, 12, 91, all);
  ExpectRight(TextKernel("mirrored", kMirrored), {}, 20, 92, all);
  ExpectRight(TextKernel("covered", kCovered), {}, 20, 93, all);
  ExpectRight(TextKernel("pooling", kPooling), {}, 20, 94);
  for (const std::int64_t type : {0, 1, 2}) {
    ExpectRight(TextKernel("floats", kFloats), {{"type", type}}, 8, 95);
  }
  ExpectRight(TextKernel("bytes", kBytes), {}, 8, 96);
}

/// How many of a sample are found to be wrong with a defect planted.
int Found(const Sample& sample, Fault fault) {
  int wrong = 0;
  for (const std::string& message : RunPrinted(sample, fault)) wrong += !message.empty();
  return wrong;
}

TEST(Windows, DefectsShow) {
  const Sample sample =
      WithWindows(*FindKernel("conv2d"), {{"h", 6}, {"w", 8}, {"c", 4}, {"m", 4}}, 16, 101);
  const int all = static_cast<int>(sample.schedules.size());
  EXPECT_EQ(Found(sample, Fault::kNone), 0);
  const int barriers = Found(sample, Fault::kMissingBarrier);
  const int halos = Found(sample, Fault::kShortHalo);
  const int zeros = Found(sample, Fault::kMissingZeros);
  fmt::print("of {}: {} with no barrier, {} with a short halo, {} without zeros\n", all, barriers,
             halos, zeros);
  // A block of one thread needs no barrier.
  int with_threads = 0;
  for (const Schedule& schedule : sample.schedules) {
    const LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    with_threads += code.tree.num_threads > 1;
  }
  EXPECT_EQ(barriers, with_threads);
  EXPECT_EQ(halos, all);
  EXPECT_EQ(zeros, all);
  const OutputCheck check(sample.task);
  int unfilled = 0;
  for (const Schedule& schedule : sample.schedules) {
    unfilled += !Interpreted(sample, check, schedule, Fault::kMissingZeros).empty();
  }
  EXPECT_EQ(unfilled, all);
}

/// All of x in one window, in blocks of any number of threads: 8 x 10 x 4 elements, with the zeros
/// around.
constexpr const char* kWhole = R"(
window(window.load_x) = WINDOW
size(load_x.ho0) = 6
size(load_x.wo0) = 8
size(load_x.c0) = 4
size(load_x.r0) = 3
size(load_x.s0) = 3
window_part(window.load_x, load_x.ho0) = IN_WINDOW
window_part(window.load_x, load_x.wo0) = IN_WINDOW
window_part(window.load_x, load_x.c0) = IN_WINDOW
window_part(window.load_x, load_x.r0) = IN_WINDOW
window_part(window.load_x, load_x.s0) = IN_WINDOW
)";
constexpr std::uint32_t kWholeBytes = 8 * 10 * 4 * 4;

TEST(Windows, TakeAsManyBytesAsTheyHave) {
  const Kernel& conv = *FindKernel("conv2d");
  const auto decide = [&](std::uint32_t shared_bytes) {
    ir::Device device = Gpu();
    device.shared_bytes = shared_bytes;
    Parameters sizes;
    for (const Parameter& p : conv.parameters()) sizes[p.name] = p.default_value;
    for (const auto& [name, value] : Parameters{{"h", 6}, {"w", 8}, {"c", 4}, {"m", 4}}) {
      sizes[name] = value;
    }
    const Task task = MakeTask(conv, sizes, device);
    runtime::Candidate candidate(task.instance);
    search::ApplyDecisions(search::ParseDecisionFile(kWhole, "whole"), candidate);
  };
  EXPECT_NO_THROW(decide(kWholeBytes));
  EXPECT_THROW(decide(kWholeBytes - 1), Error);

  Coverage coverage;
  const Sample sample =
      Draw(conv, {{"h", 6}, {"w", 8}, {"c", 4}, {"m", 4}}, Gpu(), 5, 102, coverage, false, kWhole);
  for (const Schedule& schedule : sample.schedules) {
    const LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    ASSERT_EQ(code.memory.windows.size(), 1u);
    EXPECT_EQ(code.memory.windows.front().elements() * 4, kWholeBytes);
    EXPECT_EQ(code.memory.windows.front().width, 4u);
  }
}

// Temporaries and windows together.
TEST(Windows, FitTheSharedMemory) {
  ir::Device device = Gpu();
  device.shared_bytes = 3072;
  Coverage coverage;
  const Sample sample = Draw(*FindKernel("conv2d"), {{"h", 6}, {"w", 8}, {"c", 8}, {"m", 8}},
                             device, 60, 103, coverage, false, kWindow);
  int both = 0;
  for (const Schedule& schedule : sample.schedules) {
    const LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    EXPECT_LE(code.memory.shared_bytes, device.shared_bytes);
    both += !code.memory.temps.empty();
  }
  EXPECT_GE(both, 10);
}

// Decisions as a log has them make the same program again, and so do replays, exports and runs that
// go on.
TEST(Windows, AreTheSameWhenDecidedAgain) {
  const Sample sample =
      WithWindows(*FindKernel("conv2d"), {{"h", 6}, {"w", 8}, {"c", 4}, {"m", 4}}, 8, 104);
  for (std::size_t i = 0; i < sample.schedules.size(); ++i) {
    runtime::Candidate again(sample.task.instance);
    search::ApplyDecisions(search::ParseDecisionFile(sample.decisions[i], "log"), again);
    const Schedule schedule = ExtractSchedule(sample.task, again);
    const auto text = [&](const Schedule& s) {
      return codegen::PrintGpu(codegen::LowerSchedule(*sample.task.function, s)).source;
    };
    EXPECT_EQ(text(schedule), text(sample.schedules[i]));
  }
  // A run goes on with the device that its log has.
  EXPECT_NE(DeviceToJson(Gpu()).find("\"windows\""), std::string::npos);
}

// What a search of a convolution begins with on a GPU: it has a window in a loop over channels, and
// is right, with a loop of channels or without, and where nothing else moves along the window.
TEST(Windows, OfRecipesAreRight) {
  const auto check = [](const Kernel& kernel, const Parameters& sizes, bool has_steps) {
    Coverage coverage;
    Sample sample = Draw(kernel, sizes, Gpu(256), 0, 1, coverage);
    const std::vector<Recipe> recipes = WindowRecipes(*sample.task.function);
    ASSERT_EQ(recipes.size(), 1u) << kernel.name();
    const runtime::Candidate root(sample.task.instance);
    const auto [implementation, missed] =
        search::Follow(recipes.front(), root, search::ChoiceOrder::Default(root.instance()));
    ASSERT_TRUE(implementation) << kernel.name() << ": " << missed;
    EXPECT_EQ(missed, "");
    sample.schedules = {ExtractSchedule(sample.task, *implementation)};
    const std::string outline = Outline(sample.task, *implementation);
    EXPECT_EQ(RunPrinted(sample, Fault::kNone), std::vector<std::string>{""}) << outline;
    const LoweredCode code =
        codegen::LowerSchedule(*sample.task.function, sample.schedules.front());
    const int copy = code.tree.node_of_inst[code.function->windows.front().copy.index()];
    EXPECT_EQ(code.tree.LoopAround(copy) >= 0, has_steps) << outline;
    EXPECT_GE(code.tree.num_threads, 64u) << outline;
    EXPECT_THAT(outline, HasSubstr("threads load_x.ho")) << "threads have results of their own";
    EXPECT_EQ(code.memory.temps.size(), 1u) << outline << missed;
  };
  const Kernel& conv = *FindKernel("conv2d");
  check(conv, {{"h", 16}, {"w", 16}, {"c", 16}, {"m", 32}}, true);
  check(conv, {{"h", 14}, {"w", 14}, {"c", 16}, {"m", 16}, {"layout", 1}, {"n", 2}}, true);
  check(conv, {{"h", 16}, {"w", 16}, {"c", 3}, {"m", 32}, {"stride", 2}}, false);
}

std::vector<std::string> ChoicesOfWindows(const Task& task) {
  std::vector<std::string> found;
  for (runtime::DecisionId d = 0; d < task.instance->num_decisions(); ++d) {
    const auto choice = static_cast<std::size_t>(task.instance->choice(d));
    const std::string& name = task.instance->space().choices[choice].name;
    if (name.rfind("window", 0) == 0) found.push_back(name);
  }
  return found;
}

TEST(Windows, AreOnlyWhereAxesMeet) {
  const auto task_of = [](const Kernel& kernel, const ir::Device& device, Parameters changed = {},
                          bool paper = false) {
    Parameters sizes;
    for (const Parameter& p : kernel.parameters()) sizes[p.name] = p.default_value;
    for (const auto& [name, value] : changed) sizes[name] = value;
    return MakeTask(kernel, sizes, device, paper);
  };
  const TextKernel stencil("stencil", kStencil);
  EXPECT_FALSE(ChoicesOfWindows(task_of(stencil, Gpu())).empty());
  // Nor on devices that have none, nor in the paper's space.
  EXPECT_TRUE(ChoicesOfWindows(task_of(stencil, TestDevice(64))).empty());
  EXPECT_TRUE(ChoicesOfWindows(task_of(stencil, Gpu(), {}, true)).empty());
  // Pixels that do not meet.
  EXPECT_TRUE(ChoicesOfWindows(task_of(stencil, Gpu(), {{"taps", 2}})).empty());
  for (const char* kernel : {"axpy", "mv", "matmul", "batched_matmul", "dot", "softmax"}) {
    const Task task = task_of(*FindKernel(kernel), Gpu());
    EXPECT_TRUE(task.function->windows.empty()) << kernel;
    EXPECT_TRUE(task.function->room_list.empty()) << kernel;
    // As many decisions and statements as on a device that has no windows.
    ir::Device without = Gpu();
    without.windows = false;
    const Task plain = task_of(*FindKernel(kernel), without);
    EXPECT_EQ(task.instance->num_decisions(), plain.instance->num_decisions()) << kernel;
    EXPECT_EQ(task.function->statements.size(), plain.function->statements.size()) << kernel;
  }
}

}  // namespace
}  // namespace exh::kernels::testing
