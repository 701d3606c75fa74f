/// The door to ICU: case folding, decomposition, words and regular expressions.
///
/// Debian's libicu-dev. ICU renames its functions by version with macros that Swift can't import, and works
/// on UTF-16: here texts are UTF-8, and bytes that are none count as U+FFFD.
#ifndef HOLDFAST_CICU_H
#define HOLDFAST_CICU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The simple (one to one) case folding of a scalar.
uint32_t HFFoldCase(uint32_t scalar);

/// The most scalars that ``HFDecompose`` writes.
#define HFDecompositionMax 8

/// Writes the full canonical decomposition of a scalar, itself when it has none.
///
/// How many scalars were written, at least 1.
int HFDecompose(uint32_t scalar, uint32_t *result);

/// Whether a scalar is of the general category Mn, as combining accents are.
bool HFIsNonspacingMark(uint32_t scalar);

/// Writes the canonical composition (NFC) or decomposition (NFD) of a text in UTF-16.
///
/// How many units were written; negative when there is no memory or no room for them.
int32_t HFNormalize(
    bool composes, const uint16_t *units, int32_t count, uint16_t *result, int32_t capacity);

/// Finds the words of texts, by the rules of Unicode (UAX 29) and by dictionary where a script writes no
/// blanks between them. One thread at a time uses one.
typedef struct HFWords HFWords;

/// NULL when there is no memory, or ICU has no data.
HFWords *HFWordsMake(void);

void HFWordsFree(HFWords *words);

/// Begins with a text, which stays in its place until the last word was read. False as in ``HFWordsMake``.
bool HFWordsBegin(HFWords *words, const void *text, size_t byteCount);

/// Finds the next word and where it lies; false when there is none.
bool HFWordsNext(HFWords *words, size_t *start, size_t *end);

/// A regular expression, ready for use. One thread at a time uses one.
typedef struct HFPattern HFPattern;

/// What is wrong with a regular expression.
typedef struct {
    /// A sentence's part, which lives for ever.
    const char *reason;
    /// About where, in UTF-16 units from 0; -1 when that is not known.
    int offset;
} HFPatternFault;

/// NULL when the text is no regular expression; then `fault` says why.
HFPattern *HFPatternMake(
    const char *text, size_t byteCount, bool ignoresCase, HFPatternFault *fault);

void HFPatternFree(HFPattern *pattern);

/// What became of a test.
typedef enum {
    HFMatchNo = 0,
    HFMatchYes = 1,
    /// It was not to go on.
    HFMatchStopped = 2,
    /// There is no memory for the text, or the engine failed.
    HFMatchMemory = 3,
    /// It took more steps, or needed more memory to try its ways, than one test may.
    HFMatchLimit = 4,
} HFMatch;

/// Whether a test may go on. It may block.
typedef bool (*HFMayContinue)(void *context);

/// Whether a whole text matches.
///
/// `mayContinue` is asked with `context` again and again, after ten thousand steps each.
HFMatch HFPatternTest(
    HFPattern *pattern, const void *text, size_t byteCount, HFMayContinue mayContinue,
    void *context);

/// The clock of a time zone. One thread at a time uses one.
typedef struct HFZone HFZone;

/// NULL when there is no zone of that IANA name, or no memory.
HFZone *HFZoneMake(const char *name, size_t byteCount);

void HFZoneFree(HFZone *zone);

/// By how many seconds a zone is ahead of UTC at a time in seconds since 1970.
int32_t HFZoneOffset(HFZone *zone, int64_t seconds);

/// The first time behind another at which a zone's offset changes; INT64_MAX when there is none.
int64_t HFZoneNextChange(HFZone *zone, int64_t seconds);

#endif
