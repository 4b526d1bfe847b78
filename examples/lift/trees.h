// SPDX-License-Identifier: MIT
//
// The trees of the folder trees, for ReadTree().
#pragma once

namespace exh::examples {

/// The convolution of the CC paper (docs/lift.md), as its authors published it.
const char* ConvolutionTree();
/// Listing 1 of the CC paper, with the mappings of its Table 1.
const char* ListingTree();

}  // namespace exh::examples
