// SPDX-License-Identifier: MIT
//
// Products of halves, of bytes and of floats of 8 bits that read matrices out of shared memory:
// fragments by whole matrices (MMA), and groups of warps that take operands in place (WGMMA).
// Random implementations are printed as CUDA C++ and run on the CPU, which decodes descriptors and
// swizzles by itself (tests/cuda_shim).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/devices/cuda/driver/nvrtc.h"
#include "kernels/devices/device.h"
#include "kernels/ir/text/architecture.h"
#include "kernels/library/registry.h"
#include "kernels/recipes/unit_recipe.h"
#include "search/descend/choice_order.h"
#include "search/descend/first.h"
#include "search/subject/decision_file.h"
#include "tests/kernels/computations/computations.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"
#include "tests/search/temp_folder.h"

namespace exh::kernels::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A GPU of which these decisions are offered.
ir::Device GroupDevice(std::uint32_t max_threads = 256) {
  ir::Device device = CudaTestDevice(max_threads);
  device.multiprocessors = 3;
  device.max_unroll = 64;
  return device;
}

/// A product of halves, by what is decided of it.
Sample DrawProduct(const Parameters& sizes, const std::string& decisions, int count,
                   std::uint64_t seed, std::uint32_t max_threads = 256) {
  Coverage coverage;
  Parameters all = {{"type", 3}};  // bf16
  for (const auto& [name, value] : sizes) all[name] = value;
  return Draw("matmul", all, GroupDevice(max_threads), count, seed, coverage, false, decisions);
}

constexpr const char* kThroughMemory =
    "dim_mapping(load_a:mad.m3)=NOT_MAPPED\ndim_mapping(load_b:mad.n3)=NOT_MAPPED\n";
constexpr const char* kRings =
    "transfer(tmp.load_a)=ASYNC\nstages(tmp.load_a)=2|3|4\n"
    "transfer(tmp.load_b)=ASYNC\nstages(tmp.load_b)=2|3|4\n";

/// Rings that bulk copies fill.
constexpr const char* kBulk =
    "transfer(tmp.load_a)=TMA\nstages(tmp.load_a)=2|3|4\n"
    "transfer(tmp.load_b)=TMA\nstages(tmp.load_b)=2|3|4\n";
constexpr const char* kProducers = "roles()=PRODUCER\ngrid()=EACH_TILE\n";
constexpr const char* kPersistent = "grid()=PERSISTENT\n";

std::vector<CudaText> Print(const Sample& sample, codegen::Fault fault = {}) {
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::LoweredCode code =
        codegen::LowerSchedule(*sample.task.function, schedule, fault);
    EXPECT_EQ(code.error, "");
    const codegen::GpuText text = codegen::PrintGpu(code, {.overlaps = true, .multiprocessors = 3});
    texts.push_back({text.source, text.launch});
  }
  return texts;
}

void ExpectAllRight(const Sample& sample, const std::string& what,
                    const std::vector<Inputs>& inputs = {Inputs::kUniform, Inputs::kWholeNumbers}) {
  const std::vector<CudaText> texts = Print(sample);
  const std::vector<std::string> messages = RunCudaSources(sample.task, texts, inputs);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    ASSERT_EQ(messages[i], "") << what << ", implementation " << i << ":\n"
                               << sample.decisions[i] << texts[i].source;
  }
}

int CountWith(const std::vector<CudaText>& texts, const std::string& word) {
  return static_cast<int>(std::ranges::count_if(
      texts, [&](const CudaText& text) { return text.source.find(word) != std::string::npos; }));
}

/// A defect shows in each implementation.
void ExpectDefectShows(const Sample& sample, codegen::Fault fault) {
  std::size_t spoiled = 0;
  for (const std::string& message : RunCudaSources(sample.task, Print(sample, fault))) {
    spoiled += !message.empty();
  }
  EXPECT_EQ(spoiled, sample.schedules.size()) << static_cast<int>(fault);
}

TEST(MatrixReads, OfBothOperandsAreRight) {
  std::uint64_t seed = 10;
  int plain = 0, turned = 0;
  for (const Parameters& layout :
       {Parameters{}, Parameters{{"transpose_a", 1}}, Parameters{{"transpose_b", 1}},
        Parameters{{"transpose_a", 1}, {"transpose_b", 1}, {"type", 2}}}) {
    Parameters sizes = {{"m", 64}, {"n", 32}, {"k", 64}};
    sizes.insert(layout.begin(), layout.end());
    const Sample sample =
        DrawProduct(sizes, std::string("unit(mad)=MMA\n") + kThroughMemory, 8, ++seed);
    ExpectAllRight(sample, "matrices");
    if (HasFatalFailure()) return;
    plain += CountWith(Print(sample), " exh_plain_matrices_");
    turned += CountWith(Print(sample), " exh_matrices_");
  }
  EXPECT_GT(plain, 8);
  EXPECT_GT(turned, 8);
}

struct Groups {
  const char* what;
  Parameters sizes;
  std::string more = "";
  int count = 3;
  std::uint32_t max_threads = 256;
};
const Groups kGroups[] = {
    {"rows along the sum", {{"m", 128}, {"n", 64}, {"k", 128}, {"transpose_b", 1}}},
    {"a second operand across", {{"m", 64}, {"n", 64}, {"k", 128}}},
    {"both across", {{"m", 128}, {"n", 64}, {"k", 64}, {"transpose_a", 1}, {"type", 2}}},
    {"a first operand across",
     {{"m", 64}, {"n", 32}, {"k", 64}, {"transpose_a", 1}, {"transpose_b", 1}}},
    {"rings", {{"m", 64}, {"n", 64}, {"k", 512}, {"transpose_b", 1}}, kRings},
    {"rings, across", {{"m", 64}, {"n", 128}, {"k", 512}}, kRings},
    {"a ring beside an operand of one slot",
     {{"m", 64}, {"n", 64}, {"k", 512}, {"transpose_b", 1}},
     "transfer(tmp.load_b)=ASYNC\nstages(tmp.load_b)=4\nstages(tmp.load_a)=1\nsize(mad.k0)=8\n"},
};
/// Bytes (type 4): rows of both operands along the sum.
const Groups kByteGroups[] = {
    {"bytes",
     {{"m", 128}, {"n", 64}, {"k", 256}, {"transpose_b", 1}, {"type", 4}},
     "stages(tmp.load_a)=1\nstages(tmp.load_b)=1\n"},
    {"rings of bytes",
     {{"m", 64}, {"n", 48}, {"k", 1024}, {"transpose_b", 1}, {"type", 4}},
     kRings},
    {"bulk copies of bytes",
     {{"m", 64}, {"n", 96}, {"k", 1024}, {"transpose_b", 1}, {"type", 4}},
     kBulk},
    {"producers of bytes",
     {{"m", 128}, {"n", 64}, {"k", 1024}, {"transpose_b", 1}, {"type", 4}},
     std::string(kBulk) + kProducers,
     2,
     384},
};
/// Floats of 8 bits (types 5 and 6), whose sums are promoted.
const Groups kPromotedGroups[] = {
    {"f8",
     {{"m", 64}, {"n", 64}, {"k", 256}, {"transpose_b", 1}, {"type", 5}},
     "stages(tmp.load_a)=1\nstages(tmp.load_b)=1\n",
     2},
    {"rings of f8", {{"m", 64}, {"n", 48}, {"k", 512}, {"transpose_b", 1}, {"type", 6}}, kRings, 2},
    {"bulk copies of f8",
     {{"m", 64}, {"n", 96}, {"k", 512}, {"transpose_b", 1}, {"type", 6}},
     kBulk,
     2},
    {"producers of f8",
     {{"m", 128}, {"n", 64}, {"k", 512}, {"transpose_b", 1}, {"type", 5}},
     std::string(kBulk) + kProducers,
     2,
     384},
    {"persistent, of f8",
     {{"m", 256}, {"n", 64}, {"k", 256}, {"transpose_b", 1}, {"type", 5}},
     std::string(kBulk) + kPersistent,
     2,
     384},
};
const Groups kBulkGroups[] = {
    {"bulk copies", {{"m", 128}, {"n", 64}, {"k", 512}, {"transpose_b", 1}}, kBulk},
    {"bulk copies, across", {{"m", 64}, {"n", 128}, {"k", 512}, {"transpose_a", 1}}, kBulk},
    {"producers",
     {{"m", 128}, {"n", 64}, {"k", 512}, {"transpose_b", 1}},
     std::string(kBulk) + kProducers,
     3,
     384},
    {"producers, across",
     {{"m", 64}, {"n", 128}, {"k", 512}},
     std::string(kBulk) + kProducers,
     3,
     384},
    {"persistent", {{"m", 256}, {"n", 128}, {"k", 256}}, std::string(kBulk) + kPersistent, 3, 384},
};

/// Two blocks share what the other operand moves along.
const Groups kClusters[] = {
    {"clusters along rows",
     {{"m", 256}, {"n", 64}, {"k", 256}, {"transpose_b", 1}},
     std::string(kBulk) + kProducers + "cluster(mad.m0)=2\n",
     2,
     384},
    {"clusters along columns, across",
     {{"m", 64}, {"n", 256}, {"k", 256}},
     std::string(kBulk) + kProducers + "cluster(mad.n0)=2\n",
     2,
     384},
    {"clusters that stay",
     {{"m", 512}, {"n", 64}, {"k", 256}, {"transpose_a", 1}},
     std::string(kBulk) + kPersistent + "cluster(mad.m0)=2\nraster()=1|2\n",
     2,
     384},
};

Sample DrawGroups(const Groups& groups, std::uint64_t seed) {
  return DrawProduct(groups.sizes, "unit(mad)=WGMMA\n" + groups.more, groups.count, seed,
                     groups.max_threads);
}

TEST(GroupUnits, RandomImplementationsAreRight) {
  std::uint64_t seed = 20;
  for (const Groups& groups : kGroups) {
    const Sample sample = DrawGroups(groups, ++seed);
    ExpectAllRight(sample, groups.what);
    if (HasFatalFailure()) return;
    EXPECT_EQ(CountWith(Print(sample), " exh_group_"), groups.count) << groups.what;
  }
}

TEST(GroupUnits, OfBytesAreRight) {
  std::uint64_t seed = 110;
  for (const Groups& groups : kByteGroups) {
    const Sample sample = DrawGroups(groups, ++seed);
    ExpectAllRight(sample, groups.what);
    if (HasFatalFailure()) return;
    EXPECT_EQ(CountWith(Print(sample), " exh_group_"), groups.count) << groups.what;
  }
}

/// Integers have fewer numbers of columns than others.
TEST(GroupUnits, OfBytesTakeWhatTheHardwareHas) {
  const auto draw = [](int type, const std::string& copies) {
    return DrawProduct({{"m", 64}, {"n", 120}, {"k", 256}, {"transpose_b", 1}, {"type", type}},
                       "unit(mad)=WGMMA\ndim_kind(mad.n2)=UNROLL\nsize(mad.n2)=" + copies + "\n", 1,
                       120);
  };
  EXPECT_EQ(draw(3, "5").schedules.size(), 1u);
  EXPECT_ANY_THROW(draw(4, "5"));
  EXPECT_EQ(draw(4, "3").schedules.size(), 1u);
}

TEST(GroupUnits, DefectsOfBytesShow) {
  for (const std::size_t number : {1u, 3u}) {
    const Sample sample = DrawGroups(kByteGroups[number], 130 + number);
    for (const codegen::Fault fault :
         {codegen::Fault::kWrongDescriptor, codegen::Fault::kMissingGroupFence,
          codegen::Fault::kMissingGroupWait}) {
      ExpectDefectShows(sample, fault);
    }
  }
}

TEST(GroupUnits, OfFloatsOf8BitsArePromoted) {
  std::uint64_t seed = 140;
  for (const Groups& groups : kPromotedGroups) {
    const Sample sample = DrawGroups(groups, ++seed);
    ExpectAllRight(sample, groups.what);
    if (HasFatalFailure()) return;
    const std::vector<CudaText> texts = Print(sample);
    EXPECT_EQ(CountWith(texts, "_begin(exh_matrix("), groups.count) << groups.what;
    EXPECT_EQ(CountWith(texts, " exh_promote(v_mad"), groups.count) << groups.what;
    // What a batch has come to is taken before the next one begins, however long the ring is.
    EXPECT_EQ(CountWith(texts, "exh_group_wait<1>()"), 0) << groups.what;
  }
}

/// The unit adds up few terms at once: what lies along the sum in a row of the swizzle.
TEST(GroupUnits, BatchesOfFloatsOf8BitsAreShort) {
  for (const Groups& groups : kPromotedGroups) {
    const Sample sample = DrawGroups(groups, 150);
    for (const codegen::Schedule& schedule : sample.schedules) {
      const codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
      ASSERT_EQ(code.groups.products.size(), 1u);
      EXPECT_TRUE(code.groups.products.front().is_promoted);
      EXPECT_GE(code.groups.products.front().depth, 32u);
      EXPECT_LE(code.groups.products.front().depth, ir::kPromotedTerms);
    }
  }
}

TEST(GroupUnits, DefectsOfPromotionShow) {
  for (const std::size_t number : {1u, 3u}) {
    const Sample sample = DrawGroups(kPromotedGroups[number], 160 + number);
    for (const codegen::Fault fault :
         {codegen::Fault::kMissingPromotion, codegen::Fault::kUnbegunBatch,
          codegen::Fault::kWrongDescriptor, codegen::Fault::kMissingGroupFence,
          codegen::Fault::kMissingGroupWait}) {
      ExpectDefectShows(sample, fault);
    }
  }
}

/// Promoted sums are in registers twice.
TEST(GroupUnits, OfFloatsOf8BitsHaveHalfAsManySums) {
  const auto may = [](int type, const std::string& copies) {
    try {
      return !DrawProduct({{"m", 64}, {"n", 256}, {"k", 256}, {"transpose_b", 1}, {"type", type}},
                          "unit(mad)=WGMMA\ndim_kind(mad.n2)=UNROLL\nsize(mad.n2)=" + copies + "\n",
                          1, 170)
                  .schedules.empty();
    } catch (const UsageError&) {
      return false;
    }
  };
  EXPECT_TRUE(may(4, "32"));
  EXPECT_FALSE(may(5, "32"));
  EXPECT_TRUE(may(5, "16"));
}

TEST(GroupUnits, TakeWhatBulkCopiesBring) {
  std::uint64_t seed = 60;
  for (const Groups& groups : kBulkGroups) {
    const Sample sample = DrawGroups(groups, ++seed);
    ExpectAllRight(sample, groups.what);
    if (HasFatalFailure()) return;
    EXPECT_EQ(CountWith(Print(sample), " exh_bulk_copy("), groups.count) << groups.what;
  }
}

TEST(GroupUnits, DefectsOfBulkCopiesShow) {
  for (const std::size_t number : {0u, 2u, 4u}) {
    Groups groups = kBulkGroups[number];
    groups.count = 3;
    const Sample sample = DrawGroups(groups, 70 + number);
    std::vector<codegen::Fault> faults = {
        codegen::Fault::kWrongParity, codegen::Fault::kMissingCopyWait,
        codegen::Fault::kWrongDescriptor, codegen::Fault::kMissingGroupWait};
    if (number == 0) faults.push_back(codegen::Fault::kMissingBarrier);
    if (number != 0) {
      faults.insert(faults.end(), {codegen::Fault::kEarlyRelease, codegen::Fault::kEarlyRefill});
    }
    for (const codegen::Fault fault : faults) {
      ExpectDefectShows(sample, fault);
    }
  }
}

TEST(GroupUnits, ShareBulkCopiesInClusters) {
  std::uint64_t seed = 140;
  for (const Groups& groups : kClusters) {
    const Sample sample = DrawGroups(groups, ++seed);
    ExpectAllRight(sample, groups.what);
    if (HasFatalFailure()) return;
    EXPECT_EQ(CountWith(Print(sample), " exh_bulk_share("), groups.count) << groups.what;
  }
}

TEST(GroupUnits, DefectsOfClustersShow) {
  for (const Groups& groups : kClusters) {
    const Sample sample = DrawGroups(groups, 150);
    for (const codegen::Fault fault :
         {codegen::Fault::kOwnRelease, codegen::Fault::kEarlyEnd, codegen::Fault::kEarlyBarriers,
          codegen::Fault::kEarlyRelease, codegen::Fault::kWrongParity}) {
      ExpectDefectShows(sample, fault);
    }
  }
}

/// Of four tiles side by side each lane stores a row of one, after lanes have exchanged theirs.
TEST(MatrixUnits, ExchangeWhatTheyStore) {
  const std::string tiles = "\nsize(mad.n2)=4|8\ndim_kind(mad.n2)=UNROLL\nvec(store_c)=2\n";
  std::uint64_t seed = 160;
  for (const std::string unit : {"MMA", "WGMMA"}) {
    for (const int type : {2, 3}) {
      const Sample sample = DrawProduct({{"m", 64}, {"n", 128}, {"k", 128}, {"type", type}},
                                        "unit(mad)=" + unit + tiles, 2, ++seed);
      ExpectAllRight(sample, unit);
      if (HasFatalFailure()) return;
      EXPECT_EQ(CountWith(Print(sample), "exh_exchange(exh_w0, exh_w1"), 2);
      ExpectDefectShows(sample, codegen::Fault::kLostExchange);
    }
  }
}

/// An instruction adds to all of its columns at once: none of them begins later.
TEST(GroupUnits, HaveColumnsThatBeginTogether) {
  const auto draw = [](const std::string& unit) {
    return DrawProduct(
        {{"m", 64}, {"n", 64}, {"k", 256}},
        "unit(mad)=" + unit +
            "\nsize(mad.n2)=2\ndim_kind(mad.n2)=UNROLL\norder(init.n2,mad.n2)=MERGED\n",
        1, 90);
  };
  EXPECT_EQ(draw("MMA").schedules.size(), 1u);
  EXPECT_ANY_THROW(draw("WGMMA"));
}

/// Batches go on while the next iteration begins, where there are slots enough.
TEST(GroupUnits, LagBehindInLongRings) {
  const Groups groups = {"long rings",
                         {{"m", 64}, {"n", 64}, {"k", 512}, {"transpose_b", 1}},
                         "transfer(tmp.load_a)=ASYNC\nstages(tmp.load_a)=4\n"
                         "transfer(tmp.load_b)=ASYNC\nstages(tmp.load_b)=4\nsize(mad.k0)=8\n"
                         "dim_kind(mad.k0)=LOOP\n"};
  const Sample sample = DrawGroups(groups, 30);
  ExpectAllRight(sample, groups.what);
  EXPECT_GT(CountWith(Print(sample), "exh_group_wait<1>()"), 0);
}

TEST(GroupUnits, DefectsShow) {
  const Sample sample = DrawGroups(kGroups[4], 40);
  for (const codegen::Fault fault :
       {codegen::Fault::kWrongDescriptor, codegen::Fault::kMissingPublication,
        codegen::Fault::kMissingGroupFence, codegen::Fault::kMissingGroupWait,
        codegen::Fault::kMissingBarrier}) {
    ExpectDefectShows(sample, fault);
  }
}

/// What the recipes of groups make of a product: of so many one after the other the one that
/// `place` says.
Sample OfRecipes(const Parameters& sizes, std::size_t of = 1, std::size_t place = 0) {
  Coverage coverage;
  ir::Device device = GroupDevice(512);
  device.max_unroll = 512;
  Sample sample = Draw("matmul", sizes, device, 0, 1, coverage);
  const runtime::Candidate root(sample.task.instance);
  std::size_t number = 0;
  for (const Recipe& recipe : UnitRecipes(*sample.task.function)) {
    if (!recipe.name.starts_with("groups") || number++ % of != place) continue;
    const auto [implementation, missed] =
        search::Follow(recipe, root, search::ChoiceOrder::Default(root.instance()));
    EXPECT_TRUE(implementation) << recipe.name << ": " << missed;
    if (!implementation) continue;
    sample.schedules.push_back(ExtractSchedule(sample.task, *implementation));
    sample.decisions.push_back(recipe.name + "\n");
  }
  return sample;
}

TEST(GroupUnits, RecipesAreRight) {
  constexpr std::size_t kOf = 6;  // They are large, and many: each size has others.
  std::size_t size = 0;
  for (const Parameters& sizes :
       {Parameters{{"m", 256}, {"n", 256}, {"k", 256}, {"type", 3}},
        Parameters{{"m", 192}, {"n", 192}, {"k", 256}, {"transpose_b", 1}, {"type", 2}},
        Parameters{{"m", 128}, {"n", 128}, {"k", 256}, {"transpose_b", 1}, {"type", 4}},
        Parameters{{"m", 128}, {"n", 128}, {"k", 256}, {"transpose_b", 1}, {"type", 5}}}) {
    const Sample sample = OfRecipes(sizes, kOf, size++ % kOf);
    EXPECT_GE(sample.schedules.size(), 1u);
    ExpectAllRight(sample, "recipes", {Inputs::kUniform});
    if (HasFatalFailure()) return;
    EXPECT_EQ(CountWith(Print(sample), " exh_group_"), static_cast<int>(sample.schedules.size()));
  }
}

TEST(GroupUnits, AreOfNarrowProductsOnDevicesThatHaveThem) {
  const auto may = [](const Parameters& sizes, const ir::Device& device) {
    Parameters all;
    for (const Parameter& p : FindKernel("matmul")->parameters()) all[p.name] = p.default_value;
    for (const auto& [name, value] : sizes) all[name] = value;
    const Task task = MakeTask(*FindKernel("matmul"), all, device, false);
    return std::ranges::any_of(task.function->insts, [&](const ir::Instruction& inst) {
      return inst.is_reduction() && task.function->may_use_groups(inst);
    });
  };
  const Parameters halves = {{"m", 128}, {"n", 64}, {"k", 64}, {"type", 3}};
  EXPECT_TRUE(may(halves, GroupDevice()));
  Parameters bytes = {{"m", 128}, {"n", 64}, {"k", 64}, {"type", 4}};
  EXPECT_FALSE(may(bytes, GroupDevice())) << "the second operand goes across the sum";
  bytes["transpose_b"] = 1;
  EXPECT_TRUE(may(bytes, GroupDevice()));
  bytes["type"] = 5;
  EXPECT_TRUE(may(bytes, GroupDevice()));
  ir::Device without = GroupDevice();
  std::erase(without.tensor_units, ir::kWgmma);
  EXPECT_FALSE(may(halves, without));
  EXPECT_FALSE(may({{"m", 128}, {"n", 64}, {"k", 64}}, GroupDevice()));              // Floats.
  EXPECT_FALSE(may({{"m", 32}, {"n", 32}, {"k", 64}, {"type", 3}}, GroupDevice()));  // Few rows.
}

/// What comes behind the sums point by point has multiply-adds, too.
TEST(GroupUnits, ArePartOfLongerComputations) {
  for (const char* const text :
       {"x[i,j] = b[j] + sum(k) a[i,k] * w[k,j]; c[i,j] = x[i,j] + x[i,j] * x[i,j]",
        "x[i,j] = sum(k) a[i,k] * w[k,j]; c[i,j] = b[j] * x[i,j] + r[i,j]"}) {
    const Task task =
        MakeTask(KernelOf({"longer", text, "i=128,j=64,k=64", "bf16"}), {}, GroupDevice(), false);
    int products = 0;
    for (const ir::Instruction& inst : task.function->insts) {
      products += inst.is_reduction() && task.function->may_use_groups(inst);
      EXPECT_TRUE(inst.is_reduction() || ir::UnitOf(*task.function, inst) == ir::MatrixUnit::kNone);
    }
    EXPECT_EQ(products, 1) << text;
  }
}

/// What does not fit is named, with what would.
TEST(GroupUnits, NotesSayWhyNot) {
  const auto notes = [](const Parameters& sizes) {
    Parameters all;
    for (const Parameter& p : FindKernel("matmul")->parameters()) all[p.name] = p.default_value;
    for (const auto& [name, value] : sizes) all[name] = value;
    return MakeTask(*FindKernel("matmul"), all, GroupDevice(), false).notes;
  };
  EXPECT_THAT(notes({{"m", 128}, {"n", 64}, {"k", 64}, {"type", 3}}), IsEmpty());
  EXPECT_THAT(
      notes({{"m", 128}, {"n", 64}, {"k", 64}, {"type", 4}}),
      ElementsAre("groups of warps (WGMMA) do not do mad: they take bytes whose neighbours in "
                  "memory lie along the sum, and those of b lie across it; turned in memory it "
                  "would fit"));
  EXPECT_THAT(notes({{"m", 128}, {"n", 64}, {"k", 64}, {"type", 5}}),
              ElementsAre(HasSubstr("(WGMMA) do not do mad: they take bytes whose neighbours in")));
  EXPECT_THAT(
      notes({{"m", 96}, {"n", 64}, {"k", 64}, {"type", 3}}),
      ElementsAre("groups of warps (WGMMA) do not do mad: their rows come by 64, and m has 96"));
  const Computation strided = {"strided", "c[i,j] = sum(k) a[i,2*k] * b[k,j]", "i=64,j=64,k=64",
                               "bf16"};
  EXPECT_THAT(
      MakeTask(KernelOf(strided), {}, GroupDevice(), false).notes,
      ElementsAre("no bulk copy (TMA) brings a: from one i to the next there are 254 bytes; a "
                  "multiple of 16 would fit"));
}

TEST(GroupUnits, WhoAsksForThemIsToldWhyNot) {
  Parameters sizes;
  for (const Parameter& p : FindKernel("matmul")->parameters()) sizes[p.name] = p.default_value;
  sizes["type"] = 4;
  const Task task = MakeTask(*FindKernel("matmul"), sizes, GroupDevice(), false);
  runtime::Candidate root(task.instance);
  EXPECT_THAT(
      search::Thrown<UsageError>([&] {
        search::ApplyDecisions(search::ParseDecisionFile("unit(mad)=WGMMA\n", "mine"), root,
                               task.notes);
      }),
      AllOf(HasSubstr("mine:1: unit(mad)=WGMMA is not in the space (left is only FMA|IMMA)"),
            HasSubstr("\n  note: groups of warps (WGMMA) do not do mad: they take bytes")));
}

TEST(GroupUnits, DevicesSayWhatTheyNeed) {
  EXPECT_THAT(LoadDevice("h200", {{"matrix_reads", "false"}}).error,
              HasSubstr("WGMMA needs matrix_reads=true"));
  EXPECT_THAT(
      LoadDevice("h200", {{"tensor_units", "[\"WGMMA\"]"}, {"architecture", "sm_100"}}).error,
      HasSubstr("WGMMA needs sm_90, which later ones do not have"));
  EXPECT_TRUE(
      LoadDevice("h200", {{"tensor_units", "[\"WGMMA\"]"}, {"matrix_reads", "true"}}).device);
}

TEST(GroupUnits, AreCompiledForTheirArchitecture) {
  EXPECT_EQ(ir::ArchitectureFor("wgmma.fence", "sm_90"), "sm_90a");
  EXPECT_EQ(ir::ArchitectureFor("wgmma.fence", "sm_80"), "sm_80");
  EXPECT_EQ(ir::ArchitectureFor("mma.sync", "sm_90"), "sm_90");
  const auto [nvrtc, problem] = cuda::Nvrtc::Load(cuda::Nvrtc::LibraryNames());
  if (!nvrtc) GTEST_SKIP() << problem;
  std::vector<CudaText> texts;
  for (const std::size_t number : {0u, 2u, 4u}) {
    Groups groups = kGroups[number];
    groups.count = 1;
    for (CudaText& text : Print(DrawGroups(groups, 50))) texts.push_back(std::move(text));
  }
  const std::size_t random = texts.size();
  for (const Parameters& layout :
       {Parameters{{"type", 3}}, Parameters{{"type", 4}, {"transpose_b", 1}},
        Parameters{{"type", 5}, {"transpose_b", 1}}, Parameters{{"type", 6}, {"transpose_b", 1}}}) {
    Parameters sizes = {{"m", 4608}, {"n", 4608}, {"k", 4096}};
    sizes.insert(layout.begin(), layout.end());
    for (CudaText& text : Print(OfRecipes(sizes))) texts.push_back(std::move(text));
  }
  EXPECT_GE(texts.size(), random + 3);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const cuda::Cubin cubin = nvrtc->Compile(texts[i].source, "sm_90");
    EXPECT_TRUE(cubin.ok()) << cubin.log << texts[i].source;
    if (i < random) continue;
    // The compiler may let each step wait for the one before, where it does not see through.
    EXPECT_EQ(cubin.log.find("serialized"), std::string::npos) << cubin.log;
    EXPECT_EQ(cubin.resources.spill_bytes, 0);
  }
}

}  // namespace
}  // namespace exh::kernels::testing
