/* Opens connections and holds them: an idle crowd.

     hold PORT COUNT

   On each connection one request is sent and its answer read, so that the server has made all that it keeps for a connection. Writes
   "ready N" when N connections stand, and holds them until its standard input ends. Uses a further source address after every 20,000,
   since the ports of one run out. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char request[] = "GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

static int fail(const char *what) {
  fprintf(stderr, "hold: %s: %s\n", what, strerror(errno));
  return -1;
}

static int open_one(int port, int number) {
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return fail("socket");
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000002 + number / 20000)};
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(connection, (struct sockaddr *)&from, sizeof from) != 0) return fail("bind");
  if (connect(connection, (struct sockaddr *)&to, sizeof to) != 0) return fail("connect");
  if (send(connection, request, sizeof request - 1, 0) != (ssize_t)sizeof request - 1) return fail("send");
  char answer[1024];
  ssize_t got = 0;
  while (got < (ssize_t)sizeof answer) {
    ssize_t more = recv(connection, answer + got, sizeof answer - (size_t)got, 0);
    if (more <= 0) return fail("recv");
    got += more;
    if (memmem(answer, (size_t)got, "Hello, World!", 13) != NULL) return connection;
  }
  return -1;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: hold PORT COUNT\n");
    return 64;
  }
  int count = atoi(argv[2]), held = 0;
  while (held < count && open_one(atoi(argv[1]), held) >= 0) held += 1;
  printf("ready %d\n", held);
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) continue;
  return held == count ? 0 : 1;
}
