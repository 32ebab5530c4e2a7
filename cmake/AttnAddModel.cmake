# attn_add_model(TARGET MODEL.attn [OPTIONS...])
# Compiles a model file ahead of time and links its object and header, with the runtime, into TARGET.
#   attn_add_model(app gpt.attn --set layers=12)
# makes gpt.o and gpt.h; TARGET then includes "gpt.h". With --target cuda it links what runs models on devices too.
function(attn_add_model target model)
  get_filename_component(stem ${model} NAME_WLE)
  get_filename_component(source ${model} ABSOLUTE)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}.attn)
  add_custom_command(
    OUTPUT ${out}/${stem}.o ${out}/${stem}.h ${out}/${stem}.json
    COMMAND ${CMAKE_COMMAND} -E make_directory ${out}
    COMMAND attnc::attnc compile ${source} -o ${out} --depfile ${out}/${stem}.d ${ARGN}
    DEPENDS ${source} attnc::attnc
    DEPFILE ${out}/${stem}.d
    COMMENT "Compiling model ${model}"
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/${stem}.o ${out}/${stem}.h)
  set_source_files_properties(${out}/${stem}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_include_directories(${target} PRIVATE ${out})
  target_link_libraries(${target} PRIVATE attnc::runtime)
  if("${ARGN}" MATCHES "--target[=;]cuda")
    target_link_libraries(${target} PRIVATE attnc::cuda)
  endif()
endfunction()
