// SPDX-License-Identifier: MIT
//
// What it takes to build the spaces that users search, and how fast random descents find
// implementations in them.
//
// Of each space, in a process of its own and on one core: seconds and peak memory of the freeze
// (peak minus what the program had before), bytes of a state, implementations a second by descents
// that back out of dead ends, dead ends met for each implementation, the share of uniform descents
// that die when nothing is backed out of (the measure of the paper, section 5.2), and changed
// domains for each implementation, with the time that each takes. Below stands who had the last
// word in most dead ends, with dead ends for each implementation.
#pragma once

#include <cstdint>
#include <string>

namespace exh::tests {

/// Prints a row for every kernel of the library and for chains of products: the default space of
/// the devices h200 and cpu, and the paper's space of k4000. `seconds` for each measurement of a
/// row; of one `device`, of one `kernel` (a name, or a file), or of all where they are empty.
void MeasureSpaces(double seconds, const std::string& device = "", const std::string& kernel = "");

/// The same of the computations of tests/kernels/computations, with sizes `times` as large.
void MeasureComputations(double seconds, const std::string& device, std::int64_t times);

}  // namespace exh::tests
