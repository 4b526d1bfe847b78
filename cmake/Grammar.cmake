# exh_grammar, exh_kernel_grammar, exh_functional_grammar: ANTLR's output for the grammars. C++17, because ANTLR 4.7.2
# emits u8"" tables that do not compile as C++20; no warnings, because it is not our text.
include(${CMAKE_CURRENT_LIST_DIR}/AntlrPair.cmake)
find_program(ANTLR4_TOOL NAMES antlr4 REQUIRED)
find_path(ANTLR4_INCLUDE antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
# The archive where there is one: programs then run where ANTLR is not installed.
find_library(ANTLR4_RUNTIME NAMES libantlr4-runtime.a antlr4-runtime REQUIRED)

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

# exh_grammar_of(target file.g4 namespace): a library of the lexer and the parser of a grammar.
function(exh_grammar_of target grammar namespace)
  cmake_path(GET grammar STEM name)
  set(out ${PROJECT_BINARY_DIR}/generated/${target})
  set(files ${out}/${name}Lexer.cpp ${out}/${name}Lexer.h ${out}/${name}Parser.cpp ${out}/${name}Parser.h)
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${ANTLR4_TOOL} -Dlanguage=Cpp -Xexact-output-dir -no-listener -no-visitor
            -package ${namespace} -o ${out} ${PROJECT_SOURCE_DIR}/${grammar}
    DEPENDS ${PROJECT_SOURCE_DIR}/${grammar}
    COMMENT "antlr4 ${name}.g4" VERBATIM)
  add_library(${target} STATIC ${out}/${name}Lexer.cpp ${out}/${name}Parser.cpp)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 17)
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC $<BUILD_INTERFACE:${out}> $<BUILD_INTERFACE:${antlr_headers}>)
  target_link_libraries(${target} PUBLIC ${ANTLR4_RUNTIME})
endfunction()

exh_grammar_of(exh_grammar dsl/Exh.g4 exh::dsl::grammar)
exh_grammar_of(exh_kernel_grammar kernels/notation/syntax/Kernel.g4 exh::kernels::notation::grammar)
exh_grammar_of(exh_functional_grammar functional/syntax/Fun.g4 exh::functional::grammar)
