/// The door to Intel's decimal floating-point library: IEEE 754 decimal128 in its binary encoding (BID).
///
/// Debian's libintelrdfpmath-dev. The library's own header needs macros that choose how it was compiled,
/// and has a type of 16-byte alignment that Swift can't import: a number is two halves here.
#ifndef HOLDFAST_CDECIMAL_H
#define HOLDFAST_CDECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/// A decimal128 number in binary encoding.
typedef struct {
    uint64_t low;
    uint64_t high;
} HFDecimal;

/// Reads `[+-]digits[.digits][e[+-]digits]`, `NaN`, `Inf` or `Infinity`, ended by zero, in any case.
///
/// False when the text is another one, or a number of more digits than 34 that a shorter one doesn't
/// equal, or one outside the range.
bool HFDecimalRead(const char *text, HFDecimal *result);

/// The number of so many decimal digits, 1 to 17, that is nearest to a double.
HFDecimal HFDecimalRound(double value, int digits);

/// The greatest double that is not above a number, and whether it equals the number.
double HFDecimalFloor(HFDecimal number, bool *isExact);

/// Two numbers added, subtracted, multiplied or divided, as `operation` says with `+`, `-`, `*` or `/`;
/// rounded to the nearest, ties to even.
HFDecimal HFDecimalCalculate(char operation, HFDecimal left, HFDecimal right);

#endif
