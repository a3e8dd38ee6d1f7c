/* libmicrohttpd for Swift: the library's own header, and an inline wrapper for each variadic
   function that the server calls (Swift cannot call C variadic functions). Nothing else belongs here. */
#ifndef HEDDLE_CMICROHTTPD_SHIM_H
#define HEDDLE_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <sys/socket.h>

/* MHD_start_daemon(..., MHD_OPTION_ARRAY, options, MHD_OPTION_END). */
static inline struct MHD_Daemon *
heddle_mhd_start(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                 struct MHD_OptionItem *options) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options,
                          MHD_OPTION_END);
}

/* The descriptor of MHD's own epoll set, or -1. */
static inline int heddle_mhd_epoll_fd(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/* How many connections the daemon holds now. Leader only. */
static inline unsigned int heddle_mhd_connections(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info =
      MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info ? info->num_connections : 0;
}

/* The peer's address, or NULL. Leader only, while the connection lives. */
static inline const struct sockaddr *heddle_mhd_client_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/* The connection's socket, or -1. Leader only, while the connection lives. */
static inline int heddle_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* What NOTIFY_CONNECTION has stored for the connection, or NULL. Leader only, while the connection lives. */
static inline void *heddle_mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/* Bytes of the request head as MHD counted them, 0 if unknown. Leader only, in the access handler. */
static inline size_t heddle_mhd_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/* Sets the idle timeout of one connection, in seconds. Leader only. */
static inline int heddle_mhd_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
  return MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

#endif
