#include "CICU.h"

#include <stdlib.h>
#include <time.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>

// Processor time that one test may take, in nanoseconds. The engine lets it be looked at each ten thousand steps.
static const uint64_t nanosecondsMax = 1000000000;
// A step takes as long as the text at the most where it compares a part of it again, or looks around and forgets the ways that it has
// tried, so that nothing else bounds the work of ten thousand: longer texts are not tested.
static const int32_t unitCountMaxOfReferences = 16 << 10;
static const int32_t unitCountMaxOfLooks = 64 << 10;
// Bytes that the engine may use to remember what it has not tried yet.
static const int32_t stackByteCountMax = 8 << 20;

struct HFPattern {
    URegularExpression *expression;
    // The text in UTF-16, on which the engine is fastest by far.
    UChar *units;
    int32_t capacity;
    // The longest text that is tested, in units.
    int32_t unitCountMax;
    // Asks whether the test may go on.
    HFMayContinue mayContinue;
    void *context;
    // The processor time of the thread at which a test has taken too long; 0 before it is looked at.
    uint64_t end;
    bool isTooLong;
};

static uint64_t processorNanoseconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// The longest text that an expression may be tested on, from what is written in it: rather too short than too long.
static int32_t unitCountMax(const UChar *units, int32_t count) {
    int32_t most = INT32_MAX;
    for (int32_t i = 0; i + 1 < count; i++) {
        UChar unit = units[i], next = units[i + 1];
        if (unit == '\\') {
            if ((next >= '1' && next <= '9') || next == 'k') return unitCountMaxOfReferences;
            if (next == 'X') most = unitCountMaxOfLooks;
            i++;
            continue;
        }
        UChar third = i + 2 < count ? units[i + 2] : 0, fourth = i + 3 < count ? units[i + 3] : 0;
        bool looks = unit == '(' && next == '?'
            && (third == '=' || third == '!' || third == '>'
                || (third == '<' && (fourth == '=' || fourth == '!')));
        // Blanks and comments may stand within what is looked for here, and words may be as long as the text.
        bool isFree = false;
        for (int32_t j = i + 2; unit == '(' && next == '?' && j < count; j++) {
            if (units[j] == 'x' || units[j] == 'w') isFree = true;
            if (units[j] != '-' && (units[j] < 'a' || units[j] > 'z')) break;
        }
        bool keeps = next == '+' && (unit == '*' || unit == '+' || unit == '?' || unit == '}');
        if (looks || keeps || isFree) most = unitCountMaxOfLooks;
    }
    return most;
}

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
    HFPattern *pattern = (HFPattern *)context;
    uint64_t now = processorNanoseconds();
    // Most tests end before this is asked: the time begins here.
    if (pattern->end == 0) pattern->end = now + nanosecondsMax;
    pattern->isTooLong = now == 0 || now > pattern->end;
    if (pattern->isTooLong) return false;
    // The thread may wait here while it is others' turn, which takes no time of the processor.
    return pattern->mayContinue(pattern->context);
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
            pattern->unitCountMax = unitCountMax(pattern->units, count);
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
    HFPattern *pattern, const void *text, size_t byteCount, HFMayContinue mayContinue,
    void *context) {
    int32_t count = convert(pattern, text, byteCount);
    if (count < 0) return HFMatchMemory;
    if (count > pattern->unitCountMax) return HFMatchLimit;
    pattern->mayContinue = mayContinue;
    pattern->context = context;
    pattern->end = 0;
    pattern->isTooLong = false;
    UErrorCode status = U_ZERO_ERROR;
    uregex_setText(pattern->expression, pattern->units, count, &status);
    bool matches = uregex_matches(pattern->expression, 0, &status);
    if (U_SUCCESS(status)) return matches ? HFMatchYes : HFMatchNo;
    switch (status) {
    case U_REGEX_STOPPED_BY_CALLER: return pattern->isTooLong ? HFMatchLimit : HFMatchStopped;
    case U_REGEX_STACK_OVERFLOW: return HFMatchLimit;
    default: return HFMatchMemory;
    }
}
