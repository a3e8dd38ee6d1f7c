#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <signal.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int heddle_futex_wait(uint32_t *word, uint32_t expected, int64_t nanoseconds) {
  struct timespec limit, *timeout = NULL;
  if (nanoseconds >= 0) {
    limit.tv_sec = nanoseconds / 1000000000;
    limit.tv_nsec = nanoseconds % 1000000000;
    timeout = &limit;
  }
  /* FUTEX_WAIT takes a relative timeout, measured on CLOCK_MONOTONIC. */
  long result = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout, NULL, 0);
  return result == 0 ? 0 : errno;
}

int heddle_futex_wake(uint32_t *word, int count) {
  return (int)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static __thread int32_t cached_tid;

static void forget_tid_in_child(void) { cached_tid = 0; }

__attribute__((constructor)) static void prepare_for_fork(void) {
  pthread_atfork(NULL, NULL, forget_tid_in_child);
}

int32_t heddle_tid(void) {
  if (cached_tid == 0) cached_tid = (int32_t)syscall(SYS_gettid);
  return cached_tid;
}

int heddle_thread_create(pthread_t *thread, size_t stack_size, size_t guard_size, bool detached,
                         void *(*entry)(void *), void *context) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
  pthread_attr_t attributes;
  sigset_t blocked;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
  error = pthread_attr_setsigmask_np(&attributes, &blocked);
  if (error == 0) error = pthread_attr_setguardsize(&attributes, guard_size);
  /* The GNU C library takes the guard out of the stack: add it, so that the caller gets the size that was asked for. */
  if (error == 0) error = pthread_attr_setstacksize(&attributes, stack_size + guard_size);
  if (error == 0 && detached) error = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (error == 0) error = pthread_create(thread, &attributes, entry, context);
  pthread_attr_destroy(&attributes);
  return error;
}

int heddle_thread_set_name(const char *name) { return pthread_setname_np(pthread_self(), name); }

size_t heddle_thread_stack_size(void) {
  pthread_attr_t attributes;
  size_t size = 0, guard = 0;
  void *address;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  if (pthread_attr_getstack(&attributes, &address, &size) != 0 ||
      pthread_attr_getguardsize(&attributes, &guard) != 0)
    size = 0;
  pthread_attr_destroy(&attributes);
  return size > guard ? size - guard : 0; /* what is reported contains the guard */
}

int64_t heddle_thread_cpu_nanoseconds(pthread_t thread) {
  clockid_t clock;
  struct timespec t;
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &t) != 0) return -1;
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

char heddle_thread_state(int32_t tid) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text);
  close(file);
  /* "pid (name) S ...": the name may hold blanks and brackets, so look for the last bracket. */
  for (ssize_t i = length - 3; i >= 0; i--)
    if (text[i] == ')') return text[i + 2];
  return 0;
}

struct heddle_usage heddle_thread_usage(void) {
  struct rusage usage;
  struct heddle_usage result = {0, 0};
  if (getrusage(RUSAGE_THREAD, &usage) == 0) {
    result.cpu_nanoseconds = (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
                             (int64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
    result.sleeps = usage.ru_nvcsw;
  }
  return result;
}

int heddle_thread_set_nice(int32_t tid, int nice) {
  return setpriority(PRIO_PROCESS, (id_t)tid, nice) == 0 ? 0 : errno;
}

int heddle_cpu_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
  }
  int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

static __thread void *slots[5];

void *heddle_tls_get(int slot) { return slots[slot]; }
void heddle_tls_set(int slot, void *value) { slots[slot] = value; }

int heddle_epoll_wait(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds) {
  static _Atomic bool no_pwait2;
  if (nanoseconds < 0) {
    int count = epoll_wait(epoll, events, capacity, -1);
    return count >= 0 ? count : -errno;
  }
  if (nanoseconds > 0 && !no_pwait2) {
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int count = epoll_pwait2(epoll, events, capacity, &limit, NULL);
    if (count >= 0) return count;
    if (errno != ENOSYS) return -errno;
    no_pwait2 = true;
  }
  int64_t milliseconds = (nanoseconds + 999999) / 1000000;
  int count = epoll_wait(epoll, events, capacity, milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
  return count >= 0 ? count : -errno;
}

void heddle_eventfd_signal(int descriptor) {
  uint64_t one = 1;
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
}

void heddle_eventfd_clear(int descriptor) {
  uint64_t count;
  while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {}
}

/* Without openat2: each part of the path by itself, no symbolic link, no "..". */
static int open_step_by_step(int folder, const char *path) {
  int here = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  while (here >= 0) {
    char part[256];
    size_t length = strcspn(path, "/");
    if (length >= sizeof part) {
      close(here);
      return -ENAMETOOLONG;
    }
    memcpy(part, path, length);
    part[length] = 0;
    path += length;
    while (*path == '/') path++;
    if (length == 0 || strcmp(part, ".") == 0) {
      if (*path == 0) return here;
      continue;
    }
    if (strcmp(part, "..") == 0) {
      close(here);
      return -EXDEV;
    }
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (*path ? O_DIRECTORY : 0);
    int next = openat(here, part, flags);
    int problem = errno;
    close(here);
    if (next < 0) return -problem;
    if (*path == 0) return next;
    here = next;
  }
  return -errno;
}

int heddle_open_beneath(int folder, const char *path) {
  static _Atomic bool no_openat2;
  if (!no_openat2) {
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    long file = syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (file >= 0) return (int)file;
    /* EPERM: some container runtimes refuse calls that they do not know in this way. */
    if (errno != ENOSYS && errno != EPERM) return -errno;
    no_openat2 = errno == ENOSYS;
  }
  return open_step_by_step(folder, path);
}

uint64_t heddle_tcp_bytes_acknowledged(int socket) {
  struct tcp_info info;
  memset(&info, 0, sizeof info);
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return info.tcpi_bytes_acked;
}
