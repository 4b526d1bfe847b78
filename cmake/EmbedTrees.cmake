# Run as a script: writes OUT, a C++ source with the trees of maps that lie in FOLDER, one function
# each. OUT is left alone when it would not change.
file(READ ${FOLDER}/convolution.json convolution)
file(READ ${FOLDER}/listing_1.json listing)
set(source "// Generated from examples/lift/trees by cmake/EmbedTrees.cmake.
#include \"examples/lift/trees.h\"

namespace exh::examples {

const char* ConvolutionTree() {
  return R\"json(${convolution})json\";
}

const char* ListingTree() {
  return R\"json(${listing})json\";
}

}  // namespace exh::examples
")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT before STREQUAL source)
  file(WRITE ${OUT} "${source}")
endif()
