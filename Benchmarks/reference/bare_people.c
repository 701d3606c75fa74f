/* The floor of the embedded table's writes: LMDB from C, making the key changes that Holdfast makes for its
 * people and nothing else (no drafts, no comparison of rows, no check of links, no overlay).
 *
 *     bare_people load   --dir DIR --objects N            N people, one commit
 *     bare_people single --dir DIR --objects N --count C  C more, a commit each
 *     bare_people update --dir DIR --objects N            the age of every tenth, one commit
 *     bare_people delete --dir DIR --objects N            every tenth from the sixth on, one commit
 *     bare_people check  --dir DIR --objects N
 *
 * Each mode prints one line of JSON; every commit is durable. Keys, all in the one unnamed database, are
 * Holdfast's, integers big-endian:
 *
 *     state    00 'S'                                              32 bytes
 *     class    01 class:4                                          counters, 16 bytes
 *     primary  02 class:4 03 int:8 (sign flipped)                  object, 8 bytes
 *     index    03 property:4 name 00 object:8                      empty
 *     inverse  04 class:4 city:8 property:4 class:4 object:8       4 bytes
 *     log      06 version:8                                        the changes of one commit
 *     row      07 class:4 object:8                                 the object, about 150 bytes
 *
 * `update` and `delete` read the rows that they change, by their objects' numbers; the changes of a commit are
 * sorted before the first is written. `check` compares the entries of each row with it, and counts.
 */
#include <getopt.h>

#include "batch.h"
#include "objects.h"

enum {
    CITY_CLASS = 2, CITY_PROPERTY = 7, CITY_COUNT = 1000, NO_CITY = 0xFFFF,
    ROW_CITY = 50, /* two bytes that a row leaves free */
    STATE_BYTE_COUNT = 32, CLASS_STATE_BYTE_COUNT = 16,
    CHANGES_PER_PERSON = 4,
    VALUES_PER_PERSON = ROW_BYTE_COUNT_MAX + 8 + 4,
    LOG_HEAD_BYTE_COUNT = 32, LOG_UPDATE_BYTE_COUNT = 7, LOG_DELETE_BYTE_COUNT = 15,
};

enum { STATE = 0x00, CLASS = 0x01, PRIMARY = 0x02, INDEX = 0x03, INVERSE = 0x04, LOG = 0x06, ROW = 0x07 };

/* MARK: Keys. */

static uint16_t primary_key(uint8_t *key, uint64_t object)
{
    key[0] = PRIMARY;
    uint8_t *end = put32(key + 1, CLASS_NUMBER);
    *end++ = 3;
    return (uint16_t)(put64(end, (object - 1) ^ (1ull << 63)) - key);
}

static uint16_t index_key(uint8_t *key, const uint8_t *row, uint64_t object)
{
    uint32_t at = get32(row, ROW_NAME), size = get32(row, ROW_NAME + 4);
    key[0] = INDEX;
    uint8_t *end = put32(key + 1, NAME_PROPERTY);
    memcpy(end, row + at, size);
    end += size;
    *end++ = 0;
    return (uint16_t)(put64(end, object) - key);
}

static uint16_t city_of(const uint8_t *row)
{
    uint16_t city;
    memcpy(&city, row + ROW_CITY, 2);
    return city;
}

static uint16_t inverse_key(uint8_t *key, const uint8_t *row, uint64_t object)
{
    key[0] = INVERSE;
    uint8_t *end = put64(put32(key + 1, CITY_CLASS), city_of(row) + 1u);
    return (uint16_t)(put64(put32(put32(end, CITY_PROPERTY), CLASS_NUMBER), object) - key);
}

static uint16_t person_key(uint8_t *key, uint64_t object)
{
    uint16_t size = row_key(key, object);
    key[0] = ROW;
    return size;
}

/* MARK: Changes. */

/* An object's row, entries and link; its values are drawn from its number. */
static void add_person(struct batch *batch, uint64_t object, uint64_t version, uint64_t objects)
{
    state = object * 0x2545F4914F6CDD1Du + 42;
    struct indexed values = draw_indexed(objects);
    uint16_t city = draw() % 20 == 0 ? NO_CITY : (uint16_t)(draw() % CITY_COUNT);
    struct change *row = add(batch);
    row->key_size = person_key(row->key, object);
    set_value_size(batch, row, write_row(row->value, object, version, values));
    memcpy(row->value + ROW_CITY, &city, 2);
    struct change *change = add(batch);
    change->key_size = primary_key(change->key, object);
    put64(change->value, object);
    set_value_size(batch, change, 8);
    change = add(batch);
    change->key_size = index_key(change->key, row->value, object);
    if (city == NO_CITY) return;
    change = add(batch);
    change->key_size = inverse_key(change->key, row->value, object);
    memset(change->value, 0, 4), change->value[0] = 1;
    set_value_size(batch, change, 4);
}

/* State, counters and the log's entry of a commit that changed something. */
static void add_commit(struct batch *batch, uint64_t version, uint64_t next, size_t log_byte_count)
{
    struct change *change = add(batch);
    change->key[0] = STATE, change->key[1] = 'S';
    change->key_size = 2;
    memset(change->value, 0, STATE_BYTE_COUNT);
    set64(change->value, 8, version), set64(change->value, 16, next);
    set_value_size(batch, change, STATE_BYTE_COUNT);
    change = add(batch);
    change->key[0] = CLASS;
    change->key_size = (uint16_t)(put32(change->key + 1, CLASS_NUMBER) - change->key);
    memset(change->value, 0, CLASS_STATE_BYTE_COUNT);
    set_value_size(batch, change, CLASS_STATE_BYTE_COUNT);
    change = add(batch);
    change->key_size = log_key(change->key, version);
    change->key[0] = LOG;
    memset(change->value, 0, log_byte_count);
    set_value_size(batch, change, log_byte_count);
}

static struct batch make_people_batch(uint64_t count, size_t log_byte_count)
{
    return make_batch(count * CHANGES_PER_PERSON + 3, count * VALUES_PER_PERSON + STATE_BYTE_COUNT
                      + CLASS_STATE_BYTE_COUNT + log_byte_count);
}

static void commit(struct batch *batch, MDB_txn *txn, MDB_dbi dbi)
{
    write_batch(batch, txn, dbi);
    check(mdb_txn_commit(txn), "commit");
}

/* The store's version and the number of its next object. */
static uint64_t read_state(MDB_txn *txn, MDB_dbi dbi, uint64_t *next)
{
    uint8_t bytes[] = {STATE, 'S'};
    MDB_val key = {2, bytes}, value;
    check(mdb_get(txn, dbi, &key, &value), "state (was the store loaded?)");
    *next = (uint64_t)get64(value.mv_data, 16);
    return (uint64_t)get64(value.mv_data, 8);
}

static const uint8_t *read_row(MDB_txn *txn, MDB_dbi dbi, uint64_t object, size_t *size)
{
    uint8_t bytes[KEY_BYTE_COUNT_MAX];
    MDB_val key = {person_key(bytes, object), bytes}, value;
    check(mdb_get(txn, dbi, &key, &value), "row");
    *size = value.mv_size;
    return value.mv_data;
}

/* MARK: Modes. */

struct settings { const char *mode, *dir; uint64_t objects, count; };

static void report(const char *mode, uint64_t writes, struct clocks start)
{
    struct clocks end = now();
    printf("{\"mode\":\"%s\",\"writes\":%llu,\"writes_per_s\":%.0f,\"cpu_us\":%.3f}\n", mode,
           (unsigned long long)writes, (double)writes / (end.wall - start.wall),
           (end.cpu - start.cpu) * 1e6 / (double)writes);
}

static void load(const struct settings *settings, MDB_env *env)
{
    MDB_dbi dbi;
    struct clocks start = now();
    struct batch batch = make_people_batch(settings->objects, LOG_HEAD_BYTE_COUNT);
    for (uint64_t object = 1; object <= settings->objects; object++)
        add_person(&batch, object, 1, settings->objects);
    add_commit(&batch, 1, settings->objects + 1, LOG_HEAD_BYTE_COUNT);
    MDB_txn *txn = begin(env, 0, &dbi);
    commit(&batch, txn, dbi);
    report("load", settings->objects, start);
}

static void single(const struct settings *settings, MDB_env *env)
{
    MDB_dbi dbi;
    struct batch batch = make_people_batch(1, LOG_HEAD_BYTE_COUNT);
    struct clocks start = now();
    for (uint64_t i = 0; i < settings->count; i++) {
        uint64_t next;
        MDB_txn *txn = begin(env, 0, &dbi);
        uint64_t version = read_state(txn, dbi, &next) + 1;
        add_person(&batch, next, version, settings->objects);
        add_commit(&batch, version, next + 1, LOG_HEAD_BYTE_COUNT);
        commit(&batch, txn, dbi);
    }
    report("single", settings->count, start);
}

static void update(const struct settings *settings, MDB_env *env)
{
    MDB_dbi dbi;
    uint64_t count = (settings->objects + 9) / 10, next;
    size_t log_byte_count = LOG_HEAD_BYTE_COUNT + count * LOG_UPDATE_BYTE_COUNT, size;
    struct clocks start = now();
    struct batch batch = make_people_batch(count, log_byte_count);
    MDB_txn *txn = begin(env, 0, &dbi);
    uint64_t version = read_state(txn, dbi, &next) + 1;
    for (uint64_t object = 1; object <= settings->objects; object += 10) {
        const uint8_t *row = read_row(txn, dbi, object, &size);
        struct change *change = add(&batch);
        change->key_size = person_key(change->key, object);
        memcpy(change->value, row, size);
        set64(change->value, ROW_VERSION, version), set64(change->value, ROW_AGE, object % 90);
        set_value_size(&batch, change, size);
    }
    add_commit(&batch, version, next, log_byte_count);
    commit(&batch, txn, dbi);
    report("update", count, start);
}

static void delete_people(const struct settings *settings, MDB_env *env)
{
    MDB_dbi dbi;
    uint64_t count = (settings->objects + 4) / 10, next;
    size_t log_byte_count = LOG_HEAD_BYTE_COUNT + count * LOG_DELETE_BYTE_COUNT, size;
    struct clocks start = now();
    struct batch batch = make_people_batch(count, log_byte_count);
    MDB_txn *txn = begin(env, 0, &dbi);
    uint64_t version = read_state(txn, dbi, &next) + 1;
    for (uint64_t object = 6; object <= settings->objects; object += 10) {
        const uint8_t *row = read_row(txn, dbi, object, &size);
        struct change *changes[CHANGES_PER_PERSON];
        int changed = city_of(row) == NO_CITY ? 3 : 4;
        for (int i = 0; i < changed; i++) {
            changes[i] = add(&batch);
            changes[i]->deletes = 1;
        }
        changes[0]->key_size = person_key(changes[0]->key, object);
        changes[1]->key_size = primary_key(changes[1]->key, object);
        changes[2]->key_size = index_key(changes[2]->key, row, object);
        if (changed > 3) changes[3]->key_size = inverse_key(changes[3]->key, row, object);
    }
    add_commit(&batch, version, next, log_byte_count);
    commit(&batch, txn, dbi);
    report("delete", count, start);
}

static void expect(int holds, const char *what, uint64_t number)
{
    if (holds) return;
    fprintf(stderr, "bare_people: check: %s (%llu)\n", what, (unsigned long long)number);
    exit(1);
}

static void check_store(MDB_env *env)
{
    MDB_dbi dbi;
    MDB_cursor *cursor;
    MDB_val key, value, found;
    uint64_t counts[8] = {0}, linked = 0, next;
    uint8_t bytes[KEY_BYTE_COUNT_MAX];
    MDB_txn *txn = begin(env, MDB_RDONLY, &dbi);
    uint64_t version = read_state(txn, dbi, &next);
    check(mdb_cursor_open(txn, dbi, &cursor), "cursor");
    int code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
    for (; code == MDB_SUCCESS; code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
        const uint8_t *name = key.mv_data, *row = value.mv_data;
        expect(name[0] <= ROW, "a key of an unknown kind", name[0]);
        counts[name[0]]++;
        if (name[0] != ROW) continue;
        uint64_t object = (uint64_t)get64(name, 5);
        object = __builtin_bswap64(object);
        MDB_val entry = {primary_key(bytes, object), bytes};
        expect(mdb_get(txn, dbi, &entry, &found) == MDB_SUCCESS, "no primary key", object);
        entry = (MDB_val){index_key(bytes, row, object), bytes};
        expect(mdb_get(txn, dbi, &entry, &found) == MDB_SUCCESS, "no index entry", object);
        if (city_of(row) == NO_CITY) continue;
        entry = (MDB_val){inverse_key(bytes, row, object), bytes};
        expect(mdb_get(txn, dbi, &entry, &found) == MDB_SUCCESS, "no inverse link", object);
        linked++;
    }
    if (code != MDB_NOTFOUND) check(code, "scan");
    expect(counts[PRIMARY] == counts[ROW], "primary keys", counts[PRIMARY]);
    expect(counts[INDEX] == counts[ROW], "index entries", counts[INDEX]);
    expect(counts[INVERSE] == linked, "inverse links", counts[INVERSE]);
    expect(counts[LOG] == version, "log entries", counts[LOG]);
    printf("{\"mode\":\"check\",\"objects\":%llu,\"versions\":%llu}\n", (unsigned long long)counts[ROW],
           (unsigned long long)version);
    mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"dir", required_argument, NULL, 'd'}, {"objects", required_argument, NULL, 'o'},
        {"count", required_argument, NULL, 'c'}, {NULL, 0, NULL, 0},
    };
    struct settings settings = {argc > 1 ? argv[1] : "", NULL, 0, 2000};
    for (int choice; (choice = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (choice) {
        case 'd': settings.dir = optarg; break;
        case 'o': settings.objects = strtoull(optarg, NULL, 10); break;
        case 'c': settings.count = strtoull(optarg, NULL, 10); break;
        default: return 2;
        }
    }
    int sane = settings.dir != NULL && settings.objects >= 10;
    MDB_env *env = sane ? open_environment(settings.dir, 0) : NULL;
    if (sane && strcmp(settings.mode, "load") == 0) load(&settings, env);
    else if (sane && strcmp(settings.mode, "single") == 0) single(&settings, env);
    else if (sane && strcmp(settings.mode, "update") == 0) update(&settings, env);
    else if (sane && strcmp(settings.mode, "delete") == 0) delete_people(&settings, env);
    else if (sane && strcmp(settings.mode, "check") == 0) check_store(env);
    else {
        fprintf(stderr, "usage: bare_people load|single|update|delete|check --dir DIR --objects N [--count N]\n");
        return 2;
    }
    mdb_env_close(env);
    return 0;
}
