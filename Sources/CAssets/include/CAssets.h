/// The files that the program contains: the pages of `/docs/`, and the client for JavaScript.
#ifndef HOLDFAST_CASSETS_H
#define HOLDFAST_CASSETS_H

#include <stdbool.h>
#include <stddef.h>

/// A file that the service sends to browsers.
typedef struct {
    /// The path of its address; null for the last entry.
    const char *path;
    /// The name, whose ending says the type.
    const char *name;
    /// Whether the bytes are compressed with gzip.
    bool isGzip;
    const void *bytes;
    size_t count;
} HFWebFile;

/// All files for browsers.
const HFWebFile *HFWebFiles(void);

#endif
