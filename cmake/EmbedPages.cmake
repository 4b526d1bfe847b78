# Run as a script: writes OUT, a C++ source with the text of every docs/diagnostics/<code>.md. Files
# are read byte for byte, and OUT is left alone when it would not change.
file(GLOB pages ${FOLDER}/[EW][0-9][0-9][0-9][0-9].md)
list(SORT pages)
set(entries "")
foreach(page IN LISTS pages)
  cmake_path(GET page STEM code)
  string(SUBSTRING ${code} 1 4 number)
  string(REGEX REPLACE "^0+" "" number ${number})
  file(READ ${page} text)
  string(APPEND entries "    {${number}, R\"page(${text})page\"},\n")
endforeach()
set(source "// Generated from docs/diagnostics by cmake/EmbedPages.cmake.
#include \"dsl/diagnostics/diagnostic_pages.h\"

namespace exh::dsl {
namespace {

struct Page {
  int number;
  std::string_view text;
};

constexpr Page kPages[] = {
    {0, \"\"},
${entries}};

}  // namespace

std::string_view DiagnosticPage(Diag diag) {
  for (const Page& page : kPages) {
    if (page.number == static_cast<int>(diag)) return page.text;
  }
  return {};
}

}  // namespace exh::dsl
")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT before STREQUAL source)
  file(WRITE ${OUT} "${source}")
endif()
