# attnc_library(NAME SOURCES... [LINK LIB...] [PRECOMPILE HEADER...] [REUSE_FROM TARGET])
#                                                      a library without MLIR, or one whose headers need exceptions
# attnc_mlir_library(NAME SOURCES... [LINK LIB...])    a library on MLIR
# attnc_executable(NAME SOURCES... [LINK LIB...])      a program without MLIR, or one whose headers need exceptions
# attnc_mlir_executable(NAME SOURCES... [LINK LIB...]) a program on MLIR
# The name of a library is Attnc and its folder; the installed libraries of the dialects have the dialects' names.
# Every library is static, with the root of the source and build trees as include folders ("dialects/Attn/Attn.h").
# Libraries on MLIR share one precompiled header, and targets that link GoogleTest another, with its headers; libraries
# without MLIR and tests without MLIR share one each. Tests and the commands of attnc spend their time in libraries, so
# their own code is compiled with -O1. (So may be functions of libraries' headers that are not inlined, because the
# linker uses one copy.)
set(attnc_caller_options $<$<CONFIG:Release>:-O1>)

# Precompiles HEADERS for NAME, and computes the checksum of the result once.
function(attnc_precompile name)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${name} PROPERTIES
      CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/compile-with-checksum;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()

# A header that is parsed once: NAME shares it with the targets of target_precompile_headers(... REUSE_FROM NAME).
function(attnc_precompiled_header name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  add_library(${name} STATIC ${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} fmt::fmt)
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  attnc_precompile(${name} ${ARG_HEADERS})
endfunction()

function(attnc_mlir_precompiled_header name)
  if(NOT TARGET ${name})
    attnc_precompiled_header(${name} ${ARGN})
    target_compile_options(${name} PRIVATE -fno-exceptions)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    add_dependencies(${name} AttncDialectTables)
  endif()
endfunction()

# Headers and their templates are most of the work of the compiler; a batch of files parses and instantiates them once.
# Static functions of two files of a target must therefore not have the same signature.
function(attnc_unity name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${ATTNC_UNITY} UNITY_BUILD_BATCH_SIZE 16)
endfunction()

function(attnc_library_target name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} fmt::fmt)
  attnc_unity(${name})
endfunction()

function(attnc_library name)
  cmake_parse_arguments(ARG "" "REUSE_FROM" "PRECOMPILE" ${ARGN})
  attnc_library_target(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_PRECOMPILE)
    attnc_precompile(${name} ${ARG_PRECOMPILE})
  elseif(ARG_REUSE_FROM)
    target_precompile_headers(${name} REUSE_FROM ${ARG_REUSE_FROM})
  else()
    if(NOT TARGET attnc_pch)
      attnc_precompiled_header(attnc_pch HEADERS <fmt/format.h> <algorithm> <functional> <map> <memory> <optional>
        <string> <unordered_map> <variant> <vector>)
    endif()
    target_precompile_headers(${name} REUSE_FROM attnc_pch)
  endif()
endfunction()

function(attnc_mlir_target_settings name)
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  get_target_property(libraries ${name} LINK_LIBRARIES)
  set(mlir_header ${PROJECT_SOURCE_DIR}/cmake/MlirPrecompiled.h)
  if(libraries MATCHES "GTest::")
    attnc_mlir_precompiled_header(attnc_mlir_test_pch HEADERS ${mlir_header} <gtest/gtest.h> LINK GTest::gtest
      OPTIONS ${attnc_caller_options})
    target_compile_options(${name} PRIVATE ${attnc_caller_options})
    target_precompile_headers(${name} REUSE_FROM attnc_mlir_test_pch)
    attnc_link_jemalloc(${name})
  else()
    attnc_mlir_precompiled_header(attnc_mlir_pch HEADERS ${mlir_header})
    target_precompile_headers(${name} REUSE_FROM attnc_mlir_pch)
  endif()
  target_link_libraries(${name} PUBLIC attnc_llvm)
endfunction()

function(attnc_mlir_library name)
  attnc_library_target(${name} ${ARGN})
  attnc_mlir_target_settings(${name})
  if(TARGET AttncDialectTables)
    add_dependencies(${name} AttncDialectTables)
  endif()
endfunction()

# Compiles allocate and free millions of small blocks: with jemalloc they take a fifth less time (decision 47). `new` is
# that of the C++ library, which is linked first and calls `malloc`, so that a preloaded allocator sees all allocations.
# Sanitizers have their own allocator.
function(attnc_link_jemalloc name)
  if(NOT ATTNC_SANITIZE)
    find_library(ATTNC_JEMALLOC jemalloc REQUIRED)
    target_link_libraries(${name} PRIVATE stdc++ ${ATTNC_JEMALLOC})
  endif()
endfunction()

function(attnc_executable_target name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(ATTNC_SANITIZE)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} fmt::fmt)
  target_compile_options(${name} PRIVATE -fPIC) # as precompiled headers are, which libraries share
  attnc_unity(${name})
endfunction()

function(attnc_executable name)
  attnc_executable_target(${name} ${ARGN})
  get_target_property(libraries ${name} LINK_LIBRARIES)
  if(libraries MATCHES "GTest::")
    if(NOT TARGET attnc_test_pch)
      attnc_precompiled_header(attnc_test_pch
        HEADERS <fmt/format.h> <gtest/gtest.h> <functional> <map> <string> <vector> LINK GTest::gtest
        OPTIONS ${attnc_caller_options})
    endif()
    target_compile_options(${name} PRIVATE ${attnc_caller_options})
    target_precompile_headers(${name} REUSE_FROM attnc_test_pch)
  endif()
endfunction()

function(attnc_mlir_executable name)
  attnc_executable_target(${name} ${ARGN})
  attnc_mlir_target_settings(${name})
endfunction()
