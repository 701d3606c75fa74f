#include "Faults.hpp"

namespace holdfast {

size_t findInvalidUTF8(const uint8_t *text, size_t byteCount) noexcept {
    size_t at = 0;
    while (at < byteCount) {
        const uint8_t lead = text[at];
        size_t length;
        // The range of the second byte excludes overlong forms, surrogates and what is beyond
        // U+10FFFF (Unicode, table 3-7).
        uint8_t low = 0x80, high = 0xBF;
        if (lead < 0x80) {
            ++at;
            continue;
        } else if (lead >= 0xC2 && lead <= 0xDF) {
            length = 2;
        } else if (lead >= 0xE0 && lead <= 0xEF) {
            length = 3;
            if (lead == 0xE0) low = 0xA0;
            if (lead == 0xED) high = 0x9F;
        } else if (lead >= 0xF0 && lead <= 0xF4) {
            length = 4;
            if (lead == 0xF0) low = 0x90;
            if (lead == 0xF4) high = 0x8F;
        } else {
            return at;
        }
        if (byteCount - at < length || text[at + 1] < low || text[at + 1] > high) return at;
        for (size_t index = 2; index < length; ++index) {
            if ((text[at + index] & 0xC0) != 0x80) return at;
        }
        at += length;
    }
    return byteCount;
}

HFJSONError findStringFault(const uint8_t *text, size_t byteCount, uint64_t &offset) noexcept {
    bool isInString = false;
    size_t start = 0;
    for (size_t at = 0; at < byteCount; ++at) {
        const uint8_t byte = text[at];
        if (isInString && byte < 0x20) {
            offset = at;
            return HFJSONErrorControlCharacter;
        }
        if (byte == '"') {
            isInString = !isInString;
            start = at;
        } else if (byte == '\\') {
            // simdjson lets a backslash escape a quote outside of strings as well.
            if (at + 1 < byteCount && text[at + 1] >= 0x20) ++at;
        }
    }
    offset = start;
    return HFJSONErrorUnterminatedString;
}

}  // namespace holdfast
