// SPDX-License-Identifier: MIT
//
// Blocks that divide a scan, as text: how they draw their numbers, say what they have, and look
// back. What a status is, and why nobody waits in vain, stands in split_plan.h. A warp looks at as
// many statuses as it has lanes, those of the blocks right before its own first:
//
//   lane        0     1     2     3   …
//   block      n-1   n-2   n-3   n-4  …
//   has       part  part  whole part        lanes 0 to 2 count
//
// and, where no lane has a whole, at as many before them. A lane adds up what counts of what it
// sees, and in the end lanes make one value of that. Where a block has several values (rows), its
// warps share these. One thread writes what its warp has found to shared memory, for all.
#include "kernels/codegen/print/gpu/bits.h"
#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/codegen/print/op_text.h"

namespace exh::kernels::codegen {
namespace {

constexpr std::uint64_t kFewBlocks = 512;

}  // namespace

void GpuStatements::DrawNumber(std::uint64_t offset) {
  const std::string blocks = std::to_string(code_.tree.num_blocks);
  const std::string pointer = words_.Pointer("unsigned", MemSpace::SHARED);
  out_.Line(pointer + " const exh_drawn = " + words_.CastPointer(pointer, "exh_shared") + " + " +
            std::to_string(offset / 4) + ";");
  out_.Open("if (t == 0)", "which launch it is, and the how manieth of its blocks");
  out_.Line("const unsigned long long exh_turn = atomicAdd(exh_begun, 1ull);");
  out_.Line("exh_drawn[0] = static_cast<unsigned>(exh_turn % " + blocks + "ull);");
  out_.Line("exh_drawn[1] = static_cast<unsigned>(exh_turn / " + blocks + "ull) * 2u + 2u;");
  out_.Close();
  out_.Line(Meet());
  out_.Line("const int exh_number = static_cast<int>(exh_drawn[0]);");
  const bool is_stale = code_.fault == Fault::kStaleStatus;
  out_.Line("const unsigned exh_tag = " + std::string(is_stale ? "2u" : "exh_drawn[1]") + ";");
  // A launch that gives each block its number, as most programs have it, does not use it.
  if (code_.fault == Fault::kPlainNumber) out_.Line("(void)exh_number;");
}

std::string GpuStatements::TellFunction(const ir::Instruction& scan) {
  const ir::Type held = HeldBy(scan.id);
  const BitsOf bits = BitsOfType(held);
  const std::string name = "tell_" + BareName(scan.id);
  std::string body = "const unsigned long long exh_bits = static_cast<" + std::string(bits.word) +
                     ">(" + bits.to + "(value)); ";
  for (std::uint32_t word = 0; word < SplitOf(scan.id).status_words; ++word) {
    const std::string part = word == 0 ? "(exh_bits & 0xffffffffull)" : "(exh_bits >> 32)";
    body += "exh_tell(status + " + std::to_string(word) +
            ", static_cast<unsigned long long>(tag) << 32 | " + part + "); ";
  }
  combiners_.insert(words_.function + "void " + name + "(" + words_.Pointer("unsigned long long") +
                    " status, unsigned tag, " + words_.Register(held) + " value) { " + body + "}");
  return name;
}

std::string GpuStatements::HearFunction(const ir::Instruction& scan) {
  const bool is_wide = SplitOf(scan.id).status_words > 1;
  const BitsOf bits = BitsOfType(HeldBy(scan.id));
  const std::string name = "hear_" + BareName(scan.id);
  // Until a status says anything in this launch. Of two words, both the same.
  std::string words = "const unsigned long long low = exh_hear(status); ";
  std::string said = "(tag | 1u) == whole", value = "static_cast<unsigned>(low)";
  if (is_wide) {
    words += "const unsigned long long high = exh_hear(status + 1); ";
    said += " && static_cast<unsigned>(high >> 32) == tag";
    value = "static_cast<long long>(high << 32 | (low & 0xffffffffull))";
  }
  combiners_.insert(words_.function + words_.Register(HeldBy(scan.id)) + " " + name + "(" +
                    words_.Pointer("const unsigned long long") +
                    " status, unsigned whole, unsigned& tag" + Deadline() + ") { while (true) { " +
                    words + "tag = static_cast<unsigned>(low >> 32); if (" + said + ") return " +
                    bits.from + "(" + value + "); exh_pause(200u); " +
                    (gives_up_ ? "exh_look(exh_end); " : "") + "} }");
  return name;
}

std::string GpuStatements::LookFunction(const ir::Instruction& scan, const Combine& combine) {
  const SplitReduction& split = SplitOf(scan.id);
  const std::string element = words_.Register(HeldBy(scan.id)), join = CombineFunction(scan);
  const std::string hear = HearFunction(scan), identity = IdentityOf(scan);
  const std::string name = "look_back_" + BareName(scan.id);
  const std::string lanes = std::to_string(combine.warps_look ? ir::kWarpLanes : 1);
  const std::string is_whole = code_.fault == Fault::kShortLook ? "true" : "tag == whole";
  std::string text = words_.function + element + " " + name + "(" +
                     words_.Pointer("const unsigned long long") +
                     " status, int block, unsigned whole" + Deadline() + ") { " + element +
                     " sum = " + identity + "; unsigned ends = 0u; ";
  // Those right before have begun at the same time, and are not so far either. Who asks too often
  // keeps others waiting: statuses of neighbours lie together. A few blocks disturb nobody.
  if (code_.tree.num_blocks > kFewBlocks) text += "exh_pause(1000u); ";
  if (combine.warps_look) text += "const unsigned lane = threadIdx.x % " + lanes + "; ";
  text += "for (int at = block - 1" +
          std::string(combine.warps_look ? " - static_cast<int>(lane)" : "") +
          "; ends == 0u; at -= " + lanes + ") { unsigned tag = whole; " + element +
          " value = " + identity + "; if (at >= 0) value = " + hear +
          "(status + static_cast<long long>(at) * " +
          std::to_string(split.values() * split.status_words) + ", whole, tag" +
          (gives_up_ ? ", exh_end" : "") + "); ";
  // A lane before the nearest whole one counts, and that one; each adds up what it finds.
  text += combine.warps_look
              ? "ends = exh_ballot(" + is_whole +
                    "); if ((ends & ((1u << lane) - 1u)) == 0u) sum = " + join + "(value, sum); } "
              : "ends = " + is_whole + " ? 1u : 0u; sum = " + join + "(value, sum); } ";
  for (std::uint32_t bit = 1; combine.warps_look && bit < ir::kWarpLanes; bit *= 2) {
    text += "sum = " + join + "(exh_swap(sum, " + std::to_string(bit) + "), sum); ";
  }
  // Behind those that it calls.
  look_backs_.push_back(text + "return sum; }");
  return name;
}

void GpuStatements::LookBack(const Combine& combine, std::uint64_t offset) {
  const ir::Instruction& scan = code_.function->inst(combine.reduction);
  const SplitReduction& split = SplitOf(scan.id);
  const std::string element = words_.Register(HeldBy(scan.id));
  const std::string join = CombineFunction(scan), tell = TellFunction(scan),
                    look = LookFunction(scan, combine);
  const std::uint64_t values = split.values(), words = split.status_words;
  const auto columns = ScannedRegisters(scan.id);
  const auto times = [](const std::string& index, std::uint64_t factor) {
    return factor == 1 ? index : "(" + index + ") * " + std::to_string(factor);
  };
  const std::size_t rows = columns.front().rows.size();
  const auto all_of = [&](std::size_t i) { return "exh_all_" + std::to_string(i * rows); };
  // Of a value that the thread has.
  const std::string slot = IndexOver(split.slots);
  const auto value_of = [&](std::size_t i) {
    const std::string first = std::to_string(i * split.num_slots);
    return slot.empty() ? first : first + " + " + slot;
  };
  out_.Open("", scan.name() + ": what the blocks before have");
  const std::string tile = IndexOver(split.tile_classes);
  const std::string statuses = words_.Pointer("unsigned long long");
  out_.Line(statuses + " const exh_statuses = " + PartialName(split.id) +
            (tile.empty() ? "" : " + " + times(tile, split.splits * values * words)) + ";");
  out_.Line("const int exh_block_of_scan = " + IndexOver(split.split_classes) + ";");
  out_.Line(statuses + " const exh_own = exh_statuses + " +
            times("exh_block_of_scan", values * words) + ";");
  const std::string before = words_.Pointer(element, MemSpace::SHARED);
  out_.Line(
      before + " const exh_before = " + words_.CastPointer(before, "exh_shared") + " + " +
      std::to_string((offset + combine.before_at) / ir::BytesOf(ir::ComputeTypeOf(scan.type))) +
      ";");
  out_.Line("const bool exh_is_first = exh_block_of_scan == 0;");
  // All threads with slices of a value know what all of them have: one says it.
  const std::string writers = Condition(split.silent, split.below);
  // In a loop, others may still read what this writes to. Of several values, warps look that do not
  // have them.
  const bool is_one = values == 1;
  if (!is_one || combine.shared.empty()) out_.Line(Meet());
  out_.Open(writers.empty() ? "" : "if (" + writers + ")");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string whole = join + "(" + columns[i].carry + ", " + all_of(i) + ")";
    out_.Line(tell + "(exh_own + " + times(value_of(i), words) +
              ", exh_is_first ? exh_tag + 1u : exh_tag, exh_is_first ? " + whole + " : " +
              all_of(i) + ");");
    if (!is_one) out_.Line("exh_before[" + value_of(i) + "] = " + all_of(i) + ";");
  }
  out_.Close();
  out_.Open("if (!exh_is_first)");
  if (!is_one) out_.Line(Meet());
  LookForEach(split, combine, look, tell);
  out_.Line(Meet());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out_.Line(columns[i].carry + " = exh_before[" + value_of(i) + "];");
  }
  out_.Close();
  out_.Close();
}

/// A warp, or a thread, for each value of the block. It also says at once what all steps until the
/// end of the block make: those behind wait for that.
void GpuStatements::LookForEach(const SplitReduction& split, const Combine& combine,
                                const std::string& look, const std::string& tell) {
  const ir::Instruction& scan = code_.function->inst(split.id);
  const std::string element = words_.Register(HeldBy(scan.id)), join = CombineFunction(scan);
  const std::uint64_t values = split.values();
  const std::uint32_t lanes = combine.warps_look ? ir::kWarpLanes : 1;
  const std::uint32_t lookers = code_.tree.num_threads / lanes;
  const std::string own = lanes == 1 ? "t" : "t / " + std::to_string(lanes);
  const std::string deadline = gives_up_ ? ", exh_end" : "";
  std::string status, all = "exh_all_0", place = "0";
  if (values == 1) {
    out_.Open("if (t < " + std::to_string(lanes) + ")");
  } else {
    place = "exh_value", all = "exh_before[exh_value]";
    status = " + exh_value";
    if (split.status_words > 1) status += " * " + std::to_string(split.status_words);
    out_.Open("for (int exh_value = " + own + "; exh_value < " + std::to_string(values) +
              "; exh_value += " + std::to_string(lookers) + ")");
  }
  out_.Line("const " + element + " exh_found = " + look + "(exh_statuses" + status +
            ", exh_block_of_scan, exh_tag + 1u" + deadline + ");");
  out_.Open(lanes == 1 ? "" : "if (t % " + std::to_string(lanes) + " == 0)");
  out_.Line(tell + "(exh_own" + status + ", exh_tag + 1u, " + join + "(exh_found, " + all + "));");
  out_.Line("exh_before[" + place + "] = exh_found;");
  out_.Close();
  out_.Close();
}

}  // namespace exh::kernels::codegen
