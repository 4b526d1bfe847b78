# Where the tree is: the one object that differs from clone to clone.
exh_library(exh_test_tree SOURCES ${PROJECT_SOURCE_DIR}/tests/support/tree.cc)
target_compile_definitions(exh_test_tree PRIVATE EXH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" EXH_BINARY_DIR="${PROJECT_BINARY_DIR}")
