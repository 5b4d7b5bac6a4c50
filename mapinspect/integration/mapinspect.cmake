# mapinspect in a CMake build: three lines.
#
#   execute_process(COMMAND mapinspect --cmake-dir OUTPUT_VARIABLE MAPINSPECT_DIR
#                   OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
#   include(${MAPINSPECT_DIR}/mapinspect.cmake)
#   mapinspect_check(TARGET fw CONFIG mapinspect.toml)
#
# mapinspect_check(TARGET <target> [CONFIG <table>] [MODEL <file>...] [REPORT_ONLY])
#
# Asks the linker for a map beside the ELF (<elf>.map) and adds a rule that judges both. The rule
# writes a stamp only on PASS, so a failing check fails every build until it is mended, keeps the ELF
# to look at, and runs again when the ELF, the table, a model or the linker script changes. A
# POST_BUILD command would do none of this: make deletes the ELF when one fails, and none runs again
# when only the table changes.
#
# When the link itself fails there is no ELF to judge. The linker is therefore started through
# `mapinspect link`, which keeps its exit status and then says from the map what overflowed.
#
# REPORT_ONLY prints the report in every build and never fails it for what it finds.

include_guard(GLOBAL)
cmake_minimum_required(VERSION 3.21)

if(NOT MAPINSPECT_COMMAND)
  find_program(MAPINSPECT_PROGRAM mapinspect
    HINTS "$ENV{VIRTUAL_ENV}/bin" DOC "The mapinspect command")
  if(MAPINSPECT_PROGRAM)
    set(MAPINSPECT_COMMAND "${MAPINSPECT_PROGRAM}")
  else()
    find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
    set(MAPINSPECT_COMMAND "${Python3_EXECUTABLE}" -m mapinspect)
  endif()
endif()

function(mapinspect_check)
  cmake_parse_arguments(PARSE_ARGV 0 arg "REPORT_ONLY" "TARGET;CONFIG" "MODEL")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mapinspect_check: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET "${arg_TARGET}")
    message(FATAL_ERROR "mapinspect_check: TARGET names no target of this project")
  endif()

  set(elf "$<TARGET_FILE:${arg_TARGET}>")
  set(map "${elf}.map")
  set(inputs)
  set(options --map "${map}")
  if(arg_CONFIG)
    get_filename_component(config "${arg_CONFIG}" ABSOLUTE)
    list(APPEND options --config "${config}")
    list(APPEND inputs "${config}")
  endif()
  foreach(model IN LISTS arg_MODEL)
    get_filename_component(model "${model}" ABSOLUTE)
    list(APPEND options --model "${model}")
    list(APPEND inputs "${model}")
  endforeach()

  target_link_options("${arg_TARGET}" PRIVATE "LINKER:-Map=${map}")
  foreach(language IN ITEMS C CXX)
    set_property(TARGET "${arg_TARGET}"
      PROPERTY ${language}_LINKER_LAUNCHER ${MAPINSPECT_COMMAND} link ${options} --)
  endforeach()

  set(check ${MAPINSPECT_COMMAND} check --elf "${elf}" ${options})
  set(comment "Checking the memory budget of ${arg_TARGET}")
  if(arg_REPORT_ONLY)
    add_custom_target("${arg_TARGET}_mapinspect" ALL COMMAND ${check} --exit-zero
      COMMENT "${comment}" VERBATIM USES_TERMINAL)
    add_dependencies("${arg_TARGET}_mapinspect" "${arg_TARGET}")
    return()
  endif()

  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}$<${several}:.$<CONFIG>>.mapinspect")
  add_custom_command(OUTPUT "${stamp}"
    COMMAND ${check} --stamp "${stamp}" --depfile "${stamp}.d"
    DEPENDS "${arg_TARGET}" ${inputs}
    DEPFILE "${stamp}.d"
    COMMENT "${comment}" VERBATIM)
  add_custom_target("${arg_TARGET}_mapinspect" ALL DEPENDS "${stamp}")
endfunction()
