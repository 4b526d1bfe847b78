// SPDX-License-Identifier: MIT
//
// The frontier of a search without a tree: decision vectors and programs that were seen. It cannot
// prove that nothing is left; so many duplicates in a row are taken for that.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "search/log/event_log.h"
#include "search/propose/frontier/frontier.h"

namespace exh::search {

class SeenPrograms final : public Frontier {
 public:
  /// References outlive it. After `max_duplicates` in a row nothing new is left to find.
  SeenPrograms(const EntryMaker& entries, EventLog& log, int max_duplicates)
      : entries_(entries), log_(log), max_duplicates_(max_duplicates) {}

  bool learns() const override { return false; }
  /// Always false: what is known when depends on no thread, so that the same seed finds the same.
  bool IsKnown(std::uint64_t /*code*/) const override { return false; }
  bool Admit(Entry entry, ChosenBy chosen_by, Attempt& attempt) override;
  Intake Take(const Attempt& attempt) override;
  void Write(const Entry& /*entry*/, EvalRecord& record) override { log_.Write(record); }
  void Write(BestRecord& record) override { log_.Write(record); }
  void Restore(const Log& log, EndRecord& counts) override;

 private:
  const EntryMaker& entries_;
  EventLog& log_;
  int max_duplicates_;
  std::unordered_set<std::uint64_t> vectors_, codes_;  ///< Their hashes.
  int duplicates_in_a_row_ = 0, given_up_in_a_row_ = 0;
};

}  // namespace exh::search
