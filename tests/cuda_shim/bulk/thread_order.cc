// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/bulk/thread_order.h"

#include <algorithm>

namespace exh_shim {
namespace {

void Join(ThreadOrder::Clock& into, const ThreadOrder::Clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

/// A thread that reads again and again while others do may be there several times.
constexpr std::size_t kManyReaders = 1024;

}  // namespace

void ThreadOrder::Begin(unsigned threads) {
  clocks_.assign(threads, Clock(threads));
  for (unsigned t = 0; t < threads; ++t) clocks_[t][t] = 1;
}

void ThreadOrder::Tell(unsigned thread, Clock& news) {
  Join(news, clocks_[thread]);
  ++clocks_[thread][thread];
}

void ThreadOrder::Hear(unsigned thread, const Clock& news) {
  Join(clocks_[thread], news);
}

void ThreadOrder::Meet(unsigned first, unsigned count) {
  Clock all;
  for (unsigned t = first; t < first + count; ++t) Join(all, clocks_[t]);
  for (unsigned t = first; t < first + count; ++t) {
    clocks_[t] = all;
    ++clocks_[t][t];
  }
}

std::uint32_t ThreadOrder::Phases(unsigned thread, std::size_t barrier) const {
  const std::size_t place = clocks_.size() + barrier;
  return place < clocks_[thread].size() ? clocks_[thread][place] : 0;
}

void ThreadOrder::HearPhases(unsigned thread, std::size_t barrier, std::uint32_t phases) {
  const std::size_t place = clocks_.size() + barrier;
  Clock& clock = clocks_[thread];
  if (clock.size() <= place) clock.resize(place + 1);
  clock[place] = std::max(clock[place], phases);
}

const Moment* GrainPast::ReaderApart(const ThreadOrder& order, unsigned thread) const {
  for (const Moment& reader : readers) {
    if (reader.thread != thread && !order.IsBefore(reader, thread)) return &reader;
  }
  return nullptr;
}

const Moment* GrainPast::WriterApart(const ThreadOrder& order, unsigned thread) const {
  for (const GrainWriter& writer : writers) {
    if (writer.last.thread != thread && !order.IsBefore(writer.last, thread)) return &writer.last;
  }
  return nullptr;
}

bool GrainPast::IsWriter(unsigned thread) const {
  return std::ranges::any_of(
      writers, [&](const GrainWriter& writer) { return writer.last.thread == thread; });
}

const Moment* GrainPast::Contradicts(const ThreadOrder& order, unsigned thread, bool differs) {
  const Moment* found = nullptr;
  for (GrainWriter& writer : writers) {
    if (differs) writer.differed = writer.last.time;
    if (writer.last.thread != thread &&
        !order.IsBefore({writer.last.thread, writer.differed}, thread)) {
      found = &writer.last;
    }
  }
  return found;
}

void GrainPast::Read(const Moment& now) {
  if (!readers.empty() && readers.back().thread == now.thread) {
    readers.back() = now;
    return;
  }
  if (readers.size() >= kManyReaders)
    std::erase_if(readers, [&](const Moment& reader) { return reader.thread == now.thread; });
  readers.push_back(now);
}

void GrainPast::Write(const ThreadOrder& order, unsigned thread) {
  copy = -1;
  if (WriterApart(order, thread) == nullptr) {
    std::erase_if(writers, [&](const GrainWriter& writer) { return writer.last.thread != thread; });
    readers.clear();
  }
  for (GrainWriter& writer : writers) {
    if (writer.last.thread != thread) continue;
    writer.last = order.Now(thread);
    return;
  }
  writers.push_back({order.Now(thread)});
}

void GrainPast::CopyTo(std::int32_t number) {
  copy = number;
  writers.clear();
  readers.clear();
}

}  // namespace exh_shim
