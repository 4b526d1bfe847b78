// SPDX-License-Identifier: MIT
//
// Products that matrix units do: random implementations are printed as CUDA C++ and run on the CPU,
// whose unit has the hardware's own layout (tests/cuda_shim); the interpreter knows no layout at
// all. Which dimensions may be parts of fragments is a matter of the backbone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/codegen/interpreter.h"
#include "kernels/codegen/plan/bank_use.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/devices/cuda/driver/nvrtc.h"
#include "kernels/devices/device.h"
#include "kernels/library/call_kernel.h"
#include "kernels/library/registry.h"
#include "kernels/recipes/unit_recipe.h"
#include "search/descend/choice_order.h"
#include "search/descend/first.h"
#include "search/subject/decision_file.h"
#include "tests/kernels/computations/computations.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/output_check.h"
#include "tests/kernels/space/sample.h"
#include "tests/support/compiled_texts.h"
#include "tests/support/sass.h"
#include "tests/support/tree.h"

namespace exh::kernels::testing {
namespace {

using ::testing::HasSubstr;

/// Statements, or the library's kernel of that name.
struct Product {
  Computation computation;
  std::string reduction = "mad";
  int count = 12;
  std::string more = "";  ///< Further decisions.
  std::uint32_t max_threads = 128;
  std::string unit = "DMMA";
};

/// A product of halves.
Product Halves(Computation computation, int count = 12) {
  return {.computation = computation, .count = count, .unit = "MMA"};
}

/// A product of bytes.
Product Bytes(Computation computation, int count = 12) {
  return {.computation = computation, .count = count, .unit = "IMMA"};
}

const Product kProducts[] = {
    {{"matmul", "", "m=32,n=32,k=32"}, "mad", 40},
    {{"matmul", "", "m=32,n=16,k=64,transpose_a=1,relu=1"}},
    {{"matmul", "", "m=16,n=64,k=32,transpose_b=1"}},
    {{"matmul", "", "m=48,n=24,k=32,a_stride=2"}},
    {{"covered_product", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=61,j=31,k=61"}},
    {{"batched_matmul", "", "batch=2,m=16,n=16,k=16"}},
    {{"double_product", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=32,j=16,k=32", "f64"}},
    {{"biased_product", "c[i,j] = max(0, bias[j] + sum(k) a[i,k] * b[k,j])", "i=16,j=32,k=32"}},
    {{"narrow_product", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=32,j=8,k=64"}},
    {{"turned_product", "c[j,i] = sum(k) b[k,j] * a[i,k]", "i=16,j=16,k=48"}},
    // Depth is one of three axes that are summed over; rows are pixels, or channels.
    {{"conv2d", "", "h=4,w=16,c=16,m=16"}, "mad", 40},
    {{"conv2d", "", "h=6,w=8,c=32,m=32"}, "mad", 20, "window(window.load_x)=NO_WINDOW\n"},
    {{"conv2d", "", "h=6,w=8,c=32,m=32"}, "mad", 40, "window(window.load_x)=WINDOW\n"},
    {{"conv2d", "", "h=8,w=16,c=16,m=16,stride=2,layout=1,r=5,s=5,pad=2"}, "mad", 20},
    // 14 columns are covered by 16.
    {{"conv2d", "", "h=4,w=14,c=16,m=16"}, "mad", 20},
    Halves({"half_product", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=32,j=32,k=32", "f16"}, 30),
    Halves({"matmul", "", "m=32,n=16,k=64,type=3"}),  // bf16
    Halves({"matmul", "", "m=16,n=32,k=64,transpose_a=1,transpose_b=1,type=2"}),
    Halves({"covered_halves", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=61,j=31,k=61", "bf16"}),
    Bytes({"matmul", "", "m=32,n=32,k=64,type=4"}, 30),
    Bytes({"matmul", "", "m=16,n=16,k=96,transpose_a=1,transpose_b=1,relu=1,type=4"}),
    Bytes({"covered_bytes", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=61,j=31,k=61", "i8"}),
    Bytes({"computed_bytes", R"(
kernel computed_bytes
  size m = 32, n = 16, k = 32 in 1..4096
  input a: i8[m, k]
  input b: i8[k, n]
  output c: f32[m, n]
  t: i8[i, p] = a[i, p] - 3
  c[i, j] = 0.5 * cast(f32, sum(p) t[i, p] * b[p, j])
end
)",
           ""}),
    Halves({"computed_halves", R"(
kernel computed_halves
  size m = 32, n = 16, k = 32 in 1..4096
  input a: f16[m, k]
  input b: f16[k, n]
  output c: f32[m, n]
  t: f16[i, p] = 2 * a[i, p]
  c[i, j] = sum(p) t[i, p] * b[p, j]
end
)",
            ""}),
};

Sample DrawProduct(const Product& product, int count, std::uint64_t seed,
                   const std::string& unit = "") {
  Coverage coverage;
  const Kernel& kernel = KernelOf(product.computation);
  const Parameters sizes =
      product.computation.text.empty() ? SizesOf(product.computation, 1) : Parameters();
  return Draw(kernel, sizes, CudaTestDevice(product.max_threads), count, seed, coverage, false,
              fmt::format("unit({})={}\n{}", product.reduction, unit.empty() ? product.unit : unit,
                          product.more));
}

std::vector<CudaText> Print(const Sample& sample, codegen::Fault fault = {}) {
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::LoweredCode code =
        codegen::LowerSchedule(*sample.task.function, schedule, fault);
    EXPECT_EQ(code.error, "");
    const codegen::GpuText text = codegen::PrintGpu(code, {.overlaps = true});
    texts.push_back({text.source, text.launch});
  }
  return texts;
}

void ExpectAllRight(const Sample& sample, const std::string& what,
                    const std::string& unit = "DMMA") {
  const std::string step = unit == "DMMA" ? "exh_dmma(" : "exh_mma_";
  const std::vector<CudaText> texts = Print(sample);
  const std::vector<std::string> messages =
      RunCudaSources(sample.task, texts, {Inputs::kUniform, Inputs::kWholeNumbers});
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_THAT(texts[i].source, HasSubstr(step)) << what;
    // Also what the CPU skips.
    EXPECT_EQ(std::ranges::count(texts[i].source, '{'), std::ranges::count(texts[i].source, '}'));
    ASSERT_EQ(messages[i], "") << what << ", implementation " << i << ":\n"
                               << sample.decisions[i] << texts[i].source;
  }
}

TEST(Units, RandomImplementationsAreRight) {
  std::uint64_t seed = 100;
  for (const Product& product : kProducts) {
    const std::string what =
        fmt::format("{} {}", product.computation.name, product.computation.sizes);
    ExpectAllRight(DrawProduct(product, (product.count + 1) / 2, ++seed), what, product.unit);
    if (HasFatalFailure()) return;
  }
}

/// Slices and parts of a sum are combined from what is rounded.
TEST(Units, DividedSumsAreRight) {
  for (const char* across :
       {"ATOMIC_CAS", "ATOMIC_RED", "ATOMIC_VECTOR", "LAST_BLOCK", "SECOND_LAUNCH"}) {
    const Product product = {
        {"matmul", "", "m=16,n=32,k=64"}, "mad", 8, fmt::format("across_blocks(mad)={}\n", across)};
    ExpectAllRight(DrawProduct(product, product.count, 7), across);
    if (HasFatalFailure()) return;
  }
}

TEST(Units, SlicesOfWarpsAreRight) {
  const Product product = {
      {"matmul", "", "m=32,n=32,k=128"}, "mad", 10, "dim_kind(mad.k1)=THREAD\nsize(mad.k1)=4\n"};
  const Sample sample = DrawProduct(product, product.count, 9);
  ExpectAllRight(sample, "slices");
  // Some have no threads but those of the slices, so that lanes are all the threads that others
  // have.
  EXPECT_TRUE(std::ranges::any_of(sample.schedules, [&](const codegen::Schedule& schedule) {
    const ir::Target& f = *sample.task.function;
    return std::ranges::none_of(f.dims, [&](const ir::Dimension& dim) {
      return schedule.InStatements(dim.id) && !f.inst(dim.inst).is_reduction() &&
             schedule.dim_kind(dim.id) == codegen::DimKind::THREAD &&
             f.inst(dim.inst).op == ir::Op::kStore;
    });
  }));
}

/// Products whose operands go through rings; `rows` and `columns`: what their fragments move along.
Product Ring(const std::string& a, const std::string& b, const Computation& computation,
             const std::string& rows = "m3", const std::string& columns = "n2") {
  return {computation, "mad", 10,
          fmt::format("dim_mapping(load_a:mad.{})=NOT_MAPPED\n"
                      "dim_mapping(load_b:mad.{})=NOT_MAPPED\n"
                      "transfer(tmp.load_a)={}\nstages(tmp.load_a)=2|3|4\n"
                      "transfer(tmp.load_b)={}\nstages(tmp.load_b)=2|3|4\n",
                      rows, columns, a, b)};
}
Product NarrowRing(const std::string& unit, const Computation& computation) {
  Product product = Ring("ASYNC", "ASYNC", computation);
  product.unit = unit;
  return product;
}
const Product kRings[] = {
    Ring("ASYNC", "ASYNC", {"matmul", "", "m=32,n=32,k=128"}),
    Ring("ASYNC", "ASYNC", {"matmul", "", "m=32,n=16,k=128,transpose_b=1,relu=1"}),
    Ring("ASYNC", "REGISTERS", {"matmul", "", "m=16,n=32,k=128,transpose_a=1"}),
    Ring("ASYNC", "ASYNC", {"covered_ring", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=61,j=31,k=125"},
         "i3", "j2"),
    NarrowRing("IMMA", {"matmul", "", "m=32,n=32,k=128,type=4"}),
    NarrowRing("MMA", {"matmul", "", "m=32,n=32,k=128,type=2"}),
    NarrowRing("MMA", {"matmul", "", "m=32,n=16,k=128,transpose_b=1,relu=1,type=3"}),
};

TEST(Units, RingsAreRight) {
  std::uint64_t seed = 200;
  for (const Product& product : kRings) {
    const Sample sample = DrawProduct(product, product.count, ++seed);
    ExpectAllRight(sample, std::string(product.computation.sizes), product.unit);
    if (HasFatalFailure()) return;
    const ir::Target& f = *sample.task.function;
    for (const codegen::Schedule& schedule : sample.schedules) {
      const auto rings = std::ranges::count_if(f.blocks, [&](const ir::MemBlock& block) {
        return schedule.InBlocks(block.id) && schedule.stages(block.id) > 1;
      });
      EXPECT_EQ(rings, 2) << product.computation.sizes;
    }
  }
}

/// With the rows of both operands skewed in a way.
Product Skewed(Product product, const std::string& way) {
  product.more += fmt::format("skew(tmp.load_a)={0}\nskew(tmp.load_b)={0}\n", way);
  return product;
}
/// Without rings.
const Product kCopied = {{"matmul", "", "m=64,n=32,k=64"},
                         "mad",
                         12,
                         "dim_mapping(load_a:mad.m3)=NOT_MAPPED\n"
                         "dim_mapping(load_b:mad.n2)=NOT_MAPPED\n"
                         "size(mad.m0)=1\nsize(mad.n0)=1\n"};

/// Fragments, wide accesses and asynchronous copies find what the other side put elsewhere.
TEST(Units, FragmentsOfSkewedRowsAreRight) {
  std::uint64_t seed = 300;
  for (const char* way : {"XOR", "PAD_16_BYTES"}) {
    for (const Product& product : {kCopied, kRings[0], kRings[1], kRings[2], kRings[4]}) {
      const Sample sample = DrawProduct(Skewed(product, way), product.count, ++seed);
      ExpectAllRight(sample, fmt::format("{} {}", product.computation.sizes, way), product.unit);
      if (HasFatalFailure()) return;
    }
  }
}

/// Rows change places where that spares wavefronts, and both sides have to know.
TEST(Units, RowsThatOneSideLooksForElsewhereShow) {
  for (const Product& product : {kCopied, kRings[0]}) {
    const Sample sample = DrawProduct(Skewed(product, "XOR"), 12, 41);
    const std::vector<CudaText> texts = Print(sample, codegen::Fault::kOneSidedRows);
    const std::vector<std::string> messages = RunCudaSources(sample.task, texts);
    int changed = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const bool has_places = texts[i].source.find("place_tmp_") != std::string::npos;
      changed += has_places;
      EXPECT_EQ(messages[i].empty(), !has_places) << sample.decisions[i];
    }
    EXPECT_GE(changed, 6);
  }
}

TEST(Units, FragmentsWaitForFewBanks) {
  std::uint64_t plain = 0, changed = 0, least = 0;
  for (const Product& product : {kCopied, kRings[0]}) {
    const Sample sample = DrawProduct(Skewed(product, "XOR"), 12, 51);
    for (const codegen::Schedule& schedule : sample.schedules) {
      codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
      for (const codegen::BankUse& use : codegen::CountWavefronts(code)) {
        changed += use.wavefronts;
        least += use.least;
      }
      for (codegen::TempArray& temp : code.memory.temps) temp.layout = {};
      for (const codegen::BankUse& use : codegen::CountWavefronts(code)) plain += use.wavefronts;
    }
  }
  fmt::print("wavefronts: {} in plain rows, {} where pieces changed places, at least {}\n", plain,
             changed, least);
  EXPECT_LT(changed, plain);
  EXPECT_GE(changed, least);
}

/// The launches of a program overlap: what is copied before a loop begins is there by then.
TEST(Units, RingsOfDividedSumsAreRight) {
  for (const char* across : {"ATOMIC_RED", "LAST_BLOCK", "SECOND_LAUNCH"}) {
    Product product = Ring("ASYNC", "ASYNC", {"matmul", "", "m=32,n=32,k=256"});
    product.more += fmt::format("across_blocks(mad)={}\n", across);
    ExpectAllRight(DrawProduct(product, 6, 41), across);
    if (HasFatalFailure()) return;
  }
}

/// Threads of axes around a store that it knows nothing of would all store the same: the first of
/// them does, but where what they share reads it with no barrier between.
TEST(Stores, OfTemporariesAreNotRepeated) {
  Coverage coverage;
  const Computation computation = {"reduce", "", "a=1,b=6,c=40,d=1"};
  const Sample sample =
      Draw(KernelOf(computation), SizesOf(computation, 1), CudaTestDevice(256), 900, 12, coverage);
  const ir::Target& f = *sample.task.function;
  int guarded = 0;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::LoweredCode code = codegen::LowerSchedule(f, schedule);
    ASSERT_EQ(code.error, "");
    const codegen::LoopTree& tree = code.tree;
    for (const ir::MemBlock& block : f.blocks) {
      if (!schedule.InBlocks(block.id)) continue;
      const int node = tree.node_of_inst[block.store.index()], band = tree.BandAround(node);
      const int reader = tree.BandAround(tree.node_of_inst[block.load.index()]);
      if (band < 0 || band == reader) continue;
      const std::vector<int> own = tree.OwnAxes(f.inst(block.store));
      std::vector<int> taken = code.threads.store[block.store.index()].axes;
      const auto& of_band = code.threads.band[static_cast<std::size_t>(band)].axes;
      taken.insert(taken.end(), of_band.begin(), of_band.end());
      for (const int c : tree.ClassesAround(node)) {
        const int axis = tree.classes[static_cast<std::size_t>(c)].axis;
        if (axis < 0 || std::ranges::count(own, axis) > 0) continue;
        ++guarded;
        EXPECT_GT(std::ranges::count(taken, axis), 0) << block.name();
      }
    }
  }
  EXPECT_GT(guarded, 0);
}

/// Two products in one block of threads: a unit does the first one, or both, in rings or with
/// slices of either sum.
TEST(Units, TwoProductsAreRight) {
  std::uint64_t seed = 70;
  for (const char* other : {"", "unit(mad_e)=DMMA\n"}) {
    for (const char* more : {"", "dim_mapping(load_a:mad_ab.m3)=NOT_MAPPED\nstages(tmp.load_a)=2\n",
                             "dim_kind(mad_ab.k1)=THREAD\nsize(mad_ab.k1)=2\n",
                             "dim_kind(mad_e.n0)=THREAD\nsize(mad_e.n0)=2|4\n"}) {
      const Product product = {.computation = {"matmul2", "", "m=64,n=32,k=32,p=32"},
                               .reduction = "mad_ab",
                               .count = 4,
                               .more = std::string(other) + more,
                               .max_threads = 256};
      ExpectAllRight(DrawProduct(product, product.count, ++seed), more);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Units, DefectsOfRingsShow) {
  Product product = kRings[0];
  product.more += "size(mad.k0)=8\n";  // More iterations than slots.
  const Sample sample = DrawProduct(product, 12, 32);
  for (const codegen::Fault fault :
       {codegen::Fault::kMissingCopyWait, codegen::Fault::kShortRing, codegen::Fault::kEarlyRefill,
        codegen::Fault::kMissingBarrier}) {
    int spoiled = 0;
    for (const std::string& message : RunCudaSources(sample.task, Print(sample, fault))) {
      spoiled += !message.empty();
    }
    EXPECT_EQ(spoiled, 12) << static_cast<int>(fault);
  }
}

TEST(Units, TheInterpreterAgrees) {
  std::vector<Product> products(std::begin(kProducts), std::end(kProducts));
  products.insert(products.end(), std::begin(kRings), std::end(kRings));
  for (const Product& product : products) {
    const Sample sample = DrawProduct(product, 4, 5);
    const OutputCheck check(sample.task, {Inputs::kWholeNumbers});
    for (const codegen::Schedule& schedule : sample.schedules) {
      const codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
      const std::string message = check.Check([&](auto arrays, auto scalars, auto written) {
        codegen::InterpreterData data;
        const ir::Function& f = *sample.task.function;
        for (const ir::Array& array : f.arrays) {
          const auto* bytes = static_cast<const std::byte*>(arrays[array.id.index()]);
          data.arrays.emplace_back(array.elements);
          for (std::size_t i = 0; i < array.elements; ++i) {
            data.arrays.back()[i] =
                ir::ReadElement(array.type, bytes + i * ir::BytesOf(array.type));
          }
        }
        data.scalars.assign(scalars, scalars + f.scalars.size());
        const codegen::InterpreterResult result = codegen::Interpret(code, data);
        for (const ir::Array& array : f.arrays) {
          if (array.role != ir::ArrayRole::kOutput) continue;
          const std::size_t number = array.id.index();
          auto* bytes = static_cast<std::byte*>(arrays[number]);
          for (std::size_t i = 0; i < array.elements; ++i) {
            ir::WriteElement(array.type, bytes + i * ir::BytesOf(array.type),
                             data.arrays[number][i]);
          }
          std::ranges::copy(result.written[number], written[number]);
        }
        return result.error;
      });
      ASSERT_EQ(message, "") << product.computation.name;
    }
  }
}

/// The largest error of the elements of C, in units of their last place.
double ErrorOf(const Sample& sample, std::size_t m, std::size_t n, std::size_t k) {
  const std::vector<CudaText> texts = Print(sample);
  std::vector<exh_shim::ArrayFacts> arrays;
  for (const ir::Array& array : sample.task.function->arrays) {
    arrays.push_back({array.name, array.elements, array.role == ir::ArrayRole::kOutput, 4});
  }
  const CompiledTexts compiled(
      texts.size(), [&](std::size_t i) { return exh_shim::ShimSource(texts[i], arrays, 0, i); },
      exh_shim::kPrologue, exh_shim::CompilerFlags());
  const OutputCheck check(sample.task);
  double most = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto run = reinterpret_cast<exh_shim::RunFunction>(
        compiled.Find(i, fmt::format("exh_shim_run_{}", i)));
    EXPECT_NE(run, nullptr) << compiled.CompilerError(i);
    if (run == nullptr) continue;
    EXPECT_EQ("", check.Check([&](auto values, auto scalars, auto written) {
      char error[512];
      run(values, scalars, written, error, sizeof(error), 0);
      const auto* a = static_cast<const float*>(values[0]);
      const auto* b = static_cast<const float*>(values[1]);
      const auto* c = static_cast<const float*>(values[2]);
      for (std::size_t row = 0; row < m; ++row) {
        for (std::size_t column = 0; column < n; ++column) {
          double sum = 0;
          for (std::size_t step = 0; step < k; ++step) {
            sum += double{a[row * k + step]} * double{b[step * n + column]};
          }
          const auto rounded = static_cast<float>(sum);
          const double place =
              std::nextafter(std::abs(rounded), std::numeric_limits<float>::infinity()) -
              std::abs(rounded);
          most = std::max(most, std::abs(c[row * n + column] - sum) / place);
        }
      }
      return std::string(error);
    }));
  }
  return most;
}

TEST(Units, SumsAreRoundedOnce) {
  const Product product = {{"matmul", "", "m=16,n=16,k=1024"},
                           "mad",
                           3,
                           "dim_kind(mad.k0)=LOOP\ndim_kind(mad.k1)=LOOP|UNROLL\n"};
  EXPECT_LE(ErrorOf(DrawProduct(product, 3, 3), 16, 16, 1024), 0.501);
  EXPECT_GT(ErrorOf(DrawProduct(product, 3, 3, "FMA"), 16, 16, 1024), 2);
}

// What a search of a convolution begins with on a GPU: whole sums, and those that blocks divide.
TEST(Units, RecipesOfConvolutionsAreRight) {
  for (const Parameters& sizes :
       {Parameters{{"h", 4}, {"w", 14}, {"c", 64}, {"m", 32}},
        Parameters{{"h", 7}, {"w", 32}, {"c", 48}, {"m", 64}, {"layout", 1}, {"stride", 2}}}) {
    Coverage coverage;
    ir::Device device = CudaTestDevice(256);
    device.max_unroll = 512;
    Sample sample = Draw(*FindKernel("conv2d"), sizes, device, 0, 1, coverage);
    const runtime::Candidate root(sample.task.instance);
    int divided = 0, whole = 0;
    for (const Recipe& recipe : UnitRecipes(*sample.task.function)) {
      const auto [implementation, missed] =
          search::Follow(recipe, root, search::ChoiceOrder::Default(root.instance()));
      ASSERT_TRUE(implementation) << recipe.name << ": " << missed;
      sample.schedules.push_back(ExtractSchedule(sample.task, *implementation));
      sample.decisions.push_back(recipe.name + "\n");
      ++(recipe.name.find("divided") == std::string::npos ? whole : divided);
    }
    EXPECT_GE(divided, 1);
    EXPECT_GE(whole, 2);
    ExpectAllRight(sample, "recipes");
  }
}

TEST(Units, ATileIsOneInstruction) {
  const Sample sample = DrawProduct(kProducts[0], 20, 3);
  const ir::Target& f = *sample.task.function;
  const auto texts = Print(sample);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const codegen::Schedule& schedule = sample.schedules[i];
    std::uint64_t tiles = 1;
    for (const ir::Dimension& dim : f.dims) {
      if (!schedule.InStatements(dim.id) || f.inst(dim.inst).name() != "mad") continue;
      if (schedule.dim_kind(dim.id) == codegen::DimKind::UNROLL) tiles *= schedule.size(dim.id);
    }
    std::uint64_t calls = 0;
    for (std::size_t at = 0; (at = texts[i].source.find(" exh_dmma(a_", at)) != std::string::npos;
         ++at) {
      ++calls;
    }
    // Foreign loops around it are none: it runs once for each of its points.
    EXPECT_EQ(calls, tiles) << sample.decisions[i];
  }
}

/// What the sums of a unit of doubles begin with, as text.
std::vector<std::string> Beginnings(const std::string& source) {
  std::vector<std::string> found;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.find_first_not_of(' ');
    const std::size_t equals = line.find(" = ");
    if (name == line.npos || equals == line.npos || line.compare(name, 2, "a_") != 0) continue;
    found.push_back(line.substr(equals + 3));
  }
  return found;
}

// A compiler may take a choice between a value and 0 for something that the unit does, and get it
// wrong.
TEST(Units, SumsOfDoublesBeginWithNoChoiceThatACompilerSees) {
  int values = 0, choices = 0;
  const Product biased = kProducts[7];
  ASSERT_EQ(biased.computation.name, "biased_product");
  for (const std::string more : {"", "dim_kind(mad.k0)=BLOCK\n"}) {
    Product product = biased;
    product.more = more;
    for (const CudaText& text : Print(DrawProduct(product, 12, 5))) {
      for (const std::string& first : Beginnings(text.source)) {
        const bool is_number = first.find_first_not_of("-.0123456789ef;") == first.npos;
        EXPECT_TRUE(is_number || first.starts_with("exh_begin(")) << first;
        values += !is_number;
        choices += first.find(" ? ") != first.npos;
      }
    }
  }
  EXPECT_GT(values, 0);
  EXPECT_GT(choices, 0);
}

TEST(Units, NoChoiceIsLeftToTheUnitOfDoubles) {
  const auto [nvrtc, problem] = cuda::Nvrtc::Load(cuda::Nvrtc::LibraryNames());
  if (!nvrtc) GTEST_SKIP() << problem;
  Product product = kProducts[7];
  product.more = "dim_kind(mad.k0)=BLOCK\n";
  int steps = 0, plain = 0;
  for (const CudaText& text : Print(DrawProduct(product, 4, 9))) {
    const cuda::Cubin cubin = nvrtc->Compile(text.source, "sm_90");
    ASSERT_TRUE(cubin.ok()) << cubin.log;
    const tests::DoubleSteps found = tests::DoubleStepsOf(cubin.bytes, "exh_kernel");
    steps += found.all;
    EXPECT_EQ(found.of_zero_or_sums, 0) << text.source;
    // In the plain form they are what that compiler gets wrong: the test would see it.
    std::string other = text.source;
    for (std::size_t at = 0; (at = other.find("= exh_begin(", at)) != std::string::npos;) {
      other.replace(at, 12, "= (");
    }
    plain +=
        tests::DoubleStepsOf(nvrtc->Compile(other, "sm_90").bytes, "exh_kernel").of_zero_or_sums;
  }
  EXPECT_GT(steps, 0);
  if (nvrtc->description().ends_with("version 13.0")) {
    EXPECT_GT(plain, 0);
  }
}

TEST(Units, AWrongFragmentShows) {
  const Sample sample = DrawProduct(kProducts[0], 20, 3);
  const std::vector<std::string> messages =
      RunCudaSources(sample.task, Print(sample, codegen::Fault::kWrongFragment));
  for (const std::string& message : messages) EXPECT_NE(message, "");
}

TEST(Units, OtherDefectsShow) {
  const Sample sample = DrawProduct(kProducts[0], 20, 3);
  for (const codegen::Fault fault : {codegen::Fault::kWrongStride, codegen::Fault::kMissingBarrier,
                                     codegen::Fault::kDroppedGuard}) {
    int spoiled = 0;
    for (const std::string& message : RunCudaSources(sample.task, Print(sample, fault))) {
      spoiled += !message.empty();
    }
    EXPECT_GT(spoiled, 0) << static_cast<int>(fault);
  }
}

TEST(Units, WhatHasNoMeaningIsRefused) {
  const Sample sample = DrawProduct(kProducts[0], 1, 3);
  const ir::Target& f = *sample.task.function;
  const auto mad = std::ranges::find(f.insts, "mad", [](const auto& i) { return i.name(); });
  const auto dim_of = [&](ir::FragmentPart part) {
    return *std::ranges::find(mad->dims, part, [&](ir::DimId id) { return f.dim(id).part; });
  };
  const auto error_of = [&](const auto& change) {
    codegen::Schedule schedule = sample.schedules.front();
    change(schedule);
    return codegen::LowerSchedule(f, schedule).error;
  };
  EXPECT_THAT(error_of([&](auto& s) { s.unit.Set(mad->id, codegen::Unit::FMA); }),
              HasSubstr("is of mad, which no matrix unit does"));
  EXPECT_THAT(error_of([&](auto& s) {
                s.dim_kind.Set(dim_of(ir::FragmentPart::kRow), codegen::DimKind::UNROLL);
              }),
              HasSubstr("is no TENSOR, but a matrix unit does mad"));
}

Task TaskOf(const Computation& computation, const ir::Device& device, bool paper = false) {
  const Kernel& kernel = KernelOf(computation);
  Parameters sizes;
  for (const Parameter& p : kernel.parameters()) sizes[p.name] = p.default_value;
  if (computation.text.empty()) sizes = SizesOf(computation, 1);
  return MakeTask(kernel, sizes, device, paper);
}

/// The decisions of the replays, at sizes that take a moment.
TEST(Units, ReplaysAreRight) {
  struct Replay {
    const char* file;
    const char* sizes;
    std::uint64_t grid;
    std::uint32_t threads;
  };
  for (const Replay& replay : {Replay{"matmul-1024-dmma-h200", "m=256,n=128,k=64", 4, 256},
                               Replay{"matmul-1024-dmma-ring-h200", "m=256,n=128,k=128", 4, 256},
                               Replay{"matmul-512-dmma-h200", "m=64,n=64,k=128", 4, 128}}) {
    const Task task = TaskOf({"matmul", "", replay.sizes}, LoadDevice("h200").device.value());
    runtime::Candidate candidate(task.instance);
    const std::vector<search::DecisionFile::Line> unused = search::ApplyDecisions(
        search::ReadDecisionFile(fmt::format("{}/kernels/replays/{}.txt", kSourceDir, replay.file)),
        candidate);
    EXPECT_EQ(unused.size(), 0u) << replay.file;
    ASSERT_TRUE(candidate.IsImplementation()) << replay.file;
    const codegen::Schedule schedule = ExtractSchedule(task, candidate);
    const codegen::LoweredCode code = codegen::LowerSchedule(*task.function, schedule);
    ASSERT_EQ(code.error, "");
    const codegen::GpuText text = codegen::PrintGpu(code);
    EXPECT_EQ(text.launch.grid, replay.grid);
    EXPECT_EQ(text.launch.threads, replay.threads);
    EXPECT_THAT(RunCudaSources(task, {{text.source, text.launch}}), ::testing::ElementsAre(""));
  }
}

/// The parts of an instruction's dims, "m3 row k2 depth".
std::string PartsOf(const ir::Target& f, const std::string& inst) {
  constexpr const char* kNames[] = {"", "row", "column", "depth", "operand_column"};
  std::string text;
  for (const ir::Dimension& dim : f.dims) {
    if (f.inst(dim.inst).name() != inst || dim.part == ir::FragmentPart::kNone) continue;
    text += (text.empty() ? "" : " ") + dim.name().substr(dim.name().rfind('.') + 1) + " " +
            kNames[static_cast<std::size_t>(dim.part)];
  }
  return text;
}

TEST(Fragments, AreOfWhatFeedsAndReadsTheProduct) {
  const Task task = TaskOf({"matmul", "", "m=1024,n=1024,k=1024,relu=1"}, CudaTestDevice(64));
  const ir::Target& f = *task.function;
  EXPECT_EQ(PartsOf(f, "mad"), "m3 row n2 column k2 depth");
  EXPECT_EQ(PartsOf(f, "init"), "m3 row n2 column");
  EXPECT_EQ(PartsOf(f, "store_c"), "m3 row n2 column");
  EXPECT_EQ(PartsOf(f, "load_a"), "m3 row k2 depth");
  EXPECT_EQ(PartsOf(f, "load_b"), "k2 depth n2 operand_column");
  EXPECT_EQ(PartsOf(f, "tmp.load_a.ld"), "m3 row k2 depth");
  EXPECT_EQ(PartsOf(f, "tmp.load_b.ld"), "k2 depth n2 operand_column");
  EXPECT_EQ(PartsOf(f, "tmp.load_a.st"), "");
  EXPECT_EQ(PartsOf(f, "tmp.load_b.st"), "");
}

bool MayUseUnit(const Computation& computation, const ir::Device& device, bool paper = false) {
  const Task task = TaskOf(computation, device, paper);
  return std::ranges::any_of(task.function->insts, [&](const ir::Instruction& inst) {
    return inst.is_reduction() && task.function->may_use_unit(inst);
  });
}

// An axis of pixels that is a little too short for the columns of a unit is covered, where nothing
// else could be its columns; with it no other axis, and not on devices without units.
TEST(Fragments, HaveCoveredColumns) {
  const auto covered = [](std::uint32_t side, std::uint32_t channels, bool for_units = true) {
    const Kernel& kernel = *FindKernel("conv2d");
    Parameters sizes;
    for (const Parameter& p : kernel.parameters()) sizes[p.name] = p.default_value;
    sizes["h"] = sizes["w"] = side;
    sizes["c"] = channels;
    ir::Device device;
    if (for_units) device.tensor_units = {"DMMA"};
    ir::Function function;
    BuildBackbone(kernel, sizes, false, function, &device);
    std::string names;
    for (const ir::LogicalDim& axis : function.logical_dims) {
      if (!axis.covers() || axis.name.rfind("mad.", 0) != 0) continue;
      names += fmt::format("{} {} ", axis.name, axis.extent);
    }
    return names;
  };
  EXPECT_EQ(covered(14, 16), "mad.wo 16 ");
  EXPECT_EQ(covered(28, 16), "mad.wo 32 ");
  EXPECT_EQ(covered(7, 16), "mad.wo 8 ");
  EXPECT_EQ(covered(56, 16), "");
  EXPECT_EQ(covered(10, 16), "");  // More than a seventh would be added.
  EXPECT_EQ(covered(14, 3), "");   // No depth.
  EXPECT_EQ(covered(14, 16, false), "");
}

TEST(Fragments, AreOfProductsAlone) {
  const ir::Device device = CudaTestDevice(64);
  EXPECT_TRUE(MayUseUnit({"p", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=64,j=64,k=64"}, device));
  // Too short a tile. Where rows are no multiple of 16, columns take their place.
  EXPECT_FALSE(MayUseUnit({"p", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=24,j=24,k=64"}, device));
  EXPECT_TRUE(MayUseUnit({"p", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=24,j=64,k=64"}, device));
  // Sums over several axes, one of which both factors move along, and is long enough.
  EXPECT_TRUE(MayUseUnit({"conv2d", "", "h=8,w=8,c=16,m=16"}, device));
  EXPECT_FALSE(MayUseUnit({"conv2d", "", "h=8,w=8,c=3,m=16"}, device));
  // One factor alone, no second operand along columns, numbers of another kind, another operator.
  EXPECT_FALSE(MayUseUnit({"p", "c[i] = sum(k) a[i,k] * b[k]", "i=64,k=64"}, device));
  EXPECT_FALSE(MayUseUnit({"p", "c[i,j] = sum(k) a[i,k]", "i=64,j=64,k=64"}, device));
  EXPECT_FALSE(
      MayUseUnit({"p", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=64,j=64,k=64", "i32"}, device));
  EXPECT_FALSE(MayUseUnit({"p", "c[i,j] = max(k) a[i,k] * b[k,j]", "i=64,j=64,k=64"}, device));
  // Halves of one type, whose sums are f32.
  const auto halves = [&](const char* a, const char* b, const char* sum) {
    const std::string name = fmt::format("p_{}_{}_{}", a, b, sum);
    const std::string text = fmt::format(
        "kernel {}\n  size m = 64, n = 64, k = 64 in 1..4096\n  input a: {}[m, k]\n"
        "  input b: {}[k, n]\n  output c: {}[m, n]\n"
        "  c[i, j] = sum(p: {}) a[i, p] * b[p, j]\nend\n",
        name, a, b, sum, sum);
    return MayUseUnit({name, text, ""}, device);
  };
  EXPECT_TRUE(halves("f16", "f16", "f32"));
  EXPECT_TRUE(halves("bf16", "bf16", "f32"));
  EXPECT_FALSE(halves("f16", "bf16", "f32"));
  EXPECT_FALSE(halves("f16", "f32", "f32"));
  EXPECT_FALSE(halves("bf16", "bf16", "f64"));
  // Bytes whose sums are i32.
  EXPECT_TRUE(halves("i8", "i8", "i32"));
  EXPECT_FALSE(halves("i8", "i8", "i64"));
  EXPECT_FALSE(halves("i8", "i32", "i32"));
  // A device without the unit, and the paper's space.
  ir::Device without = device;
  without.tensor_units.clear();
  const Computation product = {"p", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=64,j=64,k=64"};
  EXPECT_FALSE(MayUseUnit(product, without));
  EXPECT_FALSE(MayUseUnit(product, device, true));
}

TEST(Fragments, UnitsAreOfDevicesThatHaveThem) {
  EXPECT_THAT(LoadDevice("k4000", {{"tensor_units", "[\"DMMA\"]"}}).error,
              HasSubstr("DMMA needs sm_90 or later"));
  EXPECT_THAT(LoadDevice("k4000", {{"tensor_units", "[\"MMA\"]"}}).error,
              HasSubstr("MMA needs sm_80 or later"));
  EXPECT_THAT(LoadDevice("k4000", {{"tensor_units", "[\"IMMA\"]"}}).error,
              HasSubstr("IMMA needs sm_80 or later"));
  EXPECT_THAT(LoadDevice("cpu", {{"tensor_units", "[\"DMMA\"]"}}).error,
              HasSubstr("device option tensor_units: no matrix unit is used by code whose"));
  EXPECT_THAT(LoadDevice("h200", {{"tensor_units", "[\"DMA\"]"}}).error,
              HasSubstr("unknown matrix unit 'DMA'; did you mean"));
  EXPECT_TRUE(LoadDevice("h200", {{"tensor_units", "[]"}}).device.has_value());
}

}  // namespace
}  // namespace exh::kernels::testing
