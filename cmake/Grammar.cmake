# exh_grammar: ANTLR's output for dsl/Exh.g4. C++17, because ANTLR 4.7.2 emits u8"" tables that do not
# compile as C++20; no warnings, because it is not our text.
include(${CMAKE_CURRENT_LIST_DIR}/AntlrPair.cmake)
find_program(ANTLR4_TOOL NAMES antlr4 REQUIRED)
find_path(ANTLR4_INCLUDE antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
find_library(ANTLR4_RUNTIME antlr4-runtime REQUIRED)

# Once per pair of tool and runtime: starting both costs seconds.
set(antlr_pair "${ANTLR4_TOOL};${ANTLR4_INCLUDE};${ANTLR4_RUNTIME}")
if(NOT EXH_ANTLR_PAIR STREQUAL antlr_pair)
  exh_antlr_tool_version(${ANTLR4_TOOL} tool_version)
  if(NOT tool_version)
    message(FATAL_ERROR "${ANTLR4_TOOL} does not run: is Java installed (default-jre-headless)?")
  endif()
  exh_antlr_runtime_version(${ANTLR4_INCLUDE} ${ANTLR4_RUNTIME} runtime_version)
  exh_antlr_pair("${tool_version}" "${runtime_version}" problem)
  if(problem)
    message(FATAL_ERROR "${problem}")
  endif()
  message(STATUS "ANTLR: tool ${tool_version}, runtime ${runtime_version}")
  set(EXH_ANTLR_PAIR "${antlr_pair}" CACHE INTERNAL "the tool and runtime that were found to fit")
endif()

# Clang takes exception to a defaulted constructor beside const members without a value, which is what
# Vocabulary.h of ANTLR 4.7.2 has. It gets a copy of the headers with the values said.
set(antlr_headers ${ANTLR4_INCLUDE})
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(antlr_headers ${PROJECT_BINARY_DIR}/antlr4-runtime)
  file(COPY ${ANTLR4_INCLUDE}/ DESTINATION ${antlr_headers})
  file(READ ${antlr_headers}/Vocabulary.h vocabulary)
  string(REGEX REPLACE "( const _[A-Za-z]+);" "\\1{};" vocabulary "${vocabulary}")
  file(CONFIGURE OUTPUT ${antlr_headers}/Vocabulary.h CONTENT "${vocabulary}" @ONLY)
endif()

set(grammar_out ${PROJECT_BINARY_DIR}/generated/grammar)
set(grammar_files ${grammar_out}/ExhLexer.cpp ${grammar_out}/ExhLexer.h
                  ${grammar_out}/ExhParser.cpp ${grammar_out}/ExhParser.h)
add_custom_command(
  OUTPUT ${grammar_files}
  COMMAND ${ANTLR4_TOOL} -Dlanguage=Cpp -Xexact-output-dir -no-listener -no-visitor
          -package exh::dsl::grammar -o ${grammar_out} ${PROJECT_SOURCE_DIR}/dsl/Exh.g4
  DEPENDS ${PROJECT_SOURCE_DIR}/dsl/Exh.g4
  COMMENT "antlr4 Exh.g4" VERBATIM)
add_library(exh_grammar STATIC ${grammar_out}/ExhLexer.cpp ${grammar_out}/ExhParser.cpp)
set_target_properties(exh_grammar PROPERTIES CXX_STANDARD 17)
target_compile_options(exh_grammar PRIVATE -w)
target_include_directories(exh_grammar SYSTEM PUBLIC ${grammar_out} ${antlr_headers})
target_link_libraries(exh_grammar PUBLIC ${ANTLR4_RUNTIME})
