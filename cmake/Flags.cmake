# What the tree is written in is C++20 as g++ 12 has it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} is g++ ${CMAKE_CXX_COMPILER_VERSION}: 12 or newer is needed. "
                      "Install one (Debian: g++-12) and name it: CXX=g++-12")
endif()

# exh_flags: what every target of ours is compiled with. ANTLR's output and system headers are not.
add_library(exh_flags INTERFACE)
target_compile_options(exh_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                       -Wno-missing-field-initializers)  # designated initialisers say what they set
if(EXH_WERROR)
  target_compile_options(exh_flags INTERFACE -Werror)
endif()
target_include_directories(exh_flags INTERFACE ${PROJECT_SOURCE_DIR})

# exh_library(name SOURCES … LINK … [PRIVATE_LINK …]): a static library of ours.
function(exh_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;PRIVATE_LINK")
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC exh_flags ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
endfunction()

# exh_test(name LABEL … SOURCES … LINK …): a GoogleTest program, run as one CTest.
function(exh_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "SOURCES;LINK;ARGS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE exh_flags ${arg_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE EXH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" EXH_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}")
endfunction()
