#pragma once
#include <lmdb.h>
#include <sys/types.h>

/// Reserves `count` bytes at `offset` without changing the file's size: asks whether there is room.
/// -1 on failure, with the reason in `errno` (`ENOSPC`, `EDQUOT`; `EOPNOTSUPP` when the file system
/// can't tell). glibc declares `fallocate` only under `_GNU_SOURCE`, which Swift doesn't set.
static inline int shim_reserve_keeping_size(int descriptor, off_t offset, off_t count) {
    extern int fallocate(int, int, off_t, off_t);
    const int keep_size = 0x01;
    return fallocate(descriptor, keep_size, offset, count);
}
