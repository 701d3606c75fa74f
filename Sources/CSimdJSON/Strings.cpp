#include "Strings.hpp"

#include <cstring>

namespace holdfast {

namespace {

/// Four hexadecimal digits, or a number above 0xFFFF. Stops at the first byte that is none, so that
/// it does not read past the closing quote.
uint32_t readFourDigits(const uint8_t *text) noexcept {
    uint32_t value = 0;
    for (int index = 0; index < 4; ++index) {
        const uint8_t byte = text[index];
        const uint8_t letter = byte | 0x20;
        uint32_t digit;
        if (byte >= '0' && byte <= '9') {
            digit = byte - '0';
        } else if (letter >= 'a' && letter <= 'f') {
            digit = letter - 'a' + 10;
        } else {
            return UINT32_MAX;
        }
        value = value << 4 | digit;
    }
    return value;
}

uint8_t *writeUTF8(uint32_t scalar, uint8_t *out) noexcept {
    if (scalar < 0x80) {
        *out++ = uint8_t(scalar);
    } else if (scalar < 0x800) {
        *out++ = uint8_t(0xC0 | scalar >> 6);
        *out++ = uint8_t(0x80 | (scalar & 0x3F));
    } else if (scalar < 0x10000) {
        *out++ = uint8_t(0xE0 | scalar >> 12);
        *out++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
        *out++ = uint8_t(0x80 | (scalar & 0x3F));
    } else {
        *out++ = uint8_t(0xF0 | scalar >> 18);
        *out++ = uint8_t(0x80 | (scalar >> 12 & 0x3F));
        *out++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
        *out++ = uint8_t(0x80 | (scalar & 0x3F));
    }
    return out;
}

/// Reads a `\u` escape, or the two of a surrogate pair, at `text`. A fault leaves `text` unmoved.
HFJSONError readUnicodeEscape(const uint8_t *&text, uint8_t *&out) noexcept {
    uint32_t scalar = readFourDigits(text + 2);
    if (scalar > 0xFFFF) return HFJSONErrorInvalidEscape;
    size_t byteCount = 6;
    if (scalar >= 0xD800 && scalar <= 0xDFFF) {
        if (scalar >= 0xDC00 || text[6] != '\\' || text[7] != 'u') return HFJSONErrorLoneSurrogate;
        const uint32_t low = readFourDigits(text + 8);
        if (low > 0xFFFF) {
            text += 6;
            return HFJSONErrorInvalidEscape;
        }
        if (low < 0xDC00 || low > 0xDFFF) return HFJSONErrorLoneSurrogate;
        scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00);
        byteCount = 12;
    }
    text += byteCount;
    out = writeUTF8(scalar, out);
    return HFJSONErrorNone;
}

}  // namespace

HFJSONError unescape(const uint8_t *&text, uint8_t *&out) noexcept {
    for (;;) {
        switch (text[1]) {
        case '"': *out++ = '"'; text += 2; break;
        case '\\': *out++ = '\\'; text += 2; break;
        case '/': *out++ = '/'; text += 2; break;
        case 'b': *out++ = '\b'; text += 2; break;
        case 'f': *out++ = '\f'; text += 2; break;
        case 'n': *out++ = '\n'; text += 2; break;
        case 'r': *out++ = '\r'; text += 2; break;
        case 't': *out++ = '\t'; text += 2; break;
        case 'u': {
            const HFJSONError error = readUnicodeEscape(text, out);
            if (error != HFJSONErrorNone) return error;
            break;
        }
        default: return HFJSONErrorInvalidEscape;
        }
        const uint8_t *stop = findQuoteOrBackslash(text);
        std::memcpy(out, text, size_t(stop - text));
        out += stop - text;
        text = stop;
        if (*text == '"') {
            ++text;
            return HFJSONErrorNone;
        }
    }
}

}  // namespace holdfast
