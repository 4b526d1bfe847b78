// SPDX-License-Identifier: MIT
//
// What kernels/spaces/windows.exh asks.
#include "kernels/ir/target.h"

namespace exh::kernels::ir {

Refs<WindowSpan> Target::spans_of(const Window& w) const {
  Refs<WindowSpan> out;
  for (const SpanId id : w.spans) out.push_back(std::cref(span(id)));
  return out;
}

Refs<SpanTerm> Target::terms_of(const WindowSpan& s) const {
  Refs<SpanTerm> out;
  for (const SpanTerm& term : terms) {
    if (term.span == s.id) out.push_back(std::cref(term));
  }
  return out;
}

Refs<Room> Target::rooms() const {
  Refs<Room> out;
  for (const Room& room : room_list) {
    if (room.below() < device.shared_bytes) out.push_back(std::cref(room));
  }
  return out;
}

}  // namespace exh::kernels::ir
