// The texts that `strata new` writes, with @NAME@ and @TYPE@ where the name goes. What they say is compiled and run by
// the whole-program tests.
#pragma once

namespace strata::app::sources {

extern const char* const kScenario;
extern const char* const kCMake;
extern const char* const kSystem;
extern const char* const kSystemScenario;
extern const char* const kSystemReadme;
extern const char* const kSensor;
extern const char* const kSensorScenario;
extern const char* const kSensorReadme;

}  // namespace strata::app::sources
