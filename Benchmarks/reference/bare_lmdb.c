/* The floor of a durable write: LMDB from C, making the key changes of Holdfast's PUT and nothing
 * else (no HTTP, no JSON, no row encoding, no look-up of what was there before).
 *
 *     bare_lmdb prepare --dir DIR --objects N [--no-index]
 *     bare_lmdb put     --dir DIR --objects N --count C [--warm C] [--group 32] [--seed S] [--no-index]
 *     bare_lmdb get     --dir DIR --objects N --count C [--seed S]
 *     bare_lmdb scan    --dir DIR --objects N [--repeat 5]
 *     bare_lmdb check   --dir DIR --objects N
 *
 * Each mode prints one line of JSON. CPU is user and system time of this process (getrusage), so
 * the kernel's part of writing and syncing is in it.
 *
 * Keys, all in the one unnamed database, integers big-endian so that byte order is their order:
 *
 *     meta   00 'v'                                        epoch, version, next object key (24 bytes)
 *     row    01 class:4 object:8                           the object, about 150 bytes
 *     index  02 property:4 string 00 object:8              empty
 *     index  02 property:4 int:8 (sign flipped) object:8   empty
 *     log    04 version:8                                  one change, 40 bytes
 *
 * `put` replaces existing objects in groups: the members of a group have a version and a log entry
 * each, share one meta record and one commit with its sync, and all keys of the group are put in
 * order before the first is written. `check` shows that the changes were those: every object has its
 * row and its two index entries, there are no others, and the log has an entry for each version.
 */
#include <getopt.h>

#include "batch.h"
#include "objects.h"

enum {
    LOG_BYTE_COUNT = 40,
    META_BYTE_COUNT = 24,
    CHANGES_PER_OBJECT_MAX = 6, /* row, log, two index entries deleted, two put */
    LOAD_BATCH_OBJECT_COUNT = 10000,
    GROUP_OBJECT_COUNT_MAX = 4096,
};

struct settings {
    const char *mode, *dir;
    uint64_t objects, count, warm, group, seed, repeat;
    int indexed;
};

static struct batch make_object_batch(size_t object_count)
{
    return make_batch(object_count * CHANGES_PER_OBJECT_MAX + 1,
                      (object_count + 1) * (ROW_BYTE_COUNT_MAX + LOG_BYTE_COUNT));
}

static void add_meta(struct batch *batch, uint64_t version, uint64_t objects)
{
    struct change *change = add(batch);
    change->key[0] = 0x00;
    change->key[1] = 'v';
    change->key_size = 2;
    set64(change->value, 0, 0x7B2Fu), set64(change->value, 8, version);
    set64(change->value, 16, objects);
    set_value_size(batch, change, META_BYTE_COUNT);
}

static void add_row(struct batch *batch, uint64_t object, uint64_t version, struct indexed values)
{
    struct change *change = add(batch);
    change->key_size = row_key(change->key, object);
    set_value_size(batch, change, write_row(change->value, object, version, values));
}

static void add_log(struct batch *batch, uint64_t object, uint64_t version)
{
    struct change *change = add(batch);
    change->key_size = log_key(change->key, version);
    memset(change->value, 0, LOG_BYTE_COUNT);
    set64(change->value, 0, CLASS_NUMBER), set64(change->value, 8, object);
    set64(change->value, 16, 0x3Eu);
    set_value_size(batch, change, LOG_BYTE_COUNT);
}

static void add_index(struct batch *batch, int property, struct indexed values, uint64_t object,
                      int deletes)
{
    struct change *change = add(batch);
    change->deletes = (uint8_t)deletes;
    change->key_size = property == NAME_PROPERTY ? name_key(change->key, values.name, object)
                                                 : age_key(change->key, values.age, object);
}

/* MARK: Modes. */

/* Loads like an import: sorted batches of some thousand objects, so that index pages have the fill
 * of a store that grew, not the full pages of a bulk load. */
static void prepare(const struct settings *settings)
{
    MDB_env *env = open_environment(settings->dir, MDB_NOSYNC);
    MDB_dbi dbi;
    struct batch batch = make_object_batch(LOAD_BATCH_OBJECT_COUNT);
    struct clocks start = now();
    for (uint64_t object = 1; object <= settings->objects;) {
        MDB_txn *txn = begin(env, 0, &dbi);
        for (int i = 0; i < LOAD_BATCH_OBJECT_COUNT && object <= settings->objects; i++, object++) {
            struct indexed values = draw_indexed(settings->objects);
            add_row(&batch, object, 1, values);
            if (settings->indexed) {
                add_index(&batch, NAME_PROPERTY, values, object, 0);
                add_index(&batch, AGE_PROPERTY, values, object, 0);
            }
        }
        add_meta(&batch, 1, settings->objects);
        write_batch(&batch, txn, dbi);
        check(mdb_txn_commit(txn), "commit");
    }
    check(mdb_env_sync(env, 1), "sync");
    struct clocks end = now();
    printf("{\"mode\":\"prepare\",\"objects\":%llu,\"indexes\":%d,\"objects_per_s\":%.0f,"
           "\"cpu_us\":%.3f}\n",
           (unsigned long long)settings->objects, settings->indexed ? 2 : 0,
           (double)settings->objects / (end.wall - start.wall),
           (end.cpu - start.cpu) * 1e6 / (double)settings->objects);
    mdb_env_close(env);
}

/* The indexed values of all objects and the store's version. */
static struct indexed *read_indexed(MDB_env *env, uint64_t objects, uint64_t *version)
{
    struct indexed *all = reserve(objects + 1, sizeof *all);
    MDB_dbi dbi;
    MDB_txn *txn = begin(env, MDB_RDONLY, &dbi);
    uint8_t bytes[KEY_BYTE_COUNT_MAX] = {0x00, 'v'};
    MDB_val key = {2, bytes}, value;
    check(mdb_get(txn, dbi, &key, &value), "version");
    *version = (uint64_t)get64(value.mv_data, 8);
    for (uint64_t object = 1; object <= objects; object++) {
        key.mv_data = bytes;
        key.mv_size = row_key(bytes, object);
        check(mdb_get(txn, dbi, &key, &value), "row (was the store prepared with as many objects?)");
        all[object].name = get32(value.mv_data, ROW_NAME_INDEX);
        all[object].age = (int32_t)get64(value.mv_data, ROW_AGE);
    }
    mdb_txn_abort(txn);
    return all;
}

static int contains(const uint64_t *members, uint64_t count, uint64_t object)
{
    for (uint64_t i = 0; i < count; i++)
        if (members[i] == object) return 1;
    return 0;
}

static void put(const struct settings *settings)
{
    MDB_env *env = open_environment(settings->dir, 0);
    MDB_dbi dbi;
    uint64_t version, written = 0, groups = 0, members[GROUP_OBJECT_COUNT_MAX];
    struct indexed *all = read_indexed(env, settings->objects, &version);
    struct batch batch = make_object_batch(settings->group);
    struct clocks start = now();
    int warming = settings->warm > 0;
    while (warming || written < settings->count) {
        for (uint64_t i = 0; i < settings->group; i++) {
            /* An object changes once in a group: what a group writes is its net change. */
            do members[i] = 1 + draw() % settings->objects;
            while (contains(members, i, members[i]));
            uint64_t object = members[i];
            struct indexed old = all[object], new = draw_indexed(settings->objects);
            version++;
            add_row(&batch, object, version, new);
            add_log(&batch, object, version);
            if (settings->indexed && old.name != new.name) {
                add_index(&batch, NAME_PROPERTY, old, object, 1);
                add_index(&batch, NAME_PROPERTY, new, object, 0);
            }
            if (settings->indexed && old.age != new.age) {
                add_index(&batch, AGE_PROPERTY, old, object, 1);
                add_index(&batch, AGE_PROPERTY, new, object, 0);
            }
            all[object] = new;
        }
        add_meta(&batch, version, settings->objects);
        MDB_txn *txn = begin(env, 0, &dbi);
        write_batch(&batch, txn, dbi);
        check(mdb_txn_commit(txn), "commit");
        written += settings->group;
        groups++;
        if (warming && written >= settings->warm) {
            warming = 0;
            written = groups = 0;
            start = now();
        }
    }
    struct clocks end = now();
    double wall = end.wall - start.wall, cpu = end.cpu - start.cpu;
    printf("{\"mode\":\"put\",\"objects\":%llu,\"indexes\":%d,\"group\":%llu,\"writes\":%llu,"
           "\"writes_per_s\":%.0f,\"cpu_us\":%.3f,\"user_us\":%.3f,\"commit_us\":%.1f}\n",
           (unsigned long long)settings->objects, settings->indexed ? 2 : 0,
           (unsigned long long)settings->group, (unsigned long long)written, (double)written / wall,
           cpu * 1e6 / (double)written, (end.user - start.user) * 1e6 / (double)written,
           wall * 1e6 / (double)groups);
    free(all);
    mdb_env_close(env);
}

static void get(const struct settings *settings)
{
    MDB_env *env = open_environment(settings->dir, MDB_RDONLY);
    MDB_dbi dbi;
    MDB_txn *txn = begin(env, MDB_RDONLY, &dbi);
    uint8_t bytes[KEY_BYTE_COUNT_MAX];
    uint64_t sum = 0;
    struct clocks start = now();
    for (uint64_t i = 0; i < settings->count; i++) {
        MDB_val key = {row_key(bytes, 1 + draw() % settings->objects), bytes}, value;
        check(mdb_get(txn, dbi, &key, &value), "get");
        sum += (uint64_t)get64(value.mv_data, ROW_AGE);
    }
    struct clocks end = now();
    printf("{\"mode\":\"get\",\"objects\":%llu,\"ns_per_get\":%.1f,\"sum\":%llu}\n",
           (unsigned long long)settings->objects,
           (end.wall - start.wall) * 1e9 / (double)settings->count, (unsigned long long)sum);
    mdb_txn_abort(txn);
    mdb_env_close(env);
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* One pass over all rows; the time of it in ns a row. `name` null compares the age, else names. */
static double scan_once(MDB_txn *txn, MDB_dbi dbi, const char *name, uint64_t *rows,
                        uint64_t *matches)
{
    MDB_cursor *cursor;
    uint8_t bytes[KEY_BYTE_COUNT_MAX];
    MDB_val key = {row_key(bytes, 0), bytes}, value;
    size_t name_size = name ? strlen(name) : 0;
    *rows = *matches = 0;
    struct clocks start = now();
    check(mdb_cursor_open(txn, dbi, &cursor), "cursor");
    int code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
    while (code == MDB_SUCCESS && ((const uint8_t *)key.mv_data)[0] == 0x01) {
        const uint8_t *row = value.mv_data;
        ++*rows;
        if (name == NULL)
            *matches += get64(row, ROW_AGE) > 53;
        else
            *matches += get32(row, ROW_NAME + 4) == name_size
                        && memcmp(row + get32(row, ROW_NAME), name, name_size) == 0;
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    }
    if (code != MDB_NOTFOUND) check(code, "scan");
    struct clocks end = now();
    mdb_cursor_close(cursor);
    return (end.wall - start.wall) * 1e9 / (double)*rows;
}

/* The first pass maps the file's pages and is given by itself; then the median of the others. */
static void scan(const struct settings *settings)
{
    MDB_env *env = open_environment(settings->dir, MDB_RDONLY);
    MDB_dbi dbi;
    MDB_txn *txn = begin(env, MDB_RDONLY, &dbi);
    double *times = reserve(settings->repeat, sizeof *times);
    char name[64];
    uint64_t rows, matches, named;
    write_name(name, (uint32_t)(settings->objects / 20));
    double first = scan_once(txn, dbi, NULL, &rows, &matches);
    for (uint64_t i = 0; i < settings->repeat; i++)
        times[i] = scan_once(txn, dbi, NULL, &rows, &matches);
    qsort(times, settings->repeat, sizeof *times, ascending);
    double ints = times[settings->repeat / 2];
    for (uint64_t i = 0; i < settings->repeat; i++)
        times[i] = scan_once(txn, dbi, name, &rows, &named);
    qsort(times, settings->repeat, sizeof *times, ascending);
    printf("{\"mode\":\"scan\",\"rows\":%llu,\"first_ns\":%.1f,\"int_ns\":%.1f,\"string_ns\":%.1f,"
           "\"matches\":%llu,\"named\":%llu}\n",
           (unsigned long long)rows, first, ints, times[settings->repeat / 2],
           (unsigned long long)matches, (unsigned long long)named);
    free(times);
    mdb_txn_abort(txn);
    mdb_env_close(env);
}

static void expect(int holds, const char *what, uint64_t number)
{
    if (holds) return;
    fprintf(stderr, "bare_lmdb: check: %s (%llu)\n", what, (unsigned long long)number);
    exit(1);
}

static void check_store(const struct settings *settings)
{
    MDB_env *env = open_environment(settings->dir, MDB_RDONLY);
    MDB_dbi dbi;
    MDB_cursor *cursor;
    uint64_t version, counts[5] = {0};
    struct indexed *all = read_indexed(env, settings->objects, &version);
    MDB_txn *txn = begin(env, MDB_RDONLY, &dbi);
    uint8_t bytes[KEY_BYTE_COUNT_MAX];
    MDB_val key, value;
    for (uint64_t object = 1; object <= settings->objects; object++) {
        key = (MDB_val){name_key(bytes, all[object].name, object), bytes};
        expect(mdb_get(txn, dbi, &key, &value) == MDB_SUCCESS, "no index entry for a name", object);
        key = (MDB_val){age_key(bytes, all[object].age, object), bytes};
        expect(mdb_get(txn, dbi, &key, &value) == MDB_SUCCESS, "no index entry for an age", object);
    }
    check(mdb_cursor_open(txn, dbi, &cursor), "cursor");
    int code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
    for (; code == MDB_SUCCESS; code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
        unsigned tag = ((const uint8_t *)key.mv_data)[0];
        expect(tag < 5, "a key with an unknown tag", tag);
        counts[tag]++;
    }
    if (code != MDB_NOTFOUND) check(code, "scan");
    expect(counts[0x01] == settings->objects, "rows", counts[0x01]);
    expect(counts[0x02] == 2 * settings->objects, "index entries", counts[0x02]);
    expect(counts[0x04] == version - 1, "log entries", counts[0x04]);
    printf("{\"mode\":\"check\",\"objects\":%llu,\"index_entries\":%llu,\"versions\":%llu}\n",
           (unsigned long long)counts[0x01], (unsigned long long)counts[0x02],
           (unsigned long long)version);
    free(all);
    mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
    mdb_env_close(env);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"dir", required_argument, NULL, 'd'},   {"objects", required_argument, NULL, 'o'},
        {"count", required_argument, NULL, 'c'}, {"warm", required_argument, NULL, 'w'},
        {"group", required_argument, NULL, 'g'}, {"seed", required_argument, NULL, 's'},
        {"repeat", required_argument, NULL, 'r'}, {"no-index", no_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    struct settings settings = {argc > 1 ? argv[1] : "", NULL, 0, 100000, 0, 32, 1, 5, 1};
    for (int choice; (choice = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (choice) {
        case 'd': settings.dir = optarg; break;
        case 'o': settings.objects = strtoull(optarg, NULL, 10); break;
        case 'c': settings.count = strtoull(optarg, NULL, 10); break;
        case 'w': settings.warm = strtoull(optarg, NULL, 10); break;
        case 'g': settings.group = strtoull(optarg, NULL, 10); break;
        case 's': settings.seed = strtoull(optarg, NULL, 10); break;
        case 'r': settings.repeat = strtoull(optarg, NULL, 10); break;
        case 'n': settings.indexed = 0; break;
        default: return 2;
        }
    }
    int sane = settings.dir != NULL && settings.objects > 0 && settings.repeat > 0
               && settings.group > 0 && settings.group <= GROUP_OBJECT_COUNT_MAX
               && settings.group <= settings.objects;
    state = settings.seed * 0x2545F4914F6CDD1Du;
    if (sane && strcmp(settings.mode, "prepare") == 0) prepare(&settings);
    else if (sane && strcmp(settings.mode, "put") == 0) put(&settings);
    else if (sane && strcmp(settings.mode, "get") == 0) get(&settings);
    else if (sane && strcmp(settings.mode, "scan") == 0) scan(&settings);
    else if (sane && strcmp(settings.mode, "check") == 0) check_store(&settings);
    else {
        fprintf(stderr, "usage: bare_lmdb prepare|put|get|scan|check --dir DIR --objects N [--count N] "
                        "[--warm N] [--group N] [--seed N] [--repeat N] [--no-index]\n");
        return 2;
    }
    return 0;
}
