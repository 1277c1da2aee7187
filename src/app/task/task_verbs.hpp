// The verbs below `strata task`, one function each.
#pragma once

#include "app/command_line.hpp"

namespace strata::app {

int task_serve(const Arguments& arguments);
int task_guardian(const Arguments& arguments);
int task_keygen(const Arguments& arguments);
int task_submit(const Arguments& arguments);
int task_load(const Arguments& arguments);
int task_kill(const Arguments& arguments);
int task_discard(const Arguments& arguments);
int task_suspend(const Arguments& arguments);
int task_resume(const Arguments& arguments);
int task_request(const Arguments& arguments);
int task_resource(const Arguments& arguments);
int task_queue(const Arguments& arguments);
int task_running(const Arguments& arguments);
int task_resources(const Arguments& arguments);
int task_tables(const Arguments& arguments);
int task_history(const Arguments& arguments);
int task_stats(const Arguments& arguments);
int task_log(const Arguments& arguments);
int task_watch(const Arguments& arguments);
int task_terminal(const Arguments& arguments);
int task_report(const Arguments& arguments);
int task_wait(const Arguments& arguments);

}  // namespace strata::app
