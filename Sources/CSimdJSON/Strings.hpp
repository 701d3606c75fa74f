#pragma once

#include <cstdint>

#include "CSimdJSON.h"

namespace holdfast {

/// Finds the first quote or backslash at or after `text`; there is one, and 16 readable bytes
/// follow.
inline const uint8_t *findQuoteOrBackslash(const uint8_t *text) noexcept {
    typedef uint8_t Block __attribute__((vector_size(16)));
    typedef bool Mask __attribute__((ext_vector_type(16)));
    for (;; text += sizeof(Block)) {
        Block block;
        __builtin_memcpy(&block, text, sizeof block);
        auto found = (block == '"') | (block == '\\');
        auto bits = __builtin_bit_cast(uint16_t, __builtin_convertvector(found, Mask));
        if (bits != 0) return text + __builtin_ctz(bits);
    }
}

/// Unescapes the rest of a string.
///
/// - Parameters:
///   - text: its first backslash; moved behind the closing quote, which is known to exist, or to
///     the backslash of the fault.
///   - out: where to write, with room for as many bytes as the text has and 16 more; moved behind
///     what was written.
HFJSONError unescape(const uint8_t *&text, uint8_t *&out) noexcept;

}  // namespace holdfast
