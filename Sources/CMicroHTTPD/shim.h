// The door to libmicrohttpd: only what Swift cannot call (variadic functions, macros, va_list)
// is written here. The manual: https://www.gnu.org/software/libmicrohttpd/manual/
#ifndef HOLDFAST_CMICROHTTPD_SHIM_H
#define HOLDFAST_CMICROHTTPD_SHIM_H

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

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
        // At 1 it closes connections without a reply (a blank in the target) or answers twice (no
        // Host), at -1 it looks for blanks in names: the server checks all of that itself.
        MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_ARRAY, options->threads > 1 ? pool : none,
        MHD_OPTION_END);
}

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

/// Puts an empty field `Cookie` before those of the client, so that libmicrohttpd, which takes the
/// first, makes no record of each cookie. Call it while the target is reported.
static inline void shim_hide_cookies(struct MHD_Connection *connection) {
    (void)MHD_set_connection_value_n(connection, MHD_HEADER_KIND, "Cookie", 6, "", 0);
}

/// The first header of that name (compared without case), or NULL; not copied, and valid as long
/// as the request is.
static inline const char *shim_request_header(
    struct MHD_Connection *connection, const char *name, size_t name_bytes, size_t *value_bytes) {
    const char *value = NULL;
    if (MHD_YES != MHD_lookup_connection_value_n(
            connection, MHD_HEADER_KIND, name, name_bytes, &value, value_bytes)) {
        return NULL;
    }
    return value ? value : "";
}

/// Calls `visit` for every header in the order received.
static inline void shim_each_request_header(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN visit, void *context) {
    (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, visit, context);
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

// What of Linux the Glibc module of Swift leaves out: epoll, eventfd, POLLRDHUP.

/// One ready descriptor: the number it was added with, and what is ready.
struct shim_ready {
    uint64_t token;
    uint32_t events;
};

static const uint32_t shim_readable = EPOLLIN;
static const uint32_t shim_writable = EPOLLOUT;
/// The peer closed its side.
static const uint32_t shim_peer_closed = EPOLLRDHUP;
/// The socket is of no further use.
static const uint32_t shim_broken = EPOLLHUP | EPOLLERR;
static const uint32_t shim_edges = EPOLLET;

/// A new epoll descriptor, or -1 with `errno`.
static inline int shim_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// Adds a descriptor; 0, or -1 with `errno`.
static inline int shim_epoll_add(int epoll, int descriptor, uint64_t token, uint32_t events) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

/// Removes a descriptor; 0, or -1 with `errno`.
static inline int shim_epoll_remove(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

/// Waits for at most `count` (256 at most) ready descriptors; their number, or -1 with `errno`.
static inline int shim_epoll_wait(
    int epoll, struct shim_ready *ready, int count, int milliseconds) {
    struct epoll_event events[256];
    const int found = epoll_wait(epoll, events, count < 256 ? count : 256, milliseconds);
    for (int index = 0; index < found; index++) {
        ready[index].token = events[index].data.u64;
        ready[index].events = events[index].events;
    }
    return found;
}

/// A new event descriptor, or -1 with `errno`.
static inline int shim_event_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Wakes whoever waits for the event descriptor.
static inline void shim_event_signal(int descriptor) { (void)eventfd_write(descriptor, 1); }

/// Forgets that it was signalled.
static inline void shim_event_clear(int descriptor) {
    eventfd_t value;
    while (eventfd_read(descriptor, &value) < 0 && errno == EINTR) {
    }
}

/// Whether the peer of a socket has closed its side or the connection is broken. (POLLRDHUP, which
/// is hidden without _GNU_SOURCE, is the same bit as EPOLLRDHUP.)
static inline int shim_is_peer_closed(int socket) {
    struct pollfd item = {.fd = socket, .events = (short)EPOLLRDHUP};
    return poll(&item, 1, 0) > 0
        && (item.revents & ((short)EPOLLRDHUP | POLLHUP | POLLERR)) != 0;
}

#endif
