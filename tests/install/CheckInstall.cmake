# Installs BUILD below WORK, builds the project SOURCE against it with Ninja and with make, and runs its programs.
# Examples in EXAMPLES with a CMakeLists.txt are configured as independent projects, and digits is built and run.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(result)
    message(FATAL_ERROR "${ARGN}\n${text}")
  endif()
  set(text ${text} PARENT_SCOPE)
endfunction()

# Configures SOURCE with ARGN, which must fail with `message` (line breaks are ignored).
function(refuse message)
  execute_process(COMMAND ${configure} -S ${SOURCE} -B ${WORK}/refused ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  string(FIND "${text}" "${message}" at)
  if(NOT result OR at LESS 0)
    message(FATAL_ERROR "expected a failure with '${message}', found:\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
# Halide is a library of the installation.
run(${WORK}/prefix/bin/attnc compile ${EXAMPLES}/digits/features.attn --emitter halide -o ${WORK}/halide)
set(configure ${CMAKE_COMMAND} -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
foreach(generator Ninja "Unix Makefiles")
  set(build "${WORK}/${generator}")
  run(${configure} -G ${generator} -S ${SOURCE} -B ${build})
  run(${CMAKE_COMMAND} --build ${build})
  foreach(program consumer uses-models-static uses-models-shared)
    run(${build}/${program})
  endforeach()
  run(${CMAKE_COMMAND} --build ${build})
  if(text MATCHES "Compiling model")
    message(FATAL_ERROR "${generator} compiles models that have not changed:\n${text}")
  endif()
endforeach()
refuse("target 'consumer' has a model 'twice' already" -DTWO_OF_A_NAME=ON)
refuse("target 'consumer' is made in ${SOURCE}, and only there" -DTWO_OF_A_NAME=OFF -DFROM_OTHER_FOLDER=ON)

file(GLOB projects ${EXAMPLES}/*/CMakeLists.txt)
list(FILTER projects EXCLUDE REGEX "/plugin/") # requires the compiler's sources
foreach(project ${projects})
  get_filename_component(folder ${project} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  run(${configure} -G Ninja -S ${folder} -B ${WORK}/examples/${name})
endforeach()
run(${CMAKE_COMMAND} --build ${WORK}/examples/digits --target digits)
run(${CMAKE_COMMAND} -E chdir ${WORK}/examples/digits ./digits)
