// The entry of every verb: reads its arguments, does the work, prints the result, returns the exit code.
#pragma once

#include "app/command_line.hpp"

namespace strata::app {

int run_verb(const Arguments& arguments);
int check_verb(const Arguments& arguments);
int test_verb(const Arguments& arguments);
int exec_verb(const Arguments& arguments);
int replay_verb(const Arguments& arguments);
int sweep_verb(const Arguments& arguments);
int import_verb(const Arguments& arguments);
int report_verb(const Arguments& arguments);
int list_verb(const Arguments& arguments);
int describe_verb(const Arguments& arguments);
int new_verb(const Arguments& arguments);
int task_verb(const Arguments& arguments);
int calibrate_verb(const Arguments& arguments);
int perf_verb(const Arguments& arguments);
int bench_verb(const Arguments& arguments);
int doctor_verb(const Arguments& arguments);

/// `strata` without arguments: the default example, and what to try next.
int first_run();

}  // namespace strata::app
