# mapinspect in a CMake build: three lines.
#
#   execute_process(COMMAND mapinspect --cmake-dir OUTPUT_VARIABLE MAPINSPECT_DIR
#                   OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
#   include(${MAPINSPECT_DIR}/mapinspect.cmake)
#   mapinspect_check(TARGET fw)
#
# mapinspect_check(TARGET <executable> [CONFIG <table>] [MODEL <file>...]
#                  [LINKER_SCRIPT <file>...] [REPORT_ONLY])
#
# Judges the executable after every link, with <elf>.map beside it. CONFIG is the budget table;
# without it, the nearest mapinspect.toml from the current source folder up to the project's. MODEL
# names models besides those of the table. LINKER_SCRIPT links again when such a file changes.
#
# The rule writes a stamp only on PASS, so a failing check fails every build until it is mended, keeps
# the ELF to look at, and runs again when the ELF, the table, a model or the linker script changes. A
# POST_BUILD command would do none of this: make deletes the ELF when one fails, and none runs again
# when only the table changes.
#
# When the link itself fails there is no ELF to judge. The linker is therefore started through
# `mapinspect link`, which keeps its exit status and then says from the map what overflowed. It also
# asks for the map; a target that writes a map of its own keeps it, and gets a copy beside the ELF.
#
# REPORT_ONLY prints the report in every build and never fails it.
#
# Needs the generator Unix Makefiles, Ninja or Ninja Multi-Config. The command `mapinspect` is looked
# for once; set MAPINSPECT_COMMAND to use another one, such as "python3;-m;mapinspect".

include_guard(GLOBAL)
cmake_minimum_required(VERSION 3.21)

# Which command to run: where the function is called, not where this file was included first.
function(_mapinspect_command variable)
  if(MAPINSPECT_COMMAND)
    set(command ${MAPINSPECT_COMMAND})
  else()
    # Never below a cross compiler's root: it runs on this machine.
    find_program(MAPINSPECT_PROGRAM mapinspect HINTS ENV VIRTUAL_ENV PATH_SUFFIXES bin Scripts
      DOC "The command mapinspect" NO_CMAKE_FIND_ROOT_PATH)
    if(NOT MAPINSPECT_PROGRAM)
      message(FATAL_ERROR "mapinspect_check: the command mapinspect is not on PATH; "
        "install it (pip install mapinspect) or set MAPINSPECT_COMMAND")
    endif()
    set(command "${MAPINSPECT_PROGRAM}")
  endif()
  set(${variable} ${command} PARENT_SCOPE)
endfunction()

# The nearest mapinspect.toml, or nothing.
function(_mapinspect_config variable)
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}")
  while(NOT EXISTS "${folder}/mapinspect.toml" AND NOT folder STREQUAL CMAKE_SOURCE_DIR)
    get_filename_component(above "${folder}" DIRECTORY)
    if(above STREQUAL folder)
      break()
    endif()
    set(folder "${above}")
  endwhile()
  if(EXISTS "${folder}/mapinspect.toml")
    set(${variable} "${folder}/mapinspect.toml" PARENT_SCOPE)
  endif()
endfunction()

function(mapinspect_check)
  cmake_parse_arguments(PARSE_ARGV 0 arg "REPORT_ONLY" "TARGET;CONFIG" "MODEL;LINKER_SCRIPT")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "mapinspect_check: cannot use "
      "${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}; it takes TARGET, CONFIG, MODEL, "
      "LINKER_SCRIPT and REPORT_ONLY")
  endif()
  if(NOT TARGET "${arg_TARGET}")
    message(FATAL_ERROR "mapinspect_check: TARGET ${arg_TARGET} is no target of this project")
  endif()
  get_target_property(type "${arg_TARGET}" TYPE)
  get_target_property(alias "${arg_TARGET}" ALIASED_TARGET)
  if(NOT type STREQUAL "EXECUTABLE" OR alias)
    message(FATAL_ERROR "mapinspect_check: TARGET ${arg_TARGET} is not made by add_executable")
  endif()
  _mapinspect_command(command)

  set(elf "$<TARGET_FILE:${arg_TARGET}>")
  set(inputs)
  set(options)
  if(arg_CONFIG)
    get_filename_component(config "${arg_CONFIG}" ABSOLUTE)
  else()
    _mapinspect_config(config)
  endif()
  if(config)
    list(APPEND options --config "${config}")
    list(APPEND inputs "${config}")
  endif()
  foreach(model IN LISTS arg_MODEL)
    get_filename_component(model "${model}" ABSOLUTE)
    list(APPEND options --model "${model}")
    list(APPEND inputs "${model}")
  endforeach()
  foreach(script IN LISTS arg_LINKER_SCRIPT)
    get_filename_component(script "${script}" ABSOLUTE)
    set_property(TARGET "${arg_TARGET}" APPEND PROPERTY LINK_DEPENDS "${script}")
    list(APPEND inputs "${script}")
  endforeach()

  # The map's name is left to the command (% is its output file): before CMake 3.27 a launcher's
  # generator expressions are not evaluated.
  foreach(language IN ITEMS C CXX ASM)
    get_property(launcher TARGET "${arg_TARGET}" PROPERTY ${language}_LINKER_LAUNCHER)
    set_property(TARGET "${arg_TARGET}" PROPERTY ${language}_LINKER_LAUNCHER
      ${command} link --map %.map ${options} -- ${launcher})
  endforeach()

  set_property(TARGET "${arg_TARGET}" APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${elf}.map")

  set(check ${command} check --elf "${elf}" --map "${elf}.map" ${options})
  set(comment "Checking the memory budget of ${arg_TARGET}")
  if(arg_REPORT_ONLY)
    add_custom_target("${arg_TARGET}_mapinspect" ALL
      COMMAND ${check} --exit-zero || ${CMAKE_COMMAND} -E true
      COMMENT "${comment} (report only)" VERBATIM)
    add_dependencies("${arg_TARGET}_mapinspect" "${arg_TARGET}")
    return()
  endif()

  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(several)
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.$<CONFIG>.mapinspect")
  else()
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.mapinspect")
  endif()
  add_custom_command(OUTPUT "${stamp}"
    COMMAND ${check} --stamp "${stamp}" --depfile "${stamp}.d"
    DEPENDS "${arg_TARGET}" ${inputs}
    DEPFILE "${stamp}.d"
    COMMENT "${comment}" VERBATIM)
  add_custom_target("${arg_TARGET}_mapinspect" ALL DEPENDS "${stamp}")
endfunction()
