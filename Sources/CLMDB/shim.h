#pragma once
#include <fcntl.h>
#include <lmdb.h>
#include <stdint.h>
#include <sys/types.h>

/// `O_DIRECT`, which glibc names so only under `_GNU_SOURCE`.
static const int shim_direct = __O_DIRECT;

/// Reserves `count` bytes at `offset` without changing the file's size: asks whether there is room.
/// -1 on failure, with the reason in `errno` (`ENOSPC`, `EDQUOT`; `EOPNOTSUPP` when the file system
/// can't tell). glibc declares `fallocate` only under `_GNU_SOURCE`, which Swift doesn't set.
static inline int shim_reserve_keeping_size(int descriptor, off_t offset, off_t count) {
    extern int fallocate(int, int, off_t, off_t);
    const int keep_size = 0x01;
    return fallocate(descriptor, keep_size, offset, count);
}

/// Asks for the cache lines of the entries that a forward scan will most likely meet after the next.
///
/// LMDB puts the nodes of a page below each other as they are added (`mdb_node_add` in mdb.c, 0.9.24),
/// so where keys were appended each entry lies just below the one before it, and goes on at the top
/// of the following page. A wrong guess costs some nanoseconds; no address can fault here.
///
/// - `entry`: An address in the current entry.
/// - `step`: How far below the entry before it lies.
static inline void shim_prefetch_below(const void *entry, size_t step) {
    const size_t line = 64, page = 4096;
    uintptr_t here = (uintptr_t)entry, first = here & ~(page - 1);
    if (here - 3 * step < first) {
        // The next page's header, with the table of its entries.
        __builtin_prefetch((const void *)(first + page), 0, 3);
        __builtin_prefetch((const void *)(first + page + line), 0, 3);
    }
    for (uintptr_t next = here - 3 * step; next < here - 2 * step + line; next += line) {
        __builtin_prefetch((const void *)(next < first ? next + 2 * page : next), 0, 3);
    }
}
