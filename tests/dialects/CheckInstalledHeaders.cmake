# Installs the dialects to PREFIX and parses SOURCE against them and MLIR alone.
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} --component dialects
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${COMPILER} -std=c++20 -fno-exceptions -fsyntax-only -I${PREFIX}/include/attnc
                        -isystem ${MLIR_INCLUDE} ${SOURCE}
                COMMAND_ERROR_IS_FATAL ANY)
