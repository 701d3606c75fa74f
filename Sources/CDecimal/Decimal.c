#include "CDecimal.h"

#include <stdio.h>

// How Debian's libbidgcc000 was compiled: arguments, rounding and flags by value.
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include <bid_conf.h>
#include <bid_functions.h>

// Exceptions of IEEE 754, section 7, as the library numbers them.
enum { INVALID = 0x01, OVERFLOWED = 0x08, UNDERFLOWED = 0x10, INEXACT = 0x20 };
// The rounding directions of IEEE 754, section 4.3, as the library numbers them.
enum { TO_NEAREST_EVEN = 0, TOWARD_NEGATIVE = 1 };

bool HFDecimalRead(const char *text, HFDecimal *result) {
    _IDEC_flags flags = 0;
    BID_UINT128 number = bid128_from_string((char *)text, TO_NEAREST_EVEN, &flags);
    result->low = number.w[0];
    result->high = number.w[1];
    return (flags & (INVALID | OVERFLOWED | UNDERFLOWED | INEXACT)) == 0;
}

HFDecimal HFDecimalRound(double value, int digits) {
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    _IDEC_flags flags = 0;
    BID_UINT128 number = bid128_from_string(text, TO_NEAREST_EVEN, &flags);
    HFDecimal result = {number.w[0], number.w[1]};
    return result;
}

double HFDecimalFloor(HFDecimal number, bool *isExact) {
    _IDEC_flags flags = 0;
    BID_UINT128 value;
    value.w[0] = number.low;
    value.w[1] = number.high;
    double result = bid128_to_binary64(value, TOWARD_NEGATIVE, &flags);
    *isExact = (flags & (OVERFLOWED | UNDERFLOWED | INEXACT)) == 0;
    return result;
}

HFDecimal HFDecimalCalculate(char operation, HFDecimal left, HFDecimal right) {
    _IDEC_flags flags = 0;
    BID_UINT128 a = {{left.low, left.high}};
    BID_UINT128 b = {{right.low, right.high}};
    BID_UINT128 number;
    switch (operation) {
        case '+': number = bid128_add(a, b, TO_NEAREST_EVEN, &flags); break;
        case '-': number = bid128_sub(a, b, TO_NEAREST_EVEN, &flags); break;
        case '*': number = bid128_mul(a, b, TO_NEAREST_EVEN, &flags); break;
        default: number = bid128_div(a, b, TO_NEAREST_EVEN, &flags); break;
    }
    HFDecimal result = {number.w[0], number.w[1]};
    return result;
}
