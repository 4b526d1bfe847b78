# exh_add_space(name SOURCE file.exh BACKBONE target [AS space]): compiles a .exh file into the static
# library exh_space_<name>; its header is included as "spaces/<space>.exh.h", the filters of its
# requirements as "spaces/<space>.exh.filters.h". The space is called like the file unless AS says
# otherwise. Editing an included .exh rebuilds.
function(exh_add_space name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;BACKBONE;AS" "")
  if(NOT arg_AS)
    cmake_path(GET arg_SOURCE STEM LAST_ONLY arg_AS)
  endif()
  cmake_path(ABSOLUTE_PATH arg_SOURCE OUTPUT_VARIABLE source)
  # exhc runs in the build folder, so that the generated text names itself by a relative path that a
  # debugger finds.
  set(prefix generated/spaces/${arg_AS}.exh)
  set(out ${PROJECT_BINARY_DIR}/${prefix})
  add_custom_command(
    OUTPUT ${out}.h ${out}.cc ${out}.filters.h
    COMMAND Exhaust::exhc build --root ${PROJECT_SOURCE_DIR} --out ${prefix} --space ${arg_AS}
            --depfile ${out}.d ${source}
    DEPENDS Exhaust::exhc ${source}
    DEPFILE ${out}.d
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "exhc ${arg_SOURCE}" VERBATIM)
  add_library(exh_space_${name} STATIC ${out}.cc ${out}.h ${out}.filters.h)
  target_include_directories(exh_space_${name} PUBLIC ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(exh_space_${name} PUBLIC exh_flags exh_runtime ${arg_BACKBONE})
endfunction()
