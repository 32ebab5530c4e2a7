# attn_add_model(TARGET MODEL.attn [OPTIONS of `attnc compile`...])
# Compiles a model ahead of time and links its object, its header and the runtime into TARGET.
#   attn_add_model(app gpt.attn --set layers=12)
# makes gpt.o and gpt.h; TARGET, and its users where it is a library, then include "gpt.h". --prefix NAME makes NAME.o
# and NAME.h. With --target cuda TARGET is linked with the CUDA part of the runtime too.
# TARGET may have models alone, as a library. Each model of TARGET needs a name of its own.

# A caller's old policy version must not change what the commands below mean. CMP0116: a depfile's relative paths are
# those of the build folder, or Ninja would compile the model in every build. CMP0118: GENERATED holds everywhere.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

# Sets `name`, after which the files and C names of the model are called, and fails if TARGET has a model of that name.
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

# CMake finds a target's linker language by its sources; objects and headers have none. So a target of models alone
# is linked as C, or as the first language there is.
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
  set(libraries attnc::runtime)
  if("${ARGN}" MATCHES "--target[=;]cuda")
    list(APPEND libraries attnc::cuda)
  endif()
  # Properties, because target_link_libraries() fails where the caller has used its other signature for TARGET.
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${libraries})
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${libraries})
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _attn_set_linker_language [[${target}]])")
endfunction()

cmake_policy(POP)
