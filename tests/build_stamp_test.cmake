# SPDX-License-Identifier: MIT
# The stamp of plugins: the same for the same text wherever it lies, another one for any change.
# Run as cmake -D WORK=folder -P tests/build_stamp_test.cmake.
cmake_minimum_required(VERSION 3.25)
set(script ${CMAKE_CURRENT_LIST_DIR}/../cmake/BuildStamp.cmake)
file(REMOVE_RECURSE ${WORK})

# far/away.h is reached from plugin.h in two steps, and includes what includes it.
function(make_tree root)
  foreach(file runtime/space.h runtime/internal/network.h runtime/internal/rows/run.cc runtime/state.cc
          kernels/ir/function.h kernels/beside.h)
    file(WRITE ${root}/${file} "text of ${file}\n")
  endforeach()
  file(WRITE ${root}/kernels/plugin.h "#include <vector>\n#include \"kernels/library/kernel.h\"\n")
  file(WRITE ${root}/kernels/library/kernel.h "  # include \"kernels/far/away.h\"  // why\n")
  file(WRITE ${root}/kernels/far/away.h
    "#include \"kernels/library/kernel.h\"\n#include \"runtime/space.h\"\n#include \"not/ours.h\"\n")
endfunction()

function(stamp root out)
  execute_process(COMMAND ${CMAKE_COMMAND} -D OUT=${WORK}/stamp.cc -D VERSION=1.2.3 -D ROOT=${root}
                          -P ${script} COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${WORK}/stamp.cc text)
  if(NOT text MATCHES "return \"(1\\.2\\.3 [0-9a-f]+)\";")
    message(SEND_ERROR "no stamp in:\n${text}")
  endif()
  set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

make_tree(${WORK}/one)
make_tree("${WORK}/and two")
stamp(${WORK}/one one)
stamp("${WORK}/and two" two)
if(NOT one STREQUAL two)
  message(SEND_ERROR "equal trees have the stamps '${one}' and '${two}'")
endif()
file(READ ${WORK}/stamp.cc.d rule)
string(FIND "${rule}" "and\\ two/runtime/internal/network.h" at)
if(at EQUAL -1)
  message(SEND_ERROR "the rule does not name every file:\n${rule}")
endif()

foreach(file runtime/internal/network.h runtime/internal/rows/run.cc runtime/state.cc kernels/ir/function.h
        kernels/plugin.h runtime/new.h kernels/library/kernel.h kernels/far/away.h)
  file(APPEND ${WORK}/one/${file} "more\n")
  stamp(${WORK}/one changed)
  if(changed STREQUAL one)
    message(SEND_ERROR "${file} changed, the stamp did not: ${changed}")
  endif()
  set(one ${changed})
endforeach()

# What plugins do not see may change.
file(APPEND ${WORK}/one/kernels/beside.h "more\n")
stamp(${WORK}/one changed)
if(NOT changed STREQUAL one)
  message(SEND_ERROR "kernels/beside.h is included by nothing, and the stamp changed")
endif()

# In this tree: what crosses between a plugin and the program is in types of these headers.
stamp(${CMAKE_CURRENT_LIST_DIR}/.. ours)
file(READ ${WORK}/stamp.cc.d rule)
foreach(file kernels/plugin.h kernels/library/kernel.h kernels/kernel_space.h kernels/ir/target.h
        kernels/evaluation.h kernels/vendor_call.h kernels/launch.h kernels/spaces/memory.exh
        kernels/named_map.h kernels/ir/builder.h kernels/ir/builder.cc runtime/candidate.h)
  string(FIND "${rule}" "/${file}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "the stamp does not cover ${file}:\n${rule}")
  endif()
endforeach()

# A copy of this tree has the same stamp, until one of them changes.
set(tree ${CMAKE_CURRENT_LIST_DIR}/..)
file(GLOB_RECURSE sources RELATIVE ${tree} ${tree}/base/*.h ${tree}/runtime/*.h ${tree}/runtime/*.cc
  ${tree}/kernels/*.h ${tree}/kernels/ir/*.cc ${tree}/kernels/spaces/*.exh)
foreach(file IN LISTS sources)
  configure_file(${tree}/${file} ${WORK}/copy/${file} COPYONLY)
endforeach()
stamp(${WORK}/copy copy)
if(NOT copy STREQUAL ours)
  message(SEND_ERROR "a copy of this tree has the stamp '${copy}', and the tree '${ours}'")
endif()
foreach(file kernels/evaluation.h kernels/launch.h kernels/vendor_call.h kernels/named_map.h)
  file(APPEND ${WORK}/copy/${file} "// A field more.\n")
  stamp(${WORK}/copy changed)
  if(changed STREQUAL copy)
    message(SEND_ERROR "${file} changed, the stamp did not: ${changed}")
  endif()
  set(copy ${changed})
endforeach()
file(APPEND ${WORK}/copy/kernels/devices/backend.h "// No plugin sees it.\n")
stamp(${WORK}/copy changed)
if(NOT changed STREQUAL copy)
  message(SEND_ERROR "no plugin sees kernels/devices/backend.h, and the stamp changed")
endif()
