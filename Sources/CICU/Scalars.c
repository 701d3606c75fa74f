#include "CICU.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

uint32_t HFFoldCase(uint32_t scalar) {
    return (uint32_t)u_foldCase((UChar32)scalar, U_FOLD_CASE_DEFAULT);
}

int HFDecompose(uint32_t scalar, uint32_t *result) {
    result[0] = scalar;
    UErrorCode status = U_ZERO_ERROR;
    // One object for the whole process; it is loaded by the first call, under ICU's own lock.
    const UNormalizer2 *decomposition = unorm2_getNFDInstance(&status);
    if (U_FAILURE(status)) return 1;
    UChar units[2 * HFDecompositionMax];
    int32_t count = unorm2_getDecomposition(
        decomposition, (UChar32)scalar, units, 2 * HFDecompositionMax, &status);
    if (U_FAILURE(status) || count <= 0) return 1;
    int written = 0;
    int32_t offset = 0;
    while (offset < count && written < HFDecompositionMax) {
        UChar32 part;
        U16_NEXT(units, offset, count, part);
        result[written++] = (uint32_t)part;
    }
    return written;
}

int32_t HFNormalize(
    bool composes, const uint16_t *units, int32_t count, uint16_t *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *form
        = composes ? unorm2_getNFCInstance(&status) : unorm2_getNFDInstance(&status);
    if (U_FAILURE(status)) return -1;
    const int32_t written = unorm2_normalize(
        form, (const UChar *)units, count, (UChar *)result, capacity, &status);
    return U_FAILURE(status) ? -1 : written;
}

bool HFIsNonspacingMark(uint32_t scalar) {
    return u_charType((UChar32)scalar) == U_NON_SPACING_MARK;
}
