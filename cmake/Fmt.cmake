# exh_fmt: fmt with its compiled part as a static library of ours (fmt.cc says why).
find_package(fmt REQUIRED)
get_target_property(fmt_include fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
add_library(exh_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cc)
target_include_directories(exh_fmt SYSTEM PUBLIC $<BUILD_INTERFACE:${fmt_include}>)
