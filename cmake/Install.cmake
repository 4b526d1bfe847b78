# What `cmake --install` puts in place, and the names Exhaust::… inside the tree. Included last, when
# every target is there:
#   bin/exhc bin/exhc-lsp bin/search   include/exhaust   lib/lib*.a   lib/cmake/Exhaust
#   share/exhaust/spaces  share/exhaust/devices  share/exhaust/report (when ./exh report-assets has run)
#   share/man share/doc (when ./exh release has made them)
# Two parts of it can be had apart, and are two packages (release/Package.cmake): `programs` with what they
# read, and `development`, for spaces and kernels in repositories of others.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# exh_closure(out target...): the targets and all libraries of ours that they link.
function(exh_closure out)
  set(found "")
  set(open ${ARGN})
  while(open)
    list(POP_FRONT open target)
    string(REGEX REPLACE "^Exhaust::" "exh_" target ${target})
    if(NOT target MATCHES "^exh_" OR NOT TARGET ${target} OR target IN_LIST found)
      continue()
    endif()
    list(APPEND found ${target})
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(NOT links)
      continue()
    endif()
    foreach(link IN LISTS links)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
      list(APPEND open "${link}")
    endforeach()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# exh_runtime is Exhaust::runtime, here and in the package.
exh_closure(libraries exh_search_main exh_plugin exh_space_linalg)
foreach(library IN LISTS libraries)
  string(REGEX REPLACE "^exh_" "" exported ${library})
  if(TARGET ${exported})  # exh_search stands behind the program of that name
    string(APPEND exported _library)
  endif()
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${exported})
  add_library(Exhaust::${exported} ALIAS ${library})
endforeach()
add_executable(Exhaust::search ALIAS search)

set(programs exhc exhc-lsp search)
exh_link_with_older_glibc(${programs})
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS ${programs} ${libraries} EXPORT ExhaustTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs
  ARCHIVE DESTINATION lib
  INCLUDES DESTINATION include/exhaust)
if(TARGET exhaust-http)
  install(TARGETS exhaust-http LIBRARY DESTINATION lib/exhaust COMPONENT view)
endif()
# Folders without headers are not made.
foreach(folder base runtime kernels)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.h)
  list(FILTER headers EXCLUDE REGEX "/internal/")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH place)
    install(FILES ${header} DESTINATION include/exhaust/${place})
  endforeach()
endforeach()
install(FILES search/main.h DESTINATION include/exhaust/search)
install(FILES ${PROJECT_BINARY_DIR}/generated/spaces/linalg.exh.h ${PROJECT_BINARY_DIR}/generated/spaces/linalg.exh.schedule.h
  DESTINATION include/exhaust/spaces)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME programs)
install(DIRECTORY kernels/spaces/ DESTINATION share/exhaust/spaces FILES_MATCHING PATTERN "*.exh")
install(DIRECTORY kernels/devices/ DESTINATION share/exhaust/devices FILES_MATCHING PATTERN "*.json")
install(DIRECTORY kernels/replays/ DESTINATION share/exhaust/replays FILES_MATCHING PATTERN "*.txt")
install(FILES ${PROJECT_SOURCE_DIR}/build/report-assets/report.html DESTINATION share/exhaust/report OPTIONAL)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

set(package lib/cmake/Exhaust)
install(EXPORT ExhaustTargets NAMESPACE Exhaust:: DESTINATION ${package})
configure_package_config_file(cmake/ExhaustConfig.cmake.in ${PROJECT_BINARY_DIR}/ExhaustConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
# Until 1.0 a minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ExhaustConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ExhaustConfig.cmake ${PROJECT_BINARY_DIR}/ExhaustConfigVersion.cmake
              cmake/ExhSpace.cmake cmake/plugin.map
  DESTINATION ${package})
include(cmake/release/Package.cmake)
