# Run as a script: writes OUT, a C++ source with the texts of FILES, a list of .kernel files. They are
# read byte for byte, and OUT is left alone when it would not change.
set(entries "")
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"kernel(${text})kernel\"},\n")
endforeach()
set(source "// Generated from kernels/library/texts by cmake/EmbedKernels.cmake.
#include \"kernels/library/library_texts.h\"

namespace exh::kernels {
namespace {

constexpr KernelText kTexts[] = {
${entries}};

}  // namespace

std::span<const KernelText> LibraryTexts() {
  return kTexts;
}

}  // namespace exh::kernels
")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT before STREQUAL source)
  file(WRITE ${OUT} "${source}")
endif()
