# ccache and lld for a fast build, if they are installed; warnings and sanitizers for all targets.
find_program(ATTNC_CCACHE ccache)
if(ATTNC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A precompiled header is only cached with the settings PCH_EXTSUM (compile-with-checksum) and SLOPPINESS. DEPEND
  # computes keys from dependency files, so that a compile that is not in the cache runs no separate preprocessor. (An
  # edit of a comment is then never in the cache.)
  set(attnc_launcher ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${ATTNC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${attnc_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${attnc_launcher})
endif()

find_program(ATTNC_LLD NAMES ld.lld-22 ld.lld)
if(ATTNC_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(--ld-path=${ATTNC_LLD})
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -fdiagnostics-color=auto)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -Xclang -fno-pch-timestamp")
endif()

if(ATTNC_SANITIZE)
  add_compile_options(-fsanitize=${ATTNC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${ATTNC_SANITIZE})
  if(ATTNC_SANITIZE MATCHES undefined)
    # LLVM is built without RTTI for some of its classes. `function` reads the bytes before a function that is
    # called, and generated code may begin its page.
    add_compile_options(-fno-sanitize=vptr,function)
  endif()
endif()
