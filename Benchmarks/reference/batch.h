/* What the references on bare LMDB share: changes that are collected, sorted and written by one cursor; clocks;
 * environments. A failure prints what failed and ends the program. */
#ifndef HOLDFAST_BENCHMARKS_BATCH_H
#define HOLDFAST_BENCHMARKS_BATCH_H

#include <errno.h>
#include <lmdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum { KEY_BYTE_COUNT_MAX = 64 };

struct change {
    uint8_t key[KEY_BYTE_COUNT_MAX];
    uint32_t value_size;
    uint16_t key_size;
    uint8_t deletes;
    uint8_t *value;
};

static void check(int code, const char *what)
{
    if (code == MDB_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, mdb_strerror(code));
    exit(1);
}

static void *reserve(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (memory == NULL) check(ENOMEM, "memory");
    return memory;
}

struct batch {
    struct change *changes;
    struct change **order;
    uint8_t *values;
    size_t count, value_end;
};

static struct batch make_batch(size_t change_count, size_t value_byte_count)
{
    struct batch batch = {0};
    batch.changes = reserve(change_count, sizeof *batch.changes);
    batch.order = reserve(change_count, sizeof *batch.order);
    batch.values = reserve(value_byte_count, 1);
    return batch;
}

static struct change *add(struct batch *batch)
{
    struct change *change = batch->order[batch->count] = &batch->changes[batch->count];
    batch->count++;
    change->deletes = 0;
    change->value_size = 0;
    change->value = batch->values + batch->value_end;
    return change;
}

static void set_value_size(struct batch *batch, struct change *change, size_t size)
{
    change->value_size = (uint32_t)size;
    batch->value_end += size;
}

static int by_key(const void *left, const void *right)
{
    const struct change *a = *(struct change *const *)left, *b = *(struct change *const *)right;
    size_t shorter = a->key_size < b->key_size ? a->key_size : b->key_size;
    int order = memcmp(a->key, b->key, shorter);
    return order ? order : (int)a->key_size - (int)b->key_size;
}

/* Sorted, so that neighbours on a page are written together: a cursor that already stands on the
 * right page does not descend from the root again. */
static void write_batch(struct batch *batch, MDB_txn *txn, MDB_dbi dbi)
{
    MDB_cursor *cursor;
    qsort(batch->order, batch->count, sizeof *batch->order, by_key);
    check(mdb_cursor_open(txn, dbi, &cursor), "cursor");
    for (size_t i = 0; i < batch->count; i++) {
        struct change *change = batch->order[i];
        MDB_val key = {change->key_size, change->key}, value = {change->value_size, change->value};
        if (change->deletes) {
            check(mdb_cursor_get(cursor, &key, &value, MDB_SET), "find");
            check(mdb_cursor_del(cursor, 0), "delete");
        } else {
            check(mdb_cursor_put(cursor, &key, &value, 0), "put");
        }
    }
    mdb_cursor_close(cursor);
    batch->count = 0;
    batch->value_end = 0;
}

/* MARK: Clocks and environments. */

struct clocks { double cpu, user, wall; };

static struct clocks now(void)
{
    struct rusage usage;
    struct timespec time;
    getrusage(RUSAGE_SELF, &usage);
    clock_gettime(CLOCK_MONOTONIC, &time);
    struct clocks clocks;
    clocks.user = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
    clocks.cpu = clocks.user + (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
    clocks.wall = (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
    return clocks;
}

static MDB_env *open_environment(const char *dir, unsigned flags)
{
    MDB_env *env;
    if (mkdir(dir, 0700) != 0 && errno != EEXIST) check(errno, dir);
    check(mdb_env_create(&env), "environment");
    check(mdb_env_set_mapsize(env, (size_t)64 << 30), "map size");
    check(mdb_env_open(env, dir, MDB_NOTLS | flags, 0600), dir);
    return env;
}

static MDB_txn *begin(MDB_env *env, unsigned flags, MDB_dbi *dbi)
{
    MDB_txn *txn;
    check(mdb_txn_begin(env, NULL, flags, &txn), "begin");
    check(mdb_dbi_open(txn, NULL, 0, dbi), "database");
    return txn;
}

#endif
