# Compiler settings. Everything that takes part in a run is compiled the same way, so that results are equal to the bit.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

# Fused multiply-add changes the last bit of a result; so would -march=native and -ffast-math, which never appear here.
add_compile_options(-ffp-contract=off -fno-math-errno -fno-trapping-math)

# Our libraries end up in one program, so nobody replaces their functions: let the compiler inline them.
add_compile_options(-fno-semantic-interposition)

# ccache, when there, makes the second build quick.
find_program(STRATA_CCACHE ccache)
mark_as_advanced(STRATA_CCACHE)
if(STRATA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${STRATA_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${STRATA_CCACHE}")
endif()

# A fast linker, when there. clang takes lld of its own version only, which Debian installs as lld.
find_program(STRATA_MOLD mold)
find_program(STRATA_LLD ld.lld)
mark_as_advanced(STRATA_MOLD STRATA_LLD)
if(STRATA_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(STRATA_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Warnings, for our own code only. -Wrestrict is off because g++ 12 reports it wrongly for std::string (GCC bug 105651).
add_library(strata_warnings INTERFACE)
target_compile_options(strata_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wextra-semi
  -Wformat=2 -Wfloat-conversion -Wimplicit-fallthrough -Wunused
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
  $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
  $<$<BOOL:${STRATA_WERROR}>:-Werror>)

# Sanitizers.
if(STRATA_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
elseif(STRATA_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=thread)
elseif(STRATA_SANITIZE)
  message(FATAL_ERROR "STRATA_SANITIZE is '${STRATA_SANITIZE}'; it may be 'address', 'thread' or empty.")
endif()

if(STRATA_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "STRATA_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++.")
  endif()
endif()
