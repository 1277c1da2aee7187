# The modules and their layers, in build order. A module may use only modules with a lower number.
# This list is the single source: strata_module() refuses wrong dependencies, tests/layering scans the includes.
set(STRATA_LAYERS
  base:0
  sched:0
  shim_abi:0
  kernel:1
  shim:1
  control:1
  protocol:1
  world:2
  board:2
  coordinator:2
  annotate:3
  guest:3
  robots:3
  behaviour:3
  record:4
  bridges:5
  scenario:5
  server:5
  app:6
)

# Sets <result> to the layer of <module>, or to the empty string if there is no such module.
function(strata_layer_of module result)
  set(layer "")
  foreach(entry IN LISTS STRATA_LAYERS)
    if(entry MATCHES "^${module}:([0-9]+)$")
      set(layer "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(${result} "${layer}" PARENT_SCOPE)
endfunction()
