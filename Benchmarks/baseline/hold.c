/* Holds idle connections: what a server carries while others are served.

     hold PORT COUNT PATH

   Opens COUNT connections to 127.0.0.1, one after the other, sends one request on each, reads the whole answer, and
   keeps the connection. Prints "held N"; when its standard input ends, prints how many of them the server has not
   closed or written to, "open N", closes all, and ends. The connections come from 127.0.1.1 to 127.0.1.64 in turn, so
   that neither the ports of one address nor those still in TIME_WAIT set a limit. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Why there is no connection, or nothing. */
static const char *ask(int connection, const char *request) {
  if (send(connection, request, strlen(request), MSG_NOSIGNAL) != (ssize_t)strlen(request)) return "send";
  char answer[4096];
  size_t have = 0, want = sizeof answer;
  while (have < want) {
    ssize_t count = recv(connection, answer + have, sizeof answer - 1 - have, 0);
    if (count <= 0) return count == 0 ? "the server closed the connection" : "recv";
    have += (size_t)count;
    answer[have] = 0;
    const char *end = strstr(answer, "\r\n\r\n");
    const char *length = strcasestr(answer, "\r\nContent-Length:");
    if (end != NULL && (length == NULL || length > end)) return "no Content-Length in the answer";
    if (end != NULL) want = (size_t)(end + 4 - answer) + strtoul(length + strlen("\r\nContent-Length:"), NULL, 10);
    if (want > sizeof answer - 1 && end != NULL) return "the answer is too long";
  }
  return strncmp(answer, "HTTP/1.1 200 ", 13) == 0 ? NULL : "the answer is not 200";
}

static const char *open_one(int *connection, int number, int port, const char *request) {
  *connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*connection < 0) return "socket";
  int on = 1;
  struct timeval limit = {.tv_sec = 10};
  setsockopt(*connection, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  setsockopt(*connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(*connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000101u + (unsigned)number % 64)};
  struct sockaddr_in server = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(*connection, (struct sockaddr *)&own, sizeof own) != 0) return "bind";
  if (connect(*connection, (struct sockaddr *)&server, sizeof server) != 0) return "connect";
  return ask(*connection, request);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: hold PORT COUNT PATH\n");
    return 64;
  }
  int port = atoi(argv[1]), count = atoi(argv[2]);
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  char request[512];
  snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", argv[3]);
  struct pollfd *held = calloc(count > 0 ? (size_t)count : 1, sizeof *held);
  if (held == NULL) return 70;
  for (int number = 0; number < count; number++) {
    errno = 0;
    const char *problem = open_one(&held[number].fd, number, port, request);
    if (problem != NULL) {
      printf("connection %d: %s%s%s\n", number + 1, problem, errno ? ": " : "", errno ? strerror(errno) : "");
      return 69;
    }
    held[number].events = POLLIN | POLLRDHUP;
  }
  printf("held %d\n", count);
  fflush(stdout);
  char ignored;
  while (read(0, &ignored, 1) > 0) {
  }
  int touched = poll(held, (nfds_t)count, 0);
  printf("open %d\n", count - (touched > 0 ? touched : 0));
  return 0;
}
