/// A door to simdjson: JSON text in, one flat array of entries out.
///
/// simdjson finds the structure of a document and checks its UTF-8 with the widest vector
/// instructions of the machine (its "stage 1", chosen at run time). The library's own second stages
/// are not used: they drop the text of numbers and refuse integers beyond 64 bits. The walk behind
/// this header checks the grammar instead and writes `HFJSONEntry` values, which the caller reads
/// with plain loads.
///
/// Library: https://github.com/simdjson/simdjson/tree/v3.0.1
#ifndef HOLDFAST_CSIMDJSON_H
#define HOLDFAST_CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What an entry is: the lowest four bits of `HFJSONEntry.head`.
enum {
    HFJSON_NULL = 0,
    HFJSON_BOOL = 1,
    /// A number without `.`, `e` and `E` that fits into an `int64_t`.
    HFJSON_INTEGER = 2,
    /// Any other number.
    HFJSON_DOUBLE = 3,
    HFJSON_STRING = 4,
    HFJSON_ARRAY = 5,
    HFJSON_OBJECT = 6,
};

/// What else is known of a number: bits of `HFJSONEntry.head`.
enum {
    /// The text is an integer that does not fit into an `int64_t`.
    HFJSON_BIG_INTEGER = 1 << 6,
    /// The text is `-0`.
    HFJSON_NEGATIVE_ZERO = 1 << 7,
};

/// One value, or the key of a member, in the order of the text.
///
///     kind            head, bits 8…31   low            bits
///     null            -                 source offset  -
///     bool            -                 source offset  0 or 1
///     integer         length of text    source offset  the `int64_t`
///     double          length of text    source offset  the `double` (infinite when out of range)
///     string, key     -                 byte count     address of the unescaped UTF-8
///     array, object   -                 source offset  low half: number of elements or members;
///                                                      high half: entries up to the next sibling
///
/// The elements of an array follow it; so do the members of an object, each a key and its value.
/// The next sibling of a scalar is the next entry.
typedef struct HFJSONEntry {
    uint32_t head;
    uint32_t low;
    uint64_t bits;
} HFJSONEntry;

/// Makes an enum one that Swift switches over without a default.
#ifdef __clang__
#define HFJSON_CLOSED __attribute__((enum_extensibility(closed)))
#else
#define HFJSON_CLOSED
#endif

/// Why a document was refused.
typedef enum HFJSON_CLOSED HFJSONError {
    HFJSONErrorNone = 0,
    /// No bytes, or only blanks.
    HFJSONErrorEmpty,
    /// The text ends inside an array or object.
    HFJSONErrorUnexpectedEnd,
    /// The text begins with a byte order mark.
    HFJSONErrorByteOrderMark,
    HFJSONErrorInvalidUTF8,
    /// Found where a value has to stand: something that begins none.
    HFJSONErrorExpectedValue,
    /// After `[`.
    HFJSONErrorExpectedValueOrEndOfArray,
    /// After `{`.
    HFJSONErrorExpectedKeyOrEndOfObject,
    /// After the `,` of an object.
    HFJSONErrorExpectedKey,
    HFJSONErrorExpectedColon,
    HFJSONErrorExpectedCommaOrEndOfArray,
    HFJSONErrorExpectedCommaOrEndOfObject,
    /// Something follows the document.
    HFJSONErrorTrailingContent,
    HFJSONErrorInvalidLiteral,
    HFJSONErrorInvalidNumber,
    /// The text of one number is longer than 16,777,215 bytes.
    HFJSONErrorNumberTooLong,
    HFJSONErrorUnterminatedString,
    /// A control character stands unescaped in a string.
    HFJSONErrorControlCharacter,
    HFJSONErrorInvalidEscape,
    /// A `\u` escape of one half of a surrogate pair without the other.
    HFJSONErrorLoneSurrogate,
    /// Arrays and objects nest deeper than the caller allows.
    HFJSONErrorTooDeep,
    /// The document is longer than `HFJSON_BYTE_COUNT_MAX`.
    HFJSONErrorTooLong,
    HFJSONErrorOutOfMemory,
    /// The document's structure takes more memory than the caller allows.
    HFJSONErrorTooManyValues,
    /// simdjson failed in a way that it does not document.
    HFJSONErrorInternal,
} HFJSONError;

/// How many bytes after a document have to be readable for it to be parsed in place.
#define HFJSON_PADDING 64

/// The longest document in bytes.
#define HFJSON_BYTE_COUNT_MAX 0xF0000000u

/// The most bytes that the `HFJSONWrite…` functions write.
#define HFJSON_NUMBER_BYTE_COUNT_MAX 32

/// A parser with its memory, reused from document to document. One thread at a time uses it.
typedef struct HFJSONParser HFJSONParser;

/// A parsed document. Valid until the parser's next call, and no longer than the source.
typedef struct HFJSONDocument {
    /// The root; the others follow it.
    const HFJSONEntry *entries;
    /// What source offsets count from: the caller's bytes, or the parser's copy of them.
    const uint8_t *source;
    /// Where the fault is, in bytes from the beginning of the document.
    uint64_t errorOffset;
} HFJSONDocument;

/// Makes a parser. NULL when out of memory.
HFJSONParser *HFJSONParserCreate(void);

/// Frees the memory of a large document, which is not valid any more; a small one's is kept.
void HFJSONParserTrim(HFJSONParser *parser);

/// The bytes of the longest document that a parser has memory for.
size_t HFJSONParserCapacity(const HFJSONParser *parser);

/// Frees a parser, and the documents that it parsed.
void HFJSONParserDestroy(HFJSONParser *parser);

/// Parses one document: one value with blanks around it, and nothing else.
///
/// Keeps its memory for the next call, except that what documents beyond 1 MiB needed is freed when
/// a smaller one comes.
///
/// - Parameters:
///   - bytes: the text. With `hasPadding` it is read in place (as are `HFJSON_PADDING` bytes after
///     it, which may hold anything), and strings without escapes point into it. Otherwise it is
///     copied first.
///   - depthMax: how deep arrays and objects may nest; 1 allows one that holds only scalars.
///   - memoryMax: the bytes that the structure may take: some 20 for each value, name and separator.
///   - document: set when the result is `HFJSONErrorNone`; otherwise only its `errorOffset` is.
HFJSONError HFJSONParse(
    HFJSONParser *parser, const uint8_t *bytes, size_t byteCount, bool hasPadding,
    uint32_t depthMax, size_t memoryMax, HFJSONDocument *document);

/// The `float` nearest to a number's text, rounded once. The text has to be a JSON number.
float HFJSONReadFloat(const uint8_t *text, size_t byteCount);

/// Writes the shortest text that reads back as `value`, as a JSON number with a `.` or an `e`.
///
/// - Parameters:
///   - value: finite.
///   - text: room for `HFJSON_NUMBER_BYTE_COUNT_MAX` bytes.
/// - Returns: how many bytes were written.
size_t HFJSONWriteDouble(double value, uint8_t *text);

/// As `HFJSONWriteDouble`, of a `float`.
size_t HFJSONWriteFloat(float value, uint8_t *text);

#ifdef __cplusplus
}
#endif

#endif
