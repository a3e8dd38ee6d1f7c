/* The usual way to put a pool of threads behind libmicrohttpd: suspend the connection, queue it, let a thread handle it,
   resume, and answer when the library calls again. What Heddle's leader and followers are meant to beat.

     suspend PORT [CONNECTION-MEMORY] [THREADS]

   /plaintext, /lab/sleep?ms=N and /lab/throw, as far as the cases of Benchmarks/run ask for them. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct job {
  struct job *next;
  struct MHD_Connection *connection;
  enum { PLAINTEXT, SLEEP, THROW, MISSING } route;
  long milliseconds;
  int queued; /* Only the library's thread looks at it. */
  unsigned status;
  const char *text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first; /* The queue; the lock guards it. */

static void *work(void *unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (first == NULL) pthread_cond_wait(&arrived, &lock);
    struct job *job = first;
    first = job->next;
    if (first == NULL) last = &first;
    pthread_mutex_unlock(&lock);

    job->status = MHD_HTTP_OK;
    job->text = "Hello, World!";
    if (job->route == SLEEP) {
      struct timespec span = {job->milliseconds / 1000, job->milliseconds % 1000 * 1000000};
      nanosleep(&span, NULL);
    } else if (job->route == THROW) {
      job->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
      job->text = "Internal Server Error";
    } else if (job->route == MISSING) {
      job->status = MHD_HTTP_NOT_FOUND;
      job->text = "Not Found";
    }
    MHD_resume_connection(job->connection); /* The job belongs to the library's thread again. */
  }
  return NULL;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *body, size_t *body_size, void **state) {
  (void)context, (void)method, (void)version, (void)body;
  struct job *job = *state;
  if (job == NULL) { /* The head is here; the second call says that the request is complete. */
    *state = job = calloc(1, sizeof *job);
    if (job == NULL) return MHD_NO;
    job->connection = connection;
    job->route = strcmp(url, "/plaintext") == 0    ? PLAINTEXT
                 : strcmp(url, "/lab/sleep") == 0 ? SLEEP
                 : strcmp(url, "/lab/throw") == 0 ? THROW
                                                  : MISSING;
    const char *milliseconds = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "ms");
    job->milliseconds = milliseconds != NULL ? atol(milliseconds) : 0;
    return MHD_YES;
  }
  if (*body_size != 0) { /* Bodies are of no interest. */
    *body_size = 0;
    return MHD_YES;
  }
  if (!job->queued) {
    job->queued = 1;
    MHD_suspend_connection(connection); /* First, or a quick thread would resume what is not suspended yet. */
    pthread_mutex_lock(&lock);
    job->next = NULL;
    *last = job;
    last = &job->next;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    return MHD_YES;
  }
  struct MHD_Response *response =
      MHD_create_response_from_buffer(strlen(job->text), (void *)job->text, MHD_RESPMEM_PERSISTENT);
  if (response == NULL) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
  enum MHD_Result result = MHD_queue_response(connection, job->status, response);
  MHD_destroy_response(response);
  return result;
}

static void completed(void *context, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode reason) {
  (void)context, (void)connection, (void)reason;
  free(*state);
  *state = NULL;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: suspend PORT [CONNECTION-MEMORY] [THREADS]\n");
    return 64;
  }
  long memory = argc > 2 ? atol(argv[2]) : 0;
  int threads = argc > 3 ? atoi(argv[3]) : 4;
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(argv[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_OptionItem options[] = {{MHD_OPTION_SOCK_ADDR, 0, &address},
                                     {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)completed, NULL},
                                     {MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, NULL},
                                     {MHD_OPTION_END, 0, NULL}};
  if (memory == 0) options[2].option = MHD_OPTION_END;

  sigset_t stop; /* Blocked before any thread is made, so that only this one is told. */
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, NULL);

  for (int i = 0; i < threads; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0) {
      fprintf(stderr, "suspend: cannot make %d threads\n", threads);
      return 70;
    }
    pthread_detach(thread);
  }
  struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
                                               answer, NULL, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
  if (daemon == NULL) {
    perror("suspend: cannot listen");
    return 69;
  }
  int signal_number;
  sigwait(&stop, &signal_number);
  _exit(0); /* The library may not be stopped while a connection is suspended. */
}
