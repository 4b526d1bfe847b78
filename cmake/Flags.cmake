# What the tree is written in is C++20 as g++ 12 has it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} is g++ ${CMAKE_CXX_COMPILER_VERSION}: 12 or newer is needed. "
                      "Install one (Debian: g++-12) and name it: CXX=g++-12")
endif()

# exh_flags: what every target of ours is compiled with. ANTLR's output and system headers are not.
add_library(exh_flags INTERFACE)
# Nobody else's: the installed target has the standard and the place of the headers, no warnings.
target_compile_features(exh_flags INTERFACE cxx_std_20)
set(exh_warnings -Wall -Wextra -Wshadow -Wnon-virtual-dtor
    -Wno-missing-field-initializers)  # designated initialisers say what they set
if(EXH_WERROR)
  list(APPEND exh_warnings -Werror)
endif()
target_compile_options(exh_flags INTERFACE "$<BUILD_INTERFACE:${exh_warnings}>")
target_include_directories(exh_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                               $<INSTALL_INTERFACE:include/exhaust>)

# exh_cold(target…): what takes longer to optimise than it ever runs.
function(exh_cold)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
  endforeach()
endfunction()

# exh_library(name SOURCES … LINK … [PRIVATE_LINK …]): a static library of ours. Packages of
# others that are headers alone are needed to build it, not to use it: the installed target does not
# name them.
function(exh_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;PRIVATE_LINK")
  add_library(${name} STATIC)
  exh_sources(${name} ${arg_SOURCES})
  list(TRANSFORM arg_PRIVATE_LINK REPLACE "^(nlohmann_json::.*|Eigen3::.*|CLI11::.*)$" "$<BUILD_INTERFACE:\\1>")
  target_link_libraries(${name} PUBLIC exh_flags ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
endfunction()

# exh_test(name LABEL … SOURCES … LINK …): a GoogleTest program, run as one CTest. Its own files take longer
# to optimise than they run; what they test is optimised as it is elsewhere.
function(exh_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "SOURCES;LINK;ARGS")
  add_executable(${name})
  exh_sources(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE exh_flags exh_test_tree ${arg_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}")
endfunction()
