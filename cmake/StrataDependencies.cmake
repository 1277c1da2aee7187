# The libraries we use, all from Debian, each under one target name.
include_guard(GLOBAL)

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
if(STRATA_TESTS)
  find_package(GTest REQUIRED)
endif()

if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  set_target_properties(yaml-cpp::yaml-cpp PROPERTIES
    INTERFACE_LINK_LIBRARIES "${YAML_CPP_LIBRARIES}" INTERFACE_INCLUDE_DIRECTORIES "${YAML_CPP_INCLUDE_DIR}")
endif()

# Makes the target <name>::<name> of a library that comes without a CMake package.
function(_strata_plain_library name header library)
  find_path(STRATA_${name}_INCLUDE "${header}" REQUIRED)
  find_library(STRATA_${name}_LIBRARY "${library}" REQUIRED)
  mark_as_advanced(STRATA_${name}_INCLUDE STRATA_${name}_LIBRARY)
  add_library(${name}::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${name}::${name} PROPERTIES
    IMPORTED_LOCATION "${STRATA_${name}_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${STRATA_${name}_INCLUDE}")
endfunction()

_strata_plain_library(zstd zstd.h zstd)
_strata_plain_library(lz4 lz4frame.h lz4)
_strata_plain_library(pugixml pugixml.hpp pugixml)
_strata_plain_library(zlib zlib.h z)
_strata_plain_library(png png.h png)
_strata_plain_library(sleef sleef.h sleef)
_strata_plain_library(expat expat.h expat)
_strata_plain_library(sqlite3 sqlite3.h sqlite3)
_strata_plain_library(zmq zmq.h zmq)
