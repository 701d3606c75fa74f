#include "CICU.h"

#include <math.h>
#include <stdlib.h>
#include <unicode/ucal.h>

struct HFZone {
    UCalendar *calendar;
};

HFZone *HFZoneMake(const char *name, size_t byteCount) {
    UChar units[64];
    UChar canonical[64];
    if (byteCount == 0 || byteCount > 64) return NULL;
    for (size_t index = 0; index < byteCount; index += 1) {
        if ((unsigned char)name[index] >= 0x80) return NULL;
        units[index] = (UChar)name[index];
    }
    UErrorCode status = U_ZERO_ERROR;
    UBool isKnown = false;
    ucal_getCanonicalTimeZoneID(units, (int32_t)byteCount, canonical, 64, &isKnown, &status);
    if (U_FAILURE(status) || !isKnown) return NULL;
    HFZone *zone = malloc(sizeof(HFZone));
    if (!zone) return NULL;
    zone->calendar = ucal_open(units, (int32_t)byteCount, "en", UCAL_GREGORIAN, &status);
    if (U_SUCCESS(status)) return zone;
    free(zone);
    return NULL;
}

void HFZoneFree(HFZone *zone) {
    if (!zone) return;
    ucal_close(zone->calendar);
    free(zone);
}

int32_t HFZoneOffset(HFZone *zone, int64_t seconds) {
    UErrorCode status = U_ZERO_ERROR;
    ucal_setMillis(zone->calendar, (UDate)seconds * 1000, &status);
    int32_t offset = ucal_get(zone->calendar, UCAL_ZONE_OFFSET, &status)
        + ucal_get(zone->calendar, UCAL_DST_OFFSET, &status);
    return U_SUCCESS(status) ? offset / 1000 : 0;
}

int64_t HFZoneNextChange(HFZone *zone, int64_t seconds) {
    UErrorCode status = U_ZERO_ERROR;
    UDate change = 0;
    ucal_setMillis(zone->calendar, (UDate)seconds * 1000, &status);
    UBool isFound = ucal_getTimeZoneTransitionDate(
        zone->calendar, UCAL_TZ_TRANSITION_NEXT, &change, &status);
    if (U_FAILURE(status)) return seconds;
    return isFound ? (int64_t)floor(change / 1000) : INT64_MAX;
}
