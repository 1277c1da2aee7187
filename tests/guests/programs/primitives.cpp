// Every primitive once; times are relative to the start and rounded to 10 ms, so that a native run says the same.
#include <atomic>
#include <barrier>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <mutex>
#include <pthread.h>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
static Clock::time_point start;
static void say(const char* what, long value) {
  const double t = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf("%.1f %s %ld\n", static_cast<double>(static_cast<long>(t * 10 + 0.3)) / 10, what, value);
  std::fflush(stdout);
}
static void futures() {
  auto f = std::async(std::launch::async, [] {
    std::this_thread::sleep_for(500ms);
    return 7;
  });
  say("timeout", f.wait_for(200ms) == std::future_status::timeout);
  say("value", f.get());
}
static void mutexes() {
  std::timed_mutex m;
  m.lock();
  std::thread t([&] {
    say("timed", m.try_lock_for(150ms));
    const bool got = m.try_lock_for(3s);
    say("timed again", got);
    if (got) m.unlock();
  });
  std::this_thread::sleep_for(200ms);
  m.unlock();
  t.join();
  std::shared_mutex s;
  s.lock();
  std::thread a([&] {
    s.lock_shared();
    say("shared", 1);
    s.unlock_shared();
  });
  std::this_thread::sleep_for(100ms);
  s.unlock();
  a.join();
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
  pthread_mutex_t pi;
  pthread_mutex_init(&pi, &attr);
  pthread_mutex_lock(&pi);
  std::thread p([&] {
    pthread_mutex_lock(&pi);
    say("inherit", 1);
    pthread_mutex_unlock(&pi);
  });
  std::this_thread::sleep_for(100ms);
  pthread_mutex_unlock(&pi);
  p.join();
}
static void semaphores() {
  std::counting_semaphore<8> s(0);
  std::barrier b(2);
  std::thread t([&] {
    say("sem", s.try_acquire_for(50ms));
    s.acquire();
    say("sem", 1);
    b.arrive_and_wait();
  });
  std::this_thread::sleep_for(100ms);
  s.release();
  b.arrive_and_wait();
  t.join();
  std::atomic<int> a{0};
  std::thread u([&] {
    std::this_thread::sleep_for(100ms);
    a = 1;
    a.notify_all();
  });
  a.wait(0);
  say("atomic", a);
  u.join();
}
static void descriptors() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), event = eventfd(0, EFD_NONBLOCK),
            set = epoll_create1(0);
  itimerspec spec{{0, 50000000}, {0, 100000000}};
  timerfd_settime(timer, 0, &spec, nullptr);
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.fd = timer;
  epoll_ctl(set, EPOLL_CTL_ADD, timer, &e);
  e.events = EPOLLIN | EPOLLET;
  e.data.fd = event;
  epoll_ctl(set, EPOLL_CTL_ADD, event, &e);
  std::thread t([&] {
    std::this_thread::sleep_for(225ms);
    std::uint64_t one = 1;
    if (write(event, &one, 8) != 8) std::abort();
  });
  long timers = 0, events = 0;
  while (timers < 5) {
    epoll_event r[4];
    const int n = epoll_wait(set, r, 4, 1000);
    for (int i = 0; i < n; ++i) {
      std::uint64_t v = 0;
      if (read(r[i].data.fd, &v, 8) == 8) (r[i].data.fd == timer ? timers : events) += static_cast<long>(v);
    }
  }
  t.join();
  say("timers", timers);
  say("events", events);
  close(timer);
  close(event);
  close(set);
}
static volatile sig_atomic_t hits = 0;
static void signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { hits = hits + 1; };
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGALRM, &action, nullptr);
  raise(SIGUSR1);
  say("raised", hits);
  itimerval v{{0, 100000}, {0, 100000}};
  setitimer(ITIMER_REAL, &v, nullptr);
  timespec wait{1, 0}, rest{};
  const int r = nanosleep(&wait, &rest);
  say("interrupted", r == -1 && errno == EINTR);
  say("rest", (rest.tv_nsec + 50000000) / 100000000);
  v = {};
  setitimer(ITIMER_REAL, &v, nullptr);
  const pid_t me = getpid();
  const pid_t child = fork();
  if (child == 0) {
    usleep(100000);
    kill(me, SIGUSR1);
    _exit(5);
  }
  pause();
  say("paused", hits);
  int status = 0;
  waitpid(child, &status, 0);
  say("child", WEXITSTATUS(status));
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  timespec limit{0, 100000000};
  say("sigtimedwait", sigtimedwait(&set, nullptr, &limit));
  raise(SIGUSR2);
  say("sigtimedwait", sigtimedwait(&set, nullptr, &limit));
  timer_t timer;
  sigevent how{};
  how.sigev_notify = SIGEV_SIGNAL;
  how.sigev_signo = SIGUSR1;
  timer_create(CLOCK_MONOTONIC, &how, &timer);
  itimerspec spec{{0, 0}, {0, 100000000}};
  timer_settime(timer, 0, &spec, nullptr);
  pause();
  say("timer", hits);
  timer_delete(timer);
}
static void processes() {
  int p[2];
  if (pipe(p) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    usleep(100000);
    if (write(p[1], "hi", 2) != 2) _exit(1);
    _exit(3);
  }
  close(p[1]);
  char b[8];
  say("pipe", read(p[0], b, 8));
  say("end", read(p[0], b, 8));
  int status = 0;
  waitpid(child, &status, 0);
  say("child", WEXITSTATUS(status));
  close(p[0]);
  say("system", WEXITSTATUS(system("sleep 0.2; exit 4")));
  FILE* f = popen("sleep 0.1; echo yes", "r");
  char line[64] = {};
  if (fgets(line, 64, f) == nullptr) std::abort();
  say(std::strtok(line, "\n"), WEXITSTATUS(pclose(f)));
  struct Shared {
    pthread_mutex_t m;
    pthread_cond_t c;
    int v;
  };
  auto* s = static_cast<Shared*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  pthread_mutexattr_t ma;
  pthread_mutexattr_init(&ma);
  pthread_mutexattr_setpshared(&ma, 1);
  pthread_mutexattr_setrobust(&ma, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&s->m, &ma);
  pthread_condattr_t ca;
  pthread_condattr_init(&ca);
  pthread_condattr_setpshared(&ca, 1);
  pthread_cond_init(&s->c, &ca);
  if (fork() == 0) {
    for (int i = 0; i < 3; ++i) {
      usleep(100000);
      pthread_mutex_lock(&s->m);
      ++s->v;
      pthread_cond_signal(&s->c);
      pthread_mutex_unlock(&s->m);
    }
    pthread_mutex_lock(&s->m);
    _exit(0);
  }
  pthread_mutex_lock(&s->m);
  while (s->v < 3) pthread_cond_wait(&s->c, &s->m);
  pthread_mutex_unlock(&s->m);
  wait(nullptr);
  say("robust", pthread_mutex_lock(&s->m) == EOWNERDEAD);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) std::abort();
  if (fork() == 0) {
    usleep(100000);
    if (write(pair[1], "abc", 3) != 3) _exit(1);
    _exit(0);
  }
  close(pair[1]);
  say("socketpair", read(pair[0], b, 8));
  say("end", read(pair[0], b, 8));
  wait(nullptr);
}
static void threads() {
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        for (;;) sleep(10);
      },
      nullptr);
  usleep(100000);
  pthread_cancel(t);
  void* r = nullptr;
  pthread_join(t, &r);
  say("cancelled", r == PTHREAD_CANCELED);
  for (int i = 0; i < 50; ++i) {
    std::thread([] { std::this_thread::sleep_for(10ms); }).detach();
  }
  std::this_thread::sleep_for(100ms);
  say("detached", 50);
  const auto end = Clock::now() + 100ms;
  while (Clock::now() < end) {
  }
  say("polled clock", 1);
  const unsigned long long before = __builtin_ia32_rdtsc();
  usleep(100000);
  say("counter", __builtin_ia32_rdtsc() > before);
}
int main() {
  start = Clock::now();
  futures();
  mutexes();
  semaphores();
  descriptors();
  signals();
  processes();
  threads();
  say("done", 0);
}
