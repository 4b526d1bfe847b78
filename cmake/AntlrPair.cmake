# ANTLR's tool writes the parser's tables in a form that its runtime must read. 4.10 changed the form,
# so both must stand on the same side of it; the minor versions beside that may differ.

# exh_antlr_pair(tool_version runtime_version out): sets `out` to what is wrong, empty if they fit.
function(exh_antlr_pair tool runtime out)
  set(${out} "" PARENT_SCOPE)
  foreach(part tool runtime)
    if(NOT ${part} MATCHES "^4\\.[0-9]+")
      set(${out} "ANTLR's ${part} has version '${${part}}', expected 4.x" PARENT_SCOPE)
      return()
    endif()
    set(old_form FALSE)
    if(${part} VERSION_LESS 4.10)
      set(old_form TRUE)
    endif()
    set(${part}_old_form ${old_form})
  endforeach()
  if(NOT tool_old_form STREQUAL runtime_old_form)
    set(${out} "ANTLR's tool is ${tool} and its C++ runtime is ${runtime}: 4.10 changed the tables that \
they share, so both must be older than 4.10 or neither. Install a matching pair, for example \
the tool antlr-${runtime}-complete.jar behind a script named antlr4 that is found first" PARENT_SCOPE)
  endif()
endfunction()

# exh_antlr_tool_version(tool out): the version that the tool states; empty when it does not run.
function(exh_antlr_tool_version tool out)
  execute_process(COMMAND ${tool} OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE ignored)
  set(${out} "" PARENT_SCOPE)
  if(text MATCHES "ANTLR Parser Generator +Version ([0-9.]+)")
    set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

# exh_antlr_runtime_version(include library out): what the runtime states when it is linked; empty
# when it does not compile, link or run.
function(exh_antlr_runtime_version include library out)
  set(dir ${CMAKE_BINARY_DIR}/antlr_version)
  file(WRITE ${dir}/main.cc "#include <iostream>\n#include <RuntimeMetaData.h>\n\
int main() { std::cout << antlr4::RuntimeMetaData::getRuntimeVersion(); }\n")
  try_run(ran compiled ${dir} ${dir}/main.cc
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${include} LINK_LIBRARIES ${library}
    CXX_STANDARD 17 RUN_OUTPUT_VARIABLE text)
  set(${out} "" PARENT_SCOPE)
  if(compiled AND ran EQUAL 0)
    set(${out} ${text} PARENT_SCOPE)
  endif()
endfunction()
