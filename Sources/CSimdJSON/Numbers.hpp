#pragma once

#include <cstdint>

#include "CSimdJSON.h"

namespace holdfast {

/// Whether a number or literal may end before `byte`: blanks and structural characters.
bool endsScalar(uint8_t byte) noexcept;

/// Reads the number at `text` into `entry`, except for its source offset.
///
/// The caller makes sure that a byte that belongs to no number follows within readable memory.
HFJSONError readNumber(const uint8_t *text, HFJSONEntry &entry) noexcept;

}  // namespace holdfast
