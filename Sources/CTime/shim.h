// The door to dates as the C library reads them, which Swift's module of it leaves out.
#ifndef HOLDFAST_CTIME_SHIM_H
#define HOLDFAST_CTIME_SHIM_H

#include <time.h>

/// Declared by <time.h> under _XOPEN_SOURCE alone.
extern char *strptime(const char *text, const char *format, struct tm *time);

/// Reads `text` by `format` (strptime(3)); NULL when it does not fit, else what is left of it.
static inline const char *shim_parse_time(const char *text, const char *format, struct tm *time) {
    return strptime(text, format, time);
}

#endif
