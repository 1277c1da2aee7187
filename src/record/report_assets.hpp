// The look and the behaviour of the report's page: style and script, without anything from outside.
#pragma once

namespace strata::report_assets {

extern const char* const kStyle;
/// Charts, copying, light and dark.
extern const char* const kScript;
/// The map: trajectories, time slider, pan and zoom.
extern const char* const kMapScript;

}  // namespace strata::report_assets
