# Run by `cmake -P`: which versions of ANTLR's tool and runtime are taken for a pair.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/AntlrPair.cmake)

function(expect tool runtime fits)
  exh_antlr_pair("${tool}" "${runtime}" problem)
  if(fits AND problem)
    message(SEND_ERROR "tool '${tool}' and runtime '${runtime}' fit, but: ${problem}")
  elseif(NOT fits AND NOT problem)
    message(SEND_ERROR "tool '${tool}' and runtime '${runtime}' do not fit, but nothing is said")
  endif()
endfunction()

expect(4.7.2 4.9 TRUE)      # Debian 12
expect(4.9.2 4.7.2 TRUE)
expect(4.13.1 4.10 TRUE)
expect(4.9.3 4.10.1 FALSE)  # Either side of 4.10, as text 4.9 > 4.10
expect(4.10.1 4.9 FALSE)
expect(4.7.2 "" FALSE)
expect("" 4.9 FALSE)
expect(3.5.3 4.9 FALSE)
