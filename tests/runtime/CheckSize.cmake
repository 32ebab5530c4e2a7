# Fails where the code and data of ARCHIVE's members exceed MOST bytes.
execute_process(COMMAND ${SIZE} --totals ${ARCHIVE} OUTPUT_VARIABLE table RESULT_VARIABLE result)
if(result OR NOT table MATCHES "([0-9]+)[ \t]+[0-9a-f]+[ \t]+\\(TOTALS\\)")
  message(FATAL_ERROR "no sizes of ${ARCHIVE}: ${table}")
endif()
message(STATUS "runtime: ${CMAKE_MATCH_1} bytes of at most ${MOST}")
if(CMAKE_MATCH_1 GREATER MOST)
  message(FATAL_ERROR "the runtime takes ${CMAKE_MATCH_1} bytes, expected at most ${MOST}")
endif()
