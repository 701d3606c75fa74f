// The door to libmicrohttpd, 0.9.75 of Debian 12 and 1.0 of Debian 13: only what Swift cannot call (variadic functions,
// macros, va_list) or what differs between the two is written here.
// The manual: https://www.gnu.org/software/libmicrohttpd/manual/
#ifndef HOLDFAST_CMICROHTTPD_SHIM_H
#define HOLDFAST_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/// Receives one formatted line of libmicrohttpd's own log.
typedef void (*shim_log_line)(void *context, const char *line);

/// What `shim_MHD_start_daemon` passes on. It must outlive the daemon: the logger reads it.
struct shim_daemon_options {
    unsigned threads;
    unsigned connection_limit;
    size_t connection_memory_bytes;
    unsigned timeout_seconds;
    void *context;
    MHD_AccessHandlerCallback access;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    shim_log_line log;
};

/// Leaves escapes alone: the server splits the raw target before it decodes it.
static size_t shim_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/// Formats libmicrohttpd's message, because Swift cannot hand on a `va_list` to `vsnprintf`
/// in a C callback without a copy of its own.
static void shim_log(void *context, const char *format, va_list arguments) {
    const struct shim_daemon_options *options = (const struct shim_daemon_options *)context;
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    options->log(options->context, line);
}

/// `MHD_start_daemon` is variadic. Starts a daemon that has no listening socket (connections come
/// by `MHD_add_connection`) and polls by epoll. NULL on failure, with the reason in `errno`.
///
/// `MHD_USE_TURBO` has a second meaning here: without it libmicrohttpd shuts a socket down when it
/// closes it, and a duplicate of the descriptor (an event stream) would be dead as well.
static inline struct MHD_Daemon *shim_MHD_start_daemon(struct shim_daemon_options *options) {
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_INTERNAL_POLLING_THREAD
        | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO | MHD_USE_NO_LISTEN_SOCKET
        | MHD_USE_ERROR_LOG;
    const struct MHD_OptionItem pool[] = {
        {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)options->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    return MHD_start_daemon(
        flags, 0, NULL, NULL, options->access, options->context,
        // The logger comes first: it reports what is wrong with the options after it.
        MHD_OPTION_EXTERNAL_LOGGER, shim_log, options,
        MHD_OPTION_CONNECTION_LIMIT, options->connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory_bytes,
        MHD_OPTION_CONNECTION_TIMEOUT, options->timeout_seconds,
        MHD_OPTION_NOTIFY_COMPLETED, options->completed, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->connection, options->context,
        MHD_OPTION_URI_LOG_CALLBACK, options->target, options->context,
        MHD_OPTION_UNESCAPE_CALLBACK, shim_keep_escapes, NULL,
#if MHD_VERSION >= 0x00097701
        // At 1 it refuses what 0.9.75 passes over: see `shim_checks_lines`.
        MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1,
#else
        // At 1 it closes connections without a reply (a blank in the target) or answers twice (no
        // Host), at -1 it looks for blanks in names: the server checks all of that itself.
        MHD_OPTION_STRICT_FOR_CLIENT, 0,
#endif
        MHD_OPTION_ARRAY, options->threads > 1 ? pool : none,
        MHD_OPTION_END);
}

/// Whether libmicrohttpd itself refuses lines that end with LF alone, folded lines, blanks before a colon and NUL, as 1.0
/// does. Where it does not, it leaves a head in memory as 0.9.75 takes it apart: with a NUL for each byte of a line's end.
static inline bool shim_checks_lines(void) { return MHD_VERSION >= 0x00097701; }

/// The socket of a connection, or -1.
static inline int shim_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// The peer's address, or NULL.
static inline const struct sockaddr *shim_connection_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/// The value that the connection callback stored for this connection, or NULL.
static inline void *shim_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/// Gives a connection a time-out of its own (variadic).
static inline void shim_set_timeout(struct MHD_Connection *connection, unsigned seconds) {
    (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/// Bytes of the request line and the headers together; 0 before they are complete.
static inline size_t shim_request_header_bytes(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/// Takes the query from a target while libmicrohttpd reports it, before it makes a record of each
/// parameter: a few kilobytes of them need more memory than a connection has. The text is the
/// connection's own, writable memory.
static inline void shim_drop_query(const char *target) {
    char *query = strchr((char *)(uintptr_t)target, '?');
    if (query) query[1] = '\0';
}

/// Empties a field's value, in the connection's own, writable memory, so that libmicrohttpd does not go by it.
static inline void shim_forget_value(const uint8_t *value) { *(uint8_t *)(uintptr_t)value = 0; }

/// Puts an empty field `Cookie` before those of the client, so that libmicrohttpd, which takes the
/// first, makes no record of each cookie. Call it while the target is reported.
static inline void shim_hide_cookies(struct MHD_Connection *connection) {
    (void)MHD_set_connection_value_n(connection, MHD_HEADER_KIND, "Cookie", 6, "", 0);
}

/// Calls `visit` for every header in the order received.
static inline void shim_each_request_header(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN visit, void *context) {
    (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, visit, context);
}

/// The number of headers.
static inline int shim_request_header_count(struct MHD_Connection *connection) {
    return MHD_get_connection_values_n(connection, MHD_HEADER_KIND, NULL, NULL);
}

/// A body that libmicrohttpd neither copies nor frees (it is told when it is done with it).
static inline struct MHD_Response *shim_response_from_bytes(
    size_t count, const void *bytes, MHD_ContentReaderFreeCallback done, void *context) {
    return MHD_create_response_from_buffer_with_free_callback_cls(
        count, (void *)(uintptr_t)bytes, done, context);
}

/// A reply to HEAD whose body has no known length: neither `Content-Length` nor chunks, and the
/// connection closes. (libmicrohttpd 0.9.75 sends the last chunk of a chunked body after the headers
/// also when there is no body to send, which the client would take for the next reply.)
static inline struct MHD_Response *shim_response_without_length(
    MHD_ContentReaderCallback never_called) {
    struct MHD_Response *response
        = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, never_called, NULL, NULL);
    if (response) {
        (void)MHD_set_response_options(
            response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    }
    return response;
}

/// `MHD_SIZE_UNKNOWN` is a macro with a cast.
static const uint64_t shim_size_unknown = MHD_SIZE_UNKNOWN;

/// Macros with casts: what a content reader returns at the end, and when it cannot go on.
static const ssize_t shim_pull_end = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t shim_pull_failed = MHD_CONTENT_READER_END_WITH_ERROR;

#endif
