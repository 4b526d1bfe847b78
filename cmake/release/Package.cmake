# What CPack makes of an installed tree: Debian packages and archives, each in two parts. ./exh release calls it.
#   exhaust_0.1.0_amd64.deb        exhaust-0.1.0-linux-x86_64.tar.gz        the programs and what they read
#   exhaust-dev_0.1.0_amd64.deb    exhaust-dev-0.1.0-linux-x86_64.tar.gz    headers, libraries, the CMake package

# Pages of the manual, licences and lists of changes, in the form that Debian has; packages.sh makes them.
foreach(part programs development)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/documents/${part}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT ${part} OPTIONAL)
endforeach()

set(CPACK_PACKAGE_NAME exhaust)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The authors of Exhaust")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL programs development)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME exhaust)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION devel)
# dpkg-shlibdeps would name the glibc of this system. What the programs ask for, tests/e2e/release reads.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "libc6 (>= 2.31)")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "g++, libeigen3-dev")
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION "searches implementation spaces of kernels
Exhaust searches all implementations of a kernel that a decision vector can
describe for the fastest one, on processors and NVIDIA GPUs. Each
implementation is compiled, its results are checked, and it is timed.

This package has the program search, and exhc, the compiler of spaces.
Kernels of a processor are compiled by g++, those of a GPU by NVRTC.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME exhaust-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "exhaust (= ${PROJECT_VERSION}), cmake, g++ (>= 4:12)")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "spaces and kernels of your own for Exhaust
Headers, static libraries and a CMake package. A repository of your own
describes a space in a .exh file and writes kernels for it in C++; search
loads both as a plugin.

Exhaust searches implementation spaces of kernels for the fastest one.")

# Both archives have the same folder in them, so that one is unpacked over the other.
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/release/cpack_options.cmake)
set(CPACK_PACKAGE_FILE_NAME exhaust-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_ARCHIVE_PROGRAMS_FILE_NAME exhaust-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_ARCHIVE_DEVELOPMENT_FILE_NAME exhaust-dev-${PROJECT_VERSION}-linux-x86_64)
include(CPack)
