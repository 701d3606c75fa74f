#include "Numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>

namespace holdfast {

namespace {

/// So many decimal digits always fit into 64 bits.
constexpr int64_t exactDigitCountMax = 19;
/// Exponents beyond it make every number that fits into memory zero or infinite.
constexpr int64_t exponentMax = 100'000'000'000;
constexpr size_t textByteCountMax = 0xFFFFFF;

struct ScalarEnds {
    bool at[256] = {};
    constexpr ScalarEnds() {
        for (unsigned char byte : {' ', '\t', '\n', '\r', ',', ':', '[', ']', '{', '}'}) {
            at[byte] = true;
        }
    }
};
constexpr ScalarEnds scalarEnds;

inline bool isDigit(uint8_t byte) noexcept { return uint8_t(byte - '0') < 10; }

/// The power of ten of the first digit that is not zero (of `1` it is 0); the text has such a digit. Tells
/// numbers that are too large from those that are too small.
int64_t magnitude(const uint8_t *text, const uint8_t *end) noexcept {
    const uint8_t *point = text;
    while (point != end && *point != '.' && *point != 'e' && *point != 'E') ++point;
    const uint8_t *first = text;
    while (*first == '-' || *first == '0' || *first == '.') ++first;
    const uint8_t *mark = point;
    while (mark != end && *mark != 'e' && *mark != 'E') ++mark;
    int64_t exponent = 0;
    if (mark != end) {
        const char *digits = reinterpret_cast<const char *>(mark + 1);
        digits += *digits == '+';
        auto result = std::from_chars(digits, reinterpret_cast<const char *>(end), exponent);
        if (result.ec == std::errc::result_out_of_range) {
            exponent = *digits == '-' ? -exponentMax : exponentMax;
        }
    }
    return std::clamp(exponent, -exponentMax, exponentMax) +
        (first < point ? point - first - 1 : point - first);
}

/// The nearest `Number`; infinite when too large, zero when too small.
template <typename Number>
Number readRounded(const uint8_t *text, const uint8_t *end) noexcept {
    Number value = 0;
    auto result = std::from_chars(
        reinterpret_cast<const char *>(text), reinterpret_cast<const char *>(end), value);
    if (result.ec == std::errc::result_out_of_range) {
        value = magnitude(text, end) > 0 ? std::numeric_limits<Number>::infinity() : 0;
        if (*text == '-') value = -value;
    }
    return value;
}

}  // namespace

bool endsScalar(uint8_t byte) noexcept { return scalarEnds.at[byte]; }

HFJSONError readNumber(const uint8_t *text, HFJSONEntry &entry) noexcept {
    const uint8_t *at = text;
    const bool isNegative = *at == '-';
    at += isNegative;

    // Wraps around when there are more than 19 digits; then it is not used.
    uint64_t significand = 0;
    const uint8_t *const integerStart = at;
    while (isDigit(*at)) significand = significand * 10 + uint8_t(*at++ - '0');
    const uint8_t *const integerEnd = at;
    const int64_t integerDigitCount = integerEnd - integerStart;
    if (integerDigitCount == 0 || (*integerStart == '0' && integerDigitCount > 1)) {
        return HFJSONErrorInvalidNumber;
    }

    if (*at == '.') {
        if (!isDigit(*++at)) return HFJSONErrorInvalidNumber;
        while (isDigit(*at)) ++at;
    }
    if ((*at | 0x20) == 'e') {
        ++at;
        at += *at == '-' || *at == '+';
        if (!isDigit(*at)) return HFJSONErrorInvalidNumber;
        while (isDigit(*at)) ++at;
    }
    if (!endsScalar(*at)) return HFJSONErrorInvalidNumber;
    const size_t byteCount = size_t(at - text);
    if (byteCount > textByteCountMax) return HFJSONErrorNumberTooLong;
    const uint32_t length = uint32_t(byteCount) << 8;

    const bool isInteger = at == integerEnd;
    if (isInteger) {
        const uint64_t magnitudeMax = uint64_t(std::numeric_limits<int64_t>::max()) + isNegative;
        if (integerDigitCount <= exactDigitCountMax && significand <= magnitudeMax) {
            const bool isNegativeZero = isNegative && significand == 0;
            entry.head = HFJSON_INTEGER | (isNegativeZero ? HFJSON_NEGATIVE_ZERO : 0) | length;
            entry.bits = isNegative ? 0 - significand : significand;
            return HFJSONErrorNone;
        }
    }

    const double value = readRounded<double>(text, at);
    entry.head = HFJSON_DOUBLE | (isInteger ? HFJSON_BIG_INTEGER : 0) | length;
    std::memcpy(&entry.bits, &value, sizeof value);
    return HFJSONErrorNone;
}

namespace {

/// Writes the shortest text: as a decimal fraction where that is readable, else with an exponent.
template <typename Number> size_t writeNumber(Number value, uint8_t *text) noexcept {
    char *start = reinterpret_cast<char *>(text);
    const Number size = std::abs(value);
    const bool isPlain = size == 0 || (size >= Number(1e-5) && size < Number(1e16));
    auto result = std::to_chars(
        start, start + HFJSON_NUMBER_BYTE_COUNT_MAX, value,
        isPlain ? std::chars_format::fixed : std::chars_format::scientific);
    char *end = result.ptr;
    if (isPlain && std::memchr(start, '.', size_t(end - start)) == nullptr) {
        *end++ = '.';
        *end++ = '0';
    }
    return size_t(end - start);
}

}  // namespace

}  // namespace holdfast

float HFJSONReadFloat(const uint8_t *text, size_t byteCount) {
    return holdfast::readRounded<float>(text, text + byteCount);
}

size_t HFJSONWriteDouble(double value, uint8_t *text) { return holdfast::writeNumber(value, text); }

size_t HFJSONWriteFloat(float value, uint8_t *text) { return holdfast::writeNumber(value, text); }
