#include "CICU.h"

#include <stdlib.h>
#include <time.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>

// Of one test: some ten thousand steps of the engine each, so that a test ends within about a second.
static const int32_t tickCountMax = 5000;
// Bytes that the engine may use to remember what it has not tried yet.
static const int32_t stackByteCountMax = 8 << 20;

struct HFPattern {
    URegularExpression *expression;
    // The text in UTF-16, on which the engine is fastest by far.
    UChar *units;
    int32_t capacity;
    uint64_t deadline;
};

static const char *reason(UErrorCode status) {
    switch (status) {
    case U_REGEX_BAD_ESCAPE_SEQUENCE: return "it has an unknown escape";
    case U_REGEX_PROPERTY_SYNTAX: return "it names an unknown property of characters";
    case U_REGEX_MISMATCHED_PAREN: return "a parenthesis has no partner";
    case U_REGEX_NUMBER_TOO_BIG: return "a number is too big";
    case U_REGEX_BAD_INTERVAL: return "braces hold no interval such as {2,5}";
    case U_REGEX_MAX_LT_MIN: return "an interval ends before it begins";
    case U_REGEX_INVALID_BACK_REF: return "it refers back to a group that is not there";
    case U_REGEX_INVALID_FLAG: return "it has an unknown flag";
    case U_REGEX_LOOK_BEHIND_LIMIT: return "what it looks behind for has no bounded length";
    case U_REGEX_MISSING_CLOSE_BRACKET: return "a bracket is not closed";
    case U_REGEX_INVALID_RANGE: return "a range of characters ends before it begins";
    case U_REGEX_INVALID_CAPTURE_GROUP_NAME: return "a group has no valid name";
    case U_REGEX_PATTERN_TOO_BIG: return "it is too big";
    case U_REGEX_UNIMPLEMENTED: return "it uses what is not implemented";
    default: return "it breaks the syntax";
    }
}

static UBool goesOn(const void *context, int32_t steps) {
    (void)steps;
    const HFPattern *pattern = context;
    if (pattern->deadline == UINT64_MAX) return true;
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return true;
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 < pattern->deadline;
}

// Puts a text into the units. The count, or -1 when there is no memory.
static int32_t convert(HFPattern *pattern, const void *text, size_t byteCount) {
    // A text has no more units than bytes.
    if (byteCount >= INT32_MAX / sizeof(UChar)) return -1;
    if (!pattern->units || (size_t)pattern->capacity < byteCount) {
        size_t capacity = byteCount < 256 ? 256 : byteCount + byteCount / 2;
        UChar *units = realloc(pattern->units, capacity * sizeof(UChar));
        if (!units) return -1;
        pattern->units = units;
        pattern->capacity = (int32_t)capacity;
    }
    int32_t count = 0;
    UErrorCode status = U_ZERO_ERROR;
    u_strFromUTF8WithSub(
        pattern->units, pattern->capacity, &count, text, (int32_t)byteCount, 0xFFFD, NULL,
        &status);
    return U_FAILURE(status) ? -1 : count;
}

HFPattern *HFPatternMake(
    const char *text, size_t byteCount, bool ignoresCase, HFPatternFault *fault) {
    fault->offset = -1;
    fault->reason = "there is no memory for it";
    HFPattern *pattern = calloc(1, sizeof(HFPattern));
    if (!pattern) return NULL;
    int32_t count = convert(pattern, text, byteCount);
    UErrorCode status = U_ZERO_ERROR;
    if (count == 0) {
        // ICU refuses an empty pattern; this one matches the same.
        pattern->units[0] = '(';
        pattern->units[1] = ')';
        count = 2;
    }
    if (count > 0) {
        UParseError place = {0};
        pattern->expression = uregex_open(
            pattern->units, count, ignoresCase ? UREGEX_CASE_INSENSITIVE : 0, &place, &status);
        if (U_FAILURE(status)) {
            fault->reason = reason(status);
            if (place.line <= 1) fault->offset = place.offset;
        } else {
            uregex_setTimeLimit(pattern->expression, tickCountMax, &status);
            uregex_setStackLimit(pattern->expression, stackByteCountMax, &status);
            uregex_setMatchCallback(pattern->expression, goesOn, pattern, &status);
        }
    }
    if (count < 0 || U_FAILURE(status)) {
        HFPatternFree(pattern);
        return NULL;
    }
    return pattern;
}

void HFPatternFree(HFPattern *pattern) {
    if (!pattern) return;
    uregex_close(pattern->expression);
    free(pattern->units);
    free(pattern);
}

HFMatch HFPatternTest(
    HFPattern *pattern, const void *text, size_t byteCount, uint64_t deadline) {
    int32_t count = convert(pattern, text, byteCount);
    if (count < 0) return HFMatchMemory;
    pattern->deadline = deadline;
    UErrorCode status = U_ZERO_ERROR;
    uregex_setText(pattern->expression, pattern->units, count, &status);
    bool matches = uregex_matches(pattern->expression, 0, &status);
    if (U_SUCCESS(status)) return matches ? HFMatchYes : HFMatchNo;
    switch (status) {
    case U_REGEX_STOPPED_BY_CALLER: return HFMatchTime;
    case U_REGEX_TIME_OUT:
    case U_REGEX_STACK_OVERFLOW: return HFMatchLimit;
    default: return HFMatchMemory;
    }
}
