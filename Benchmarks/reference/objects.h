/* The objects of bare_lmdb.c: their random values, their keys and their rows. The keys are described
 * at the top of bare_lmdb.c; a row is a header, fixed slots in declaration order, then a heap. */
#ifndef HOLDFAST_BENCHMARKS_OBJECTS_H
#define HOLDFAST_BENCHMARKS_OBJECTS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    CLASS_NUMBER = 1,
    NAME_PROPERTY = 2,
    AGE_PROPERTY = 3,
    ROW_KEY_BYTE_COUNT = 13,
    LOG_KEY_BYTE_COUNT = 9,
    ROW_BYTE_COUNT_MAX = 224,
};

/* Offsets inside a row. */
enum {
    ROW_VERSION = 8, ROW_NULLS = 16, ROW_ID = 24, ROW_AGE = 32, ROW_SCORE = 40, ROW_ACTIVE = 48,
    ROW_NAME_INDEX = 52, ROW_NAME = 56, ROW_EMAIL = 64, ROW_TAGS = 72, ROW_HEAP = 80,
};

/* What the indexes hold of an object; kept in memory so that `put` need not read the old row. */
struct indexed { uint32_t name; int32_t age; };

/* MARK: Random values (splitmix64), the shapes of the person data set. */

static uint64_t state;

static uint64_t draw(void)
{
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static struct indexed draw_indexed(uint64_t objects)
{
    struct indexed values;
    uint64_t names = objects / 10 ? objects / 10 : 1;
    values.name = (uint32_t)(draw() % names);
    values.age = draw() % 1000 == 0 ? (int32_t)(101 + draw() % 10) : (int32_t)(18 + draw() % 72);
    return values;
}

/* Names of 13 to 24 bytes, `objects / 10` distinct ones, in no order of their number. */
static size_t write_name(char *out, uint32_t number)
{
    static const char *const first[] = {"James", "Mary", "Robert", "Linda", "Michael", "Karen",
                                        "Carlos", "Sofia", "Ingrid", "Pierre", "Fatima", "Aoife"};
    static const char *const last[] = {"Smith", "Johnson", "Garcia", "Miller", "Anderson",
                                       "Nielsen", "Dubois", "Tanaka", "Petrov", "Okafor", "Byrne"};
    return (size_t)sprintf(out, "%s %s %u", first[number % 12], last[number / 12 % 11], number);
}

/* MARK: Keys and rows. */

static uint8_t *put32(uint8_t *out, uint32_t value)
{
    value = __builtin_bswap32(value);
    memcpy(out, &value, 4);
    return out + 4;
}

static uint8_t *put64(uint8_t *out, uint64_t value)
{
    value = __builtin_bswap64(value);
    memcpy(out, &value, 8);
    return out + 8;
}

static uint16_t row_key(uint8_t *key, uint64_t object)
{
    key[0] = 0x01;
    put64(put32(key + 1, CLASS_NUMBER), object);
    return ROW_KEY_BYTE_COUNT;
}

static uint16_t log_key(uint8_t *key, uint64_t version)
{
    key[0] = 0x04;
    put64(key + 1, version);
    return LOG_KEY_BYTE_COUNT;
}

static inline uint16_t name_key(uint8_t *key, uint32_t name, uint64_t object)
{
    key[0] = 0x02;
    uint8_t *end = put32(key + 1, NAME_PROPERTY);
    end += write_name((char *)end, name) + 1; /* sprintf's zero ends the string */
    return (uint16_t)(put64(end, object) - key);
}

static inline uint16_t age_key(uint8_t *key, int32_t age, uint64_t object)
{
    key[0] = 0x02;
    uint8_t *end = put32(key + 1, AGE_PROPERTY);
    end = put64(end, (uint64_t)(int64_t)age ^ (1ull << 63));
    return (uint16_t)(put64(end, object) - key);
}

static void set32(uint8_t *row, size_t offset, uint32_t value) { memcpy(row + offset, &value, 4); }
static void set64(uint8_t *row, size_t offset, uint64_t value) { memcpy(row + offset, &value, 8); }

static uint32_t get32(const uint8_t *row, size_t offset)
{
    uint32_t value;
    memcpy(&value, row + offset, 4);
    return value;
}

static int64_t get64(const uint8_t *row, size_t offset)
{
    int64_t value;
    memcpy(&value, row + offset, 8);
    return value;
}

/* Writes an object's bytes and returns their count, 140 to 165. */
static uint16_t write_row(uint8_t *row, uint64_t object, uint64_t version, struct indexed values)
{
    memset(row, 0, ROW_HEAP);
    double score = (double)(draw() >> 11) * (100.0 / 9007199254740992.0);
    char *heap = (char *)row + ROW_HEAP;
    set32(row, 0, 1);
    set64(row, ROW_VERSION, version);
    set64(row, ROW_ID, object);
    set64(row, ROW_AGE, (uint64_t)values.age);
    memcpy(row + ROW_SCORE, &score, 8);
    row[ROW_ACTIVE] = (uint8_t)(draw() & 1);
    set32(row, ROW_NAME_INDEX, values.name);
    size_t end = ROW_HEAP, size = write_name(heap, values.name);
    set32(row, ROW_NAME, (uint32_t)end), set32(row, ROW_NAME + 4, (uint32_t)size);
    end += size;
    size = (size_t)sprintf((char *)row + end, "user%llu@mail%u.example.com",
                           (unsigned long long)object, (unsigned)(draw() % 8));
    set32(row, ROW_EMAIL, (uint32_t)end), set32(row, ROW_EMAIL + 4, (uint32_t)size);
    end += size;
    size = (size_t)sprintf((char *)row + end, "\5tag%02u\5tag%02u", (unsigned)(draw() % 50),
                           (unsigned)(draw() % 50));
    set32(row, ROW_TAGS, (uint32_t)end), set32(row, ROW_TAGS + 4, (uint32_t)size);
    return (uint16_t)(end + size);
}

#endif
