# attnc_llvm: LLVM and MLIR as the compiler's libraries use them. The program or module that links the libraries decides
# whether it gets the shared libraries, or, with the property ATTNC_STATIC_LLVM, copies from the archives: the loader
# relocates the shared libraries for 20 ms at each start (decision 50). Debian's archives name the shared libraries as
# their dependencies, and two copies in one program break, so the archives are linked by path and not by target.
option(ATTNC_STATIC_LLVM "Link attnc with the archives of LLVM and MLIR instead of the shared libraries" ON)

add_library(attnc_llvm INTERFACE)
set(linked_statically $<BOOL:$<TARGET_PROPERTY:ATTNC_STATIC_LLVM>>)
target_link_libraries(attnc_llvm INTERFACE $<$<NOT:${linked_statically}>:MLIR> $<$<NOT:${linked_statically}>:LLVM>)
# The sanitizers are told which code is not instrumented by the names of the shared libraries.
if(ATTNC_STATIC_LLVM AND NOT ATTNC_SANITIZE)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  if(NOT archives)
    message(FATAL_ERROR "No archives of LLVM and MLIR in ${LLVM_LIBRARY_DIR}: configure with -DATTNC_STATIC_LLVM=OFF")
  endif()
  find_library(ATTNC_ZLIB z REQUIRED)
  find_library(ATTNC_ZSTD zstd REQUIRED)
  foreach(library IN LISTS archives ITEMS ${ATTNC_ZLIB} ${ATTNC_ZSTD})
    target_link_libraries(attnc_llvm INTERFACE $<${linked_statically}:${library}>)
  endforeach()
endif()

function(attnc_link_llvm_statically name)
  if(ATTNC_STATIC_LLVM AND NOT ATTNC_SANITIZE)
    set_target_properties(${name} PROPERTIES ATTNC_STATIC_LLVM ON)
    target_link_options(${name} PRIVATE LINKER:--gc-sections LINKER:--exclude-libs,ALL)
    get_target_property(type ${name} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_link_options(${name} PRIVATE -no-pie) # at a fixed address there are no pointers to relocate
    endif()
  endif()
endfunction()
