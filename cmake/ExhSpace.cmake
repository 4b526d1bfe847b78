# exh_add_space() and exh_add_kernel(), in this tree and in the installed package alike: they use only
# the targets Exhaust::… and the folder of the spaces that come with Exhaust, which is found from the
# place of this file.
include_guard(GLOBAL)
set(EXH_PLUGIN_SYMBOLS ${CMAKE_CURRENT_LIST_DIR}/plugin.map)
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/ExhaustTargets.cmake)
  cmake_path(SET EXH_SPACE_FOLDER NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../../share/exhaust/spaces)
else()
  cmake_path(SET EXH_SPACE_FOLDER NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../kernels/spaces)
endif()

# exh_add_space(name SOURCE file.exh [BACKBONE target] [AS space]): compiles a .exh file into the
# static library exh_space_<name>; its header is included as "spaces/<space>.exh.h", the plain data of
# its implementations as "spaces/<space>.exh.schedule.h", the filters of its requirements as
# "spaces/<space>.exh.filters.h". The space is called like the file unless AS says
# otherwise. The backbone is Exhaust::ir, that of linear algebra, unless it is named. Includes are
# looked for beside the file, then among the spaces that come with Exhaust: include "linalg.exh".
# Editing an included .exh rebuilds.
function(exh_add_space name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;BACKBONE;AS" "")
  if(NOT arg_SOURCE)
    message(FATAL_ERROR "exh_add_space(${name}): SOURCE file.exh is missing")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "exh_add_space(${name}): unknown '${arg_UNPARSED_ARGUMENTS}'; it takes "
                        "SOURCE file.exh [BACKBONE target] [AS space]")
  endif()
  if(NOT arg_BACKBONE)
    set(arg_BACKBONE Exhaust::ir)
  endif()
  if(NOT arg_AS)
    cmake_path(GET arg_SOURCE STEM LAST_ONLY arg_AS)
  endif()
  cmake_path(ABSOLUTE_PATH arg_SOURCE OUTPUT_VARIABLE source)
  # exhc runs in the build folder, so that the generated text names itself by a relative path that a
  # debugger finds.
  set(prefix generated/spaces/${arg_AS}.exh)
  set(out ${PROJECT_BINARY_DIR}/${prefix})
  # The first output is the first target of exhc's make rule: ninja takes a rule that begins with another
  # one for a stranger's, and runs exhc at every call.
  add_custom_command(
    OUTPUT ${out}.schedule.h ${out}.h ${out}.cc ${out}.filters.h
    COMMAND $<TARGET_FILE:Exhaust::exhc> build --root ${PROJECT_SOURCE_DIR} -I ${EXH_SPACE_FOLDER}
            --out ${prefix} --space ${arg_AS} --depfile ${out}.d ${source}
    DEPENDS Exhaust::exhc ${source}
    DEPFILE ${out}.d
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "exhc ${arg_SOURCE}" VERBATIM)
  add_library(exh_space_${name} STATIC ${out}.cc ${out}.h ${out}.schedule.h ${out}.filters.h)
  set_target_properties(exh_space_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_features(exh_space_${name} PUBLIC cxx_std_20)
  target_include_directories(exh_space_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
  target_link_libraries(exh_space_${name} PUBLIC Exhaust::runtime ${arg_BACKBONE})
endfunction()

# exh_add_kernel(name SOURCES file.cc... [SPACE name]): builds the plugin <name>, a shared object
# <name>.so for `search --plugin`. SPACE is what exh_add_space was called with; without it the kernels
# are searched in the space of linear algebra that comes with Exhaust. One of the sources says
# EXH_PLUGIN(space, makers...) ("kernels/plugin.h").
#
# The plugin carries its own copy of the libraries and shows nothing but the function of EXH_PLUGIN.
function(exh_add_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SPACE" "SOURCES")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "exh_add_kernel(${name}): SOURCES file.cc... are missing")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "exh_add_kernel(${name}): unknown '${arg_UNPARSED_ARGUMENTS}'; it takes "
                        "SOURCES file.cc... [SPACE name]")
  endif()
  set(space Exhaust::space_linalg)
  if(arg_SPACE)
    set(space exh_space_${arg_SPACE})
    if(NOT TARGET ${space})
      message(FATAL_ERROR "exh_add_kernel(${name}): there is no space '${arg_SPACE}'; "
                          "exh_add_space(${arg_SPACE} SOURCE file.exh) comes before it")
    endif()
  endif()
  add_library(${name} MODULE ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${name} PRIVATE Exhaust::plugin ${space})
  target_link_options(${name} PRIVATE LINKER:-z,defs LINKER:--version-script=${EXH_PLUGIN_SYMBOLS})
endfunction()
