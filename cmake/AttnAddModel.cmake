# attn_add_model(TARGET MODEL.attn [OPTIONS of `attnc compile`...])
# Compiles a model ahead of time and links its object, its header and the runtime, with files of weights, into TARGET.
#   attn_add_model(app gpt.attn --set layers=12)
# writes gpt.o and gpt.h; TARGET, and if it is a library, its users, then include "gpt.h". --prefix NAME writes NAME.o
# and NAME.h. With --target cuda TARGET is also linked with the CUDA library of the runtime.
# TARGET may be a library of models alone. Each model of TARGET needs a distinct name.

# A caller's old policy version must not change the commands below. CMP0116: relative paths of a depfile are relative to
# the build folder; otherwise Ninja would compile the model in every build. CMP0118: GENERATED is visible everywhere.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

# Sets `name`, the stem of the model's files and C names, and fails if TARGET has a model of that name.
function(_attn_name_model target model name)
  get_filename_component(stem ${model} NAME_WLE)
  if("${ARGN}" MATCHES "--prefix[=;]([A-Za-z0-9_]+)")
    set(stem ${CMAKE_MATCH_1})
  endif()
  string(MAKE_C_IDENTIFIER ${stem} identifier)
  get_target_property(known ${target} ATTN_MODELS)
  if(identifier IN_LIST known)
    message(FATAL_ERROR "attn_add_model: ${model}: target '${target}' has a model '${stem}' already, and C names begin "
                        "with a model's name. Give this one another: attn_add_model(${target} ${model} --prefix NAME)")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY ATTN_MODELS ${identifier})
  set(${name} ${stem} PARENT_SCOPE)
endfunction()

# CMake derives a target's linker language from its sources; objects and headers have none. So a target of models alone
# is linked as C, or as the first enabled language.
function(_attn_set_linker_language target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "\\.(o|h)$")
  get_target_property(linked_as ${target} LINKER_LANGUAGE)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT sources AND NOT linked_as)
    list(GET languages 0 language)
    if(C IN_LIST languages)
      set(language C)
    endif()
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
  endif()
endfunction()

function(attn_add_model target model)
  get_target_property(directory ${target} SOURCE_DIR)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "attn_add_model: ${model}: target '${target}' is made in ${directory}, and only there can "
                        "files be generated for it. Call attn_add_model in that folder's CMakeLists.txt")
  endif()
  _attn_name_model(${target} ${model} name ${ARGN})
  get_filename_component(source ${model} ABSOLUTE)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}.attn)
  add_custom_command(
    OUTPUT ${out}/${name}.o ${out}/${name}.h ${out}/${name}.json
    COMMAND ${CMAKE_COMMAND} -E make_directory ${out}
    COMMAND attnc::attnc compile ${source} -o ${out} --depfile ${out}/${name}.d ${ARGN}
    DEPENDS ${source} attnc::attnc
    DEPFILE ${out}/${name}.d
    COMMENT "Compiling model ${model}"
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/${name}.o ${out}/${name}.h)
  set_source_files_properties(${out}/${name}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${out}>)
  set(libraries attnc::files attnc::runtime)
  if("${ARGN}" MATCHES "--target[=;]cuda")
    list(APPEND libraries attnc::cuda)
  endif()
  # Properties, because target_link_libraries() fails if the caller has used its other signature for TARGET.
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${libraries})
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${libraries})
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _attn_set_linker_language [[${target}]])")
endfunction()

cmake_policy(POP)
