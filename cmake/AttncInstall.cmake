# `cmake --install` installs the compiler, the runtime, and a CMake package. The component `dialects`
# (dialects/CMakeLists.txt, tools/attn-opt, tools/attn-reduce) is for authors of passes.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS attnc attn_runtime attn_files attn_packed attn_cuda attn_tokenizer EXPORT attncTargets)
# Programs in `bin` load ../lib/attnc-halide.so (compiler/Codegen/Halide/Compile/LoadCompiler.cpp).
install(TARGETS attnc-halide LIBRARY DESTINATION lib)
install(DIRECTORY runtime/include/attn runtime/files/include/attn runtime/packed/include/attn
  runtime/cuda/include/attn frontends/tokenizer/include/attn
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(attnc_package ${CMAKE_INSTALL_LIBDIR}/cmake/attnc)
install(EXPORT attncTargets NAMESPACE attnc:: DESTINATION ${attnc_package})
configure_package_config_file(cmake/attncConfig.cmake.in ${PROJECT_BINARY_DIR}/attncConfig.cmake
  INSTALL_DESTINATION ${attnc_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/attncConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/attncConfig.cmake ${PROJECT_BINARY_DIR}/attncConfigVersion.cmake
  cmake/AttnAddModel.cmake DESTINATION ${attnc_package})
