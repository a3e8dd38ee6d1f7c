/* The floor to measure against: libmicrohttpd the plain way. One thread of the library's own, epoll, and the answer
   made inside the callback, a response for each request. No pool, no router, no limits.

     inline PORT [CONNECTION-MEMORY [CONNECTIONS]]

   The memory per connection counts: the library zeroes all of it after every request. 0 leaves its default, 32 KiB.
   CONNECTIONS is the most at once; the library's default is about 1,000.
   /lab/throw answers 500, which is what a server does after a handler has failed. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *body, size_t *body_size, void **state) {
  (void)context, (void)version, (void)body;
  static const char seen = 0;
  if (*state == NULL) { /* The head is here; the second call says that the request is complete. */
    *state = (void *)&seen;
    return MHD_YES;
  }
  if (*body_size != 0) { /* Bodies are of no interest. */
    *body_size = 0;
    return MHD_YES;
  }
  const char *text = "Not Found";
  unsigned status = MHD_HTTP_NOT_FOUND;
  if (strcmp(url, "/plaintext") == 0 && strcmp(method, "GET") == 0) {
    text = "Hello, World!";
    status = MHD_HTTP_OK;
  } else if (strcmp(url, "/lab/throw") == 0) {
    text = "Internal Server Error";
    status = MHD_HTTP_INTERNAL_SERVER_ERROR;
  }
  struct MHD_Response *response =
      MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
  if (response == NULL) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: inline PORT [CONNECTION-MEMORY [CONNECTIONS]]\n");
    return 64;
  }
  long memory = argc > 2 ? atol(argv[2]) : 0;
  long connections = argc > 3 ? atol(argv[3]) : 0;
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(argv[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_OptionItem options[4] = {{MHD_OPTION_SOCK_ADDR, 0, &address}};
  int last = 1;
  if (memory > 0) options[last++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, NULL};
  if (connections > 0) options[last++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_LIMIT, connections, NULL};
  options[last] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};

  sigset_t stop; /* Blocked before the library makes its thread, so that only this one is told. */
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, NULL);

  struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL,
                                               MHD_OPTION_ARRAY, options, MHD_OPTION_END);
  if (daemon == NULL) {
    perror("inline: cannot listen");
    return 69;
  }
  int signal_number;
  sigwait(&stop, &signal_number);
  MHD_stop_daemon(daemon);
  return 0;
}
