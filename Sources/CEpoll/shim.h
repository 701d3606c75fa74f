// The door to what of Linux the Glibc module of Swift leaves out: epoll, eventfd, accept4.
#ifndef HOLDFAST_CEPOLL_SHIM_H
#define HOLDFAST_CEPOLL_SHIM_H

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

/// Whether nothing can be sent to the peer of a socket any more, as after its reset.
static inline bool shim_is_broken(int socket) {
    struct pollfd item = {.fd = socket, .events = 0};
    return poll(&item, 1, 0) > 0 && (item.revents & (POLLHUP | POLLERR)) != 0;
}

/// A part of Linux's `struct tcp_info` (linux/tcp.h, since 4.1), which glibc's own declaration leaves out and whose header glibc's
/// excludes: `tcpi_bytes_acked` and `tcpi_bytes_received`.
struct shim_tcp_bytes { uint8_t before[120]; uint64_t acknowledged; uint64_t received; };

/// The bytes that went over a TCP connection since it began; zeros where that can't be told.
static inline struct shim_tcp_bytes shim_read_tcp_bytes(int socket) {
    struct shim_tcp_bytes info = {{0}, 0, 0};
    socklen_t length = sizeof info;
    enum { tcp_info_option = 11 };
    if (getsockopt(socket, IPPROTO_TCP, tcp_info_option, &info, &length) != 0 || length < sizeof info)
        return (struct shim_tcp_bytes){{0}, 0, 0};
    return info;
}

/// The bytes that the peer of a connection has acknowledged.
static inline uint64_t shim_acknowledged_bytes(int socket) {
    return shim_read_tcp_bytes(socket).acknowledged;
}

/// The bytes that a connection has received, read or not.
static inline uint64_t shim_received_bytes(int socket) {
    return shim_read_tcp_bytes(socket).received;
}

/// Whether bytes were sent that the peer of a connection has not acknowledged.
static inline bool shim_has_unacknowledged(int socket) {
    int count = 0;
    return ioctl(socket, TIOCOUTQ, &count) == 0 && count > 0;
}

/// Accepts a connection whose socket neither blocks nor is inherited; -1 with `errno`. (glibc declares
/// `accept4` only under `_GNU_SOURCE`, which Swift does not set.)
static inline int shim_accept(int listener, struct sockaddr *address, socklen_t *length) {
    extern int accept4(int, struct sockaddr *, socklen_t *, int);
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

#endif
