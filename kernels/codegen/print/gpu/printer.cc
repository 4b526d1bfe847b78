// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/gpu/printer.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/text_writer.h"
#include "kernels/codegen/plan/work.h"
#include "kernels/codegen/print/code_names.h"
#include "kernels/codegen/print/gpu/copies/bulk.h"
#include "kernels/codegen/print/gpu/kernel_printer.h"
#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/codegen/print/gpu/words.h"
#include "kernels/codegen/print/loop_printer.h"
#include "kernels/codegen/print/op_text.h"
#include "kernels/codegen/print/repeated_reads.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/text/helper_functions.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {
namespace {

constexpr std::uint32_t kFillThreads = 256;

std::string Number(std::uint64_t value) {
  return std::to_string(value);
}

std::string KernelName(const std::string& name, std::size_t number) {
  return "exh_" + name + (number == 0 ? "" : Number(number));
}

/// The launches of all kernels.
Launch PlanLaunch(const LoweredCode& code, const GpuOptions& options) {
  Launch launch;
  launch.grid = code.tree.num_blocks;
  if (code.rings.is_persistent) {
    const std::uint32_t together = code.rings.cluster.blocks;
    // Whole clusters, and one at least.
    const std::uint32_t at_once = options.multiprocessors / together * together;
    launch.grid = std::min<std::uint64_t>(launch.grid, std::max(at_once, together));
  }
  launch.threads = code.tree.num_threads + code.rings.more_threads();
  for (const Ring& ring : code.rings.rings) {
    for (const RingBlock& block : ring.blocks) {
      if (block.bulk) launch.maps.push_back(block.bulk->map);
    }
  }
  for (const TempArray& temp : code.memory.temps) {
    (temp.space == MemSpace::SHARED ? launch.shared_bytes : launch.global_bytes) +=
        BytesOf(code, temp);
  }
  for (const CopiedWindow& window : code.memory.windows) {
    launch.shared_bytes += BytesOf(code, window);
  }
  std::uint64_t slices = 0;  // One after the other, they take the same memory.
  for (const Combine& combine : code.combines.combines) {
    slices = std::max(slices, Aligned(combine.shared_bytes));
  }
  launch.shared_bytes += slices;
  // Behind all of it: the number that the block has drawn, …
  if (code.splits.draws_numbers()) launch.shared_bytes += kTurnBytes;
  // … or what blocks of a cluster tell each other; and what bulk copies are waited for with.
  launch.shared_bytes += code.splits.cluster_bytes;
  if (code.rings.barrier_bytes > 0) {
    launch.shared_bytes = Aligned(launch.shared_bytes) + code.rings.barrier_bytes;
  }
  launch.cluster = code.rings.cluster.blocks;
  if (const int c = code.splits.cluster_class; c >= 0) {
    launch.cluster = code.tree.classes[static_cast<std::size_t>(c)].size;
  }
  launch.in_any_order = BitsMayVary(*code.function, code.splits);
  launch.workspace_bytes = code.splits.workspace_bytes;
  launch.ticket_bytes = code.splits.ticket_bytes;
  std::size_t fills = 0, finishes = 0;
  for (const SplitReduction& split : code.splits.reductions) {
    if (!split.is_atomic() || code.fault == Fault::kMissingFill) continue;
    const ir::InstId store = split.store;
    const std::uint64_t elements = code.function->array(code.function->inst(store).array).elements;
    launch.sides.push_back({KernelName("fill", fills++), true,
                            (elements + kFillThreads - 1) / kFillThreads, kFillThreads, 0});
  }
  for (const Part& part : code.splits.parts) {
    if (part.finishes < 0) continue;
    std::uint64_t blocks = 1;
    for (const int c : part.blocks) blocks *= code.tree.classes[static_cast<std::size_t>(c)].size;
    launch.sides.push_back(
        {KernelName("finish", finishes++), false, blocks, launch.threads, launch.shared_bytes});
  }
  // One block that fills has ended before another kernel could begin. To launch that one early
  // costs more than it saves then (0.1 us on an H200, in a graph).
  const bool fills_at_once =
      launch.sides.size() == 1 && launch.sides[0].is_before && launch.sides[0].grid == 1;
  launch.overlaps = options.overlaps && !launch.sides.empty() && !fills_at_once;
  return launch;
}

/// Fills the output of an atomic reduction with the identity of its operator.
void PrintFill(const LoweredCode& code, const SplitReduction& split, const SideLaunch& launch,
               const Overlap& overlap, const std::string& parameters, const CodeNames& names,
               const GpuWords& words, TextWriter& out) {
  const ir::Instruction& inst = code.function->inst(split.id);
  const ir::Array& array = code.function->array(code.function->inst(split.store).array);
  const double identity = ir::IdentityOf(ir::CombinedBy(inst.op), inst.type);
  OpenKernel(launch.kernel, launch.threads, 1, parameters, overlap, words, out);
  if (overlap.awaits) out.Line(kAwait);
  out.Line("const unsigned long long i = " + words.block + " * " + Number(launch.threads) +
           "ull + " + words.thread + ";");
  out.Line("if (i < " + Number(array.elements) + "ull) " + names.array(array.id) +
           "[i] = " + NumberText(identity, array.type, words.dialect) + ";");
  out.Close();
}

/// What helpers kernels share is said once.
void AddLines(const std::vector<std::string>& lines, std::vector<std::string>& all) {
  for (const std::string& line : lines) {
    if (std::ranges::find(all, line) == all.end()) all.push_back(line);
  }
}

}  // namespace

GpuText PrintGpu(const LoweredCode& code, const GpuOptions& options) {
  if (code.values.repeats.empty() && code.seeded == Fault::kNone && !code.tree.has_lanes()) {
    LoweredCode kept = code;
    KeepRepeatedReads(kept);
    return PrintGpu(kept, options);
  }
  if (!options.shuffles) {
    LoweredCode apart = code;
    apart.combines = PlanCombines(*code.function, code.tree, code.values, code.splits, false);
    GpuOptions others = options;
    others.shuffles = true;
    return PrintGpu(apart, others);
  }
  const GpuWords& words = WordsOf(options.dialect);
  const Needs asked = NeedsOf(code, options);
  for (const std::string_view what : asked) {
    if (!words.lacks.contains(what)) continue;
    throw Refused(std::string(words.name) + " has no word for " + std::string(what));
  }
  const Launch launch = PlanLaunch(code, options);
  const CodeNames names(code);
  TextWriter body;
  ir::HelperFunctions called(words.dialect);  // By the body, and by the lines of `helpers`.
  std::vector<std::string> helpers;
  bool copies_async = false;
  std::set<std::size_t> bulk_axes;
  auto side = launch.sides.begin();
  const auto next = [&]() -> const SideLaunch& {
    if (side != launch.sides.begin()) body.Line();
    return *side++;
  };
  std::size_t kernels = 0;  // That have been printed, in the order of their launches.
  const auto overlap = [&]() -> Overlap {
    const std::size_t number = kernels++;
    if (!launch.overlaps) return {};
    return {.awaits = number > 0 && code.fault != Fault::kMissingWait,
            .lets = number < launch.sides.size()};
  };
  for (const SplitReduction& split : code.splits.reductions) {
    if (side == launch.sides.end() || !side->is_before || !split.is_atomic()) continue;
    PrintFill(code, split, next(), overlap(), Parameters(code, names, launch, options, words),
              names, words, body);
  }
  if (side != launch.sides.begin()) body.Line();
  for (const Part& part : code.splits.parts) {
    LoweredCode rest;  // Other barriers, of what is left.
    const bool is_first = part.finishes < 0;
    if (!is_first) {
      rest = code;
      rest.threads = PlanThreads(*code.function, code.tree, code.values, code.rings, part);
      body.Line();
    }
    const LoweredCode& own = is_first ? code : rest;
    GpuStatements statements(own, names, words, called, body, options.gives_up);
    KernelPrinter(own, part, overlap(), options, names, launch, words, statements, body)
        .Print(is_first ? "exh_kernel" : (side++)->kernel);
    AddLines(statements.Helpers(), helpers);
    copies_async |= statements.copies_async();
    bulk_axes.insert(statements.bulk_axes().begin(), statements.bulk_axes().end());
  }
  TextWriter out;
  if (!options.gives_up) PrintSourceHeader(code, out);  // Nobody reads the other.
  if (const std::string head = words.Head(asked); !head.empty()) out.Raw(head);
  if (const std::string functions = called.Text(); !functions.empty()) out.Raw(functions);
  if (copies_async) out.Raw(AsyncFunctions());
  if (options.gives_up) out.Raw(ClockFunctions());
  if (!bulk_axes.empty()) {
    out.Raw(BulkFunctions(bulk_axes, code.rings.has_producers, code.rings.cluster.blocks > 1,
                          options.gives_up));
  }
  if (asked.contains(needs::kLookBack)) out.Raw(words.LookBackFunctions());
  for (const std::string& line : helpers) out.Line(line);
  if (!helpers.empty()) out.Line();
  if (launch.overlaps) {
    out.Raw(OverlapFunctions());
    out.Line();
  }
  if (launch.cluster > 1) {
    out.Raw(ClusterFunctions(options.gives_up));
    out.Line();
  }
  const bool is_aligned = code.groups.products.empty();
  const std::string shared = is_aligned ? words.Shared(launch.shared_bytes)
                                        : words.SharedAt(code.memory.temps.front().alignment);
  if (launch.shared_bytes > 0 && !shared.empty()) {
    out.Line(shared);
    out.Line();
  }
  return {out.Take() + body.Take(), launch};
}

}  // namespace exh::kernels::codegen
