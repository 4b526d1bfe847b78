// SPDX-License-Identifier: MIT
//
// What reductions have in registers beside their values, as text: a scan what it carries from step
// to step, a maximum that runs what it was when all was corrected last.
//
//   scan y[i] = x[0] + … + x[i]      carry = carry + x; y = carry;
//   maximum m, sum s of exp(x - m)   by = exp(before - m); s = s * by; before = m;
//
// As long as m is -inf, so is each x. Then readers see 0 in place of m, terms are 0, and what they
// are multiplied by still counts: 0 times infinity is NaN, as it is in the text. If m stays -inf,
// all terms are NaN in the text, and so is what comes of them.
//
// A thread that has a slice of a scan does not know what is before it: it accumulates from step to
// step in the registers of the values themselves, and a kCombine node adds the rest.
#include <algorithm>
#include <limits>

#include "kernels/codegen/print/statements.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

bool IsScanned(const ValueStorage& storage, std::size_t place) {
  return std::ranges::find(storage.scanned, place) != storage.scanned.end();
}

}  // namespace

std::string Statements::BesideName(ir::InstId inst) const {
  return (Storage(inst).beside == BesideValue::kCarry ? "carry_" : "before_") + BareName(inst);
}

std::string Statements::BesideRegister(ir::InstId inst, const Key& key) const {
  std::string text = BesideName(inst);
  for (const std::int64_t index : key) text += "_" + std::to_string(index);
  return text;
}

Statements::Key Statements::BesideKey(ir::InstId inst, const Key& key) const {
  const ValueStorage& storage = Storage(inst);
  Key beside;
  std::size_t at = 0;
  for (std::size_t place = 0; place < storage.key.size(); ++place) {
    if (storage.key[place].is_vector && style_.has_vectors) continue;
    if (!IsScanned(storage, place)) beside.push_back(key[at]);
    ++at;
  }
  return beside;
}

std::vector<std::string> Statements::BesideRegisters(ir::InstId inst) const {
  ValueStorage beside = Storage(inst);
  for (std::size_t place = beside.key.size(); place-- > 0;) {
    if (!IsScanned(beside, place)) continue;
    beside.key.erase(beside.key.begin() + static_cast<std::ptrdiff_t>(place));
  }
  return RegistersOf(BesideName(inst), beside, !style_.has_vectors);
}

std::vector<Statements::ScannedColumn> Statements::ScannedRegisters(ir::InstId scan) const {
  const ValueStorage& storage = Storage(scan);
  std::vector<Key> all(1);
  std::vector<std::size_t> row_of = {0};
  std::size_t rows = 1;
  for (std::size_t place = 0; place < storage.key.size(); ++place) {
    const KeyDim& dim = storage.key[place];
    if (dim.is_vector && style_.has_vectors) continue;
    const auto first_step = storage.scanned.begin() + static_cast<std::ptrdiff_t>(storage.rows);
    const bool is_row = std::find(storage.scanned.begin(), first_step, place) != first_step;
    if (is_row) rows *= dim.size;
    std::vector<Key> longer;
    std::vector<std::size_t> longer_row_of;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::uint32_t index = 0; index < dim.size; ++index) {
        longer.push_back(all[i]);
        longer.back().push_back(index);
        longer_row_of.push_back(is_row ? row_of[i] * dim.size + index : row_of[i]);
      }
    }
    all = std::move(longer);
    row_of = std::move(longer_row_of);
  }
  // Dims are in the order of levels: so are the steps.
  std::vector<ScannedColumn> columns;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string carry = BesideRegister(scan, BesideKey(scan, all[i]));
    auto found = std::ranges::find(columns, carry, &ScannedColumn::carry);
    if (found == columns.end()) {
      columns.push_back({carry, std::vector<std::vector<std::string>>(rows)});
      found = columns.end() - 1;
    }
    found->rows[row_of[i]].push_back(Register(scan, all[i]));
  }
  return columns;
}

std::string Statements::FirstRegister(ir::InstId reduction, const Key& key) const {
  const bool is_scan = Storage(reduction).beside == BesideValue::kCarry;
  return is_scan ? BesideRegister(reduction, key) : Register(reduction, key);
}

std::string Statements::Accumulator(const ir::Instruction& inst) const {
  const bool has_carry = inst.is_scan() && !IsSliced(code_.tree, inst);
  return has_carry ? BesideRegister(inst.id, BesideKey(inst.id, OwnKey(inst.id)))
                   : OwnRegister(inst.id);
}

std::string Statements::AllLanes(const std::string& value, ir::Type type,
                                 std::uint32_t lanes) const {
  return style_.has_vectors && lanes > 1 ? AsVector({value}, type, lanes) : value;
}

/// Of the unrolled copies along its axis, the one before, in the same row.
std::string Statements::StepBefore(const ir::Instruction& scan) const {
  const ValueStorage& storage = Storage(scan.id);
  Key key = OwnKey(scan.id);
  for (std::size_t i = storage.scanned.size(); i-- > storage.rows;) {
    std::size_t at = 0;
    for (std::size_t place = 0; place < storage.scanned[i]; ++place) {
      at += storage.key[place].is_vector && style_.has_vectors ? 0 : 1;
    }
    if (key[at] > 0) {
      --key[at];
      return Register(scan.id, key);
    }
    key[at] = storage.key[storage.scanned[i]].size - 1LL;
  }
  return "";
}

void Statements::StepOfScan(const ir::Instruction& scan, const std::string& value,
                            const std::string& inside) {
  const std::string own = OwnRegister(scan.id), accumulator = Accumulator(scan);
  if (IsSliced(code_.tree, scan)) {
    const std::string before = StepBefore(scan);
    const std::string identity =
        AllLanes(IdentityOf(scan), HeldBy(scan.id), Storage(scan.id).lanes);
    out_.Line(own + " = " + (before.empty() ? identity : before) + ";");
  } else if (scan.keeps == ir::Keeps::kBefore) {
    out_.Line(own + " = " + accumulator + ";");
  }
  if (inside != kNever) {
    out_.Line((inside.empty() ? "" : "if (" + inside + ") ") + accumulator + " = " + value + ";");
  }
  if (own != accumulator && scan.keeps == ir::Keeps::kEach) {
    out_.Line(own + " = " + accumulator + ";");
  }
}

void Statements::BeginBefore(ir::InstId maximum, const Key& key) {
  if (Storage(maximum).beside != BesideValue::kBefore) return;
  const std::string identity = IdentityOf(code_.function->inst(maximum));
  out_.Line(BesideRegister(maximum, key) + " = " +
            AllLanes(identity, HeldBy(maximum), Storage(maximum).lanes) + ";");
}

ValueText Statements::FiniteOf(const ir::Instruction& inst, std::size_t operand) const {
  const ValueText value = ReadRegister(inst, operand);
  const ir::InstId producer = Values(inst.id).reads[operand].producer;
  const ir::Type held = HeldBy(producer);
  const std::uint32_t lanes = value.is_vector ? Values(inst.id).lanes : 1;
  const auto all = [&](const ir::Number& number) {
    return AllLanes(Number(number, held), held, lanes);
  };
  const ir::Number lowest = ir::IdentityOf(ir::Op::kMax, code_.function->inst(producer).type);
  return {"(" + value.text + " == " + all(lowest) + " ? " + all(0) + " : " + value.text + ")",
          value.is_vector};
}

// The difference of two infinities is not a number.
std::string Statements::Correction(ir::InstId maximum, const std::string& before,
                                   const std::string& now) const {
  const ir::Type held = HeldBy(maximum);
  const std::uint32_t lanes = style_.has_vectors ? Storage(maximum).lanes : 1;
  const bool is_vector = lanes > 1;
  const ValueText less =
      OpText(ir::Op::kSub, held, {{before, is_vector}, {now, is_vector}}, lanes, helpers_);
  const ValueText factor = OpText(ir::Op::kExp, held, {{less.text, is_vector}}, lanes, helpers_);
  return "(" + before + " == " + now + ") ? " + AllLanes(Number(1, held), held, lanes) + " : " +
         factor.text;
}

void Statements::Correct(int node) {
  const ir::InstId id = code_.tree.node(node).inst;
  const ir::Type held = HeldBy(id);
  for (const Place& place : RegistersAt(id, node)) {
    const std::string before = BesideRegister(id, place.key);
    const std::string& now = place.name;
    out_.Open("", code_.function->inst(id).name() + ": what comes of it");
    out_.Line(ConstantOf(held) + " exh_by = " + Correction(id, before, now) + ";");
    if (code_.fault == Fault::kUncorrected) out_.Line("(void)exh_by;");
    for (const OneSum& sum : SumsAt(node, place)) {
      if (code_.fault == Fault::kUncorrected) continue;
      out_.Line(sum.name + " = " + sum.name + " * exh_by;");
    }
    out_.Line(before + " = " + now + ";");
    out_.Close();
  }
}

/// Where a maximum has nothing but what is infinitely low, its terms are not numbers.
void Statements::Settle(int node) {
  const ir::InstId id = code_.tree.node(node).inst;
  const std::uint32_t lanes = style_.has_vectors ? Storage(id).lanes : 1;
  const std::string lowest = AllLanes(IdentityOf(code_.function->inst(id)), HeldBy(id), lanes);
  for (const Place& place : RegistersAt(id, node)) {
    for (const OneSum& sum : SumsAt(node, place)) {
      const ir::Number none = std::numeric_limits<double>::quiet_NaN();
      out_.Line(sum.name + " = (" + place.name + " == " + lowest + ") ? " +
                AllLanes(Number(none, sum.held), sum.held, sum.lanes) + " : " + sum.name + ";");
    }
  }
}

Statements::Key Statements::KeyOfMaximum(const CorrectedSum& corrected, const Key& sum) const {
  const ValueStorage& storage = Storage(corrected.sum);
  Key key;
  for (const std::size_t wanted : corrected.places) {
    if (storage.key[wanted].is_vector && style_.has_vectors) continue;
    std::size_t at = 0;
    for (std::size_t i = 0; i < wanted; ++i) {
      at += storage.key[i].is_vector && style_.has_vectors ? 0 : 1;
    }
    key.push_back(sum[at]);
  }
  return key;
}

std::vector<Statements::OneSum> Statements::SumsAt(int node, const Place& maximum) const {
  std::vector<OneSum> sums;
  for (const CorrectedSum& corrected : code_.values.corrected[code_.tree.node(node).inst.index()]) {
    const ValueStorage& storage = Storage(corrected.sum);
    const std::uint32_t lanes =
        style_.has_vectors ? std::max(storage.lanes, storage.parts.lanes) : 1;
    for (const Place& place : RegistersAt(corrected.sum, node)) {
      if (KeyOfMaximum(corrected, place.key) != maximum.key) continue;
      for (const std::string& name : SumsOf(corrected.sum, place.key)) {
        sums.push_back({name, HeldBy(corrected.sum), lanes});
      }
    }
  }
  return sums;
}

}  // namespace exh::kernels::codegen
