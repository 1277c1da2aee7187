# `cmake --install`:
#   bin/strata                           the program
#   share/strata/{models,examples}       data; the program looks for it in ../share/strata from where it lies itself,
#                                        and in the source tree when it runs from a build folder
#   include/strata/<module>/*.hpp        what plugins include, as "<module>/..."
#   lib/cmake/strata/                    find_package(strata), strata_add_plugin()
# The build folder holds a strataConfig.cmake too, so that plugins build without an installation: -Dstrata_DIR=build.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(STRATA_API_MODULES base kernel world)

if(TARGET strata)
  install(TARGETS strata RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The annotating compiler, as far as it was built; it looks for its parts in ../lib/strata.
install(TARGETS strata-cc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES "${PROJECT_BINARY_DIR}/bin/strata-c++" DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
install(TARGETS strata_perf LIBRARY DESTINATION lib/strata/64)
install(TARGETS strata_qemu_count LIBRARY DESTINATION lib/strata/qemu)
if(TARGET strata_perf32)
  install(TARGETS strata_perf32 LIBRARY DESTINATION lib/strata/32)
endif()
if(TARGET strata-annotate)
  install(TARGETS strata-annotate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(module IN LISTS STRATA_API_MODULES)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/${module}/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/strata/${module}"
    FILES_MATCHING PATTERN "*.hpp" PATTERN "test" EXCLUDE PATTERN "fuzz" EXCLUDE)
endforeach()
foreach(folder models examples)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${CMAKE_INSTALL_DATADIR}/strata" OPTIONAL
    PATTERN "build" EXCLUDE PATTERN "runs" EXCLUDE)
endforeach()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/strata")

# The package file, once for the installation and once for the build folder.
set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/strata")
set(STRATA_CONFIG_INCLUDE_DIR "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}/strata")
set(STRATA_CONFIG_PROGRAM "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_BINDIR}/strata")
configure_package_config_file(cmake/strataConfig.cmake.in "${PROJECT_BINARY_DIR}/install/strataConfig.cmake"
  INSTALL_DESTINATION "${config_dir}")
set(STRATA_CONFIG_INCLUDE_DIR "${PROJECT_SOURCE_DIR}/src")
set(STRATA_CONFIG_PROGRAM "${PROJECT_BINARY_DIR}/bin/strata")
configure_package_config_file(cmake/strataConfig.cmake.in "${PROJECT_BINARY_DIR}/strataConfig.cmake"
  INSTALL_DESTINATION "${PROJECT_BINARY_DIR}" INSTALL_PREFIX "${PROJECT_BINARY_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/strataConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/install/strataConfig.cmake" "${PROJECT_BINARY_DIR}/strataConfigVersion.cmake"
  DESTINATION "${config_dir}")
