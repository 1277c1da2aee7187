#include "app/interrupt.hpp"

#include <array>
#include <csignal>
#include <unistd.h>

#include "app/command_line.hpp"

namespace strata::app {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
// A signal handler can reach nothing but globals.
std::atomic<bool> interrupted_flag{false};
std::array<struct sigaction, kSignals.size()> previous{};

extern "C" void on_interrupt(int) {
  if (interrupted_flag.exchange(true)) ::_exit(ExitCode::kInterrupted);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted_flag = false;
  struct sigaction action {};
  action.sa_handler = &on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &previous[i]);
    // nohup ignores SIGHUP on purpose. Scripts ignore SIGINT for what they start in the background, yet `kill -INT` is
    // meant.
    if (kSignals[i] != SIGHUP || previous[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &previous[i], nullptr);
}

const std::atomic<bool>& InterruptGuard::interrupted() const { return interrupted_flag; }

}  // namespace strata::app
