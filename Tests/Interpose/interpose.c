/// Interposed system calls: a disk that waits, fails or is full when a test says so.
///
/// A shared library for LD_PRELOAD around any program of this package, the server included. A test
/// builds it with `Interposer.build()` (Tests/TestSupport), or by hand:
///
///     cc -shared -fPIC -O1 -o interpose.so Tests/Interpose/interpose.c
///     mkdir control
///     LD_PRELOAD=$PWD/interpose.so HOLDFAST_INTERPOSE=$PWD/control holdfast serve …
///     touch control/sync-block        # from here on, no write is durable, and none is answered
///     rm control/sync-block           # now they are
///
/// It is told what to do by files in the directory that HOLDFAST_INTERPOSE names, looked for at each
/// call, so that a test changes the disk's behaviour while the program runs:
///
///     sync-block    every sync waits until the file is gone; the first to wait makes `sync-waiting`
///     sync-fail     every sync fails with EIO, and nothing is synced
///     sync-skip     with sync-fail: a number of syncs that still succeed first, such as "3"
///     meta-fail     writes through a descriptor that syncs each write (O_DSYNC) fail with EIO: LMDB
///                   writes its meta page so, the last step of a commit
///     write-full    every write that would be beyond the file's end fails with ENOSPC
///     write-short   such a write is cut in half, as a disk does that becomes full
///     direct-refused  writes past the page cache fail with EINVAL, as on a medium with longer blocks
///     direct-full   writes past the page cache fail with ENOSPC
///     all-full      every write fails with ENOSPC, as on a medium that writes each block to a new place
///     all-full-late the same, but a write past the page cache is made before it fails
///
/// A write past the page cache that syncs (O_DIRECT and O_DSYNC: a record of the journal) is a write and a
/// sync, and waits and fails like one.
///
/// It writes one byte to `syncs` in that directory for each sync that succeeded, the O_DSYNC writes
/// included. Only files are concerned whose path contains HOLDFAST_INTERPOSE_MATCH, or `.mdb` when
/// that isn't set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/// The function that this library hides.
#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static ssize_t real_write(int file, const void *bytes, size_t count) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return real(file, bytes, count);
}

static int control_path(char *path, size_t size, const char *name) {
    const char *directory = getenv("HOLDFAST_INTERPOSE");
    return directory && snprintf(path, size, "%s/%s", directory, name) < (int)size;
}

static int is_told(const char *name) {
    char path[4096];
    return control_path(path, sizeof path, name) && access(path, F_OK) == 0;
}

static void append_byte(const char *name) {
    char path[4096];
    if (!control_path(path, sizeof path, name)) return;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    (void)!real_write(file, ".", 1);
    close(file);
}

static int concerns(int file) {
    if (!getenv("HOLDFAST_INTERPOSE")) return 0;
    const char *match = getenv("HOLDFAST_INTERPOSE_MATCH");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0) return 0;
    path[count] = 0;
    return strstr(path, match ? match : ".mdb") != NULL;
}

static void wait_while_blocked(void) {
    int is_first = 1;
    while (is_told("sync-block")) {
        if (is_first) append_byte("sync-waiting");
        is_first = 0;
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
}

/// Whether this sync is let pass: counts down the number in `sync-skip`.
static int may_skip(void) {
    char path[4096], text[32];
    if (!control_path(path, sizeof path, "sync-skip")) return 0;
    FILE *file = fopen(path, "r+");
    if (!file) return 0;
    long left = fgets(text, sizeof text, file) ? atol(text) : 0;
    if (left > 0) {
        rewind(file);
        fprintf(file, "%ld\n", left - 1);
    }
    fclose(file);
    return left > 0;
}

static int sync_with(int (*real)(int), int file) {
    if (!concerns(file)) return real(file);
    wait_while_blocked();
    if (is_told("sync-fail") && !may_skip()) {
        errno = EIO;
        return -1;
    }
    int result = real(file);
    if (result == 0) append_byte("syncs");
    return result;
}

int fdatasync(int file) {
    REAL(int, "fdatasync", int);
    return sync_with(real, file);
}

int fsync(int file) {
    REAL(int, "fsync", int);
    return sync_with(real, file);
}

/// How many bytes of a write are let through: all, none (-1, `errno` is set), or some.
static ssize_t allowed(int file, off_t offset, size_t count) {
    struct stat status;
    int is_full = is_told("write-full"), is_short = is_told("write-short");
    if (!is_full && !is_short) return (ssize_t)count;
    if (fstat(file, &status) != 0 || offset + (off_t)count <= status.st_size) {
        return (ssize_t)count;
    }
    if (is_full) {
        errno = ENOSPC;
        return -1;
    }
    return (ssize_t)(count / 2);
}

static ssize_t pwrite_with(int file, const void *bytes, size_t count, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    if (!concerns(file)) return real(file, bytes, count, offset);
    int flags = fcntl(file, F_GETFL);
    int syncs = (flags & O_DSYNC) != 0;
    int is_late = is_told("all-full-late");
    if (is_late || is_told("all-full")) {
        if (is_late && flags & O_DIRECT) (void)!real(file, bytes, count, offset);
        errno = ENOSPC;
        return -1;
    }
    if (flags & O_DIRECT && (is_told("direct-refused") || is_told("direct-full"))) {
        errno = is_told("direct-full") ? ENOSPC : EINVAL;
        return -1;
    }
    if (syncs) {
        wait_while_blocked();
        if ((flags & O_DIRECT) ? is_told("sync-fail") && !may_skip() : is_told("meta-fail")) {
            errno = EIO;
            return -1;
        }
    }
    ssize_t part = allowed(file, offset, count);
    if (part < 0) return part;
    ssize_t result = real(file, bytes, (size_t)part, offset);
    if (syncs && result == (ssize_t)count) append_byte("syncs");
    return result;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return pwrite_with(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return pwrite_with(file, bytes, count, offset);
}

/// LMDB writes runs of pages by `lseek` and `writev`.
ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    if (!concerns(file)) return real(file, parts, count);
    size_t total = 0;
    for (int index = 0; index < count; index++) total += parts[index].iov_len;
    ssize_t part = allowed(file, lseek(file, 0, SEEK_CUR), total);
    if (part < 0) return part;
    return real(file, parts, (size_t)part < total ? count / 2 : count);
}
