// SPDX-License-Identifier: MIT
//
// What kernels/spaces/running.exh asks: which values may be read while they run, and what they
// correct.
#include <algorithm>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {

Refs<Communication> Target::running_comms() const {
  Refs<Communication> out;
  for (const Communication& c : comms) {
    if (c.running && !paper) out.push_back(std::cref(c));
  }
  return out;
}

bool Target::is_term_loop(const Communication& c, const Dimension& d) const {
  return c.running && std::ranges::find(c.running->term_loops, d.id) != c.running->term_loops.end();
}

bool Target::is_term_loop_of_block(const Communication& c, const Dimension& d) const {
  return c.running && std::ranges::find(c.running->term_loops_of_block, d.id) !=
                          c.running->term_loops_of_block.end();
}

Refs<Link> Target::links_of(const Communication& c) const {
  Refs<Link> out;
  if (!c.running) return out;
  for (const LinkId id : c.running->links) out.push_back(std::cref(link(id)));
  return out;
}

bool Target::fits_link(const Link& link) const {
  return HaveSameLanes(dim(link.src), dim(link.dst));
}

}  // namespace exh::kernels::ir
