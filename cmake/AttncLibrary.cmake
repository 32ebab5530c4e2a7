# attnc_library(NAME SOURCES... [LINK LIB...])         a library without MLIR (front end, diagnostics)
# attnc_mlir_library(NAME SOURCES... [LINK LIB...])    a library on MLIR; shares one precompiled header
# attnc_executable(NAME SOURCES... [LINK LIB...])      a program without MLIR, or one whose headers need exceptions
# attnc_mlir_executable(NAME SOURCES... [LINK LIB...]) a program on MLIR; shares that header too
# A library is called Attnc and its folder; those of the dialects, which are installed, have the dialects' names.
# Every library is static and sees the tree's root (include as "dialects/Attn/Attn.h") and the build's.

function(attnc_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} fmt::fmt)
endfunction()

function(attnc_mlir_target_settings name)
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  if(NOT TARGET attnc_mlir_pch)
    add_library(attnc_mlir_pch STATIC ${PROJECT_SOURCE_DIR}/cmake/MlirPrecompiled.cpp)
    target_include_directories(attnc_mlir_pch SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_link_libraries(attnc_mlir_pch PUBLIC fmt::fmt)
    target_compile_options(attnc_mlir_pch PRIVATE -fno-exceptions)
    target_precompile_headers(attnc_mlir_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/MlirPrecompiled.h)
  endif()
  target_precompile_headers(${name} REUSE_FROM attnc_mlir_pch)
  # Debian ships LLVM and MLIR as two shared libraries; mixing them with the component archives breaks.
  target_link_libraries(${name} PUBLIC MLIR LLVM)
endfunction()

function(attnc_mlir_library name)
  attnc_library(${name} ${ARGN})
  attnc_mlir_target_settings(${name})
  if(TARGET AttncDialectTables)
    add_dependencies(${name} AttncDialectTables)
  endif()
endfunction()

function(attnc_executable name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(ATTNC_SANITIZE MATCHES address)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} fmt::fmt)
endfunction()

function(attnc_mlir_executable name)
  attnc_executable(${name} ${ARGN})
  attnc_mlir_target_settings(${name})
  target_compile_options(${name} PRIVATE -fPIC) # as the header is compiled, for libraries
endfunction()
