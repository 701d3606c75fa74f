#pragma once

#include <cstddef>
#include <cstdint>

#include "CSimdJSON.h"

namespace holdfast {

/// Where the first byte stands that is not part of well-formed UTF-8, or `byteCount`.
size_t findInvalidUTF8(const uint8_t *text, size_t byteCount) noexcept;

/// Finds out what is wrong with a text whose strings are: simdjson only says that they are.
HFJSONError findStringFault(const uint8_t *text, size_t byteCount, uint64_t &offset) noexcept;

}  // namespace holdfast
