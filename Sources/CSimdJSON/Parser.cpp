#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include <simdjson.h>

#include "CSimdJSON.h"
#include "Faults.hpp"
#include "Numbers.hpp"
#include "Strings.hpp"

static_assert(HFJSON_PADDING >= simdjson::SIMDJSON_PADDING);

namespace holdfast {

namespace {

/// Memory for documents beyond this size is freed when a smaller one comes.
constexpr size_t keptByteCountMax = 1024 * 1024;
constexpr size_t byteCountMin = 4096;

/// A block of memory that grows and forgets its content when it does.
template <typename Element> class Block {
public:
    Block() = default;
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;
    ~Block() { std::free(elements); }

    Element *elements = nullptr;

    bool reserve(size_t count) noexcept {
        if (count <= capacity) return true;
        size_t grown = 64;
        while (grown < count) grown *= 2;
        clear();
        elements = static_cast<Element *>(std::malloc(grown * sizeof(Element)));
        if (elements == nullptr) return false;
        capacity = grown;
        return true;
    }

    void clear() noexcept {
        std::free(elements);
        elements = nullptr;
        capacity = 0;
    }

private:
    size_t capacity = 0;
};

inline uint64_t address(const uint8_t *bytes) noexcept {
    return uint64_t(reinterpret_cast<uintptr_t>(bytes));
}

/// An array or object that is still open.
struct Container {
    HFJSONEntry *entry;
    /// How many elements or members came before.
    uint32_t count;
    /// Whether what holds it is an array.
    bool isInArray;
};

}  // namespace

}  // namespace holdfast

struct HFJSONParser {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> simd;
    holdfast::Block<HFJSONEntry> entries;
    holdfast::Block<uint8_t> copy;
    holdfast::Block<uint8_t> strings;
    holdfast::Block<holdfast::Container> containers;

    // The document at hand.
    const uint8_t *source = nullptr;
    size_t byteCount = 0;
    uint8_t *stringEnd = nullptr;
    uint64_t errorOffset = 0;

    void trim(size_t nextByteCount) noexcept;
    HFJSONError findStructure(size_t memoryMax) noexcept;
    HFJSONError walk(uint32_t depthMax) noexcept;

private:
    HFJSONError reserve() noexcept;
    HFJSONError fail(HFJSONError error, size_t offset) noexcept {
        errorOffset = offset;
        return error;
    }
    HFJSONError string(uint32_t offset, HFJSONEntry &entry) noexcept;
    HFJSONError escapedString(
        const uint8_t *start, const uint8_t *escape, HFJSONEntry &entry) noexcept;
    HFJSONError scalar(const uint8_t *text, uint32_t offset, HFJSONEntry &entry) noexcept;
    HFJSONError lastScalar(uint32_t offset, HFJSONEntry &entry) noexcept;
    HFJSONError failAtEnd(uint32_t offset) noexcept;
};

/// Gives back what a much larger document needed.
void HFJSONParser::trim(size_t nextByteCount) noexcept {
    using namespace holdfast;
    if (!simd || simd->capacity() <= keptByteCountMax || nextByteCount > keptByteCountMax) return;
    simd.reset();
    entries.clear();
    copy.clear();
    strings.clear();
    containers.clear();
}

/// Makes room for the document's structure.
HFJSONError HFJSONParser::reserve() noexcept {
    using namespace holdfast;
    if (simd && simd->capacity() >= byteCount) return HFJSONErrorNone;
    size_t capacity = byteCountMin;
    while (capacity < byteCount) capacity *= 2;
    if (capacity > HFJSON_BYTE_COUNT_MAX) capacity = HFJSON_BYTE_COUNT_MAX;
    const auto error = simd ? simd->set_capacity(capacity)
                            : simdjson::get_active_implementation()
                                  ->create_dom_parser_implementation(capacity, 1, simd);
    if (error != simdjson::SUCCESS) {
        simd.reset();
        return HFJSONErrorOutOfMemory;
    }
    return HFJSONErrorNone;
}

/// Lets simdjson index the structure and check UTF-8 and that strings end.
HFJSONError HFJSONParser::findStructure(size_t memoryMax) noexcept {
    using namespace holdfast;
    if (byteCount == 0) return fail(HFJSONErrorEmpty, 0);
    if (byteCount > HFJSON_BYTE_COUNT_MAX) return fail(HFJSONErrorTooLong, HFJSON_BYTE_COUNT_MAX);
    if (reserve() != HFJSONErrorNone) return fail(HFJSONErrorOutOfMemory, 0);
    switch (simd->stage1(source, byteCount, simdjson::stage1_mode::regular)) {
    case simdjson::SUCCESS: break;
    case simdjson::EMPTY: return fail(HFJSONErrorEmpty, 0);
    case simdjson::UTF8_ERROR:
        return fail(HFJSONErrorInvalidUTF8, findInvalidUTF8(source, byteCount));
    case simdjson::UNCLOSED_STRING:
    case simdjson::UNESCAPED_CHARS: {
        // Bytes that are no text at all are the better explanation.
        const size_t invalid = findInvalidUTF8(source, byteCount);
        if (invalid < byteCount) return fail(HFJSONErrorInvalidUTF8, invalid);
        return findStringFault(source, byteCount, errorOffset);
    }
    case simdjson::MEMALLOC: return fail(HFJSONErrorOutOfMemory, 0);
    default: return fail(HFJSONErrorInternal, 0);
    }
    constexpr size_t valueByteCount = sizeof(HFJSONEntry) + sizeof(uint32_t);
    if (simd->n_structural_indexes > memoryMax / valueByteCount) return fail(HFJSONErrorTooManyValues, 0);
    if (!entries.reserve(simd->n_structural_indexes)) return fail(HFJSONErrorOutOfMemory, 0);
    stringEnd = nullptr;
    return HFJSONErrorNone;
}

inline HFJSONError HFJSONParser::string(uint32_t offset, HFJSONEntry &entry) noexcept {
    using holdfast::address;
    const uint8_t *start = source + offset + 1;
    const uint8_t *end = holdfast::findQuoteOrBackslash(start);
    if (__builtin_expect(*end == '\\', false)) return escapedString(start, end, entry);
    entry = {HFJSON_STRING, uint32_t(end - start), address(start)};
    return HFJSONErrorNone;
}

HFJSONError HFJSONParser::escapedString(
    const uint8_t *start, const uint8_t *escape, HFJSONEntry &entry) noexcept {
    using holdfast::address;
    if (stringEnd == nullptr) {
        // What is unescaped is never longer than its text, and the text is no longer than this.
        if (!strings.reserve(byteCount + HFJSON_PADDING)) return fail(HFJSONErrorOutOfMemory, 0);
        stringEnd = strings.elements;
    }
    uint8_t *out = stringEnd;
    std::memcpy(out, start, size_t(escape - start));
    out += escape - start;
    const HFJSONError error = holdfast::unescape(escape, out);
    if (error != HFJSONErrorNone) return fail(error, size_t(escape - source));
    entry = {HFJSON_STRING, uint32_t(out - stringEnd), address(stringEnd)};
    stringEnd = out;
    return HFJSONErrorNone;
}

/// Reads a number or literal that another structural character follows.
inline HFJSONError HFJSONParser::scalar(
    const uint8_t *text, uint32_t offset, HFJSONEntry &entry) noexcept {
    const auto is = [text](const char *literal, size_t length) {
        return std::memcmp(text, literal, length) == 0 && holdfast::endsScalar(text[length]);
    };
    entry.low = offset;
    switch (*text) {
    case '-': case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9': {
        const HFJSONError error = holdfast::readNumber(text, entry);
        return error == HFJSONErrorNone ? error : fail(error, offset);
    }
    case 't':
        if (!is("true", 4)) return fail(HFJSONErrorInvalidLiteral, offset);
        entry.head = HFJSON_BOOL;
        entry.bits = 1;
        return HFJSONErrorNone;
    case 'f':
        if (!is("false", 5)) return fail(HFJSONErrorInvalidLiteral, offset);
        entry.head = HFJSON_BOOL;
        entry.bits = 0;
        return HFJSONErrorNone;
    case 'n':
        if (!is("null", 4)) return fail(HFJSONErrorInvalidLiteral, offset);
        entry.head = HFJSON_NULL;
        return HFJSONErrorNone;
    default: return fail(HFJSONErrorExpectedValue, offset);
    }
}

/// Reads a document that is one number or literal. What follows it in memory may look like more of
/// it, so that it is read from a copy.
HFJSONError HFJSONParser::lastScalar(uint32_t offset, HFJSONEntry &entry) noexcept {
    const size_t rest = byteCount - offset;
    if (!strings.reserve(rest + HFJSON_PADDING)) return fail(HFJSONErrorOutOfMemory, 0);
    std::memcpy(strings.elements, source + offset, rest);
    std::memset(strings.elements + rest, ' ', HFJSON_PADDING);
    return scalar(strings.elements, offset, entry);
}

/// Fails because a number or literal, or what is neither, is the last thing in an array or object.
HFJSONError HFJSONParser::failAtEnd(uint32_t offset) noexcept {
    const uint8_t byte = source[offset];
    const bool isScalar = byte == 't' || byte == 'f' || byte == 'n' || byte == '-' ||
        (byte >= '0' && byte <= '9');
    return isScalar ? fail(HFJSONErrorUnexpectedEnd, byteCount)
                    : fail(HFJSONErrorExpectedValue, offset);
}

/// Checks the grammar from one structural character to the next and writes the entries.
///
/// There are no more entries than structural characters, so that they need no bounds check.
HFJSONError HFJSONParser::walk(uint32_t depthMax) noexcept {
    using namespace holdfast;
    const uint32_t *next = simd->structural_indexes.get();
    const uint32_t *const end = next + simd->n_structural_indexes;
    const uint8_t *const text = source;
    HFJSONEntry *out = entries.elements;
    const size_t depth = depthMax < byteCount ? depthMax : byteCount;
    if (!containers.reserve(depth)) return fail(HFJSONErrorOutOfMemory, 0);
    Container *const bottom = containers.elements;
    Container *top = bottom;
    Container *const limit = bottom + depth;
    uint32_t count = 0;
    uint32_t at = *next++;
    HFJSONError error;

    /// Moves on to the next structural character, which has to be there.
    #define ADVANCE() \
        if (__builtin_expect(next == end, false)) \
            return fail(HFJSONErrorUnexpectedEnd, byteCount); \
        at = *next++
    /// Opens an array or object.
    #define OPEN(kind, isWithinArray) \
        if (__builtin_expect(top == limit, false)) return fail(HFJSONErrorTooDeep, at); \
        *top++ = {out, count, isWithinArray}; \
        *out++ = {kind, at, 0}; \
        count = 0
    /// Reads a scalar inside an array or object; what nothing follows is not complete.
    #define SCALAR() \
        if (__builtin_expect(next == end, false)) return failAtEnd(at); \
        error = scalar(text + at, at, *out); \
        if (__builtin_expect(error != HFJSONErrorNone, false)) return error; \
        ++out

    switch (text[at]) {
    case '{': OPEN(HFJSON_OBJECT, false); goto objectStart;
    case '[': OPEN(HFJSON_ARRAY, false); goto arrayStart;
    case '"': error = string(at, *out); break;
    case 0xEF:
        if (at == 0 && byteCount >= 3 && text[1] == 0xBB && text[2] == 0xBF) {
            return fail(HFJSONErrorByteOrderMark, 0);
        }
        return fail(HFJSONErrorExpectedValue, at);
    default: error = next == end ? lastScalar(at, *out) : scalar(text + at, at, *out);
    }
    if (error != HFJSONErrorNone) return error;
    goto documentEnd;

objectStart:
    ADVANCE();
    if (text[at] == '}') goto close;
    if (text[at] != '"') return fail(HFJSONErrorExpectedKeyOrEndOfObject, at);

member:
    error = string(at, *out++);
    if (__builtin_expect(error != HFJSONErrorNone, false)) return error;
    ++count;
    ADVANCE();
    if (__builtin_expect(text[at] != ':', false)) return fail(HFJSONErrorExpectedColon, at);
    ADVANCE();
    switch (text[at]) {
    case '{': OPEN(HFJSON_OBJECT, false); goto objectStart;
    case '[': OPEN(HFJSON_ARRAY, false); goto arrayStart;
    case '"':
        error = string(at, *out++);
        if (__builtin_expect(error != HFJSONErrorNone, false)) return error;
        break;
    default: SCALAR();
    }

objectContinue:
    ADVANCE();
    if (text[at] == ',') {
        ADVANCE();
        if (__builtin_expect(text[at] != '"', false)) return fail(HFJSONErrorExpectedKey, at);
        goto member;
    }
    if (__builtin_expect(text[at] != '}', false)) {
        return fail(HFJSONErrorExpectedCommaOrEndOfObject, at);
    }

close:
    --top;
    top->entry->bits = count | uint64_t(out - top->entry) << 32;
    count = top->count;
    if (top == bottom) goto documentEnd;
    if (top->isInArray) goto arrayContinue;
    goto objectContinue;

arrayStart:
    ADVANCE();
    if (text[at] == ']') goto close;
    if (text[at] == ',' || text[at] == ':' || text[at] == '}') {
        return fail(HFJSONErrorExpectedValueOrEndOfArray, at);
    }

element:
    ++count;
    switch (text[at]) {
    case '{': OPEN(HFJSON_OBJECT, true); goto objectStart;
    case '[': OPEN(HFJSON_ARRAY, true); goto arrayStart;
    case '"':
        error = string(at, *out++);
        if (__builtin_expect(error != HFJSONErrorNone, false)) return error;
        break;
    default:
        SCALAR();
    }

arrayContinue:
    ADVANCE();
    if (text[at] == ',') {
        ADVANCE();
        goto element;
    }
    if (__builtin_expect(text[at] != ']', false)) {
        return fail(HFJSONErrorExpectedCommaOrEndOfArray, at);
    }
    goto close;

documentEnd:
    if (next != end) return fail(HFJSONErrorTrailingContent, *next);
    return HFJSONErrorNone;

    #undef ADVANCE
    #undef OPEN
    #undef SCALAR
}

HFJSONParser *HFJSONParserCreate(void) { return new (std::nothrow) HFJSONParser(); }

void HFJSONParserDestroy(HFJSONParser *parser) { delete parser; }

void HFJSONParserTrim(HFJSONParser *parser) { parser->trim(0); }

size_t HFJSONParserCapacity(const HFJSONParser *parser) {
    return parser->simd ? parser->simd->capacity() : 0;
}

HFJSONError HFJSONParse(
    HFJSONParser *parser, const uint8_t *bytes, size_t byteCount, bool hasPadding,
    uint32_t depthMax, size_t memoryMax, HFJSONDocument *document) {
    parser->source = bytes;
    parser->byteCount = byteCount;
    parser->errorOffset = 0;
    HFJSONError error = HFJSONErrorNone;
    parser->trim(byteCount);
    if (!hasPadding && byteCount > 0 && byteCount <= HFJSON_BYTE_COUNT_MAX) {
        if (parser->copy.reserve(byteCount + HFJSON_PADDING)) {
            std::memcpy(parser->copy.elements, bytes, byteCount);
            std::memset(parser->copy.elements + byteCount, ' ', HFJSON_PADDING);
            parser->source = parser->copy.elements;
        } else {
            error = HFJSONErrorOutOfMemory;
        }
    }
    if (error == HFJSONErrorNone) error = parser->findStructure(memoryMax);
    if (error == HFJSONErrorNone) error = parser->walk(depthMax);
    document->entries = parser->entries.elements;
    document->source = parser->source;
    document->errorOffset = parser->errorOffset;
    return error;
}
