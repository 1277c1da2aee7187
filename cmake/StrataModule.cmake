# One function that makes a module: its library, its tests and its fuzz targets.
#
#   strata_module(NAME kernel LAYER 1
#                 DEPS base                    # other modules, each of a strictly lower layer
#                 [LIBS zstd::zstd ...]        # libraries used in .cpp files only
#                 [PUBLIC_LIBS fmt::fmt ...]   # libraries whose headers appear in our headers
#                 [TEST_LIBS ...]              # libraries used by the tests only
#                 [EXCLUDE main.cpp ...])      # sources that do not belong to the library
#
# In the folder of the module:
#   *.cpp (any depth)     -> static library strata_<name>; a module of headers only becomes an INTERFACE library
#   test/*_test.cpp       -> program <name>_test, every test registered with ctest under the label "fast"
#   test/*_slow_test.cpp  -> program <name>_slow_test, label "slow": run by `./check --all` only
#   test/*.cpp (others)   -> helpers, compiled into both
#   fuzz/*_fuzz.cpp       -> libFuzzer programs bin/<...>_fuzz when STRATA_FUZZ is on

include_guard(GLOBAL)
include(StrataLayers)
include(GoogleTest)

function(strata_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;LAYER" "DEPS;LIBS;PUBLIC_LIBS;TEST_LIBS;EXCLUDE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "strata_module(${arg_NAME}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  list(REMOVE_ITEM arg_LIBS PRIVATE)
  list(REMOVE_ITEM arg_PUBLIC_LIBS PUBLIC)
  _strata_check_layers("${arg_NAME}" "${arg_LAYER}" "${arg_DEPS}")

  set(dep_targets)
  foreach(dep IN LISTS arg_DEPS)
    if(TARGET strata_${dep})
      list(APPEND dep_targets strata_${dep})
    else()
      message(FATAL_ERROR "Module '${arg_NAME}' depends on '${dep}', but src/${dep}/CMakeLists.txt does not exist.")
    endif()
  endforeach()

  # The library.
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/(.*/)?(test|fuzz)/")
  foreach(excluded IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${excluded}")
  endforeach()
  set(library strata_${arg_NAME})
  if(sources)
    add_library(${library} STATIC ${sources})
    target_link_libraries(${library} PUBLIC ${dep_targets} ${arg_PUBLIC_LIBS} PRIVATE strata_warnings ${arg_LIBS})
    target_include_directories(${library} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  else()
    add_library(${library} INTERFACE)
    target_link_libraries(${library} INTERFACE ${dep_targets} ${arg_PUBLIC_LIBS})
    target_include_directories(${library} INTERFACE "${PROJECT_SOURCE_DIR}/src")
  endif()
  add_library(strata::${arg_NAME} ALIAS ${library})
  set_property(GLOBAL APPEND PROPERTY STRATA_MODULES ${arg_NAME})

  # The tests.
  if(STRATA_TESTS)
    file(GLOB helpers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test/*.cpp")
    set(fast_tests ${helpers})
    list(FILTER helpers EXCLUDE REGEX "_test\\.cpp$")
    list(FILTER fast_tests INCLUDE REGEX "_test\\.cpp$")
    set(slow_tests ${fast_tests})
    list(FILTER fast_tests EXCLUDE REGEX "_slow_test\\.cpp$")
    list(FILTER slow_tests INCLUDE REGEX "_slow_test\\.cpp$")
    if(fast_tests)
      _strata_test(${arg_NAME}_test ${arg_NAME} fast SOURCES ${fast_tests} ${helpers} LIBS ${library} ${arg_TEST_LIBS})
    endif()
    if(slow_tests)
      _strata_test(${arg_NAME}_slow_test ${arg_NAME} slow SOURCES ${slow_tests} ${helpers}
                   LIBS ${library} ${arg_TEST_LIBS})
    endif()
  endif()

  # The fuzz targets.
  if(STRATA_FUZZ)
    file(GLOB fuzzers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/*_fuzz.cpp")
    # Coverage of the module itself guides the fuzzer. Not of all modules: clang 14 cannot instrument coroutines.
    if(fuzzers)
      target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    foreach(fuzzer IN LISTS fuzzers)
      get_filename_component(target "${fuzzer}" NAME_WE)
      add_executable(${target} "${fuzzer}")
      target_link_libraries(${target} PRIVATE ${library} ${arg_LIBS} strata_warnings)
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
      set_property(GLOBAL APPEND PROPERTY STRATA_FUZZERS ${target})
    endforeach()
  endif()
endfunction()

# Stops the configuration when the module is unknown, states a wrong layer or uses a module of its own layer or above.
function(_strata_check_layers name layer deps)
  strata_layer_of("${name}" expected)
  if(expected STREQUAL "")
    message(FATAL_ERROR "Module '${name}' is not in cmake/StrataLayers.cmake: add it there with its layer.")
  endif()
  if(NOT layer STREQUAL expected)
    message(FATAL_ERROR "Module '${name}' says LAYER ${layer}, cmake/StrataLayers.cmake says ${expected}.")
  endif()
  foreach(dep IN LISTS deps)
    strata_layer_of("${dep}" dep_layer)
    if(dep_layer STREQUAL "")
      message(FATAL_ERROR "Module '${name}' depends on '${dep}', which is not in cmake/StrataLayers.cmake.")
    endif()
    if(NOT dep_layer LESS layer)
      message(FATAL_ERROR "Module '${name}' (layer ${layer}) must not depend on '${dep}' (layer ${dep_layer}): "
                          "a module uses only lower layers.")
    endif()
  endforeach()
endfunction()

# One gtest program of a module, its tests registered one by one.
function(_strata_test target module label)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "SOURCES;LIBS")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main strata_warnings)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}/test")
  # Tests find the source tree through STRATA_SOURCE_DIR and may write below STRATA_TEST_TMP.
  target_compile_definitions(${target} PRIVATE
    STRATA_SOURCE_DIR="${PROJECT_SOURCE_DIR}" STRATA_TEST_TMP="${PROJECT_BINARY_DIR}/test-tmp")
  gtest_discover_tests(${target} TEST_PREFIX "${module}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${label} TIMEOUT 600)
endfunction()

# The `strata` program itself: strata_program(strata SOURCES main.cpp).
# All modules go in whole and all symbols are exported, because plugins loaded at run time resolve theirs from it.
function(strata_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  foreach(source IN LISTS arg_SOURCES)
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
      message(STATUS "Program ${target} is left out: ${source} does not exist")
      return()
    endif()
  endforeach()
  add_executable(${target} ${arg_SOURCES})
  get_property(modules GLOBAL PROPERTY STRATA_MODULES)
  set(whole)
  foreach(module IN LISTS modules)
    get_target_property(type strata_${module} TYPE)
    target_link_libraries(${target} PRIVATE strata_${module})
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND whole "$<TARGET_FILE:strata_${module}>")
    endif()
  endforeach()
  target_link_options(${target} PRIVATE "LINKER:--whole-archive" ${whole} "LINKER:--no-whole-archive")
  target_link_libraries(${target} PRIVATE ${arg_LIBS} ${CMAKE_DL_LIBS} strata_warnings)
  set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON)
  add_dependencies(programs ${target})
endfunction()
