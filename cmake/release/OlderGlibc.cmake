# Programs that run where glibc is older than here. With EXH_GLIBC, the folder that glibc_2_31.sh makes, the
# installed programs are linked with the libraries in it, so that each function gets the version that these
# have; and with libstdc++ and libgcc statically, which are newer than those of such systems. What is compiled
# is the same as without it. older_glibc.cc has what the headers and libraries of the compiler expect beyond
# that.
set(EXH_GLIBC "" CACHE PATH "Link the programs with the older glibc in this folder (cmake/release/glibc_2_31.sh)")

# exh_link_with_older_glibc(program…)
function(exh_link_with_older_glibc)
  if(NOT EXH_GLIBC)
    return()
  endif()
  if(NOT EXISTS ${EXH_GLIBC}/libc.so)
    message(FATAL_ERROR "EXH_GLIBC=${EXH_GLIBC}: there is no libc.so; cmake/release/glibc_2_31.sh makes such a folder")
  endif()
  add_library(exh_older_glibc OBJECT ${PROJECT_SOURCE_DIR}/cmake/release/older_glibc.cc)
  target_link_libraries(exh_older_glibc PRIVATE exh_flags)
  foreach(program ${ARGN})
    target_link_options(${program} PRIVATE -B${EXH_GLIBC} -L${EXH_GLIBC} LINKER:-rpath-link,${EXH_GLIBC}
      LINKER:--no-as-needed -static-libstdc++ -static-libgcc)
    # Libraries of their own until 2.34.
    target_link_libraries(${program} PRIVATE exh_older_glibc pthread dl rt)
    set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS ${EXH_GLIBC}/libc.so)
  endforeach()
endfunction()
