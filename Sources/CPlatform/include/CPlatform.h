/* What Swift cannot do, or cannot do without a hidden allocation or an unstable import: function by function,
   each with its reason. Everything else is written in Swift. */
#ifndef HEDDLE_CPLATFORM_H
#define HEDDLE_CPLATFORM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>

/* --- futex: glibc has no wrapper, and syscall() is variadic. -------------------------------------------------- */

/* Sleeps while *word == expected, at most `nanoseconds` (negative: for ever), on the monotonic clock.
   Returns 0 when woken, or EAGAIN (the word differed), ETIMEDOUT, EINTR. Words are private to the process. */
int heddle_futex_wait(uint32_t *word, uint32_t expected, int64_t nanoseconds);

/* Wakes at most `count` threads that sleep on the word. Returns how many. */
int heddle_futex_wake(uint32_t *word, int count);

/* --- threads ---------------------------------------------------------------------------------------------------- */

/* The kernel's id of the calling thread: cached in thread-local storage, which Swift has no cheap form of. */
int32_t heddle_tid(void);

/* pthread_create with a stack size, a guard size, and the signals blocked from the first instruction on. In C because
   the attribute that sets the signal mask, pthread_attr_setsigmask_np, is a GNU extension that Swift does not see. Blocks
   every signal but those that a fault raises on the thread itself (SEGV, BUS, ILL, FPE, TRAP, ABRT, SYS): the kernel
   kills a process for a blocked fault without running any handler. Returns 0 or an error number. */
int heddle_thread_create(pthread_t *thread, size_t stack_size, size_t guard_size, bool detached,
                         void *(*entry)(void *), void *context);

/* Names the calling thread: at most 15 bytes. pthread_setname_np is a GNU extension. Returns 0 or an error number. */
int heddle_thread_set_name(const char *name);

/* The size of the calling thread's stack in bytes without its guard, or 0. pthread_getattr_np is a GNU extension. */
size_t heddle_thread_stack_size(void);

/* CPU time used so far by a live thread, in nanoseconds, or -1. pthread_getcpuclockid + clock_gettime. */
int64_t heddle_thread_cpu_nanoseconds(pthread_t thread);

/* What the calling thread has used so far: processor time in nanoseconds, and how often it went to sleep of its own accord.
   getrusage(RUSAGE_THREAD), which is hidden from Swift behind _GNU_SOURCE. About 0.3 us. */
struct heddle_usage {
  int64_t cpu_nanoseconds;
  int64_t sleeps;
};
struct heddle_usage heddle_thread_usage(void);

/* The scheduler's one-letter state of a thread of this process (R, S, D, ...), from /proc/self/task; 0 if it is gone.
   In C because it must neither allocate nor pull Foundation in. */
char heddle_thread_state(int32_t tid);

/* Sets the nice value of one thread (setpriority with PRIO_PROCESS takes an int, or an enum, by the C library). */
int heddle_thread_set_nice(int32_t tid, int nice);

/* Processors that the process may run on, at least 1. sched_getaffinity is hidden from Swift behind _GNU_SOURCE. */
int heddle_cpu_count(void);

/* The one thread-local pointer of each subsystem. Swift's own thread locals need pthread keys: a call and a lock. */
void *heddle_tls_get(int slot);
void heddle_tls_set(int slot, void *value);
#define HEDDLE_TLS_THREAD 0  /* RunLoops: the OwnedThread that runs here */
#define HEDDLE_TLS_LOOP 1    /* RunLoops: the run loop of this thread */
#define HEDDLE_TLS_WAITER 2  /* Locks: the record of what this thread waits for */
#define HEDDLE_TLS_WORKER 3  /* WorkerPool: the worker that runs here */
#define HEDDLE_TLS_ORDER 4   /* Interleavings: who decides, in a test, in which order threads run */

/* --- clocks: struct timespec arithmetic in one place, in nanoseconds -------------------------------------------- */

static inline int64_t heddle_clock_nanoseconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* CLOCK_MONOTONIC. About 30 ns. */
static inline int64_t heddle_now(void) { return heddle_clock_nanoseconds(CLOCK_MONOTONIC); }

/* CLOCK_MONOTONIC_COARSE: a few nanoseconds to read, up to 4 ms old. */
static inline int64_t heddle_now_coarse(void) { return heddle_clock_nanoseconds(CLOCK_MONOTONIC_COARSE); }

/* --- waiting ---------------------------------------------------------------------------------------------------- */

/* epoll_pwait2 with a timeout in nanoseconds (negative: for ever); where the kernel has no epoll_pwait2, epoll_wait with
   the timeout rounded up to milliseconds. Returns the number of events, or -errno. Not retried on EINTR. */
int heddle_epoll_wait(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds);

/* Adds 1 to an eventfd. EINTR is retried; EAGAIN (counter full) is as good as done. */
void heddle_eventfd_signal(int descriptor);

/* Reads and so clears an eventfd that was made non-blocking. */
void heddle_eventfd_clear(int descriptor);

/* --- sockets ---------------------------------------------------------------------------------------------------- */

/* Bytes that a TCP connection's peer has acknowledged so far; 0 for other sockets. getsockopt(TCP_INFO): the structure is
   the kernel's, and glibc's older form of it lacks this field. */
uint64_t heddle_tcp_bytes_acknowledged(int socket);

/* --- files ------------------------------------------------------------------------------------------------------ */

/* Opens a path for reading, which must lie beneath the folder, symbolic links included. openat2 has no wrapper in glibc.
   Never blocks on a FIFO. Returns a descriptor, or -errno. */
int heddle_open_beneath(int folder, const char *path);

#endif
